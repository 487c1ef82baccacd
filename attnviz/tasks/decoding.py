"""What all tasks share: how to decode, and how to make a text of what was decoded."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Literal

import torch

from attnviz import search as searches
from attnviz import text as texts
from attnviz.attention import Memory
from attnviz.axes import END, Sequence
from attnviz.errors import InputError
from attnviz.model import EncoderDecoder
from attnviz.search import Steps, Vocabulary
from attnviz.text import Pieces
from attnviz.trace import Beam, Step

Search = Literal["greedy", "beam", "sample"]

WIDEST_BEAM = 64
_CLOSING = tuple(".,;:!?…)]}%'’”»")


@dataclass(frozen=True, slots=True)
class Options:
    """How to decode; checked when made.

    search: "greedy", "beam" or "sample". beam_size, length_penalty: for the beam; and no_repeat,
    whether it may not write the same three tokens in a row twice.
    temperature, generator: for sampling; the caller's generator makes it repeatable.
    target: what the model is made to write instead of searching.
    """

    search: Search = "beam"
    beam_size: int = 5
    length_penalty: float = 1.0
    no_repeat: bool = False
    temperature: float = 1.0
    generator: torch.Generator | None = None
    target: str | None = None

    def __post_init__(self) -> None:
        if self.search not in ("greedy", "beam", "sample"):
            raise InputError(f'Expected the search "greedy", "beam" or "sample", got {self.search!r}.')
        if type(self.beam_size) is not int or not 1 <= self.beam_size <= WIDEST_BEAM:
            raise InputError(f"Expected a beam size from 1 to {WIDEST_BEAM}, got {self.beam_size!r}.")
        for name in ("temperature", "length_penalty"):
            value = getattr(self, name)
            lowest = 0.01 if name == "temperature" else 0.0
            if type(value) not in (int, float) or not lowest <= value <= 100:
                raise InputError(f"Expected a {name} from {lowest} to 100, got {value!r}.")
        if type(self.no_repeat) is not bool:
            raise InputError(f"Expected no_repeat as true or false, got {self.no_repeat!r}.")
        if self.generator is not None and not isinstance(self.generator, torch.Generator):
            raise InputError(
                f"Expected the generator as a torch.Generator, got {type(self.generator).__name__}."
            )
        if self.target is not None and not isinstance(self.target, str):
            raise InputError(f"Expected the target as text, got {type(self.target).__name__}.")

    def as_settings(self) -> dict[str, Any]:
        """What a trace remembers of them."""
        if self.target is not None:
            return {"search": "forced"}
        if self.search == "beam":
            said = {"search": "beam", "beam_size": self.beam_size, "length_penalty": self.length_penalty}
            return said | {"no_repeat": True} if self.no_repeat else said
        if self.search == "sample":
            return {"search": "sample", "temperature": self.temperature}
        return {"search": "greedy"}


class Writer:
    """Token ids -> the text that they spell, as a target's Sequence."""

    def __init__(self, pieces: Pieces, language: str) -> None:
        self.pieces, self.language = pieces, language
        labels = [END if piece == pieces.end else pieces.label(piece) for piece in range(len(pieces.strings))]
        self.vocabulary = Vocabulary(labels, pieces.start, pieces.end)

    def output(self, ids: list[int]) -> Sequence:
        """The text, its pieces and its words; the end mark belongs to no word."""
        text, offsets = self.pieces.decode(ids)
        words = texts.words(text, self.language)
        owners = texts.group(offsets, words)
        return Sequence(
            text,
            tuple(self.vocabulary.labels[piece] for piece in ids),
            tuple(offsets),
            tuple(words),
            tuple(
                -1 if piece == self.pieces.end else owner for piece, owner in zip(ids, owners, strict=True)
            ),
        )

    def spell(self, before: list[int], text: str) -> list[int]:
        """The pieces that write a text after those that were written.

        A space stands between them, unless the text starts with a sign that closes what is before it.
        """
        written = self.pieces.decode(before)[0]
        added = texts.clean(text).text.strip()
        glue = "" if not written or added[:1] in _CLOSING else " "
        ids, offsets = self.pieces.encode(written + glue + added)
        return [piece for piece, (start, _) in zip(ids, offsets, strict=True) if start >= len(written)]


def decode(
    model: EncoderDecoder,
    memory: Memory,
    vocabulary: Vocabulary,
    limits: list[int],
    options: Options,
    targets: list[list[int]],
) -> Iterator[Steps]:
    """The search that the options name; forced where there are targets."""
    common = (model, memory, vocabulary)
    if targets:
        return searches.forced(*common, targets)
    if options.search == "beam":
        return searches.beam(*common, limits, options.beam_size, options.length_penalty, options.no_repeat)
    if options.search == "sample":
        generator = options.generator or torch.Generator().manual_seed(0)
        return searches.sample(*common, limits, options.temperature, generator)
    return searches.greedy(*common, limits)


def gather(decoding: Iterator[Steps], count: int) -> tuple[list[list[Step]], list[Beam | None]]:
    """The steps of each of the sources, and its beam if there was one."""
    rows: list[list[Step]] = [[] for _ in range(count)]
    while True:
        try:
            moment = next(decoding)
        except StopIteration as stop:
            return rows, stop.value or [None] * count
        for row, step in zip(rows, moment, strict=True):
            if step is not None:
                row.append(step)
