"""How a person interferes with a step of attention, and what its weights and context become then.

Letters: S source length.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from numbers import Integral, Real
from typing import Any

import numpy as np
import torch

from attnviz.attention import Attended, Memory
from attnviz.errors import InputError

# Weights whose sum is this near to 1 are taken as they are, so that a step's own change no bit.
_ROUNDING = 1e-5


@dataclass(frozen=True, slots=True)
class Action:
    """How a person interfered with a step; the default is not at all.

    forced: the token was chosen by the person. weights: (S,), what was put in the place of alpha.
    masked: source positions without weight. temperature: what the energies were divided by.
    """

    forced: bool = False
    weights: tuple[float, ...] | None = None
    masked: frozenset[int] = frozenset()
    temperature: float = 1.0

    @property
    def interfered(self) -> bool:
        """Whether anything was done at all."""
        return self != Action()

    def as_record(self, step: int) -> dict[str, Any]:
        """What a trace's settings remember of it, as plain JSON."""
        record: dict[str, Any] = {"step": step}
        if self.forced:
            record["forced"] = True
        if self.weights is not None:
            record["weights"] = list(self.weights)
        if self.masked:
            record["masked"] = sorted(self.masked)
        if self.temperature != 1.0:
            record["temperature"] = self.temperature
        return record

    def changed(self, attended: Attended, memory: Memory) -> Attended:
        """What it makes of what the model attended to; the very same if it does nothing."""
        energies, weights = attended.energies, attended.weights
        if self.masked or self.temperature != 1.0:
            hidden = torch.zeros_like(memory.mask)
            hidden[:, sorted(self.masked)] = True
            energies = (energies / self.temperature).masked_fill(hidden, -math.inf)
            weights = torch.softmax(energies, -1)
        if self.weights is not None:
            weights = torch.tensor([self.weights], dtype=weights.dtype)
        if weights is attended.weights:
            return attended
        context = torch.bmm(weights.unsqueeze(1), memory.annotations).squeeze(1)
        return attended._replace(energies=energies, weights=weights, context=context)


def recorded(records: Any, positions: int) -> dict[int, Action]:
    """What a trace's settings say was done at which step, checked as if it were done now.

    Args:
        records: as `Action.as_record` makes them. positions: S.

    Raises:
        InputError: something that cannot be done.
    """
    actions = {}
    try:
        for record in records:
            masked = frozenset(checked_position(position, positions) for position in record.get("masked", ()))
            if len(masked) >= positions:
                raise InputError("Expected one position at least without a mask.")
            weights = record.get("weights")
            actions[int(record["step"])] = Action(
                forced=bool(record.get("forced", False)),
                weights=None if weights is None else shares(weights, positions, masked),
                masked=masked,
                temperature=checked_temperature(record.get("temperature", 1.0)),
            )
    except (TypeError, KeyError, ValueError, AttributeError) as error:
        raise InputError(f"What the trace says was done cannot be done: {error}") from error
    return actions


def shares(
    weights: Sequence[float] | np.ndarray | Mapping[int, float], positions: int, masked: frozenset[int]
) -> tuple[float, ...]:
    """Weights that were given, checked and brought to a sum of 1.

    Raises:
        InputError: one is negative or not finite, all are 0, their number is not S, or one lies on a
            masked position.
    """
    given = np.zeros(positions)
    try:
        if isinstance(weights, Mapping):
            for position, weight in weights.items():
                given[checked_position(position, positions)] = weight
        else:
            array = np.asarray(weights, dtype=np.float64)
            if array.shape != given.shape:
                raise InputError(f"Expected {positions} weights, got shape {array.shape}.")
            given[:] = array
    except (TypeError, ValueError) as error:
        if isinstance(error, InputError):
            raise
        raise InputError(f"Expected weights as numbers: {error}.") from error
    if not np.isfinite(given).all() or (given < 0).any():
        raise InputError("Expected weights from 0 up, got a negative or a not finite one.")
    if not given.any():
        raise InputError("Expected a weight above 0 somewhere, got none.")
    if any(given[position] > 0 for position in masked):
        raise InputError("Expected no weight on a masked position; unmask it first.")
    if abs(given.sum() - 1) > _ROUNDING:
        given /= given.max()  # their sum may be beyond what a number can hold
        given /= given.sum()
    return tuple(given.tolist())


def checked_position(position: int, positions: int) -> int:
    """A source position, checked."""
    whole = isinstance(position, Integral) and not isinstance(position, bool)
    if not whole or not 0 <= position < positions:
        raise InputError(f"Expected a position from 0 to {positions - 1}, got {position!r}.")
    return int(position)


def checked_temperature(value: Any) -> float:
    """A temperature, checked."""
    number = float(value) if isinstance(value, Real) and not isinstance(value, bool) else math.nan
    if not 0.01 <= number <= 100:
        raise InputError(f"Expected a temperature from 0.01 to 100, got {value!r}.")
    return number
