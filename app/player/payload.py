"""Traces -> what the player is sent: labels as text, numbers as base64."""

import base64
import hashlib
import json
from itertools import pairwise
from typing import Any

import numpy as np

from attnviz import measures
from attnviz.axes import Span
from attnviz.trace import Trace
from attnviz.weight_matrix import Level, WeightMatrix, matrix


def payload(traces: list[Trace], level: Level, end: bool, whole_scale: bool) -> dict[str, Any]:
    """The player's data for the sentences of one text.

    Args:
        level: "words" or "pieces". end: whether end marks are shown.
        whole_scale: colours run from 0 to 1; otherwise from 0 to the largest weight of all these
            sentences, so that they can be compared with each other.
    """
    matrices = [matrix(trace, level, end) for trace in traces]
    top, label = scale(matrices, whole_scale)
    data: dict[str, Any] = {
        "level": level,
        "scale": {"top": top, "label": label},
        "traces": [sentence(trace, shown) for trace, shown in zip(traces, matrices, strict=True)],
    }
    return named(data)


def named(data: dict[str, Any]) -> dict[str, Any]:
    """The data with an "id" that changes when anything in it does."""
    digest = hashlib.sha256(json.dumps(data).encode()).hexdigest()
    return {"id": digest[:16], **data}


def scale(matrices: list[WeightMatrix], whole: bool) -> tuple[float, str]:
    """The weight at the top of the colour scale, and how the scale is called."""
    top = max((float(shown.weights.max(initial=0.0)) for shown in matrices), default=0.0)
    if whole or top == 0.0:
        return 1.0, "0 to 1"
    return top, f"0 to the largest weight ({top:.2f})"


def sentence(trace: Trace, shown: WeightMatrix) -> dict[str, Any]:
    """One sentence with its weights and all that is told of its steps."""
    contexts = np.stack([trace.contexts[list(row)].mean(axis=0) for row in shown.rows])
    reach = float(np.abs(contexts).max()) or 1.0
    several = any(len(row) > 1 for row in shown.rows)
    return {
        "source": list(shown.source),
        "target": list(shown.target),
        "source_glue": _glue(shown.source_spans),
        "target_glue": _glue(shown.target_spans),
        "source_end": next(iter(shown.source_ends), None),
        "target_end": next(iter(shown.target_ends), None),
        "weights": base64_of(np.rint(shown.weights * 65535.0).clip(0, 65535), "<u2"),
        "energies": base64_of(shown.energies, "<f4"),
        "energies_note": (
            "This word took several decoder steps, and its weights are their mean; "
            "show pieces to see the energies of each step."
            if several
            else None
        ),
        "contexts": base64_of(np.rint(contexts / reach * 127.0), "<i1"),
        "context_width": contexts.shape[1],
        "context_scale": reach,
        "end_mass": None if shown.source_ends or not trace.axis.ends else shown.end_mass.round(6).tolist(),
        "probability": measures.probability(trace, shown).tolist(),
        "entropy": measures.entropy(shown).tolist(),
        "decoded": [] if trace.labels else decoded(trace, shown),
        "sides": ["Premise", "Hypothesis"] if trace.labels else ["Source", "Translation"],
        "verdict": _verdict(trace, shown),
        "forced": trace.settings.get("search") == "forced",
        "text": own_text(trace),
        "translation": trace.text,
        "notes": list(trace.notes),
    }


def _verdict(trace: Trace, shown: WeightMatrix) -> dict[str, Any] | None:
    """For a model that judges: p of each label after each row's last piece."""
    if not trace.labels:
        return None
    last = [row[-1] for row in shown.rows]
    chances = np.exp(trace.verdicts[last].astype(np.float64))
    return {"labels": list(trace.labels), "rows": chances.round(6).tolist()}


def decoded(trace: Trace, shown: WeightMatrix) -> list[list[dict[str, Any]]]:
    """For each row the steps that it shows: the token and its alternatives, with their probabilities."""
    return [[_step(trace, step) for step in row] for row in shown.rows]


def _step(trace: Trace, position: int) -> dict[str, Any]:
    step = trace[position]
    return {
        "token": step.token,
        "probability": float(np.exp(step.logprob)),
        "alternatives": [[token, float(np.exp(logprob))] for token, logprob in step.alternatives],
    }


def own_text(trace: Trace) -> str:
    """The sentence as far as it was read: an axis indexes the whole text that it is a part of."""
    sequence = trace.sequence
    return sequence.text[sequence.offsets[0][0] : sequence.offsets[-1][1]]


def _glue(spans: tuple[Span, ...]) -> list[bool]:
    """For each label whether it touches the one before, with no space between."""
    touching = [start < stop and before == start for (_, before), (start, stop) in pairwise(spans)]
    return [False, *touching]


def base64_of(numbers: np.ndarray, kind: str) -> str:
    """Numbers of a numpy kind, such as "<f4", as text."""
    return base64.b64encode(np.ascontiguousarray(numbers.astype(kind)).tobytes()).decode("ascii")
