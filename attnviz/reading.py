"""A reading that a person drives: the words are given, what the model looks at can be changed.

Letters: S source length, T target length.
"""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import torch
from torch import Tensor

from attnviz.attention import Memory
from attnviz.errors import InputError
from attnviz.reader import PairReader
from attnviz.search import Vocabulary
from attnviz.session import Session, Upcoming
from attnviz.trace import Step, Trace


class ReadingSession(Session):
    """Drives a model that reads a target and judges it; made by a task's `session(source, target)`.

    `step()` reads the next token. To change a word, open a session on the other text and `repeat` what
    was done up to there.
    """

    model: PairReader

    def __init__(
        self,
        model: PairReader,
        memory: Memory,
        vocabulary: Vocabulary,
        tokens: Sequence[int],
        temperature: float,
        collect: Callable[[list[Step], dict[str, Any]], Trace],
    ) -> None:
        """For tasks to call.

        Args:
            memory: of one source. tokens: (T,), what is read. temperature: what the logits are divided
                by, so that the probabilities are calibrated.
            collect: (steps, settings) -> the task's trace.
        """
        super().__init__(model, memory, vocabulary, collect)
        self._tokens, self._temperature = tuple(tokens), temperature

    @property
    def said(self) -> Tensor:
        """The label that is likeliest after each of the steps, (T,)."""
        return torch.tensor([int(np.argmax(step.verdict)) for step in self.steps])

    def distribution(self, logits: Tensor) -> Tensor:
        return torch.log_softmax(logits / self._temperature, dim=-1)

    @property
    def ended(self) -> bool:
        return self._position() >= len(self._tokens)

    def _fed(self) -> int:
        return self._tokens[self._position()]

    def _read(self, tokens: list[int]) -> list[int]:
        return tokens

    def _step(self, upcoming: Upcoming, token: int | None) -> Step:
        at, moment = self._position(), upcoming.moment
        if token is not None and token != self._tokens[at]:
            raise InputError(f"Expected the token {self._tokens[at]} that is read next, got {token}.")
        return moment.read(0, at, self._tokens[at], upcoming.logprobs.tolist(), self._vocabulary)

    def _require_takable(self, tokens: list[int]) -> None:
        at = self._position()
        if list(self._tokens[at : at + len(tokens)]) != tokens:
            raise InputError("Expected the trace of a session of this model and these texts, got another.")
