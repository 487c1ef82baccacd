"""Overlays against their formula, pixel by pixel."""

import io
import xml.etree.ElementTree as ET

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image

from attnviz.axes import Grid
from attnviz.errors import InputError
from attnviz.export import RAMP, Overlay, at_pixels
from tests.attnviz import traces


def made(width: int, height: int, **options) -> Overlay:
    trace = traces.trace(axis=Grid(14, 14, width, height))
    return Overlay(Image.new("RGB", (width, height), (90, 120, 150)), trace, **options)


@given(width=st.integers(1, 70), height=st.integers(1, 70))
def test_exact_cells_are_the_grid_s_rectangles(width: int, height: int) -> None:
    weights = np.arange(196.0).reshape(14, 14)
    pixels = at_pixels(weights, width, height, smooth=False)
    grid = Grid(14, 14, width, height)
    for cell in range(196):
        left, top, right, bottom = grid.rectangle(cell)
        assert (pixels[top:bottom, left:right] == cell).all()


def test_smoothing_is_half_a_cell_wide_and_no_wider() -> None:
    """One bright cell of 8 pixels: its inner half keeps its value, and the neighbours get theirs back after
    a quarter of a cell. Pixel centres lie at 1/16, 3/16, ... of a cell, so the share of the other cell is
    1/2 - 2/16 = 0.375, then 0.125, then 0."""
    row = at_pixels(np.array([[0.0, 1.0, 0.0]]), 24, 1, smooth=True)[0]
    edge = [0.125, 0.375]
    assert (
        row.tolist() == [0] * 6 + edge + edge_of(edge) + [1] * 4 + edge_of(edge)[::-1] + edge[::-1] + [0] * 6
    )


def edge_of(edge: list[float]) -> list[float]:
    """The bright cell's own side of an edge."""
    return [1 - share for share in edge[::-1]]


@given(width=st.integers(1, 60), height=st.integers(1, 60), seed=st.integers(0, 99))
def test_smoothing_stays_between_the_neighbours_and_keeps_flat_maps_flat(width, height, seed) -> None:
    weights = np.random.default_rng(seed).random((14, 14))
    pixels = at_pixels(weights, width, height, smooth=True)
    assert weights.min() - 1e-12 <= pixels.min() <= pixels.max() <= weights.max() + 1e-12
    assert np.allclose(at_pixels(np.full((14, 14), 0.25), width, height, smooth=True), 0.25)


def test_a_pixel_is_the_photo_and_the_ramp_in_their_shares() -> None:
    """A bright patch whose cell is known, in a very wide photo."""
    overlay = made(1400, 140, opacity=0.5, smooth=False)
    overlay.trace.weights[:] = 0.0
    overlay.trace.weights[:, 14 * 9 + 3] = 0.5
    overlay.trace.weights[:, 14 * 2 + 12] = 0.25
    picture = np.asarray(overlay.picture(0)).astype(int)
    photo = np.array([90, 120, 150])
    assert np.abs(picture[90:100, 300:400] - (photo + RAMP[-1]) / 2).max() <= 1
    assert np.abs(picture[20:30, 1200:1300] - (photo + RAMP[4]) / 2).max() <= 1  # the middle of the ramp
    assert np.abs(picture[89, 300:400] - (photo + RAMP[0]) / 2).max() <= 1
    assert np.abs(picture[90:100, 299] - (photo + RAMP[0]) / 2).max() <= 1


def test_one_scale_for_all_shows_a_flat_map_as_flat() -> None:
    shared, own = made(140, 140), made(140, 140, own_scale=True)
    for overlay in (shared, own):
        overlay.trace.weights[:] = 1 / 196
        overlay.trace.weights[0] = 0.0
        overlay.trace.weights[0, 0] = 1.0
    dark = np.asarray(shared.picture(1)).mean()
    assert dark < np.asarray(own.picture(1)).mean() - 50
    assert shared.top(1) == 1.0
    assert own.top(1) == pytest.approx(1 / 196)
    assert "1.000" in shared.legend()
    assert "own" in own.legend()


@pytest.mark.parametrize("size", [(1, 1), (3, 200), (200, 3), (640, 480), (480, 640)])
def test_everything_can_be_drawn_at_any_size(size: tuple[int, int]) -> None:
    overlay = made(*size)
    assert overlay.picture(0).size == size
    assert Image.open(io.BytesIO(overlay.word_png(2))).size == size
    for file_format in ("gif", "webp"):
        animation = Image.open(io.BytesIO(overlay.animation(file_format)))
        # Frames that are alike are merged into a longer one.
        assert animation.n_frames > len(overlay.words) or max(size) < 10
    assert Image.open(io.BytesIO(overlay.sheet_png())).width >= 180 or size[0] < 180
    tree = ET.fromstring(overlay.sheet_svg())
    texts = [node.text for node in tree.iter("{http://www.w3.org/2000/svg}text")]
    assert texts == [*overlay.words, overlay.legend()]


@given(word=st.text(min_size=1, max_size=40))
@settings(max_examples=30, deadline=None)
def test_words_of_any_kind_are_safe_in_the_svg(word: str) -> None:
    overlay = made(20, 20)
    overlay.__dict__["words"] = (word, *overlay.words[1:])
    texts = [
        node.text for node in ET.fromstring(overlay.sheet_svg()).iter("{http://www.w3.org/2000/svg}text")
    ]
    assert len(texts[0]) == len(word)
    if word.isprintable():
        assert texts[0] == word


def test_a_photo_that_is_not_the_trace_s_is_refused() -> None:
    trace = traces.trace(axis=Grid(14, 14, 30, 20))
    with pytest.raises(InputError, match="30 x 20 pixels, got one of 20 x 30"):
        Overlay(Image.new("RGB", (20, 30)), trace)
    with pytest.raises(InputError, match="opacity"):
        Overlay(Image.new("RGB", (30, 20)), trace, opacity=1.5)
    with pytest.raises(InputError, match="word from 0"):
        Overlay(Image.new("RGB", (30, 20)), trace).picture(99)
    with pytest.raises(InputError, match="picture"):
        Overlay(Image.new("RGB", (30, 20)), traces.trace()).maps  # noqa: B018
