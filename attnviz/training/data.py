"""Parallel text for training: varied as people write, cut into pieces, batched by length."""

import random
import re
from collections.abc import Iterator
from pathlib import Path

import torch
from torch import Tensor
from torch.nn.utils.rnn import pad_sequence

from attnviz.parallel import Pair, held_out, read_pairs
from attnviz.text import Pieces
from attnviz.training.recipe import FOLDER, Data, TranslationRecipe, Variation


class Corpus:
    """The training sets of a recipe; every epoch draws its shares of them anew."""

    def __init__(self, recipe: TranslationRecipe, folder: Path) -> None:
        self.recipe = recipe
        self.sets = [(data, _kept(_read(folder, data), data)) for data in recipe.data]

    def texts(self) -> Iterator[str]:
        """Both sides of every pair, for learning the subwords."""
        for _, pairs in self.sets:
            for pair in pairs:
                yield from pair

    def epoch(self, seed: int) -> list[Pair]:
        """The pairs of one epoch, varied and shuffled; the same for the same seed."""
        chance = random.Random(seed)
        drawn: list[Pair] = []
        for data, pairs in self.sets:
            whole, part = divmod(data.share, 1)
            drawn += pairs * int(whole) + chance.sample(pairs, int(part * len(pairs)))
        chance.shuffle(drawn)
        variation = self.recipe.variation
        return [vary(pair, variation, chance) for pair in join_some(drawn, variation, chance)]


def _read(folder: Path, data: Data) -> list[Pair]:
    pairs = read_pairs(_place(folder, data.file))
    kept, _ = held_out(pairs, data.held_out)
    return [(target, source) for source, target in kept] if data.reversed else kept


def _place(folder: Path, file: str) -> Path:
    """A file of the data folder, or one of ours that lies beside the recipes."""
    own = FOLDER / file
    return own if own.is_file() else folder / file


def _kept(pairs: list[Pair], data: Data) -> list[Pair]:
    """Without the pairs that are too long, or so unequal that they can't be translations."""
    kept = []
    for source, target in pairs:
        s, t = len(source.split()), len(target.split())
        if 0 < s <= data.longest and 0 < t <= data.longest and max(s, t) <= 2.5 * min(s, t) + 4:
            kept.append((source, target))
    return kept


def join_some(pairs: list[Pair], variation: Variation, chance: random.Random) -> list[Pair]:
    """Joins that share of the pairs with one to three others, so that length itself is learned."""
    joined, index = [], 0
    while index < len(pairs):
        count = chance.randint(2, 4) if chance.random() < variation.joined else 1
        group = pairs[index : index + count]
        while len(group) > 1 and sum(len(s.split()) for s, _ in group) > variation.joined_words:
            group.pop()
        joined.append((" ".join(s for s, _ in group), " ".join(t for _, t in group)))
        index += len(group)
    return joined


def vary(pair: Pair, variation: Variation, chance: random.Random) -> Pair:
    """Writes a pair as people do: unknown names and numbers, no capitals, accents or full stop."""
    source, target = pair
    if chance.random() < variation.renamed:
        source, target = _rename(source, target, chance)
    if chance.random() < variation.renumbered:
        source, target = _renumber(source, target, chance)
    if chance.random() < variation.unstopped and source.endswith(".") and target.endswith("."):
        source, target = source[:-1].rstrip(), target[:-1]
    if chance.random() < variation.lowered:
        source = source.lower()
    if chance.random() < variation.unaccented:
        source = source.translate(_UNACCENTED)
    return source, target


_UNACCENTED = str.maketrans("àâäçéèêëîïôöùûüÿÀÂÄÇÉÈÊËÎÏÔÖÙÛÜ", "aaaceeeeiioouuuyAAACEEEEIIOOUUU")
_NAME = re.compile(r"\b(?:Tom|Mary|Marie|Boston|John|Jean)\b")
_NUMBER = re.compile(r"\b\d{2,5}\b")
_ONSETS = "B Br C Ch D F G H J K L M N P Qu R S St T V W Y Z Sch Tr Kr".split()
_VOWELS = "a e i o u y ou ai é ei".split()
_CODAS = "n l r s t m d ck nd ng x ł ñ ard ette ov ski sson".split() + [""] * 6


def _rename(source: str, target: str, chance: random.Random) -> Pair:
    """An invented name in the place of one that stands on both sides."""
    for name in set(_NAME.findall(source)) & set(_NAME.findall(target)):
        syllables = chance.randint(1, 3)
        word = "".join(
            chance.choice(_ONSETS).lower() + chance.choice(_VOWELS) for _ in range(syllables)
        ).capitalize() + chance.choice(_CODAS)
        source = re.sub(rf"\b{name}\b", word, source)
        target = re.sub(rf"\b{name}\b", word, target)
    return source, target


def _renumber(source: str, target: str, chance: random.Random) -> Pair:
    """Another number in the place of one that stands on both sides."""
    for number in set(_NUMBER.findall(source)) & set(_NUMBER.findall(target)):
        other = str(chance.randint(10 ** (len(number) - 1), 10 ** (len(number) + 1)))
        source = re.sub(rf"\b{number}\b", other, source)
        target = re.sub(rf"\b{number}\b", other, target)
    return source, target


Batch = tuple[Tensor, Tensor, Tensor]


def batches(
    pairs: list[Pair], pieces: Pieces, tokens: int, longest: int, chance: random.Random
) -> list[Batch]:
    """Source (B, S), words before each step (B, T) and words to predict (B, T), padded with -1.

    Pairs of like length share a batch of about `tokens` pieces a side; batches come shuffled.
    """
    sources = pieces.encode_batch([source for source, _ in pairs])
    targets = pieces.encode_batch([target for _, target in pairs])
    examples = [
        ([*source, pieces.end], [*target, pieces.end])
        for source, target in zip(sources, targets, strict=True)
        if len(source) < longest and len(target) < longest
    ]
    examples.sort(key=lambda e: (max(len(e[0]), len(e[1])) + chance.random() * 3, len(e[0])))
    made, start = [], 0
    while start < len(examples):
        stop = start + 1
        width = 0
        while stop <= len(examples):
            width = max(width, *map(len, examples[stop - 1]))
            if width * (stop - start) > tokens and stop - start > 1:
                break
            stop += 1
        made.append(_padded(examples[start : stop - 1], pieces))
        start = stop - 1
    chance.shuffle(made)
    return made


def _padded(examples: list[tuple[list[int], list[int]]], pieces: Pieces) -> Batch:
    def pad(rows: list[list[int]]) -> Tensor:
        return pad_sequence([torch.tensor(row) for row in rows], batch_first=True, padding_value=-1)

    return (
        pad([source for source, _ in examples]),
        pad([[pieces.start, *target[:-1]] for _, target in examples]),
        pad([target for _, target in examples]),
    )
