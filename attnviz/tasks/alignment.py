"""Word alignment: sentences and their translations, both given -> which word goes with which."""

from collections.abc import Iterable, Iterator
from typing import Any, Literal

import numpy as np
import torch
from torch.nn.utils.rnn import pad_sequence

from attnviz import measures
from attnviz.alignments import Links, symmetrise
from attnviz.axes import Span
from attnviz.errors import InputError, NoAttentionError
from attnviz.model import TextToText
from attnviz.tasks.translation import Translator
from attnviz.tasks.writing import LONGEST
from attnviz.text import Pieces, bare
from attnviz.weight_matrix import WeightMatrix

Lens = Literal["previous", "current", "next"]
Pair = tuple[list[str], list[str]]

LENSES: dict[Lens, int] = {"previous": -1, "current": 0, "next": 1}
BATCH = 32


class Aligner:
    """Aligns words by attention: the target is forced, and each of its words looks at the source.

    `Aligner.of(translator)` aligns with a translator's attention as it is. The models that were
    trained to align have learned to look with the step that has read the word, the next one.
    """

    def __init__(self, name: str, model: TextToText, pieces: Pieces, config: dict[str, Any]) -> None:
        if model.config.mechanism == "none":
            raise NoAttentionError(f"{name} has no attention, so that it aligns nothing; choose another.")
        self.name = name
        self.model = model.eval().requires_grad_(False)
        self.pieces = pieces
        self.source_language: str = config["source"]
        self.target_language: str = config["target"]
        self.lens: Lens = "next" if config["task"] == "alignment" else "current"
        # The aligners know small letters without accents only.
        self._bare = config["task"] == "alignment"

    @classmethod
    def of(cls, translator: Translator) -> "Aligner":
        """Aligns with the attention of a translator.

        Raises:
            NoAttentionError: it has none.
        """
        config = {
            "task": "translation",
            "source": translator.source_language,
            "target": translator.target_language,
        }
        return cls(translator.name, translator.model, translator.pieces, config)

    def links(self, pairs: list[Pair], lens: Lens | None = None) -> list[Links]:
        """The links (source word, target word) of each pair: where each target word looked most.

        A word that looked most at the source's end mark has none; see `measures.alignment`.
        """
        return [frozenset(measures.alignment(shown)) for shown in self.matrices(pairs, lens)]

    def matrices(self, pairs: list[Pair], lens: Lens | None = None) -> list[WeightMatrix]:
        """The weights between the words of each pair, rows target.

        Args:
            pairs: the words of the source and of the target, apart.
            lens: whose weights count for a word: those of the step that wrote it ("current"), of
                the one before or the one after; None for what the model is best at. Words in
                several pieces get the mean of their steps. The first piece has no step before it:
                a row without any step is NaN.

        Raises:
            InputError: a sentence is empty or too long, or there is no such lens; the message says
                which sentence.
        """
        chosen = self.lens if lens is None else lens
        if chosen not in LENSES:
            raise InputError(f"Expected the lens previous, current or next, got {lens!r}.")
        encoded = [self._encode(pair, index) for index, pair in enumerate(pairs)]
        order = sorted(range(len(pairs)), key=lambda index: len(encoded[index][1][0]))
        found: dict[int, WeightMatrix] = {}
        for rows in (order[start : start + BATCH] for start in range(0, len(order), BATCH)):
            steps = self._steps([encoded[row] for row in rows])
            for row, weights in zip(rows, steps, strict=True):
                found[row] = _merge(pairs[row], encoded[row], weights, LENSES[chosen])
        return [found[row] for row in range(len(pairs))]

    def _encode(self, pair: Pair, index: int) -> tuple["_Words", "_Words"]:
        source, target = pair
        sides = []
        for side, words in (("source", source), ("target", target)):
            if not words or any(not word or word.split() != [word] for word in words):
                raise InputError(f"Sentence {index + 1}: expected words in its {side}, got {words!r:.80}.")
            known = [bare(word) or word for word in words] if self._bare else words
            ids, owners = self.pieces.encode_words(known)
            if len(ids) > LONGEST:
                raise InputError(
                    f"Sentence {index + 1}: expected at most {LONGEST} pieces, got {len(ids)} in its {side}."
                )
            sides.append((ids, owners))
        return sides[0], sides[1]

    @torch.inference_mode()
    def _steps(self, encoded: list[tuple["_Words", "_Words"]]) -> Iterator[np.ndarray]:
        """The weights (target pieces + 1, source pieces + 1) of all steps, end marks last."""
        end, start = self.pieces.end, self.pieces.start
        source = _padded([[*ids, end] for (ids, _), _ in encoded])
        before = _padded([[start, *ids] for _, (ids, _) in encoded])
        memory = self.model.encode(source.clamp(min=0), source >= 0)
        energies = self.model.unroll(before.clamp(min=0), memory).energies
        weights = torch.softmax(energies, -1).double().numpy()
        for row, ((source_ids, _), (target_ids, _)) in zip(weights, encoded, strict=True):
            yield row[: len(target_ids) + 1, : len(source_ids) + 1]


_Words = tuple[list[int], list[int]]  # pieces, and for each the index of its word


def align(pairs: list[Pair], forward: Aligner, backward: Aligner, method: str) -> list[Links]:
    """Symmetrised links of both directions; `backward` reads the targets as its sources.

    Raises:
        InputError: as `Aligner.matrices` and `alignments.symmetrise`.
    """
    back = backward.links([(target, source) for source, target in pairs])
    return [
        symmetrise(there, frozenset((s, t) for t, s in here), method)
        for there, here in zip(forward.links(pairs), back, strict=True)
    ]


def _padded(rows: list[list[int]]) -> torch.Tensor:
    return pad_sequence([torch.tensor(row) for row in rows], batch_first=True, padding_value=-1)


def _merge(pair: Pair, encoded: tuple[_Words, _Words], weights: np.ndarray, shift: int) -> WeightMatrix:
    """Steps by source pieces -> target words by source words."""
    (_, source_owners), (_, target_owners) = encoded
    source, target = pair
    columns = _owned(source_owners, len(source))
    rows = [
        tuple(piece + shift for piece in pieces if 0 <= piece + shift < len(weights))
        for pieces in _owned(target_owners, len(target))
    ]
    merged = np.full((len(target), len(source) + 1), np.nan)
    for t, steps in enumerate(rows):
        if steps:
            mean = weights[list(steps)].mean(axis=0)
            merged[t] = [*(mean[list(pieces)].sum() for pieces in columns), mean[-1]]
    return WeightMatrix(
        source=tuple(source),
        target=tuple(target),
        source_ends=(),
        target_ends=(),
        source_spans=_spans(source),
        target_spans=_spans(target),
        rows=tuple(rows),
        columns=tuple(columns),
        weights=merged[:, :-1].astype(np.float32),
        energies=np.full((len(target), len(source)), np.nan, np.float32),
        end_mass=merged[:, -1].astype(np.float32),
    )


def _owned(owners: Iterable[int], count: int) -> list[tuple[int, ...]]:
    """The pieces of each word."""
    owned: list[list[int]] = [[] for _ in range(count)]
    for piece, word in enumerate(owners):
        owned[word].append(piece)
    return [tuple(pieces) for pieces in owned]


def _spans(words: list[str]) -> tuple[Span, ...]:
    """Where the words stand in the text that they make with a space between."""
    spans, at = [], 0
    for word in words:
        spans.append((at, at + len(word)))
        at += len(word) + 1
    return tuple(spans)
