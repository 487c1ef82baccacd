"""An aligner, as a job for the loop: a translator whose attention is taught where to look.

The weights of the step that has read a target word are drawn towards the source words that a
statistical aligner links it with. Chen et al. (2016), "Guided alignment training for topic-aware
neural machine translation", section 3.1; the shifted step as in Garg et al. (2019), section 4.2.
"""

import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import torch
from torch import Tensor
from torch.nn import functional as F
from torch.nn.utils.rnn import pad_sequence

from attnviz.alignments import Links
from attnviz.model import Config, TextToText
from attnviz.parallel import read_pairs
from attnviz.pretrained import TOKENIZER
from attnviz.text import Pieces
from attnviz.training import subwords
from attnviz.training.hansards import tokens
from attnviz.training.loop import Job, Report
from attnviz.training.recipe import AlignmentRecipe
from attnviz.training.teacher import teach

Look = tuple[int, int, float]


class Example(NamedTuple):
    """Pieces without end marks, and where the step that has read a piece is to look.

    looks: (target piece, source piece, share); a piece that looks nowhere is linked with nothing.
    """

    source: list[int]
    target: list[int]
    looks: list[Look]


class Batch(NamedTuple):
    """source (B, S), before and target (B, T), padded with -1; guide (B, T, S), rows sum to 1 or 0."""

    source: Tensor
    before: Tensor
    target: Tensor
    guide: Tensor


class Alignment(Job[Batch]):
    """An aligner of one direction that learns from parallel text and a teacher's links."""

    model: TextToText

    def __init__(self, recipe: AlignmentRecipe, data: Path, folder: Path) -> None:
        """`folder` keeps what is made once for both directions: subwords and the teacher's links."""
        folder.mkdir(parents=True, exist_ok=True)
        self.recipe = recipe
        languages = recipe.languages
        sides = [
            [tokens(pair[side], language) for pair in read_pairs(data / recipe.file)]
            for side, language in enumerate(languages)
        ]
        kept = [row for row in zip(*sides, strict=True) if all(row)]
        first, second = [row[0] for row in kept], [row[1] for row in kept]
        links = teach(first, second, folder)
        self.vocabulary = folder / TOKENIZER
        if not self.vocabulary.exists():
            texts = [" ".join(row) for row in (*first, *second)]
            subwords.learn(texts, recipe.pieces).save(str(self.vocabulary), pretty=False)
        self.pieces = Pieces.read(self.vocabulary)
        if recipe.source == languages[1]:
            first, second = second, first
            links = [frozenset((s, t) for t, s in row) for row in links]
        self.examples = [example(self.pieces, *row) for row in zip(first, second, links, strict=True)]
        torch.manual_seed(recipe.seed)
        self.model = TextToText(Config(vocabulary=len(self.pieces.strings), **recipe.model))

    def epoch(self, number: int) -> Iterator[Batch]:
        chance = random.Random(self.recipe.seed * 1000 + number)
        examples = self.examples.copy()
        chance.shuffle(examples)
        joined = [row for row in join_some(examples, self.recipe.joined, chance) if self._fits(row)]
        joined.sort(key=lambda row: len(row.target) + chance.random() * 3)
        made, group, width = [], list[Example](), 0
        for row in joined:
            width = max(width, len(row.source), len(row.target))
            if group and width * (len(group) + 1) > self.recipe.optimisation.batch_tokens:
                made.append(group)
                group, width = [], max(len(row.source), len(row.target))
            group.append(row)
        made.append(group)
        chance.shuffle(made)
        for group in made:
            yield collate(group, self.pieces)

    def _fits(self, row: Example) -> bool:
        return max(len(row.source), len(row.target)) < self.recipe.longest

    def loss(self, batch: Batch) -> tuple[Tensor, int]:
        """Nats a piece: of the words to predict, and of where to look for those that were read."""
        real = batch.target >= 0
        with torch.autocast("cpu", torch.bfloat16):
            memory = self.model.encode(batch.source.clamp(min=0), batch.source >= 0)
            unrolled = self.model.unroll(batch.before.clamp(min=0), memory)
            logits = self.model.logits(unrolled.readouts[real])
        words = F.cross_entropy(
            logits.float(), batch.target[real], label_smoothing=self.recipe.optimisation.label_smoothing
        )
        logs = torch.log_softmax(unrolled.energies.float(), -1).masked_fill(~memory.mask.unsqueeze(1), 0.0)
        looks = -(batch.guide * logs).sum() / batch.guide.sum()
        return words + self.recipe.guidance * looks, int(real.sum())

    def settings(self) -> dict[str, Any]:
        recipe = self.recipe
        return {
            "task": recipe.task,
            "source": recipe.source,
            "target": recipe.target,
            "trained_length": recipe.longest,
        }

    def develop(self, out: Path, report: Report) -> None:
        """Nothing: the gold alignments are too few to be both looked at and measured on."""


def example(pieces: Pieces, source: list[str], target: list[str], links: Links) -> Example:
    """Links between words as looks between pieces: a word's piece looks at all pieces of its words.

    A word without links looks at the source's end mark.
    """
    source_ids, source_words = pieces.encode_words(source)
    target_ids, target_words = pieces.encode_words(target)
    looked: list[list[int]] = [[] for _ in target]
    for s, t in links:
        looked[t] += [piece for piece, word in enumerate(source_words) if word == s]
    looks = []
    for piece, word in enumerate(target_words):
        places = looked[word] or [len(source_ids)]
        looks += [(piece, place, 1 / len(places)) for place in places]
    return Example(source_ids, target_ids, looks)


def join_some(examples: list[Example], share: float, chance: random.Random) -> list[Example]:
    """Joins that share of the examples with one or two others, so that length itself is learned."""
    joined, index = [], 0
    while index < len(examples):
        count = chance.randint(2, 3) if chance.random() < share else 1
        joined.append(_join(examples[index : index + count]))
        index += count
    return joined


def _join(examples: list[Example]) -> Example:
    source: list[int] = []
    target: list[int] = []
    looks: list[Look] = []
    end = sum(len(row.source) for row in examples)
    for row in examples:
        for t, s, share in row.looks:
            looks.append((t + len(target), end if s == len(row.source) else s + len(source), share))
        source += row.source
        target += row.target
    return Example(source, target, looks)


def collate(examples: list[Example], pieces: Pieces) -> Batch:
    """A padded batch; the guide's row t is for the piece that step t has read, the one before it."""

    def pad(rows: list[list[int]]) -> Tensor:
        return pad_sequence([torch.tensor(row) for row in rows], batch_first=True, padding_value=-1)

    source = pad([[*row.source, pieces.end] for row in examples])
    target = pad([[*row.target, pieces.end] for row in examples])
    guide = torch.zeros(len(examples), target.shape[1], source.shape[1])
    for index, row in enumerate(examples):
        read, looked, shares = zip(*row.looks, strict=True)
        guide[index, torch.tensor(read) + 1, torch.tensor(looked)] = torch.tensor(shares)
    return Batch(source, pad([[pieces.start, *row.target] for row in examples]), target, guide)
