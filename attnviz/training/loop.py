"""The loop: updates, the running average of the weights, checkpoints to resume from.

What is trained, and on what, is a `Job`: see translation.py and captioning.py.
"""

import json
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable
from dataclasses import asdict
from pathlib import Path
from typing import Any, Generic, TypeVar, cast

import torch
from safetensors.torch import save_file
from torch import Tensor, nn
from torch.optim.swa_utils import AveragedModel, get_ema_multi_avg_fn

from attnviz.pretrained import CONFIG, FORMAT, TOKENIZER, WEIGHTS, checksum
from attnviz.training.recipe import Optimisation

Report = Callable[[str], None]
Batch = TypeVar("Batch")


class Job(ABC, Generic[Batch]):
    """One task's model, data and loss.

    model: untrained. vocabulary: the tokenizer's file.
    """

    model: nn.Module
    vocabulary: Path

    @abstractmethod
    def epoch(self, number: int) -> Iterable[Batch]:
        """The batches of an epoch; the same for the same number."""

    @abstractmethod
    def loss(self, batch: Batch) -> tuple[Tensor, int]:
        """The loss to be lowered, such as nats a token, and the number of tokens."""

    @abstractmethod
    def settings(self) -> dict[str, Any]:
        """What the task adds to the model's config.json."""

    @abstractmethod
    def develop(self, out: Path, report: Report) -> None:
        """Reports how good the model that lies in `out` is on development data."""

    def shipped(self, model: nn.Module) -> nn.Module:
        """A trained model as it is shipped, which may be another form of it."""
        return model


def train(job: Job[Batch], plan: Optimisation, checkpoint: Path, out: Path, report: Report) -> nn.Module:
    """Trains a job's model and writes config.json, tokenizer.json and weights.safetensors.

    The checkpoint holds everything, so that a run that was stopped goes on from it; one that was over
    writes its model again. Whatever stands in `out` is replaced with each checkpoint by the average of
    the weights so far.

    Returns:
        the model with the averaged weights.
    """
    out.mkdir(parents=True, exist_ok=True)
    run = _Run(job, plan, checkpoint)
    run.resume(report)
    meter = _Meter(report)

    def publish() -> None:
        export(job.shipped(run.averaged()), job.settings(), job.vocabulary, out)
        job.develop(out, report)

    if run.update >= plan.updates:
        publish()
    while run.update < plan.updates:
        for batch in job.epoch(run.epoch):
            loss, tokens = run.learn(batch)
            meter.count(run.update, run.epoch, loss, tokens)
            if run.update % plan.check_every == 0 or run.update == plan.updates:
                run.save()
                publish()
            if run.update == plan.updates:
                break
        run.epoch += 1
    return run.averaged()


class _Run(Generic[Batch]):
    """All that changes while a model is trained."""

    def __init__(self, job: Job[Batch], plan: Optimisation, checkpoint: Path) -> None:
        self.job, self.plan, self.checkpoint = job, plan, checkpoint
        self.model = job.model.train()
        moving = get_ema_multi_avg_fn(plan.average)  # type: ignore[no-untyped-call]
        self.average = AveragedModel(self.model, multi_avg_fn=moving)
        learned = [parameter for parameter in self.model.parameters() if parameter.requires_grad]
        self.optimiser = torch.optim.AdamW(
            learned, plan.learning_rate, (0.9, 0.98), weight_decay=plan.weight_decay, fused=True
        )
        self.update = self.epoch = 0

    def learn(self, batch: Batch) -> tuple[float, int]:
        """One update; returns the loss and the number of tokens."""
        for group in self.optimiser.param_groups:
            group["lr"] = self.plan.learning_rate * _rate(self.update, self.plan)
        loss, tokens = self.job.loss(batch)
        loss.backward()  # type: ignore[no-untyped-call]
        nn.utils.clip_grad_norm_(self.model.parameters(), self.plan.clip)
        self.optimiser.step()
        self.optimiser.zero_grad()
        self.average.update_parameters(self.model)
        self.update += 1
        return loss.item(), tokens

    def averaged(self) -> nn.Module:
        """The running average of the weights: what is shipped."""
        return self.average.module

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
        self.started, self.loss, self.tokens = time.monotonic(), 0.0, 0

    def count(self, update: int, epoch: int, loss: float, tokens: int) -> None:
        self.loss, self.tokens = self.loss + loss * tokens, self.tokens + tokens
        if update % 100 == 0:
            speed = self.tokens / (time.monotonic() - self.started)
            self.report(
                f"update {update} epoch {epoch} loss {self.loss / self.tokens:.3f} {speed:.0f} tokens/s"
            )
            self.reset()


def export(model: nn.Module, settings: dict[str, Any], vocabulary: Path, out: Path) -> None:
    """Writes a model as it is shipped: float16 weights, and files that run no code when read."""
    weights = {name: tensor.half().contiguous() for name, tensor in model.state_dict().items()}
    save_file(weights, out / WEIGHTS)
    (out / TOKENIZER).write_bytes(vocabulary.read_bytes())
    config = {
        "format": FORMAT,
        **settings,
        "model": asdict(cast(Any, model).config),
        "sha256": {file: checksum(out / file) for file in (WEIGHTS, TOKENIZER)},
    }
    (out / CONFIG).write_text(json.dumps(config, indent=1) + "\n", encoding="utf-8")


def _rate(update: int, plan: Optimisation) -> float:
    """The share of the full learning rate at an update."""
    left = (plan.updates - update) / (plan.updates * plan.cooldown)
    return min(1.0, (update + 1) / plan.warmup, left)
