"""Traces over photos as pictures: overlays, animations and the sheet of small maps.

All use one formula, the same as the page's: a pixel is (1 - opacity) photo + opacity ramp(w / top),
w the weight at the pixel's centre and top the weight at the end of the colour scale.
"""

import base64
import html
import io
import re
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

import numpy as np
from PIL import Image, ImageDraw, ImageFont

from attnviz.errors import InputError
from attnviz.trace import Trace
from attnviz.weight_matrix import matrix

# From black over red to pale yellow: the order is seen without telling hues apart, also in grey.
RAMP = np.array(
    [
        (0, 0, 4),
        (31, 12, 72),
        (85, 15, 109),
        (136, 34, 106),
        (186, 54, 85),
        (227, 89, 51),
        (249, 140, 10),
        (249, 201, 50),
        (252, 255, 164),
    ],
    dtype=np.float64,
)
_NOT_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_SHADES = 1024
_SECONDS_A_WORD = 0.7
_FRAMES_A_WORD = 5
_ANIMATION_SIDE = 480
_TILE, _LABEL, _GAP, _COLUMNS = 180, 26, 10, 6


@dataclass(frozen=True)
class Overlay:
    """A photo with the maps of its caption's words, the end mark's last.

    photo: upright and RGB, of the size that the trace's grid has.
    own_scale: each map runs to its own largest weight, not to that of the whole caption.
    opacity: of the colours over the photo, from 0 to 1.
    smooth: soft edges between the cells, half a cell wide; otherwise the exact cells.

    Raises:
        InputError: the photo is not the one that the trace is of, or the opacity is out of range.
    """

    photo: Image.Image
    trace: Trace
    own_scale: bool = False
    opacity: float = 0.6
    smooth: bool = True

    def __post_init__(self) -> None:
        grid = self.trace.grid
        if self.photo.size != (grid.width, grid.height):
            raise InputError(
                f"Expected the photo of the trace, {grid.width} x {grid.height} pixels, got one of "
                f"{self.photo.width} x {self.photo.height}; give the photo that was captioned."
            )
        if not 0 <= self.opacity <= 1:
            raise InputError(f"Expected an opacity from 0 to 1, got {self.opacity!r}.")

    @cached_property
    def words(self) -> tuple[str, ...]:
        """The labels of the maps."""
        shown = matrix(self.trace, "words", end=True)
        return tuple("end mark" if t in shown.target_ends else label for t, label in enumerate(shown.target))

    @cached_property
    def maps(self) -> np.ndarray:
        """The weights of each word, (T, rows, columns)."""
        grid = self.trace.grid
        return matrix(self.trace, "words", end=True).weights.reshape(-1, grid.rows, grid.columns)

    def top(self, word: int) -> float:
        """The weight at the end of the word's colour scale."""
        shown = self.maps[word] if self.own_scale else self.maps
        return float(shown.max()) or 1.0

    def picture(self, word: int) -> Image.Image:
        """The photo at its own size under the map of a word.

        Raises:
            InputError: there is no such word.
        """
        if not 0 <= word < len(self.words):
            raise InputError(f"Expected a word from 0 to {len(self.words) - 1}, got {word}.")
        return self._blend(self.photo, self.maps[word], self.top(word))

    def word_png(self, word: int) -> bytes:
        """`picture` as a file."""
        return _bytes(self.picture(word), "PNG")

    def animation(self, file_format: Literal["gif", "webp"]) -> bytes:
        """The playback, at most 480 pixels a side; maps blend from word to word.

        A GIF has 256 colours a frame and the WebP is lossy: exact colours are in the PNG.
        """
        photo = _shrunk(self.photo, _ANIMATION_SIDE)
        frames, milliseconds = [], []
        for word in range(len(self.words)):
            frames.append(self._captioned(photo, word, self.maps[word], self.top(word)))
            milliseconds.append(int(1000 * _SECONDS_A_WORD))
            if word + 1 == len(self.words):
                break
            for part in np.linspace(0, 1, _FRAMES_A_WORD + 2)[1:-1]:
                between = (1 - part) * self.maps[word] + part * self.maps[word + 1]
                top = (1 - part) * self.top(word) + part * self.top(word + 1)
                frames.append(self._captioned(photo, word + (part > 0.5), between, top))
                milliseconds.append(60)
        buffer = io.BytesIO()
        options = {"quality": 85, "method": 4} if file_format == "webp" else {}
        frames[0].save(
            buffer,
            file_format.upper(),
            save_all=True,
            append_images=frames[1:],
            duration=milliseconds,
            loop=0,
            **options,
        )
        return buffer.getvalue()

    def sheet_png(self) -> bytes:
        """One small map a word, as in figure 3 of Xu et al. (2015)."""
        tiles = self._tiles()
        across, (width, height) = min(_COLUMNS, len(tiles)), tiles[0].size
        rows = -(-len(tiles) // across)
        size = (across * (width + _GAP) + _GAP, rows * (height + _LABEL + _GAP) + _GAP + _LABEL)
        sheet = Image.new("RGB", size, "white")
        draw, font = ImageDraw.Draw(sheet), ImageFont.load_default(15)
        for index, (tile, word) in enumerate(zip(tiles, self.words, strict=True)):
            x = _GAP + index % across * (width + _GAP)
            y = _GAP + index // across * (height + _LABEL + _GAP)
            draw.text((x + width / 2, y + _LABEL / 2), _fitted(word, font, width), "black", font, anchor="mm")
            sheet.paste(tile, (x, y + _LABEL))
        draw.text((_GAP, size[1] - _LABEL / 2 - _GAP / 2), self.legend(), "#555", font, anchor="lm")
        return _bytes(sheet, "PNG")

    def sheet_svg(self) -> str:
        """The same sheet with its words as text."""
        tiles = self._tiles()
        across, (width, height) = min(_COLUMNS, len(tiles)), tiles[0].size
        rows = -(-len(tiles) // across)
        size = (across * (width + _GAP) + _GAP, rows * (height + _LABEL + _GAP) + _GAP + _LABEL)
        parts = [
            f'<svg xmlns="http://www.w3.org/2000/svg" width="{size[0]}" height="{size[1]}" '
            f'viewBox="0 0 {size[0]} {size[1]}" font-family="sans-serif" font-size="15">',
            '<rect width="100%" height="100%" fill="white"/>',
        ]
        for index, (tile, word) in enumerate(zip(tiles, self.words, strict=True)):
            x = _GAP + index % across * (width + _GAP)
            y = _GAP + index // across * (height + _LABEL + _GAP)
            data = base64.b64encode(_bytes(tile, "PNG")).decode("ascii")
            parts.append(
                f'<text x="{x + width / 2}" y="{y + _LABEL / 2 + 5}" text-anchor="middle">{_xml(word)}'
                f'</text><image x="{x}" y="{y + _LABEL}" width="{width}" height="{height}" '
                f'href="data:image/png;base64,{data}"/>'
            )
        parts.append(f'<text x="{_GAP}" y="{size[1] - _GAP}" fill="#555">{_xml(self.legend())}</text></svg>')
        return "".join(parts)

    def legend(self) -> str:
        """What the colours mean, in words."""
        if self.own_scale:
            return "colour: 0 to each map's own largest weight"
        return f"colour: 0 to {self.maps.max():.3f}, one scale for all"

    def _tiles(self) -> list[Image.Image]:
        photo = _shrunk(self.photo, _TILE)
        return [self._blend(photo, self.maps[word], self.top(word)) for word in range(len(self.words))]

    def _blend(self, photo: Image.Image, weights: np.ndarray, top: float) -> Image.Image:
        values = at_pixels(weights, photo.width, photo.height, self.smooth)
        shades = np.rint((values / top).clip(0, 1) * (_SHADES - 1)).astype(np.uint16)
        colours = Image.fromarray(_ramp(np.linspace(0, 1, _SHADES))[shades])
        return Image.blend(photo, colours, self.opacity)

    def _captioned(self, photo: Image.Image, word: int, weights: np.ndarray, top: float) -> Image.Image:
        """A frame: the overlay, and under it the word."""
        frame = Image.new("RGB", (max(photo.width, 120), photo.height + _LABEL), "white")
        frame.paste(self._blend(photo, weights, top), ((frame.width - photo.width) // 2, 0))
        font = ImageFont.load_default(16)
        ImageDraw.Draw(frame).text(
            (frame.width / 2, photo.height + _LABEL / 2),
            _fitted(self.words[word], font, frame.width),
            "black",
            font,
            anchor="mm",
        )
        return frame


def at_pixels(weights: np.ndarray, width: int, height: int, smooth: bool) -> np.ndarray:
    """The weights (rows, columns) at each pixel's centre, (height, width).

    Smooth, the map is blurred by a box half a cell wide: the inner half of a cell keeps its exact
    value, and two neighbours mix within a quarter of a cell from their common edge.
    """
    rows, columns = weights.shape
    return _shares(rows, height, smooth) @ weights.astype(np.float64) @ _shares(columns, width, smooth).T


def _shares(cells: int, pixels: int, smooth: bool) -> np.ndarray:
    """How much of each cell a pixel shows, along one side: (pixels, cells), rows sum to 1."""
    shares = np.zeros((pixels, cells))
    # In whole numbers, so that a pixel's centre lies in the same cell as Grid.rectangle says.
    own = (2 * np.arange(pixels) + 1) * cells // (2 * pixels)
    place = np.arange(pixels)
    if not smooth:
        shares[place, own] = 1.0
        return shares
    inside = (place + 0.5) * cells / pixels - own
    mixed = 0.5 - 2 * np.minimum(inside, 1 - inside)
    mixed = mixed.clip(min=0)
    other = (own + np.where(inside < 0.5, -1, 1)).clip(0, cells - 1)
    np.add.at(shares, (place, own), 1 - mixed)
    np.add.at(shares, (place, other), mixed)
    return shares


def _ramp(values: np.ndarray) -> np.ndarray:
    """Values from 0 to 1 -> colours, uint8 (..., 3)."""
    at = values * (len(RAMP) - 1)
    channels = [np.interp(at, np.arange(len(RAMP)), RAMP[:, channel]) for channel in range(3)]
    return np.rint(np.stack(channels, axis=-1)).astype(np.uint8)


def _shrunk(photo: Image.Image, side: int) -> Image.Image:
    """The photo with at most `side` pixels a side, and at least one."""
    scale = min(1.0, side / max(photo.size))
    size = (max(1, round(photo.width * scale)), max(1, round(photo.height * scale)))
    return photo if size == photo.size else photo.resize(size, Image.Resampling.LANCZOS)


def _fitted(word: str, font: ImageFont.FreeTypeFont | ImageFont.ImageFont, width: float) -> str:
    """The word, shortened with dots where it is too wide."""
    if font.getlength(word) <= width:
        return word
    while word and font.getlength(f"{word}...") > width:
        word = word[:-1]
    return f"{word}..."


def _xml(text: str) -> str:
    """The text for an XML file; U+FFFD for characters that none can hold."""
    return html.escape(_NOT_XML.sub("\ufffd", text))


def _bytes(picture: Image.Image, file_format: str) -> bytes:
    buffer = io.BytesIO()
    picture.save(buffer, file_format)
    return buffer.getvalue()
