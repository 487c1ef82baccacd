"""A decoding that a person drives: each step writes a token, the likeliest or the one that is forced."""

from collections.abc import Callable, Sequence
from numbers import Integral
from typing import Any

import torch
from torch import Tensor

from attnviz.attention import Memory
from attnviz.errors import InputError
from attnviz.model import EncoderDecoder
from attnviz.search import Vocabulary
from attnviz.session import Session, Upcoming
from attnviz.trace import Step, Trace


class DecodingSession(Session):
    """Drives the decoder of one source; made by a task's `session(source)`.

    `step()` takes the likeliest token, `force()` another.
    """

    model: EncoderDecoder

    def __init__(
        self,
        model: EncoderDecoder,
        memory: Memory,
        vocabulary: Vocabulary,
        spell: Callable[[list[int], str], list[int]],
        collect: Callable[[list[Step], dict[str, Any]], Trace],
        limit: int,
    ) -> None:
        """For tasks to call.

        Args:
            memory: of one source. spell: (tokens so far, text) -> the tokens that write the text next.
            collect: (steps, settings) -> the task's trace. limit: the most steps.
        """
        super().__init__(model, memory, vocabulary, collect)
        self._spell, self._limit = spell, limit

    @property
    def said(self) -> Tensor:
        return torch.tensor([step.token_id for step in self.steps])

    @property
    def likeliest(self) -> list[tuple[int, ...]]:
        """For each of the steps the tokens of its alternatives, as `force` takes them."""
        return [link.likeliest for link in self._links()]

    @property
    def ended(self) -> bool:
        """Whether the end mark was written or the limit reached."""
        link = self._place.link
        return link is not None and (
            link.step.token_id == self._vocabulary.end or link.step.position + 1 >= self._limit
        )

    def force(self, what: int | str) -> list[Step]:
        """Takes a token, or all the tokens that spell a word or text after what is written.

        Args:
            what: a token's index in the vocabulary, or text.

        Raises:
            InputError: the decoding has ended or would be too long, or there is no such token, or
                nothing in the text to write.
        """
        self._require_going_on()
        if isinstance(what, str):
            tokens = self._spelled(what)
        elif isinstance(what, Integral) and not isinstance(what, bool):
            tokens = [int(what)]
        else:
            raise InputError(f"Expected a token's number or a text to write, got {what!r}.")
        self._require_takable(tokens)
        self._remember()
        return [self._take(token) for token in tokens]

    def follow(self, token_ids: Sequence[int]) -> Trace:
        """Takes the tokens that a search found, such as a beam's; not counted as a person's doing.

        Raises:
            InputError: the decoding has ended or would be too long, or there is no such token; nothing
                is taken then.
        """
        tokens = [int(token) for token in token_ids]
        self._require_takable(tokens)
        if self._vocabulary.end in tokens[:-1]:
            raise InputError("Expected the end mark as the last token only.")
        self._require_going_on()
        self._remember()
        for token in tokens:
            self._take(token, forced=False)
        return self.trace

    # ---- inside

    def _fed(self) -> int:
        link = self._place.link
        return self._vocabulary.start if link is None else link.step.token_id

    def _read(self, tokens: list[int]) -> list[int]:
        return [self._vocabulary.start, *tokens][: len(tokens)]

    def _step(self, upcoming: Upcoming, token: int | None) -> Step:
        chosen = int(upcoming.moment.best[0, 0]) if token is None else token
        logprob = upcoming.logprobs[chosen].item()
        return upcoming.moment.step(0, self._position(), chosen, logprob, self._vocabulary)

    def _require_takable(self, tokens: list[int]) -> None:
        if self._position() + len(tokens) > self._limit:
            raise InputError(f"Expected at most {self._limit} steps, got {self._position() + len(tokens)}.")
        size = len(self._vocabulary.labels)
        for token in tokens:
            if not 0 <= token < size or token == self._vocabulary.start:
                raise InputError(f"Expected a token from 0 to {size - 1} that can be written, got {token}.")

    def _spelled(self, text: str) -> list[int]:
        link = self._place.link
        before = [] if link is None else [one.step.token_id for one in self._links()]
        tokens = self._spell(before, text)
        if not tokens:
            raise InputError(f"Expected a word to write, got {text!r}.")
        return tokens
