"""The loop: updates, the running average of the weights, checkpoints to resume from."""

import json
import random
import time
from collections.abc import Callable, Iterator
from dataclasses import asdict
from pathlib import Path

import torch
from safetensors.torch import save_file
from torch import nn
from torch.nn import functional as F
from torch.optim.swa_utils import AveragedModel, get_ema_multi_avg_fn

from attnviz.model import Config, EncoderDecoder
from attnviz.text import Pieces
from attnviz.training import subwords
from attnviz.training.data import Batch, Corpus, batches
from attnviz.training.recipe import Optimisation, Recipe

Report = Callable[[str], None]


def train(recipe: Recipe, data: Path, runs: Path, out: Path, report: Report) -> None:
    """Trains a recipe's model and writes config.json, tokenizer.json and weights.safetensors.

    A checkpoint under runs/ holds everything, so that a run that was stopped goes on from it.
    Whatever stands in `out` is replaced each time a checkpoint is written, with the average so far.
    """
    folder = runs / recipe.name
    folder.mkdir(parents=True, exist_ok=True)
    out.mkdir(parents=True, exist_ok=True)
    corpus = Corpus(recipe, data)
    vocabulary = folder / "tokenizer.json"
    if not vocabulary.exists():
        subwords.learn(corpus.texts(), recipe.pieces).save(str(vocabulary), pretty=False)
    pieces = Pieces.read(vocabulary)
    torch.manual_seed(recipe.seed)
    model = EncoderDecoder(Config(vocabulary=len(pieces.strings), **recipe.model))
    average = AveragedModel(model, multi_avg_fn=get_ema_multi_avg_fn(recipe.optimisation.average))
    optimiser = torch.optim.AdamW(
        model.parameters(), recipe.optimisation.learning_rate, (0.9, 0.98), weight_decay=0.01, fused=True
    )
    state = {"update": 0, "epoch": 0}
    checkpoint = folder / "checkpoint.pt"
    if checkpoint.exists():
        saved = torch.load(checkpoint, weights_only=True)
        model.load_state_dict(saved["model"])
        average.load_state_dict(saved["average"])
        optimiser.load_state_dict(saved["optimiser"])
        state = saved["state"]
        report(f"resumed at update {state['update']}")

    def save() -> None:
        torch.save(
            {
                "model": model.state_dict(),
                "average": average.state_dict(),
                "optimiser": optimiser.state_dict(),
                "state": state,
            },
            checkpoint.with_suffix(".new"),
        )
        checkpoint.with_suffix(".new").replace(checkpoint)
        export(average.module, recipe, vocabulary, out)

    started, loss_sum, word_count = time.monotonic(), 0.0, 0
    plan = recipe.optimisation
    model.train()
    while state["update"] < plan.updates:
        for batch in _epoch(corpus, pieces, recipe, state["epoch"]):
            for group in optimiser.param_groups:
                group["lr"] = plan.learning_rate * _rate(state["update"], plan)
            loss = _loss(model, batch, plan.label_smoothing)
            loss.backward()
            nn.utils.clip_grad_norm_(model.parameters(), plan.clip)
            optimiser.step()
            optimiser.zero_grad()
            average.update_parameters(model)
            state["update"] += 1
            words = int((batch[2] >= 0).sum())
            loss_sum, word_count = loss_sum + loss.item() * words, word_count + words
            if state["update"] % 100 == 0:
                spent = time.monotonic() - started
                report(
                    f"update {state['update']} epoch {state['epoch']} loss {loss_sum / word_count:.3f} "
                    f"{word_count / spent:.0f} pieces/s"
                )
                started, loss_sum, word_count = time.monotonic(), 0.0, 0
            if state["update"] % plan.check_every == 0 or state["update"] == plan.updates:
                save()
            if state["update"] == plan.updates:
                break
        else:
            state["epoch"] += 1


def export(model: nn.Module, recipe: Recipe, vocabulary: Path, out: Path) -> None:
    """Writes a model as it is shipped: float16 weights, and files that run no code when read."""
    weights = {name: tensor.half().contiguous() for name, tensor in model.state_dict().items()}
    save_file(weights, out / "weights.safetensors")
    config = {
        "format": 1,
        "task": recipe.task,
        "source": recipe.source,
        "target": recipe.target,
        "trained_length": recipe.longest,
        "model": asdict(model.config),
    }
    (out / "config.json").write_text(json.dumps(config, indent=1) + "\n", encoding="utf-8")
    (out / "tokenizer.json").write_text(vocabulary.read_text(encoding="utf-8"), encoding="utf-8")


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
