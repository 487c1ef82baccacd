"""A trace and its arithmetic -> what the component is sent: labels as text, numbers as base64."""

from typing import Any

import numpy as np

import mathematics
from attnviz.arithmetic import Arithmetic, Outcome
from attnviz.trace import Trace
from attnviz.weight_matrix import matrix
from player.payload import base64_of, named, sentence

LONGEST = 80


def payload(trace: Trace, numbers: Arithmetic) -> dict[str, Any]:
    """The component's data; in pieces, since a word of several pieces is several steps."""
    shown = matrix(trace, "pieces", end=True)
    words = sentence(trace, shown)
    return named(
        {
            **{name: words[name] for name in ("source", "target", "source_glue", "target_glue")},
            **{name: words[name] for name in ("source_end", "target_end", "text", "translation")},
            "decoded": [row[0] for row in words["decoded"]],
            "mechanism": numbers.mechanism,
            "formulas": {
                "energy": mathematics.ENERGY[numbers.mechanism],
                "softmax": mathematics.SOFTMAX,
                "context": mathematics.CONTEXT,
                "state": mathematics.STATE,
                "word": mathematics.WORD,
            },
            "widths": {
                "annotation": numbers.annotations.shape[1],
                "key": numbers.keys.shape[1],
                "state": numbers.queries.shape[1],
            },
            "annotations": _floats(numbers.annotations),
            "queries": _floats(numbers.queries),
            "keys": _floats(numbers.keys),
            "projected": _floats(numbers.projected),
            "energy_vector": None if numbers.energy_vector is None else _floats(numbers.energy_vector),
            "temperature": numbers.temperature,
            "energies": _floats(numbers.energies),
            "outcomes": [_outcome(outcome) for outcome in numbers.outcomes],
        }
    )


def _outcome(outcome: Outcome) -> dict[str, Any]:
    return {
        "temperature": outcome.temperature,
        "states": _floats(outcome.states),
        "words": [[[token, float(np.exp(logprob))] for token, logprob in words] for words in outcome.words],
    }


def _floats(numbers: np.ndarray) -> str:
    return base64_of(numbers, "<f4")
