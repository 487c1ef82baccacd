"""Traces as pandas tables."""

import pandas as pd

from attnviz import measures
from attnviz.trace import Trace
from attnviz.weight_matrix import WeightMatrix


def weights(shown: WeightMatrix) -> pd.DataFrame:
    """One row a pair of labels: where each stands (from 0), its weight and its energy."""
    steps, positions = shown.weights.shape
    return pd.DataFrame(
        {
            "step": [t for t in range(steps) for _ in range(positions)],
            "target": [label for label in shown.target for _ in range(positions)],
            "position": list(range(positions)) * steps,
            "source": list(shown.source) * steps,
            "weight": shown.weights.ravel(),
            "energy": shown.energies.ravel(),
        }
    )


def steps(trace: Trace, shown: WeightMatrix) -> pd.DataFrame:
    """One row a target label: how sure the model was and how it looked."""
    top = shown.weights.argmax(axis=1) if shown.source else None
    return pd.DataFrame(
        {
            "word": shown.target,
            "probability": measures.probability(trace, shown),
            "entropy (nats)": measures.entropy(shown),
            "largest weight": measures.largest(shown),
            "on": [shown.source[index] for index in top] if top is not None else [""] * len(shown.target),
            "on the end mark": measures.end_mass(shown),
        }
    )
