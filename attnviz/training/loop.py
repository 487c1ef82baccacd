"""The loop: updates, the running average of the weights, checkpoints to resume from."""

import json
import random
import time
from collections.abc import Callable, Iterator
from dataclasses import asdict
from pathlib import Path
from typing import cast

import torch
from safetensors.torch import save_file
from torch import nn
from torch.nn import functional as F
from torch.optim.swa_utils import AveragedModel, get_ema_multi_avg_fn

from attnviz.evaluation import evaluate
from attnviz.model import Config, EncoderDecoder
from attnviz.pretrained import CONFIG, FORMAT, TOKENIZER, WEIGHTS, checksum, load
from attnviz.text import Pieces
from attnviz.training import subwords
from attnviz.training.data import Batch, Corpus, batches
from attnviz.training.recipe import Optimisation, Recipe

Report = Callable[[str], None]

DEVELOPMENT_PAIRS = 300


def train(recipe: Recipe, data: Path, runs: Path, out: Path, report: Report) -> None:
    """Trains a recipe's model and writes config.json, tokenizer.json and weights.safetensors.

    A checkpoint under `runs` holds everything, so that a run that was stopped goes on from it.
    Whatever stands in `out` is replaced with each checkpoint by the average of the weights so far.
    """
    folder = runs / recipe.name
    folder.mkdir(parents=True, exist_ok=True)
    out.mkdir(parents=True, exist_ok=True)
    corpus = Corpus(recipe, data)
    vocabulary = folder / TOKENIZER
    if not vocabulary.exists():
        subwords.learn(corpus.texts(), recipe.pieces).save(str(vocabulary), pretty=False)
    pieces = Pieces.read(vocabulary)
    run = _Run(recipe, len(pieces.strings), folder / "checkpoint.pt")
    run.resume(report)
    meter = _Meter(report)
    plan = recipe.optimisation
    while run.update < plan.updates:
        for batch in _epoch(corpus, pieces, recipe, run.epoch):
            loss = run.learn(batch)
            meter.count(run, loss, int((batch[2] >= 0).sum()))
            if run.update % plan.check_every == 0 or run.update == plan.updates:
                run.save()
                export(run.averaged(), recipe, vocabulary, out)
                _develop(recipe, data, out, report)
            if run.update == plan.updates:
                return
        run.epoch += 1


class _Run:
    """All that changes while a model is trained."""

    def __init__(self, recipe: Recipe, vocabulary: int, checkpoint: Path) -> None:
        self.plan = recipe.optimisation
        self.checkpoint = checkpoint
        torch.manual_seed(recipe.seed)
        self.model = EncoderDecoder(Config(vocabulary=vocabulary, **recipe.model)).train()
        moving = get_ema_multi_avg_fn(self.plan.average)  # type: ignore[no-untyped-call]
        self.average = AveragedModel(self.model, multi_avg_fn=moving)
        self.optimiser = torch.optim.AdamW(
            self.model.parameters(), self.plan.learning_rate, (0.9, 0.98), weight_decay=0.01, fused=True
        )
        self.update = self.epoch = 0

    def learn(self, batch: Batch) -> float:
        """One update; returns the loss in nats a piece."""
        for group in self.optimiser.param_groups:
            group["lr"] = self.plan.learning_rate * _rate(self.update, self.plan)
        loss = _loss(self.model, batch, self.plan.label_smoothing)
        loss.backward()  # type: ignore[no-untyped-call]
        nn.utils.clip_grad_norm_(self.model.parameters(), self.plan.clip)
        self.optimiser.step()
        self.optimiser.zero_grad()
        self.average.update_parameters(self.model)
        self.update += 1
        return loss.item()

    def averaged(self) -> EncoderDecoder:
        """The running average of the weights: what is shipped."""
        return cast(EncoderDecoder, self.average.module)

    def save(self) -> None:
        """Writes the checkpoint whole, or leaves the one before."""
        parts = {
            "model": self.model.state_dict(),
            "average": self.average.state_dict(),
            "optimiser": self.optimiser.state_dict(),
            "state": {"update": self.update, "epoch": self.epoch},
        }
        new = self.checkpoint.with_suffix(".new")
        torch.save(parts, new)
        new.replace(self.checkpoint)

    def resume(self, report: Report) -> None:
        """Goes on from the checkpoint, if there is one."""
        if not self.checkpoint.exists():
            return
        saved = torch.load(self.checkpoint, weights_only=True)
        self.model.load_state_dict(saved["model"])
        self.average.load_state_dict(saved["average"])
        self.optimiser.load_state_dict(saved["optimiser"])
        self.update, self.epoch = saved["state"]["update"], saved["state"]["epoch"]
        report(f"resumed at update {self.update}")


class _Meter:
    """Reports the mean loss and the speed every 100 updates."""

    def __init__(self, report: Report) -> None:
        self.report = report
        self.reset()

    def reset(self) -> None:
        self.started, self.loss, self.pieces = time.monotonic(), 0.0, 0

    def count(self, run: _Run, loss: float, pieces: int) -> None:
        self.loss, self.pieces = self.loss + loss * pieces, self.pieces + pieces
        if run.update % 100 == 0:
            speed = self.pieces / (time.monotonic() - self.started)
            self.report(
                f"update {run.update} epoch {run.epoch} loss {self.loss / self.pieces:.3f} "
                f"{speed:.0f} pieces/s"
            )
            self.reset()


def export(model: EncoderDecoder, recipe: Recipe, vocabulary: Path, out: Path) -> None:
    """Writes a model as it is shipped: float16 weights, and files that run no code when read."""
    weights = {name: tensor.half().contiguous() for name, tensor in model.state_dict().items()}
    save_file(weights, out / WEIGHTS)
    (out / TOKENIZER).write_bytes(vocabulary.read_bytes())
    config = {
        "format": FORMAT,
        "task": recipe.task,
        "source": recipe.source,
        "target": recipe.target,
        "trained_length": recipe.longest,
        "model": asdict(model.config),
        "sha256": {file: checksum(out / file) for file in (WEIGHTS, TOKENIZER)},
    }
    (out / CONFIG).write_text(json.dumps(config, indent=1) + "\n", encoding="utf-8")


def _develop(recipe: Recipe, data: Path, out: Path, report: Report) -> None:
    """Reports how good the average so far is on the start of each development set."""
    if recipe.development:
        translator = load(str(out))
    for file in recipe.development:
        found = evaluate(translator, data / file, DEVELOPMENT_PAIRS, search="greedy")
        report(f"development {file} {found['metric']} {found['value']}")


def _epoch(corpus: Corpus, pieces: Pieces, recipe: Recipe, epoch: int) -> Iterator[Batch]:
    seed = recipe.seed * 1000 + epoch
    pairs = corpus.epoch(seed)
    yield from batches(pairs, pieces, recipe.optimisation.batch_tokens, recipe.longest, random.Random(seed))


def _loss(model: EncoderDecoder, batch: Batch, smoothing: float) -> torch.Tensor:
    """Cross-entropy in nats a piece; the matrix products in bfloat16, the rest in float32."""
    source, before, target = batch
    with torch.autocast("cpu", torch.bfloat16):
        readouts = model.readouts(source.clamp(min=0), source >= 0, before.clamp(min=0))
        logits = model.logits(readouts[target >= 0])
    return F.cross_entropy(logits.float(), target[target >= 0], label_smoothing=smoothing)


def _rate(update: int, plan: Optimisation) -> float:
    """The share of the full learning rate at an update."""
    left = (plan.updates - update) / (plan.updates * plan.cooldown)
    return min(1.0, (update + 1) / plan.warmup, left)
