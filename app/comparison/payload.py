"""Traces of several models of one sentence -> what the comparison is sent."""

import math
from typing import Any

import mathematics
from attnviz import measures
from attnviz.trace import Trace
from attnviz.weight_matrix import Level, matrix
from player.payload import named, scale, sentence


def payload(traces: dict[str, Trace], level: Level, end: bool, whole_scale: bool) -> dict[str, Any]:
    """The comparison's data.

    Args:
        traces: each mechanism with what its model made of the sentence.
        level: "words" or "pieces". end: whether end marks are shown.
        whole_scale: colours run from 0 to 1; otherwise to the largest weight of all models.
    """
    matrices = {name: matrix(trace, level, end) for name, trace in traces.items() if trace.weights.shape[1]}
    top, label = scale(list(matrices.values()), whole_scale)
    models = []
    for name, trace in traces.items():
        shown = matrices.get(name)
        models.append(
            {
                "name": name,
                "formula": mathematics.ENERGY[name],
                "text": trace.text,
                "confidence": measures.confidence(trace),
                "notes": list(trace.notes),
                "forced": trace.settings.get("search") == "forced",
                "trace": sentence(trace, shown) if shown is not None else None,
                # Hidden end marks count as one position more.
                "flat": math.log(max(2, len(shown.source) + (0 if end else 1)))
                if shown is not None
                else None,
            }
        )
    return named({"scale": {"top": top, "label": label}, "models": models})
