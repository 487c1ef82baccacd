"""Quality against length: figure 2 of Bahdanau, Cho and Bengio (2015), with honest intervals.

Two kinds of text. `natural`: sentences as they come, put into bins by their length; the longer ones
are also of another kind, so that length is not all that differs. `joined`: the same sentences in
every bin, joined to texts of the bin's length; only the length differs.
"""

import random
from collections.abc import Sequence
from dataclasses import dataclass

from attnviz.parallel import Pair

FEWEST = 200
SEED = 4


@dataclass(frozen=True, slots=True)
class Bin:
    """Texts whose source has from `low` to `high` words, both counted in."""

    low: int
    high: int
    pairs: tuple[Pair, ...]

    @property
    def label(self) -> str:
        return f"{self.low}-{self.high}"


BOUNDS = ((1, 10), (11, 20), (21, 30), (31, 40), (41, 50), (51, 60), (61, 80))
LONG = 1000


def unseen(pairs: Sequence[Pair], trained: Sequence[Pair], words: int = 12) -> list[Pair]:
    """The pairs whose source shares no stretch of so many words with a source that was trained on.

    Technical prose repeats itself: near copies of held-out texts stand in the training set, and a
    model that has learned them by heart would seem to hold at their length.
    """
    seen = {stretch for source, _ in trained for stretch in _stretches(source, words)}
    return [pair for pair in pairs if seen.isdisjoint(_stretches(pair[0], words))]


def _stretches(text: str, words: int) -> set[str]:
    found = text.lower().split()
    return {" ".join(found[at : at + words]) for at in range(len(found) - words + 1)}


def natural(pairs: Sequence[Pair], bounds: Sequence[tuple[int, int]] = BOUNDS) -> list[Bin]:
    """Each pair in the bin of its source's number of words; bins of fewer than 200 are left out."""
    bins = [
        Bin(low, high, tuple(pair for pair in pairs if low <= len(pair[0].split()) <= high))
        for low, high in bounds
    ]
    return [one for one in bins if len(one.pairs) >= FEWEST]


def joined(pairs: Sequence[Pair], bounds: Sequence[tuple[int, int]] = BOUNDS) -> list[Bin]:
    """Every pair once in every bin, joined with others, in an order drawn once, to texts of its length.

    A pair that alone is too long for a bin is left out of it, and so are the last ones if they are
    too short together. Bins of fewer than 200 texts are left out.
    """
    order = list(pairs)
    random.Random(SEED).shuffle(order)
    bins = [Bin(low, high, tuple(_join(order, low, high))) for low, high in bounds]
    return [one for one in bins if len(one.pairs) >= FEWEST]


def _join(pairs: Sequence[Pair], low: int, high: int) -> list[Pair]:
    """Goes through the pairs again and again with what did not fit, until no text comes of it."""
    texts: list[Pair] = []
    waiting = [pair for pair in pairs if 0 < len(pair[0].split()) <= high]
    while True:
        group, left, before = list[Pair](), list[Pair](), len(texts)
        for pair in waiting:
            words = sum(len(source.split()) for source, _ in group)
            if words + len(pair[0].split()) > high:
                left.append(pair)
                continue
            group.append(pair)
            if words + len(pair[0].split()) >= low:
                texts.append((" ".join(s for s, _ in group), " ".join(t for _, t in group)))
                group = []
        if len(texts) == before:
            return texts
        waiting = [*group, *left]
