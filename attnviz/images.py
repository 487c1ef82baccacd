"""A user's picture -> what the network reads, with nothing turned, cut or shifted unnoticed."""

import io
import os
import warnings
from pathlib import Path

import numpy as np
import torch
from PIL import Image, ImageOps, UnidentifiedImageError
from torch import Tensor

from attnviz.efficientnet import SIDE
from attnviz.errors import InputError

Source = bytes | str | Path | Image.Image

MOST_PIXELS = 40_000_000
MOST_BYTES = 20_000_000
# Only formats that hold plain pixels: no PostScript, nothing that starts another program.
FORMATS = ("JPEG", "PNG", "GIF", "WEBP", "AVIF", "BMP", "TIFF", "PPM", "ICO")


def read(source: Source) -> Image.Image:
    """A picture as a person sees it: upright, RGB, 8 bits.

    The EXIF orientation is applied; transparency is laid over white; grey, palette, CMYK and
    16-bit pictures are converted; of an animation the first frame is taken.

    Raises:
        InputError: not a picture, cut off, over 40 megapixels or 20 MB, or of a kind that cannot
            be shown truly; the message says which.
    """
    try:
        with warnings.catch_warnings():
            # A size that pillow warns of is refused below, before any pixel is decoded.
            warnings.simplefilter("ignore")
            return _upright(_opened(source))
    except Image.DecompressionBombError as error:
        raise InputError(_too_large("hundreds of")) from error
    except UnidentifiedImageError as error:
        raise InputError(
            "Expected a picture (JPEG, PNG, WebP, AVIF, GIF, TIFF or BMP), got a file of another kind or a "
            "damaged one; for HEIC or raw photos, save them as JPEG."
        ) from error
    except (OSError, SyntaxError, ValueError, EOFError, IndexError, TypeError, OverflowError) as error:
        if isinstance(error, InputError):
            raise
        raise InputError(
            f"The picture is cut off or damaged and cannot be decoded ({error}); send the whole file."
        ) from error


def to_pixels(photo: Image.Image) -> Tensor:
    """An RGB picture -> (3, 224, 224), as the network wants it: (value - 127) / 128.

    Squashed to the square without keeping its aspect ratio, as the photos of Flickr8k were, so
    that cell (row, column) of the 14 x 14 grid covers the same share of every photo.
    """
    squashed = photo.resize((SIDE, SIDE), Image.Resampling.BICUBIC)
    return (torch.from_numpy(np.array(squashed)).permute(2, 0, 1).float() - 127) / 128


def _opened(source: Source) -> Image.Image:
    if isinstance(source, Image.Image):
        _check_size(source)
        return source
    if isinstance(source, (bytes, bytearray, memoryview)):
        data = bytes(source)
    elif isinstance(source, (str, os.PathLike)):
        data = _file(source)
    else:
        raise InputError(f"Expected a picture as a path, bytes or a PIL image, got {type(source).__name__}.")
    if not data:
        raise InputError("Expected a picture, got an empty file.")
    if len(data) > MOST_BYTES:
        raise InputError(
            f"Expected a picture of at most {MOST_BYTES // 10**6} MB, got {len(data) / 1e6:.1f} MB; "
            "save it smaller."
        )
    photo = Image.open(io.BytesIO(data), formats=FORMATS)
    _check_size(photo)
    return photo


def _file(path: str | os.PathLike[str]) -> bytes:
    try:
        # One byte more than allowed is enough to know.
        with open(path, "rb") as file:
            size = os.fstat(file.fileno()).st_size
            if size > MOST_BYTES:
                raise InputError(
                    f"Expected a picture of at most {MOST_BYTES // 10**6} MB, got {size / 1e6:.1f} MB in "
                    f"{path}; save it smaller."
                )
            return file.read(MOST_BYTES + 1)
    except (OSError, ValueError) as error:
        if isinstance(error, InputError):
            raise
        why = error.strerror if isinstance(error, OSError) else "no file can have that name"
        raise InputError(f"Expected a picture at {str(path)!r}, but it cannot be opened: {why}.") from error


def _check_size(photo: Image.Image) -> None:
    if photo.width < 1 or photo.height < 1:
        raise InputError(f"Expected a picture of at least one pixel, got {photo.width} x {photo.height}.")
    if photo.width * photo.height > MOST_PIXELS:
        raise InputError(_too_large(f"{photo.width * photo.height / 1e6:.1f}"))


def _too_large(megapixels: str) -> str:
    return (
        f"Expected a picture of at most {MOST_PIXELS // 10**6} megapixels, got {megapixels} megapixels; "
        "save it smaller."
    )


def _upright(photo: Image.Image) -> Image.Image:
    if getattr(photo, "n_frames", 1) > 1:
        photo.seek(0)
    photo.load()
    return _rgb(ImageOps.exif_transpose(photo))


def _rgb(photo: Image.Image) -> Image.Image:
    if photo.mode == "F":
        raise InputError(
            "Expected a picture with whole-numbered colours, got floating-point values, whose range nobody "
            "knows; save it with 8 or 16 bits."
        )
    if photo.mode.startswith("I"):  # 16 bits a pixel; pillow would cut them off at 255
        values = np.asarray(photo).astype(np.int64).clip(0, 65535)
        photo = Image.fromarray(np.rint(values / 257).astype(np.uint8), "L")
    if photo.has_transparency_data:
        clear = photo.convert("RGBA")
        white = Image.new("RGBA", photo.size, "white")
        return Image.alpha_composite(white, clear).convert("RGB")
    return photo.convert("RGB")
