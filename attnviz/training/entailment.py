"""Entailment, as a job for the loop: Rocktaeschel et al. (2016), with pretrained word-piece vectors."""

import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple
from zlib import crc32

import torch
from torch import Tensor, nn
from torch.nn import functional as F
from torch.nn.utils.rnn import pad_sequence

from attnviz.labelled import Example, read_examples
from attnviz.pretrained import TOKENIZER, load
from attnviz.reader import PairReader, ReaderConfig
from attnviz.text import Pieces
from attnviz.training import vectors
from attnviz.training.loop import Job, Report
from attnviz.training.recipe import EntailmentRecipe

_DEVELOPMENT_BATCH = 128


class Batch(NamedTuple):
    """Premises (B, S) and hypotheses (B, T), padded with -1; labels (B,)."""

    premises: Tensor
    hypotheses: Tensor
    labels: Tensor


class Taught(PairReader):
    """A PairReader whose embedding is made from vectors that stay as they are.

    x = tanh(W_e v + b). `folded` is the same model with the x of each piece in a table, which is what
    is shipped.
    """

    def __init__(self, config: ReaderConfig, table: Tensor) -> None:
        """table: (V, E), a vector for each piece."""
        super().__init__(config)
        self.embedding = nn.Embedding(*table.shape)
        self.embedding.weight = nn.Parameter(F.layer_norm(table, table.shape[1:]), requires_grad=False)
        self.embedding_layer = nn.Linear(table.shape[1], config.width)

    def embed(self, tokens: Tensor) -> Tensor:
        vectors = self.dropout(self.embedding(tokens))
        return self.dropout(torch.tanh(self.embedding_layer(vectors)))

    @torch.no_grad()
    def folded(self) -> PairReader:
        """The model as it is shipped."""
        plain = PairReader(self.config)
        own = {name: tensor for name, tensor in self.state_dict().items() if not name.startswith("embedding")}
        table = torch.tanh(self.embedding_layer(self.embedding.weight))
        plain.load_state_dict({**own, "embedding.weight": table})
        return plain


class Entailing(Job[Batch]):
    """A model that learns from the labelled pairs of its recipe."""

    model: Taught

    def __init__(self, recipe: EntailmentRecipe, data: Path, folder: Path) -> None:
        """`folder` keeps what is made once: the vocabulary of the pieces that occur."""
        folder.mkdir(parents=True, exist_ok=True)
        self.recipe = recipe
        tested = [example for file in recipe.test for example in read_examples(data / file)]
        self.development: dict[str, list[Example]] = {
            file: read_examples(data / file) for file in recipe.development
        }
        self.sets: list[tuple[float, list[Example]]] = []
        for one in recipe.data:
            kept, held = apart(read_examples(data / one.file), one.held_out)
            if held:
                self.development[one.file] = held
            self.sets.append((one.share, kept))
        hidden = Seen([*tested, *(example for rows in self.development.values() for example in rows)])
        self.sets = [
            (share, [row for row in rows if not hidden.has(row, premises=not one.shares_premises)])
            for one, (share, rows) in zip(recipe.data, self.sets, strict=True)
        ]
        self.vocabulary = folder / TOKENIZER
        source = vectors.tokenizer()
        if not self.vocabulary.exists():
            texts = (text for _, rows in self.sets for row in rows for text in (row.premise, row.hypothesis))
            vectors.used(source, texts).save(str(self.vocabulary), pretty=False)
        self.pieces = Pieces.read(self.vocabulary)
        self.rows = [(share, self._encoded(rows)) for share, rows in self.sets]
        torch.manual_seed(recipe.seed)
        table = vectors.table(source, self.pieces.strings)
        config = ReaderConfig(vocabulary=len(table), labels=len(recipe.labels), **recipe.model)
        self.model = Taught(config, table)
        self._temperature = 1.0

    def _encoded(self, rows: list[Example]) -> list[tuple[list[int], list[int], int]]:
        premises = self.pieces.encode_batch([row.premise for row in rows])
        hypotheses = self.pieces.encode_batch([row.hypothesis for row in rows])
        longest = self.recipe.longest
        return [
            (premise[:longest], hypothesis[:longest], self.recipe.labels.index(row.label))
            for premise, hypothesis, row in zip(premises, hypotheses, rows, strict=True)
            if premise and hypothesis
        ]

    def epoch(self, number: int) -> Iterator[Batch]:
        chance = random.Random(self.recipe.seed * 1000 + number)
        drawn = []
        for share, rows in self.rows:
            whole, part = divmod(share, 1)
            drawn += rows * int(whole) + chance.sample(rows, int(part * len(rows)))
        drawn.sort(key=lambda row: len(row[0]) + len(row[1]) + 6 * chance.random())
        size = self.recipe.optimisation.batch_pairs
        starts = list(range(0, len(drawn), size))
        chance.shuffle(starts)
        for start in starts:
            premises, hypotheses, labels = zip(*drawn[start : start + size], strict=True)
            yield Batch(_padded(premises), _padded(hypotheses), torch.tensor(labels))

    def loss(self, batch: Batch) -> tuple[Tensor, int]:
        """Cross-entropy in nats a pair; the matrix products in bfloat16, the rest in float32."""
        with torch.autocast("cpu", torch.bfloat16):
            logits = verdicts(self.model, batch)
        smoothing = self.recipe.optimisation.label_smoothing
        return F.cross_entropy(logits.float(), batch.labels, label_smoothing=smoothing), len(batch.labels)

    def shipped(self, model: nn.Module) -> nn.Module:
        assert isinstance(model, Taught)
        plain = model.folded().eval()
        self._temperature = self._calibrated(plain)
        return plain

    def settings(self) -> dict[str, Any]:
        recipe = self.recipe
        return {
            "task": recipe.task,
            "source": recipe.source,
            "target": recipe.source,
            "trained_length": recipe.longest,
            "labels": list(recipe.labels),
            "temperature": self._temperature,
        }

    @torch.no_grad()
    def _calibrated(self, model: PairReader) -> float:
        """The temperature of the likeliest development data, Guo et al. (2017), section 4.2."""
        rows = [row for examples in self.development.values() for row in self._encoded(examples)]
        rows.sort(key=lambda row: len(row[0]) + len(row[1]))
        logits, labels = [], []
        for start in range(0, len(rows), _DEVELOPMENT_BATCH):
            premises, hypotheses, said = zip(*rows[start : start + _DEVELOPMENT_BATCH], strict=True)
            batch = Batch(_padded(premises), _padded(hypotheses), torch.tensor(said))
            logits.append(verdicts(model, batch))
            labels.append(batch.labels)
        all_logits, all_labels = torch.cat(logits), torch.cat(labels)
        tried = torch.logspace(-1, 1, 401).tolist()
        losses = [F.cross_entropy(all_logits / one, all_labels).item() for one in tried]
        return round(tried[losses.index(min(losses))], 3)

    def develop(self, out: Path, report: Report) -> None:
        entailment = load(str(out))
        for name, rows in self.development.items():
            traces = entailment.many([(row.premise, row.hypothesis) for row in rows])
            said = [max(trace.verdict, key=trace.verdict.__getitem__) for trace in traces]
            right = sum(label == row.label for label, row in zip(said, rows, strict=True))
            report(f"development {name} accuracy {100 * right / len(rows):.2f} n {len(rows)}")


def verdicts(model: PairReader, batch: Batch) -> Tensor:
    """Logits (B, L) after the last word of each hypothesis."""
    real = batch.premises >= 0
    memory = model.encode(batch.premises.clamp(min=0), real)
    readouts = model.unroll(batch.hypotheses.clamp(min=0), memory).readouts
    last = (batch.hypotheses >= 0).sum(1) - 1
    return model.predict(readouts[torch.arange(len(last)), last], memory.mask, memory)


class Seen:
    """The examples that are measured on, and must not be trained on."""

    def __init__(self, examples: list[Example]) -> None:
        self._premises = {_plain(example.premise) for example in examples}
        self._pairs = {frozenset((_plain(one.premise), _plain(one.hypothesis))) for one in examples}

    def has(self, example: Example, premises: bool) -> bool:
        """Whether its pair is among them, in either order; or its premise, if `premises` count too."""
        premise, hypothesis = _plain(example.premise), _plain(example.hypothesis)
        return (premises and premise in self._premises) or frozenset((premise, hypothesis)) in self._pairs


def _plain(text: str) -> str:
    return " ".join("".join(sign if sign.isalnum() else " " for sign in text.lower()).split())


def apart(rows: list[Example], share: float) -> tuple[list[Example], list[Example]]:
    """Splits examples into those to train on and the share to develop with, by their premise."""
    limit = int(share * 2**32)
    kept: list[Example] = []
    held: list[Example] = []
    for row in rows:
        (held if crc32(row.premise.encode()) < limit else kept).append(row)
    return kept, held


def _padded(rows: tuple[list[int], ...]) -> Tensor:
    return pad_sequence([torch.tensor(row) for row in rows], batch_first=True, padding_value=-1)
