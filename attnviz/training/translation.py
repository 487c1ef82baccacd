"""Translation, as a job for the loop."""

import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import torch
from torch import Tensor
from torch.nn import functional as F

from attnviz.evaluation import evaluate
from attnviz.model import Config, TextToText
from attnviz.pretrained import TOKENIZER, load
from attnviz.text import Pieces
from attnviz.training import subwords
from attnviz.training.data import Batch, Corpus, batches
from attnviz.training.loop import Job, Report
from attnviz.training.recipe import TranslationRecipe

DEVELOPMENT_PAIRS = 300


class Translation(Job[Batch]):
    """A translator that learns from the parallel texts of its recipe."""

    model: TextToText

    def __init__(self, recipe: TranslationRecipe, data: Path, folder: Path) -> None:
        """`folder` keeps what is made once, such as the subwords."""
        folder.mkdir(parents=True, exist_ok=True)
        self.recipe, self.data = recipe, data
        self.corpus = Corpus(recipe, data)
        self.vocabulary = folder / TOKENIZER
        if not self.vocabulary.exists():
            subwords.learn(self.corpus.texts(), recipe.pieces).save(str(self.vocabulary), pretty=False)
        self.pieces = Pieces.read(self.vocabulary)
        torch.manual_seed(recipe.seed)
        self.model = TextToText(Config(vocabulary=len(self.pieces.strings), **recipe.model))

    def epoch(self, number: int) -> Iterator[Batch]:
        seed = self.recipe.seed * 1000 + number
        pairs = self.corpus.epoch(seed)
        tokens = self.recipe.optimisation.batch_tokens
        yield from batches(pairs, self.pieces, tokens, self.recipe.longest, random.Random(seed))

    def loss(self, batch: Batch) -> tuple[Tensor, int]:
        """Cross-entropy in nats a piece; the matrix products in bfloat16, the rest in float32."""
        source, before, target = batch
        real = target >= 0
        with torch.autocast("cpu", torch.bfloat16):
            memory = self.model.encode(source.clamp(min=0), source >= 0)
            readouts = self.model.unroll(before.clamp(min=0), memory).readouts
            logits = self.model.logits(readouts[real])
        smoothing = self.recipe.optimisation.label_smoothing
        loss = F.cross_entropy(logits.float(), target[real], label_smoothing=smoothing)
        return loss, int(real.sum())

    def settings(self) -> dict[str, Any]:
        recipe = self.recipe
        return {
            "task": recipe.task,
            "source": recipe.source,
            "target": recipe.target,
            "trained_length": recipe.longest,
            "whole": recipe.whole,
        }

    def develop(self, out: Path, report: Report) -> None:
        if self.recipe.development:
            translator = load(str(out))
        for file in self.recipe.development:
            found = evaluate(translator, self.data / file, DEVELOPMENT_PAIRS, search="greedy")
            report(f"development {file} {found['metric']} {found['value']}")
