"""The cells of a grid over a photo: exact for any size."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from attnviz.axes import Grid
from attnviz.errors import ShapeError

SIDES = st.one_of(st.integers(1, 40), st.integers(1, 9000))
CELLS = st.integers(1, 20)


@given(rows=CELLS, columns=CELLS, width=st.integers(1, 90), height=st.integers(1, 90))
def test_cells_tile_every_photo_without_gap_or_overlap(
    rows: int, columns: int, width: int, height: int
) -> None:
    grid = Grid(rows, columns, width, height)
    covered = np.zeros((height, width), int)
    for cell in range(len(grid)):
        left, top, right, bottom = grid.rectangle(cell)
        assert 0 <= left <= right <= width
        assert 0 <= top <= bottom <= height
        covered[top:bottom, left:right] += 1
    assert (covered == 1).all()


@given(width=SIDES, height=SIDES)
def test_edges_are_those_of_a_photo_squashed_to_the_square(width: int, height: int) -> None:
    """A pixel is in the cell that its centre is in; worked out in fractions."""
    grid = Grid(14, 14, width, height)
    for cell in (0, 13, 97, 182, 195):
        left, top, right, bottom = grid.rectangle(cell)
        row, column = divmod(cell, 14)
        for start, stop, at, pixels in ((left, right, column, width), (top, bottom, row, height)):
            for pixel in {start, stop - 1} if stop > start else set():
                assert at * pixels <= (pixel + 0.5) * 14 <= (at + 1) * pixels
            if start:
                assert (start - 0.5) * 14 <= at * pixels


@given(width=SIDES, height=SIDES, data=st.data())
def test_the_cell_at_a_pixel_s_centre_covers_that_pixel(width: int, height: int, data: st.DataObject) -> None:
    grid = Grid(14, 14, width, height)
    x, y = data.draw(st.integers(0, width - 1)), data.draw(st.integers(0, height - 1))
    left, top, right, bottom = grid.rectangle(grid.cell_at(x + 0.5, y + 0.5))
    assert left <= x < right
    assert top <= y < bottom


def test_a_grid_worked_out_by_hand() -> None:
    """28 x 7 pixels under 2 x 4 cells: 7 pixels across; down 3.5, and the pixel with its centre on the
    edge goes to the lower cell."""
    grid = Grid(2, 4, 28, 7)
    assert [grid.rectangle(cell) for cell in range(5)] == [
        (0, 0, 7, 3),
        (7, 0, 14, 3),
        (14, 0, 21, 3),
        (21, 0, 28, 3),
        (0, 3, 7, 7),
    ]
    assert grid.rectangle(-1) == (21, 3, 28, 7)
    assert grid.cell_at(27.9, 6.9) == 7
    assert grid.cell_at(0, 0) == 0
    assert (len(grid), grid.ends, grid.tokens[5]) == (8, (), "2,2")


@pytest.mark.parametrize("point", [(-0.1, 0), (28, 0), (0, 7), (float("nan"), 1)])
def test_a_point_outside_is_refused(point: tuple[float, float]) -> None:
    with pytest.raises(ShapeError, match="outside"):
        Grid(2, 4, 28, 7).cell_at(*point)


@pytest.mark.parametrize("sizes", [(0, 1, 1, 1), (1, 1, 0, 5), (1, 1, 5, -1)])
def test_an_empty_grid_is_refused(sizes: tuple[int, int, int, int]) -> None:
    with pytest.raises(ShapeError, match="at least 1 x 1"):
        Grid(*sizes)
