"""Numbers about where a decoder looked: pure functions of a weight matrix, or of a trace.

Letters: T target length, S source length. A matrix may be of pieces or words; `matrix.end_mass`
holds the weight on hidden end marks. Over a photo, S are the cells of its grid. Logarithms are
natural: entropy is in nats.
"""

import numpy as np

from attnviz.alignments import Link
from attnviz.axes import Grid, Span
from attnviz.errors import InputError
from attnviz.trace import Trace
from attnviz.weight_matrix import WeightMatrix


def entropy(matrix: WeightMatrix) -> np.ndarray:
    """How spread each row is, (T,), in nats: 0 on one position, ln S when flat.

    H_t = - sum_i alpha_i^t ln alpha_i^t, hidden end marks counted as one position.
    """
    rows = np.column_stack([matrix.weights, matrix.end_mass]).astype(np.float64)
    logs = np.log(rows, out=np.zeros_like(rows), where=rows > 0)
    return -(rows * logs).sum(axis=1) + 0.0  # no negative zero


def largest(matrix: WeightMatrix) -> np.ndarray:
    """The largest shown weight of each row, (T,); 0 where no source label is shown."""
    return matrix.weights.max(axis=1, initial=0.0)


def end_mass(matrix: WeightMatrix) -> np.ndarray:
    """The weight of each row on the source's end mark, shown or hidden, (T,)."""
    return matrix.end_mass + matrix.weights[:, list(matrix.source_ends)].sum(axis=1)


def coverage(matrix: WeightMatrix) -> np.ndarray:
    """How much attention each source label got over all rows, (S,): sum_t alpha_i^t.

    Tu et al. (2016), section 3. About 1 for a word that was translated once, 0 for one skipped.
    """
    return matrix.weights.sum(axis=0, dtype=np.float64)


def alignment(matrix: WeightMatrix) -> list[Link]:
    """The hard alignment: (source, target) links of each row's largest weight.

    End marks are linked with nothing: a row whose largest weight is the source's end mark has no
    link. Of equal weights the first counts.
    """
    found = []
    words = [index for index in range(len(matrix.source)) if index not in matrix.source_ends]
    mass = end_mass(matrix)
    for t, row in enumerate(matrix.weights):
        if t in matrix.target_ends or not words:
            continue
        best = max(words, key=lambda index: row[index])
        if row[best] >= mass[t]:
            found.append((best, t))
    return found


def links(matrix: WeightMatrix, threshold: float) -> list[Link]:
    """All (source, target) links of at least that weight, end marks left out.

    Raises:
        InputError: the threshold is not above 0 and at most 1.
    """
    if not 0 < threshold <= 1:
        raise InputError(f"Expected a threshold above 0 and at most 1, got {threshold!r}.")
    return [
        (int(s), int(t))
        for t, s in np.argwhere(matrix.weights >= threshold)
        if s not in matrix.source_ends and t not in matrix.target_ends
    ]


def probability(trace: Trace, matrix: WeightMatrix) -> np.ndarray:
    """p of each target label given all before it, (T,): the product over its pieces."""
    logprobs = trace.logprobs.astype(np.float64)
    return np.exp([logprobs[list(row)].sum() for row in matrix.rows])


def words(trace: Trace) -> list[tuple[Span, float]]:
    """Each target word's characters and its p given all before it, for any model, also without attention.

    The end mark is left out. p is the product over the word's pieces.
    """
    output = trace.output
    logprobs: dict[int, float] = {}
    for owner, logprob in zip(output.owners, trace.logprobs.tolist(), strict=True):
        if owner >= 0:
            logprobs[owner] = logprobs.get(owner, 0.0) + logprob
    return [(output.words[word], float(np.exp(total))) for word, total in sorted(logprobs.items())]


def gate(trace: Trace, matrix: WeightMatrix) -> list[float] | None:
    """How much of the context the decoder let in, for each target label: the mean over its steps.

    Xu et al. (2015), section 4.2.1, beta. None for a model without a gate.
    """
    if not len(trace.gates):
        return None
    return [float(trace.gates[list(row)].mean(dtype=np.float64)) for row in matrix.rows]


def confidence(trace: Trace) -> float:
    """The geometric mean of the steps' probabilities, from 0 to 1; the end mark counted."""
    return float(np.exp(trace.logprobs.mean(dtype=np.float64)))


def inside(matrix: WeightMatrix, grid: Grid, box: tuple[float, float, float, float]) -> np.ndarray:
    """The weight of each row inside a box on a photo, (T,).

    A cell that the box cuts counts with the share of its area that lies inside.

    Args:
        box: left, top, right, bottom in pixels of the photo.

    Raises:
        InputError: the box is not left to right and top to bottom.
    """
    left, top, right, bottom = box
    if not (left <= right and top <= bottom):
        raise InputError(f"Expected a box as left, top, right, bottom, got {box}.")
    across = _covered(left, right, grid.columns, grid.width)
    down = _covered(top, bottom, grid.rows, grid.height)
    return matrix.weights.astype(np.float64) @ np.outer(down, across).ravel()


def centre(matrix: WeightMatrix, grid: Grid) -> np.ndarray:
    """The centre of mass of each row over a photo, (T, 2): x and y in pixels.

    Each cell's weight stands at the cell's centre. A map with several places has its centre
    between them, where there may be nothing.
    """
    weights = matrix.weights.astype(np.float64).reshape(-1, grid.rows, grid.columns)
    x = (np.arange(grid.columns) + 0.5) * grid.width / grid.columns
    y = (np.arange(grid.rows) + 0.5) * grid.height / grid.rows
    mass = weights.sum(axis=(1, 2))
    return np.stack([weights.sum(axis=1) @ x, weights.sum(axis=2) @ y], axis=-1) / mass[:, np.newaxis]


ALIKE = 0.9


def alikeness(matrix: WeightMatrix) -> float:
    """How alike the maps of different words are, from 0 (none share a place) to 1 (all the same).

    The mean over all pairs of words of sum_i min(alpha_i, beta_i), which is 1 less their total
    variation. End marks are left out; 0 where there are fewer than two words. Above `ALIKE` the
    maps do not depend on the word: a known failure of attention over pictures, that looks fine in
    any single map.
    """
    words = [t for t in range(len(matrix.target)) if t not in matrix.target_ends]
    maps = matrix.weights[words].astype(np.float64)
    if len(maps) < 2:
        return 0.0
    shared = [np.minimum(maps[t], maps[t + 1 :]).sum(axis=1) for t in range(len(maps) - 1)]
    return float(np.concatenate(shared).mean())


def _covered(start: float, stop: float, cells: int, pixels: int) -> np.ndarray:
    """The share of each cell, along one side, that lies between two points; (cells,)."""
    edges = np.arange(cells + 1) * pixels / cells
    lengths = np.minimum(edges[1:], stop) - np.maximum(edges[:-1], start)
    return lengths.clip(min=0) * cells / pixels
