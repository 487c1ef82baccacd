"""The weights of a trace as a picture shows them: pieces or words, with the end mark or without."""

from dataclasses import dataclass
from typing import Literal

import numpy as np

from attnviz.axes import Axis, Grid, Span
from attnviz.errors import InputError
from attnviz.trace import Trace

Level = Literal["pieces", "words"]


@dataclass(frozen=True, slots=True, eq=False)
class WeightMatrix:
    """T rows of target labels by S columns of source labels.

    source, target: the labels. source_ends, target_ends: which of them are end marks.
    source_spans, target_spans: the characters of each label in the source and the target text;
        (0, 0) for the cells of a picture, which are columns of their own at either level.
    rows: for each row the decoder steps that it shows; columns: for each column its positions.
    weights: (T, S). A word's column is the sum of its pieces' columns, a word's row the mean of
        its pieces' rows, so that every row still sums to 1 (with `end_mass` where that is hidden).
    energies: (T, S), exact where a row is a single step: the energy of a word is the log of the
        summed exponentials of its pieces, whose softmax is the summed weight. NaN in a row that
        is a mean of several steps, for which no energies exist.
    end_mass: (T,), the weight on hidden end marks; 0 where they are shown.
    """

    source: tuple[str, ...]
    target: tuple[str, ...]
    source_ends: tuple[int, ...]
    target_ends: tuple[int, ...]
    source_spans: tuple[Span, ...]
    target_spans: tuple[Span, ...]
    rows: tuple[tuple[int, ...], ...]
    columns: tuple[tuple[int, ...], ...]
    weights: np.ndarray
    energies: np.ndarray
    end_mass: np.ndarray


def matrix(trace: Trace, level: Level = "words", end: bool = False) -> WeightMatrix:
    """Merges a trace's weights for showing.

    Args:
        trace: of a model with attention.
        level: "pieces" as the model sees them, or "words" as the user wrote them.
        end: whether the end marks are shown; hidden, their weight is given as `end_mass` and not
            spread over the others.

    Raises:
        NoAttentionError: the model has no attention.
        InputError: there is no such level.
    """
    trace.require_attention()
    if level not in ("pieces", "words"):
        raise InputError(f'Expected the level "pieces" or "words", got {level!r}.')
    rows, columns = _groups(trace.output, level), _groups(trace.axis, level)
    hidden = list(trace.axis.ends)
    if not end:
        rows = [group for group in rows if group[0] not in trace.output.ends]
        columns = [group for group in columns if group[0] not in trace.axis.ends]
    weights = trace.weights.astype(np.float64)
    means = _membership(rows, len(trace.output)) / np.array([[len(group)] for group in rows]).reshape(-1, 1)
    sums = _membership(columns, len(trace.axis)).T
    end_mass = np.zeros(len(rows)) if end else means @ weights[:, hidden].sum(axis=1)
    source_spans = _spans(trace.axis, columns, level)
    target_spans = _spans(trace.output, rows, level)
    return WeightMatrix(
        _labels(trace.axis, columns, source_spans, level),
        _labels(trace.output, rows, target_spans, level),
        _ends(trace.axis, columns),
        _ends(trace.output, rows),
        source_spans,
        target_spans,
        tuple(rows),
        tuple(columns),
        (means @ weights @ sums).astype(np.float32),
        _energies(trace, rows, columns),
        end_mass.astype(np.float32),
    )


def _groups(axis: Axis, level: Level) -> list[tuple[int, ...]]:
    """The positions that each label stands for, in order."""
    if isinstance(axis, Grid) or level == "pieces":
        return [(position,) for position in range(len(axis))]
    groups: list[list[int]] = []
    for position, owner in enumerate(axis.owners):
        before = axis.owners[position - 1] if position else None
        if owner >= 0 and owner == before:
            groups[-1].append(position)
        else:
            groups.append([position])
    return [tuple(group) for group in groups]


def _membership(groups: list[tuple[int, ...]], length: int) -> np.ndarray:
    """(groups, length): 1 where a position is in a group."""
    member = np.zeros((len(groups), length))
    for index, group in enumerate(groups):
        member[index, list(group)] = 1.0
    return member


def _energies(trace: Trace, rows: list[tuple[int, ...]], columns: list[tuple[int, ...]]) -> np.ndarray:
    single = [index for index, group in enumerate(rows) if len(group) == 1]
    steps = trace.energies[[rows[index][0] for index in single]].astype(np.float64)
    energies = np.full((len(rows), len(columns)), np.nan, dtype=np.float32)
    for column, group in enumerate(columns):
        energies[single, column] = np.logaddexp.reduce(steps[:, list(group)], axis=1)
    return energies


def _labels(
    axis: Axis, groups: list[tuple[int, ...]], spans: tuple[Span, ...], level: Level
) -> tuple[str, ...]:
    return tuple(
        axis.tokens[group[0]]
        if isinstance(axis, Grid) or level == "pieces" or group[0] in axis.ends
        else axis.text[start:stop]
        for group, (start, stop) in zip(groups, spans, strict=True)
    )


def _spans(axis: Axis, groups: list[tuple[int, ...]], level: Level) -> tuple[Span, ...]:
    if isinstance(axis, Grid):
        return ((0, 0),) * len(groups)
    return tuple(
        axis.offsets[group[0]]
        if level == "pieces" or group[0] in axis.ends
        else axis.words[axis.owners[group[0]]]
        for group in groups
    )


def _ends(axis: Axis, groups: list[tuple[int, ...]]) -> tuple[int, ...]:
    return tuple(index for index, group in enumerate(groups) if group[0] in axis.ends)
