"""Headlines, as a job for the loop: Rush, Chopra and Weston (2015); Chopra, Auli and Rush (2016)."""

import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from attnviz.model import Config, TextToText
from attnviz.parallel import Pair, held_out, read_pairs
from attnviz.pretrained import TOKENIZER, load
from attnviz.scores import rouge
from attnviz.text import Pieces, first_words, lower
from attnviz.training import subwords
from attnviz.training.data import Batch, batches
from attnviz.training.loop import Job, Report
from attnviz.training.recipe import SummarizationRecipe

DEVELOPMENT_PAIRS = 300
SHORTEST = 20  # words


class Summarization(Job[Batch]):
    """A summarizer that learns from the documents and headlines of its recipe."""

    model: TextToText

    def __init__(self, recipe: SummarizationRecipe, data: Path, folder: Path) -> None:
        """`folder` keeps what is made once, such as the subwords."""
        folder.mkdir(parents=True, exist_ok=True)
        self.recipe = recipe
        self.sets: list[tuple[float, list[Pair]]] = []
        self.development: list[Pair] = []
        for one in recipe.data:
            kept, held = held_out(read_pairs(data / one.file), one.held_out)
            self.sets.append((one.share, [self._shown(pair) for pair in kept if all(pair)]))
            self.development += held[:DEVELOPMENT_PAIRS]
        self.vocabulary = folder / TOKENIZER
        if not self.vocabulary.exists():
            texts = (text for _, pairs in self.sets for pair in pairs for text in pair)
            subwords.learn(texts, recipe.pieces).save(str(self.vocabulary), pretty=False)
        self.pieces = Pieces.read(self.vocabulary)
        torch.manual_seed(recipe.seed)
        self.model = TextToText(Config(vocabulary=len(self.pieces.strings), **recipe.model))

    def _shown(self, pair: Pair) -> Pair:
        """A pair as the model sees it."""
        text, headline = pair
        text = text[: first_words(text, self.recipe.source, self.recipe.first_words)]
        return (lower(text), lower(headline)) if self.recipe.lower else (text, headline)

    def _shortened(self, pair: Pair, chance: random.Random) -> Pair:
        """A pair whose text may stop early: the news is told at the start, and texts differ so."""
        text, headline = pair
        if chance.random() >= self.recipe.shortened:
            return pair
        words = chance.randint(min(SHORTEST, self.recipe.first_words), self.recipe.first_words)
        return text[: first_words(text, self.recipe.source, words)], headline

    def epoch(self, number: int) -> Iterator[Batch]:
        chance = random.Random(self.recipe.seed * 1000 + number)
        drawn: list[Pair] = []
        for share, pairs in self.sets:
            whole, part = divmod(share, 1)
            drawn += pairs * int(whole) + chance.sample(pairs, int(part * len(pairs)))
        drawn = [self._shortened(pair, chance) for pair in drawn]
        tokens = self.recipe.optimisation.batch_tokens
        yield from batches(drawn, self.pieces, tokens, self.recipe.longest, chance)

    def loss(self, batch: Batch) -> tuple[Tensor, int]:
        """Cross-entropy in nats a piece; the matrix products in bfloat16, the rest in float32."""
        source, before, target = batch
        real = target >= 0
        with torch.autocast("cpu", torch.bfloat16):
            memory = self.model.encode(source.clamp(min=0), source >= 0)
            readouts, energies = self.model.unroll(before.clamp(min=0), memory)
            weights = torch.softmax(energies.float(), -1)
            logprobs = self.model.logprobs(readouts, weights, memory, target.clamp(min=0))
        return -logprobs[real].mean(), int(real.sum())

    def settings(self) -> dict[str, Any]:
        recipe = self.recipe
        return {
            "task": recipe.task,
            "source": recipe.source,
            "target": recipe.target,
            "trained_length": recipe.longest,
            "first_words": recipe.first_words,
            "lower": recipe.lower,
        }

    def develop(self, out: Path, report: Report) -> None:
        summarizer = load(str(out))
        texts, headlines = zip(*self.development, strict=True)
        written = [trace.text for trace in summarizer.many(list(texts), search="greedy")]
        report(f"development {rouge(written, headlines)}")
