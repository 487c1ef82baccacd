"""What the positions of a trace are: what the user gave, and where in it each position lies."""

from dataclasses import dataclass

from attnviz.errors import ShapeError

Span = tuple[int, int]

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
