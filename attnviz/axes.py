"""What the positions of a trace are: what the user gave, and where in it each position lies."""

from dataclasses import dataclass
from typing import TypeAlias

from attnviz.errors import ShapeError

Span = tuple[int, int]
Axis: TypeAlias = "Sequence | Grid"

END = "</s>"


@dataclass(frozen=True, slots=True)
class Sequence:
    """A text as a model sees it: tokens, and the characters that each of them stands for.

    text: what the user gave, or the decoder wrote.
    tokens: the pieces, readable; an end mark is "</s>" and listed in `ends`.
    offsets: for each token its characters, text[start:stop]; an end mark has none (start = stop).
    words: the characters of each word of the text.
    owners: for each token the index of its word; -1 for an end mark.
    """

    text: str
    tokens: tuple[str, ...]
    offsets: tuple[Span, ...]
    words: tuple[Span, ...]
    owners: tuple[int, ...]

    def __post_init__(self) -> None:
        if not len(self.tokens) == len(self.offsets) == len(self.owners):
            raise ShapeError(
                f"Expected an offset and an owner for each token, got {len(self.tokens)} tokens, "
                f"{len(self.offsets)} offsets and {len(self.owners)} owners."
            )
        if any(not 0 <= start <= stop <= len(self.text) for start, stop in self.offsets + self.words):
            raise ShapeError(f"An offset lies outside the text of {len(self.text)} characters.")
        if any(not -1 <= owner < len(self.words) for owner in self.owners):
            raise ShapeError(f"A token belongs to a word that is none of the {len(self.words)}.")

    def __len__(self) -> int:
        return len(self.tokens)

    @property
    def ends(self) -> tuple[int, ...]:
        """The positions of the end marks: one a sentence."""
        return tuple(position for position, owner in enumerate(self.owners) if owner < 0)

    @staticmethod
    def join(text: str, parts: "list[Sequence]") -> "Sequence":
        """Sequences whose offsets all index one text, one after the other."""
        owners: list[int] = []
        count = 0
        for part in parts:
            owners += [owner if owner < 0 else owner + count for owner in part.owners]
            count += len(part.words)
        return Sequence(
            text,
            tuple(token for part in parts for token in part.tokens),
            tuple(span for part in parts for span in part.offsets),
            tuple(span for part in parts for span in part.words),
            tuple(owners),
        )

    def moved(self, text: str, by: int) -> "Sequence":
        """The same sequence as a part of a longer text, in which it starts at character `by`."""
        return Sequence(
            text,
            self.tokens,
            tuple((start + by, stop + by) for start, stop in self.offsets),
            tuple((start + by, stop + by) for start, stop in self.words),
            self.owners,
        )


@dataclass(frozen=True, slots=True)
class Grid:
    """The cells of a grid over a picture, row by row.

    rows, columns: of cells. width, height: of the picture in pixels, as a person sees it. The
    network sees the whole picture squashed to a square, so that the cells divide it evenly.

    Positions: cell i is in row i // columns and column i % columns.
    """

    rows: int
    columns: int
    width: int
    height: int

    def __post_init__(self) -> None:
        if min(self.rows, self.columns, self.width, self.height) < 1:
            raise ShapeError(
                f"Expected a grid and a picture of at least 1 x 1, got {self.rows} x {self.columns} cells "
                f"over {self.width} x {self.height} pixels."
            )

    def __len__(self) -> int:
        return self.rows * self.columns

    @property
    def tokens(self) -> tuple[str, ...]:
        """A label for each cell: its row and column, from 1."""
        return tuple(f"{row + 1},{column + 1}" for row in range(self.rows) for column in range(self.columns))

    @property
    def ends(self) -> tuple[int, ...]:
        """None: a picture has no end mark."""
        return ()

    def rectangle(self, cell: int) -> tuple[int, int, int, int]:
        """The pixels that a cell covers: left, top, right, bottom; the last two not included.

        A pixel belongs to the cell that its centre lies in, so that the cells tile the picture
        without gap or overlap. In a picture with fewer pixels than cells some cells have none.
        """
        row, column = divmod(range(len(self))[cell], self.columns)
        left, right = (_edge(at, self.columns, self.width) for at in (column, column + 1))
        top, bottom = (_edge(at, self.rows, self.height) for at in (row, row + 1))
        return left, top, right, bottom

    def cell_at(self, x: float, y: float) -> int:
        """The cell that a point lies in; x and y in pixels from the upper left corner.

        Raises:
            ShapeError: the point is outside the picture.
        """
        if not (0 <= x < self.width and 0 <= y < self.height):
            raise ShapeError(f"The point ({x}, {y}) lies outside {self.width} x {self.height} pixels.")
        row = min(int(y * self.rows / self.height), self.rows - 1)
        return row * self.columns + min(int(x * self.columns / self.width), self.columns - 1)


def _edge(cells: int, of: int, pixels: int) -> int:
    """The first pixel whose centre lies past that many cells: ceil(cells * pixels / of - 1/2)."""
    return -((of - 2 * cells * pixels) // (2 * of))
