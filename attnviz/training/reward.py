"""CIDEr-D, as a reward for single captions.

Vedantam, Zitnick and Parikh (2015), section 3 with the changes of "CIDEr-D": n-gram counts are
clipped to those of the reference, and a difference in length costs. Document frequencies are
those of the references given at the start, each photo one document.
"""

import math
from collections import Counter
from collections.abc import Iterable

ORDERS = 4
_SIGMA = 6.0

Words = tuple[str, ...]
Vector = dict[Words, float]


class CiderD:
    """Rewards from 0 to 10 for captions of photos with known references."""

    def __init__(self, references: list[list[str]]) -> None:
        """`references`: for each photo its captions, words with spaces between."""
        seen = [Counter(_grams(caption)) for own in references for caption in own]
        photos = [set(_grams_of(own)) for own in references]
        self.frequencies = Counter(gram for photo in photos for gram in photo)
        self.log_photos = math.log(len(references))
        vectors = iter([self._vector(counts) for counts in seen])
        self.references = [[next(vectors) for _ in own] for own in references]
        self.lengths = [[len(caption.split()) for caption in own] for own in references]

    def __call__(self, caption: str, photo: int) -> float:
        """How like the references of that photo the caption is."""
        vector, length = self._vector(Counter(_grams(caption))), len(caption.split())
        norms = _norms(vector)
        total = 0.0
        for other, other_length in zip(self.references[photo], self.lengths[photo], strict=True):
            other_norms = _norms(other)
            products = [0.0] * ORDERS
            for gram, weight in vector.items():
                if gram in other:
                    products[len(gram) - 1] += min(weight, other[gram]) * other[gram]
            cosines = [
                product / (a * b) if a and b else 0.0
                for product, a, b in zip(products, norms, other_norms, strict=True)
            ]
            penalty = math.exp(-((length - other_length) ** 2) / (2 * _SIGMA**2))
            total += penalty * sum(cosines) / ORDERS
        return 10 * total / len(self.references[photo])

    def _vector(self, counts: Counter[Words]) -> Vector:
        return {
            gram: count * (self.log_photos - math.log(max(1, self.frequencies[gram])))
            for gram, count in counts.items()
        }


def _grams(caption: str) -> Iterable[Words]:
    words = caption.split()
    for order in range(1, ORDERS + 1):
        for start in range(len(words) - order + 1):
            yield tuple(words[start : start + order])


def _grams_of(captions: list[str]) -> Iterable[Words]:
    for caption in captions:
        yield from _grams(caption)


def _norms(vector: Vector) -> list[float]:
    squares = [0.0] * ORDERS
    for gram, weight in vector.items():
        squares[len(gram) - 1] += weight * weight
    return [math.sqrt(square) for square in squares]


class Bleu1:
    """Sentence BLEU-1, from 0 to 1, of captions of photos with known references.

    Papineni et al. (2002): the words that some reference has, clipped to how often it has them, over
    all words; times exp(1 - r / c) where the caption of c words is shorter than the closest reference.
    """

    def __init__(self, references: list[list[str]]) -> None:
        """`references`: for each photo its captions, words with spaces between."""
        self.counts: list[Counter[str]] = []
        for own in references:
            most: Counter[str] = Counter()
            for caption in own:
                most |= Counter(caption.split())
            self.counts.append(most)
        self.lengths = [sorted(len(caption.split()) for caption in own) for own in references]

    def __call__(self, caption: str, photo: int) -> float:
        """How many of the caption's words the references of that photo have."""
        words = caption.split()
        if not words:
            return 0.0
        found = (Counter(words) & self.counts[photo]).total() / len(words)
        closest = min(self.lengths[photo], key=lambda length: abs(length - len(words)))
        return found * min(1.0, math.exp(1 - closest / len(words)))
