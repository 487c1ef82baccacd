"""Step and Trace: what a decoder did, step by step, as plain numpy.

Index order is always [target, source]. Letters: T target length, S source length, D annotation
width, H state width, N beam nodes.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any, Literal

import numpy as np

from attnviz import storage
from attnviz.axes import Axis, Grid, Sequence, Span
from attnviz.errors import FormatError, InputError, NoAttentionError, ShapeError

Alternatives = tuple[tuple[str, float], ...]

VERSION = 3
_READABLE = (2, 3)  # version 2 had no labels
_BEAM_ARRAYS = ("parents", "token_ids", "positions", "logprobs", "totals", "weights")


@dataclass(frozen=True, slots=True, eq=False)
class Step:
    """One step of the decoder.

    position: 0 for the first step.
    token: the piece that was chosen, readable; `token_id` is its index in the vocabulary.
    logprob: ln p(token | source, tokens before), in nats, whatever the search.
    alternatives: the 5 likeliest tokens with their logprobs, best first; the chosen one may be
        missing from them when it was sampled, forced or the beam's.
    energies: (S,), before the softmax; -inf where the source is masked.
    weights: (S,), after it; they sum to 1. Both are (0,) for a model without attention.
    context: (D,), the weighted sum of the annotations, before any gate.
    state: (H,), the decoder's state after this step; the query was the state before it.
    gate: from 0 to 1, how much of the context a gated decoder let in; None without a gate.
    verdict: for a model that reads a target and judges it, ln p of each of the trace's labels had the
        target ended here. Its tokens were given, so that their logprob is 0 and they have no
        alternatives.
    """

    position: int
    token: str
    token_id: int
    logprob: float
    alternatives: Alternatives
    energies: np.ndarray
    weights: np.ndarray
    context: np.ndarray
    state: np.ndarray
    gate: float | None = None
    verdict: tuple[float, ...] = ()


@dataclass(frozen=True, slots=True, eq=False)
class Beam:
    """Every hypothesis that a beam search held, as a tree of N nodes; dropped branches too.

    parents: (N,), the node before each, -1 at the root; always smaller than the node's own index.
    tokens: N readable tokens; token_ids: (N,), their indices in the vocabulary. positions,
    logprobs, totals: (N,), the step, ln p of the token, and their sum from the root. weights:
    (N, S), where the node's step looked.
    fates: N of "kept" (a later step went on from it), "dropped" (none did) or "finished".
    hypotheses: (node, score) of the finished ones, best first; the first is the one returned.
        Where none finished within the limit, the best unfinished one stands alone.
    """

    parents: np.ndarray
    tokens: tuple[str, ...]
    token_ids: np.ndarray
    positions: np.ndarray
    logprobs: np.ndarray
    totals: np.ndarray
    weights: np.ndarray
    fates: tuple[str, ...]
    hypotheses: tuple[tuple[int, float], ...]

    def __post_init__(self) -> None:
        count = len(self.tokens)
        if any(len(getattr(self, name)) != count for name in (*_BEAM_ARRAYS, "fates")):
            raise ShapeError(f"A beam of {count} tokens needs {count} of everything else, and has not.")
        if any(not -1 <= parent < node for node, parent in enumerate(self.parents)):
            raise ShapeError("A beam's node must come after its parent.")
        if not self.hypotheses or any(not 0 <= node < count for node, _ in self.hypotheses):
            raise ShapeError(f"A beam's hypotheses must be among its {count} nodes.")

    def __len__(self) -> int:
        return len(self.tokens)

    def path(self, node: int) -> list[int]:
        """The nodes from the root to this one."""
        path = [node]
        while self.parents[path[-1]] >= 0:
            path.append(int(self.parents[path[-1]]))
        return path[::-1]

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Beam) and _equal(self, other)


@dataclass(frozen=True, slots=True, eq=False)
class Trace:
    """A whole decoding: what was read, what was written, and every step between.

    task, model: such as "translation" and "translate-fr-en".
    axis: the source positions: a Sequence of tokens, or a Grid over a picture.
    output: the target positions, with the text that was written.
    token_ids, logprobs: (T,). alternatives: T tuples. energies, weights: (T, S). contexts: (T, D).
    states: (T, H). gates: (T,), or (0,) without a gate. labels: the L things that a model which judges
    can say; verdicts: (T, L), ln p of each after each step. None, and (0, 0), where a model writes.
    See Step for what each of them means.
    settings: the search and its options.
    notes: what a user should know of this trace, as sentences; shown with every picture of it.
    unread: the characters of the source text that the model did not read.
    beams: what a beam search held, one for each sentence; none otherwise.

    Iterable and indexable by step; equal by value; written and read back without loss.
    """

    task: str
    model: str
    axis: Axis
    output: Sequence
    token_ids: np.ndarray
    logprobs: np.ndarray
    alternatives: tuple[Alternatives, ...]
    energies: np.ndarray
    weights: np.ndarray
    contexts: np.ndarray
    states: np.ndarray
    gates: np.ndarray = field(default_factory=lambda: np.empty(0, np.float32))
    labels: tuple[str, ...] = ()
    verdicts: np.ndarray = field(default_factory=lambda: np.empty((0, 0), np.float32))
    settings: dict[str, Any] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    unread: tuple[Span, ...] = ()
    beams: tuple[Beam, ...] = ()

    def __post_init__(self) -> None:
        steps, positions = len(self.output), len(self.axis)
        if self.weights.shape not in ((steps, positions), (steps, 0)):
            raise ShapeError(
                f"Expected weights of shape ({steps}, {positions}) for {steps} target and {positions} "
                f"source tokens, got {self.weights.shape}."
            )
        if self.energies.shape != self.weights.shape:
            raise ShapeError(
                f"Expected energies of the shape of the weights {self.weights.shape}, "
                f"got {self.energies.shape}."
            )
        lengths = {
            "token_ids": self.token_ids.shape,
            "logprobs": self.logprobs.shape,
            "alternatives": (len(self.alternatives),),
            "contexts": self.contexts.shape[:1],
            "states": self.states.shape[:1],
        }
        for name, shape in lengths.items():
            if shape != (steps,):
                raise ShapeError(f"Expected {name} for {steps} steps, got shape {shape}.")
        if self.gates.shape not in ((steps,), (0,)):
            raise ShapeError(f"Expected gates for {steps} steps or none, got shape {self.gates.shape}.")

        if self.verdicts.shape != ((steps, len(self.labels)) if self.labels else (0, 0)):
            raise ShapeError(
                f"Expected verdicts of {steps} steps over {len(self.labels)} labels, got shape "
                f"{self.verdicts.shape}."
            )

    @classmethod
    def collect(
        cls, steps: list[Step], axis: Axis, output: Sequence, task: str, model: str, **rest: Any
    ) -> "Trace":
        """The trace of these steps, of which there is at least one.

        Source positions beyond the axis are the padding of a batch, and left out.
        """
        return cls(
            task,
            model,
            axis,
            output,
            np.array([step.token_id for step in steps], dtype=np.int32),
            np.array([step.logprob for step in steps], dtype=np.float32),
            tuple(step.alternatives for step in steps),
            np.stack([step.energies for step in steps])[:, : len(axis)],
            np.stack([step.weights for step in steps])[:, : len(axis)],
            np.stack([step.context for step in steps]),
            np.stack([step.state for step in steps]),
            np.array([step.gate for step in steps if step.gate is not None], dtype=np.float32),
            verdicts=np.array([step.verdict for step in steps if step.verdict], np.float32).reshape(
                (len(steps), -1) if steps[0].verdict else (0, 0)
            ),
            **rest,
        )

    @property
    def text(self) -> str:
        """What the decoder wrote."""
        return self.output.text

    @property
    def source(self) -> list[str]:
        """The S source tokens, the end mark among them."""
        return list(self.axis.tokens)

    @property
    def target(self) -> list[str]:
        """The T target tokens, the end mark among them."""
        return list(self.output.tokens)

    @property
    def logprob(self) -> float:
        """ln p(target | source), in nats: the sum over the steps."""
        return float(self.logprobs.sum(dtype=np.float64))

    @property
    def verdict(self) -> dict[str, float]:
        """The probability of each label after the last step; empty for a model that writes."""
        if not self.labels:
            return {}
        return dict(zip(self.labels, np.exp(self.verdicts[-1].astype(np.float64)).tolist(), strict=True))

    @property
    def has_attention(self) -> bool:
        """False for a model that reads the source through one fixed vector."""
        return self.weights.shape[1] > 0

    @property
    def sequence(self) -> Sequence:
        """The axis of a trace that read a text.

        Raises:
            InputError: it read a picture.
        """
        if not isinstance(self.axis, Sequence):
            raise InputError("Expected a trace of a text, got one of a picture; its axis is a Grid.")
        return self.axis

    @property
    def grid(self) -> Grid:
        """The axis of a trace that read a picture.

        Raises:
            InputError: it read a text.
        """
        if not isinstance(self.axis, Grid):
            raise InputError("Expected a trace of a picture, got one of a text; its axis is a Sequence.")
        return self.axis

    def require_attention(self) -> None:
        """Raises NoAttentionError unless there are weights to look at."""
        if not self.has_attention:
            raise NoAttentionError(
                f"{self.model} has no attention: its decoder sees one fixed vector, so there are no "
                "weights to show; load a model with attention."
            )

    @property
    def steps(self) -> list[Step]:
        """The T steps."""
        return list(self)

    def __len__(self) -> int:
        return len(self.output)

    def __getitem__(self, index: int) -> Step:
        position = range(len(self))[index]
        return Step(
            position,
            self.output.tokens[position],
            int(self.token_ids[position]),
            float(self.logprobs[position]),
            self.alternatives[position],
            self.energies[position],
            self.weights[position],
            self.contexts[position],
            self.states[position],
            float(self.gates[position]) if len(self.gates) else None,
            tuple(self.verdicts[position].tolist()) if self.labels else (),
        )

    def __iter__(self) -> Iterator[Step]:
        return (self[position] for position in range(len(self)))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Trace) and _equal(self, other)

    def __repr__(self) -> str:
        source = repr(self.axis.text) if isinstance(self.axis, Sequence) else self.axis
        return f"<Trace {self.model}: {source} -> {self.text!r}, {len(self)} steps>"

    @classmethod
    def join(cls, text: str, parts: "list[Trace]") -> "Trace":
        """One trace for a text that was decoded sentence by sentence.

        Every part's axis must be a Sequence that indexes the whole text. No decoder saw another's
        sentence: there the weights are 0 and the energies -inf.
        """
        if len(parts) == 1:
            return parts[0]
        written = " ".join(part.text for part in parts)
        outputs, at = [], 0
        for part in parts:
            outputs.append(part.output.moved(written, at))
            at += len(part.text) + 1
        first = parts[0]
        return cls(
            first.task,
            first.model,
            Sequence.join(text, [part.sequence for part in parts]),
            Sequence.join(written, outputs),
            np.concatenate([part.token_ids for part in parts]),
            np.concatenate([part.logprobs for part in parts]),
            tuple(row for part in parts for row in part.alternatives),
            _diagonal([part.energies for part in parts], -np.inf),
            _diagonal([part.weights for part in parts], 0.0),
            np.concatenate([part.contexts for part in parts]),
            np.concatenate([part.states for part in parts]),
            np.concatenate([part.gates for part in parts]),
            settings=first.settings,
            notes=tuple(dict.fromkeys(note for part in parts for note in part.notes)),
            unread=tuple(span for part in parts for span in part.unread),
            beams=tuple(beam for part in parts for beam in part.beams),
        )

    def save(self, path: str | Path) -> None:
        """Writes everything: safetensors, or plain JSON when the name ends in .json.

        Raises:
            InputError: it cannot be written there.
        """
        path = Path(path)
        storage.write(path, self.dumps("json" if path.suffix == ".json" else "safetensors"))

    def dumps(self, file_format: Literal["json", "safetensors"]) -> bytes:
        """What `save` writes, as bytes."""
        header: dict[str, Any] = {"kind": "trace", "version": VERSION}
        arrays: storage.Arrays = {}
        for part in fields(self):
            value = getattr(self, part.name)
            if isinstance(value, np.ndarray):
                arrays[part.name] = value
            elif isinstance(value, Sequence | Grid):
                header[part.name] = {key.name: getattr(value, key.name) for key in fields(value)}
            elif part.name != "beams":
                header[part.name] = value
        header["beams"] = []
        for index, beam in enumerate(self.beams):
            header["beams"].append(
                {"tokens": beam.tokens, "fates": beam.fates, "hypotheses": beam.hypotheses}
            )
            arrays |= {f"beam{index}.{name}": getattr(beam, name) for name in _BEAM_ARRAYS}
        return storage.dumps(header, arrays, file_format == "json")


def read(path: str | Path) -> Trace:
    """Reads a trace that `Trace.save` wrote; runs no code from the file.

    Raises:
        FormatError: the file is missing, damaged, foreign, or of a newer version.
    """
    header, arrays = storage.read(Path(path))
    if header.get("kind") != "trace":
        raise FormatError(f"{path} holds {header.get('kind')!r}, expected a trace.")
    if header.get("version") not in _READABLE:
        raise FormatError(
            f"{path} is of trace version {header.get('version')}, this attnviz reads version {VERSION}; "
            "use the attnviz that wrote it, or a newer one."
        )
    try:
        own = {name: array for name, array in arrays.items() if not name.startswith("beam")}
        return Trace(
            task=str(header["task"]),
            model=str(header["model"]),
            axis=_axis(header["axis"]),
            output=_sequence(header["output"]),
            alternatives=tuple(
                tuple((str(token), float(logprob)) for token, logprob in row)
                for row in header["alternatives"]
            ),
            settings=dict(header["settings"]),
            notes=tuple(str(note) for note in header["notes"]),
            labels=tuple(str(label) for label in header.get("labels", ())),
            unread=_spans(header["unread"]),
            beams=tuple(_beam(index, beam, arrays) for index, beam in enumerate(header["beams"])),
            **own,
        )
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise FormatError(f"{path} is a damaged trace: {error}") from error


def _axis(table: dict[str, Any]) -> Axis:
    return _sequence(table) if "tokens" in table else Grid(*(int(table[key.name]) for key in fields(Grid)))


def _sequence(table: dict[str, Any]) -> Sequence:
    return Sequence(
        str(table["text"]),
        tuple(str(token) for token in table["tokens"]),
        _spans(table["offsets"]),
        _spans(table["words"]),
        tuple(int(owner) for owner in table["owners"]),
    )


def _beam(index: int, table: dict[str, Any], arrays: storage.Arrays) -> Beam:
    return Beam(
        tokens=tuple(str(token) for token in table["tokens"]),
        fates=tuple(str(fate) for fate in table["fates"]),
        hypotheses=tuple((int(node), float(score)) for node, score in table["hypotheses"]),
        **{name: arrays[f"beam{index}.{name}"] for name in _BEAM_ARRAYS},
    )


def _spans(pairs: list[list[int]]) -> tuple[Span, ...]:
    return tuple((int(start), int(stop)) for start, stop in pairs)


def _diagonal(blocks: list[np.ndarray], elsewhere: float) -> np.ndarray:
    rows, columns = (sum(block.shape[axis] for block in blocks) for axis in (0, 1))
    whole = np.full((rows, columns), elsewhere, dtype=np.float32)
    row = column = 0
    for block in blocks:
        whole[row : row + block.shape[0], column : column + block.shape[1]] = block
        row, column = row + block.shape[0], column + block.shape[1]
    return whole


def _equal(one: Any, other: Any) -> bool:
    for part in fields(one):
        a, b = getattr(one, part.name), getattr(other, part.name)
        if isinstance(a, np.ndarray):
            if a.dtype != b.dtype or not np.array_equal(a, b, equal_nan=a.dtype.kind == "f"):
                return False
        elif a != b:
            return False
    return True
