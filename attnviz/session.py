"""A decoding or a reading that a person drives: look, choose, interfere, go back, try another way.

A session is a chain of steps, each with the state that it left. Nothing in the chain ever changes:
going back means to hold an earlier link, a branch shares all links up to its own, and so whatever is
decoded again from a link comes out bit for bit the same.

Letters: S source length.
"""

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from copy import copy
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, NamedTuple, Self

import numpy as np
import torch
from torch import Tensor

from attnviz.attention import Memory
from attnviz.errors import InputError, NoAttentionError
from attnviz.interference import Action, checked_position, checked_temperature, recorded, shares
from attnviz.model import EncoderDecoder
from attnviz.reader import PairReader
from attnviz.search import ALTERNATIVES, Moment, Vocabulary
from attnviz.trace import Step, Trace

UNDO = 1000
_AGREED = 1e-2  # nats, between machines


@dataclass(frozen=True, slots=True, eq=False)
class _Link:
    """A step that was taken, the likeliest tokens then, what was done to it, the state (1, H) it left."""

    before: "_Link | None"
    step: Step
    likeliest: tuple[int, ...]
    action: Action
    state: Tensor


@dataclass(frozen=True, slots=True)
class _Place:
    """Where a session stands: its last link, and what the next step will be subject to."""

    link: _Link | None = None
    action: Action = field(default_factory=Action)


class Upcoming(NamedTuple):
    """The next step's numbers, the logprobs (V,) of all tokens, and the state (1, H) that it leaves."""

    moment: Moment
    logprobs: Tensor
    state: Tensor


class Session(ABC):
    """Drives a model through the steps of one target, over the memory of one source.

    Between two steps a person may `attend`, `mask` or set the `temperature`; `look()` shows what the
    next step sees and thinks under that, `step()` takes it. Subclasses say which token a step reads,
    and which it stands for.
    """

    def __init__(
        self,
        model: EncoderDecoder | PairReader,
        memory: Memory,
        vocabulary: Vocabulary,
        collect: Callable[[list[Step], dict[str, Any]], Trace],
    ) -> None:
        """memory: of one source. collect: (steps, settings) -> the task's trace."""
        self.model, self.memory, self._vocabulary, self._collect = model, memory, vocabulary, collect
        self._place = _Place()
        self._undone: list[_Place] = []
        self._done: list[_Place] = []
        self._seen: tuple[_Place, Upcoming] | None = None

    # ---- where it stands

    @property
    def positions(self) -> int:
        """S, the number of source positions."""
        return self.memory.mask.shape[1]

    @property
    def starts(self) -> tuple[Tensor, Tensor]:
        """The tokens (T,) and the states (T, H) that the T steps so far started from."""
        links = self._links()
        states = [self.model.start(self.memory), *(link.state for link in links)][: len(links)]
        return torch.tensor(self._read([link.step.token_id for link in links])), torch.cat(states)

    @property
    @abstractmethod
    def said(self) -> Tensor:
        """What the model says at each of the steps, (T,), as an index of its logits."""

    @property
    def steps(self) -> list[Step]:
        """The steps that were taken, in order."""
        return [link.step for link in self._links()]

    @property
    def actions(self) -> list[Action]:
        """What was done to each of the steps."""
        return [link.action for link in self._links()]

    @property
    def pending(self) -> Action:
        """What the next step will be subject to."""
        return self._place.action

    @property
    @abstractmethod
    def ended(self) -> bool:
        """Whether there is no further step."""

    @property
    def trace(self) -> Trace:
        """The steps so far as a trace; its settings say how a person interfered with which.

        Where `weights` were put in the place of alpha, the energies are still the model's own.

        Raises:
            InputError: no step was taken yet.
        """
        steps = self.steps
        if not steps:
            raise InputError("Expected at least one step, got none; call step() or run() first.")
        records = [action.as_record(at) for at, action in enumerate(self.actions) if action.interfered]
        return self._collect(steps, {"search": "session", "interventions": records})

    def distribution(self, logits: Tensor) -> Tensor:
        """What the model's logits (..., V) say, as logprobs."""
        return torch.log_softmax(logits, dim=-1)

    def look(self) -> Step:
        """The next step as it would be; nothing is taken.

        Raises:
            InputError: there is no further step.
        """
        return self._step(self._next(), None)

    # ---- taking steps

    def step(self) -> Step:
        """Takes the next step as it is.

        Raises:
            InputError: there is no further step.
        """
        self._remember()
        return self._take(None)

    def run(self) -> Trace:
        """Takes all steps to the end; the trace of it all."""
        if not self.ended:
            self._remember()
        while not self.ended:
            self._take(None)
        return self.trace

    def repeat(self, actions: Sequence[Action]) -> None:
        """Takes steps as they come, each subject to what was done to those of another session.

        Raises:
            InputError: there are not so many steps, or no such positions; nothing is taken then.
        """
        kept, done = self._place, [replace(action, forced=False) for action in actions]
        if any(len(action.weights or ()) not in (0, self.positions) for action in done) or any(
            max(action.masked, default=0) >= self.positions for action in done
        ):
            raise InputError(f"Expected actions on {self.positions} source positions, got others.")
        try:
            for action in done:
                self._place = _Place(self._place.link, action)
                self._take(None)
        except InputError:
            self._place = kept
            raise
        reached, self._place = self._place, kept
        self._remember()
        self._place = reached

    # ---- interfering with the next step

    def attend(self, weights: Sequence[float] | np.ndarray | Mapping[int, float]) -> None:
        """Puts weights in the place of alpha, for the next step only.

        Args:
            weights: (S,), or a weight for some positions and none for the others; brought to a sum
                of 1.

        Raises:
            NoAttentionError: the model has no attention.
            InputError: a weight is negative or not finite, all are 0, their number is not S, or one
                lies on a masked position.
        """
        self._require_attention()
        self._interfere(replace(self.pending, weights=shares(weights, self.positions, self.pending.masked)))

    def mask(self, position: int) -> None:
        """Allows no weight on a source position, from the next step on.

        Weights that were to be put in the place of the next step's are taken back.

        Raises:
            NoAttentionError: the model has no attention.
            InputError: there is no such position, or it is the last one that is not masked.
        """
        self._require_attention()
        masked = self.pending.masked | {checked_position(position, self.positions)}
        if len(masked) == self.positions:
            raise InputError("Expected one position at least without a mask; unmask another first.")
        self._interfere(replace(self.pending, masked=masked, weights=None))

    def unmask(self, position: int) -> None:
        """Allows weight on a source position again, from the next step on."""
        allowed = {checked_position(position, self.positions)}
        self._interfere(replace(self.pending, masked=self.pending.masked - allowed))

    def temperature(self, value: float) -> None:
        """Divides the energies before the softmax, from the next step on: above 1 flattens alpha.

        Weights that were to be put in the place of the next step's are taken back.

        Raises:
            NoAttentionError: the model has no attention.
            InputError: it is not from 0.01 to 100.
        """
        self._require_attention()
        self._interfere(replace(self.pending, temperature=checked_temperature(value), weights=None))

    # ---- going back, and trying another way

    def rewind(self, step: int, keep: bool = False) -> None:
        """Goes back to just after the step before this one: to 0 for the beginning.

        What was done from there on is forgotten, masks and temperature too; `undo` brings it back.

        Args:
            keep: the weights, masks and temperature of that step itself stay; only its word is free.

        Raises:
            InputError: there are fewer steps.
        """
        links = self._links()
        if type(step) is not int or not 0 <= step <= len(links):
            raise InputError(f"Expected a step from 0 to {len(links)}, got {step!r}.")
        self._remember()
        place = _after(links[step - 1]) if step else _Place()
        if keep and step < len(links):
            place = _Place(place.link, replace(links[step].action, forced=False))
        self._place = place

    def branch(self) -> Self:
        """An independent session that stands where this one does; the steps so far are shared."""
        other = copy(self)
        other._undone, other._done = [], []
        return other

    def undo(self) -> bool:
        """Takes back what was done last; returns whether there was anything."""
        return self._swap(self._done, self._undone)

    def redo(self) -> bool:
        """Does again what was taken back last; returns whether there was anything."""
        return self._swap(self._undone, self._done)

    def replay(self, trace: Trace) -> None:
        """Starts anew and does what a session's trace says was done.

        Raises:
            InputError: the trace is not of a session of this model and source, or says that something
                was done which cannot be; nothing is changed then.
        """
        actions = recorded(trace.settings.get("interventions", []), self.positions)
        kept = self._place
        self._place = _Place()
        try:
            self._require_takable([step.token_id for step in trace])
            for position, step in enumerate(trace):
                action = actions.get(position, Action())
                self._place = _Place(self._place.link, replace(action, forced=False))
                taken = self._take(step.token_id, action.forced)
                # Not "greater than": what is no number agrees with nothing.
                if not _apart(taken, step) <= _AGREED:
                    raise InputError("Expected the trace of a session of this model and source, got another.")
            reached, self._place = self._place, kept
            self._remember()
            self._place = reached
        except InputError:
            self._place = kept
            raise

    # ---- inside

    def _links(self) -> list[_Link]:
        links, link = [], self._place.link
        while link is not None:
            links.append(link)
            link = link.before
        return links[::-1]

    def _position(self) -> int:
        link = self._place.link
        return 0 if link is None else link.step.position + 1

    def _remember(self) -> None:
        self._done.append(self._place)
        del self._done[:-UNDO]
        self._undone.clear()

    def _swap(self, source: list[_Place], target: list[_Place]) -> bool:
        if not source:
            return False
        target.append(self._place)
        self._place = source.pop()
        return True

    def _interfere(self, action: Action) -> None:
        self._remember()
        self._place = _Place(self._place.link, action)

    def _require_attention(self) -> None:
        if self.model.config.mechanism == "none":
            raise NoAttentionError("This model has no attention, so that there are no weights to change.")
        self._require_going_on()

    def _require_going_on(self) -> None:
        if self.ended:
            raise InputError("The decoding has ended; go back with rewind() or undo() first.")

    @torch.inference_mode()
    def _next(self) -> Upcoming:
        """Worked out once a place."""
        self._require_going_on()
        place = self._place
        if self._seen is None or self._seen[0] is not place:
            link = place.link
            token = self._fed()
            state = self.model.start(self.memory) if link is None else link.state
            logits, state, attended = self.model.step(
                torch.tensor([token]), state, self.memory, partial(place.action.changed, memory=self.memory)
            )
            logprobs = self.distribution(logits)
            moment = Moment.of(logprobs.topk(min(ALTERNATIVES, logprobs.shape[-1])), attended, state)
            self._seen = (place, Upcoming(moment, logprobs[0], state))
        return self._seen[1]

    def _take(self, token: int | None, forced: bool = True) -> Step:
        upcoming, place = self._next(), self._place
        step = self._step(upcoming, token)
        action = replace(place.action, forced=forced and token is not None)
        likeliest = tuple(upcoming.moment.best[0].tolist())
        self._place = _after(_Link(place.link, step, likeliest, action, upcoming.state))
        return step

    @abstractmethod
    def _fed(self) -> int:
        """The token that the next step reads."""

    @abstractmethod
    def _read(self, tokens: list[int]) -> list[int]:
        """The tokens that were read by the steps that these tokens stand for."""

    @abstractmethod
    def _step(self, upcoming: Upcoming, token: int | None) -> Step:
        """The step for a token; for what comes by itself if there is none."""

    @abstractmethod
    def _require_takable(self, tokens: list[int]) -> None:
        """Raises InputError unless steps from here on can stand for these tokens."""


def _apart(one: Step, other: Step) -> float:
    """By how many nats two steps of the same token differ."""
    if len(one.verdict) != len(other.verdict):
        return math.inf
    nats = zip((one.logprob, *one.verdict), (other.logprob, *other.verdict), strict=True)
    return float(np.max([abs(a - b) for a, b in nats]))


def _after(link: _Link) -> _Place:
    """Where a session stands after a step: masks and temperature go on, weights were for it alone."""
    return _Place(link, replace(link.action, forced=False, weights=None))
