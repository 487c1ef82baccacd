"""What all tasks that read a text and write a text share: pieces in, a search, traces out."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import torch

from attnviz import text as texts
from attnviz.attention import Memory
from attnviz.axes import END, Sequence, Span
from attnviz.decoding import DecodingSession
from attnviz.errors import InputError
from attnviz.model import TextToText
from attnviz.search import Steps
from attnviz.tasks.decoding import Options, Writer, decode, gather
from attnviz.text import Pieces
from attnviz.trace import Beam, Step, Trace

LONGEST = 400
BATCH = 32


@dataclass(frozen=True, slots=True)
class Prepared:
    """A stretch of text as the model reads it; `sequence` and `unread` index the user's whole text."""

    sequence: Sequence
    token_ids: list[int]
    unread: tuple[Span, ...]
    notes: tuple[str, ...]


class TextTask(ABC):
    """Reads a text in one stretch or several and writes each of them anew.

    Subclasses say how a text is prepared, and how what they write is called.
    """

    task: str
    written: str  # what is written, such as "translation"

    def __init__(self, name: str, model: TextToText, pieces: Pieces, config: dict[str, Any]) -> None:
        self.name = name
        self.model = model.eval().requires_grad_(False)
        self.pieces = pieces
        unknown = {config["source"], config["target"]} - texts.LANGUAGES
        if unknown:
            raise InputError(f"Expected languages among {sorted(texts.LANGUAGES)}, got {sorted(unknown)}.")
        self.source_language: str = config["source"]
        self.target_language: str = config["target"]
        self.trained_length: int = config["trained_length"]
        self.writer = Writer(pieces, self.target_language)

    @abstractmethod
    def prepare(self, text: str) -> list[Prepared]:
        """The stretches of a text that are read one by one.

        Raises:
            InputError: there is nothing to read.
        """

    @abstractmethod
    def limit(self, prepared: Prepared) -> int:
        """The most steps for a stretch."""

    def seen(self, text: str) -> str:
        """A text as the model sees it; exactly as long."""
        return text

    def __call__(self, text: str, **options: Any) -> Trace:
        """Writes what there is to write of a text.

        Args:
            text: one sentence or many.
            options: the fields of Options: search, beam_size, target, ...

        Returns:
            The trace of the whole text: its parts' traces joined, if there are several.

        Raises:
            InputError: there is nothing to read, or an option is wrong.
        """
        return self.many([text], **options)[0]

    def many(self, texts: list[str], **options: Any) -> list[Trace]:
        """One trace a text, decoded in batches; the same as one by one."""
        return [
            Trace.join(parts[0].sequence.text, parts) for parts in self.decode_all(texts, Options(**options))
        ]

    def steps(self, text: str, **options: Any) -> Iterator[Step]:
        """Yields each step as soon as it is decoded (for the beam: once the search is over).

        The steps are those of `self(text).steps`.
        """
        chosen = Options(**options)
        sentences = self.prepare(text)
        targets = self._targets(chosen, len(sentences))
        total = sum(len(sentence.sequence) for sentence in sentences)
        before = position = 0
        for sentence, target in zip(sentences, targets, strict=True):
            for row in self._search([sentence], [target], chosen):
                for step in filter(None, row):
                    yield _widened(step, position, before, total)
                    position += 1
            before += len(sentence.sequence)

    def session(self, text: str) -> DecodingSession:
        """A decoding of one sentence, or of a text that is read whole, for a person to drive.

        Raises:
            InputError: there is nothing to read, or more than one sentence.
        """
        sentences = self.prepare(text)
        if len(sentences) > 1:
            raise InputError(f"Expected one sentence to decode step by step, got {len(sentences)}.")
        (sentence,) = sentences

        def collect(steps: list[Step], settings: dict[str, Any]) -> Trace:
            return self._trace(sentence, steps, settings)

        memory = self.encode([sentence.token_ids])
        return DecodingSession(
            self.model, memory, self.writer.vocabulary, self._spell, collect, self.limit(sentence)
        )

    def cut(self, written: str, seen: str) -> tuple[list[int], list[Span], list[Span], bool]:
        """A text in pieces, at most LONGEST of them: ids, offsets, words, and whether that is all.

        Args:
            written: the text. seen: the same as the model sees it, exactly as long.
        """
        ids, offsets = self.pieces.encode(seen)
        words = texts.words(written, self.source_language)
        if len(ids) <= LONGEST:
            return ids, offsets, words, True
        owners = texts.group(offsets, words)
        kept = texts.whole_pieces(offsets, owners, LONGEST)
        end = offsets[kept - 1][1]
        words = [(begin, min(stop, end)) for begin, stop in words[: owners[kept - 1] + 1]]
        return ids[:kept], offsets[:kept], words, False

    def axis(self, text: str, ids: list[int], offsets: list[Span], words: list[Span]) -> Sequence:
        """The source's positions: its pieces, labelled as they are written, and the end mark."""
        owners = texts.group(offsets, words)
        labels = [
            self.writer.vocabulary.labels[piece] if self.pieces.is_byte(piece) else text[slice(*offset)]
            for piece, offset in zip(ids, offsets, strict=True)
        ]
        end_offset = (offsets[-1][1],) * 2
        return Sequence(text, (*labels, END), (*offsets, end_offset), tuple(words), (*owners, -1))

    def strange(self, ids: list[int]) -> bool:
        """Whether most pieces are bytes, in which what the vocabulary lacks is spelled."""
        return sum(map(self.pieces.is_byte, ids)) > len(ids) / 2

    def _spell(self, before: list[int], text: str) -> list[int]:
        return self.writer.spell(before, self.seen(text))

    def decode_all(
        self, given: list[str], options: Options, progress: Callable[[int, int], None] | None = None
    ) -> list[list[Trace]]:
        """The traces of each text's sentences; sentences of like length share a batch."""
        if not isinstance(given, (list, tuple)):
            raise InputError(f"Expected a list of texts, got {type(given).__name__}; wrap one text in [ ].")
        prepared = [self._prepare_one_of(given, index) for index in range(len(given))]
        jobs = [
            (index, sentence, target)
            for index, sentences in enumerate(prepared)
            for sentence, target in zip(sentences, self._targets(options, len(sentences)), strict=True)
        ]
        # Drawing in a batch would use the generator in another order than one by one.
        size = 1 if options.search == "sample" else BATCH
        order = sorted(range(len(jobs)), key=lambda job: len(jobs[job][1].token_ids))
        if options.search == "sample":
            order.sort()
        traces: dict[int, Trace] = {}
        for start in range(0, len(order), size):
            batch = order[start : start + size]
            sentences, targets = [jobs[job][1] for job in batch], [jobs[job][2] for job in batch]
            for job, trace in zip(batch, self._traces(sentences, targets, options), strict=True):
                traces[job] = trace
            if progress is not None:
                progress(len(traces), len(jobs))
        parts: list[list[Trace]] = [[] for _ in given]
        for job, (index, _, _) in enumerate(jobs):
            parts[index].append(traces[job])
        return parts

    def _prepare_one_of(self, given: list[str], index: int) -> list[Prepared]:
        try:
            return self.prepare(given[index])
        except InputError as error:
            where = f"Text {index + 1} of {len(given)}: " if len(given) > 1 else ""
            raise InputError(f"{where}{error}") from error

    def _targets(self, options: Options, count: int) -> list[list[int] | None]:
        """The pieces that each sentence is forced to; None where it is free."""
        if options.target is None:
            return [None] * count
        target = self.seen(texts.clean(options.target).text)
        if not target.strip():
            raise InputError("Expected a target to force, got an empty one; type what it should say.")
        spans = [(0, len(target))] if count == 1 else texts.sentences(target, self.target_language)
        if len(spans) != count:
            raise InputError(
                f"Expected as many target sentences as the text has ({count}), got {len(spans)}; "
                "force one sentence at a time, or put each on a line of its own."
            )
        forced = [[*self.pieces.encode(target[slice(*span)].strip())[0], self.pieces.end] for span in spans]
        if max(map(len, forced)) > LONGEST:
            raise InputError(
                f"Expected a target of at most {LONGEST} pieces a sentence, "
                f"got {max(map(len, forced))}; shorten it."
            )
        return [*forced]

    def _search(
        self, sentences: list[Prepared], targets: list[list[int] | None], options: Options
    ) -> Iterator[Steps]:
        memory = self.encode([sentence.token_ids for sentence in sentences])
        limits = [self.limit(sentence) for sentence in sentences]
        dictated = [target for target in targets if target is not None]
        return decode(self.model, memory, self.writer.vocabulary, limits, options, dictated)

    @torch.inference_mode()
    def encode(self, token_ids: list[list[int]]) -> Memory:
        """The memory of a batch of sentences in pieces, each with its end mark."""
        width = max(map(len, token_ids))
        padded = torch.tensor([row + [self.pieces.end] * (width - len(row)) for row in token_ids])
        lengths = torch.tensor([len(row) for row in token_ids])
        return self.model.encode(padded, torch.arange(width) < lengths.unsqueeze(1))

    def _traces(
        self, sentences: list[Prepared], targets: list[list[int] | None], options: Options
    ) -> list[Trace]:
        steps, beams = gather(self._search(sentences, targets, options), len(sentences))
        return [
            self._trace(sentence, row, options.as_settings(), beam)
            for sentence, row, beam in zip(sentences, steps, beams, strict=True)
        ]

    def _trace(
        self, sentence: Prepared, steps: list[Step], settings: dict[str, Any], beam: Beam | None = None
    ) -> Trace:
        length = len(sentence.sequence)
        if beam is not None:
            beam = replace(beam, weights=beam.weights[:, :length])  # the batch's padding goes
        notes = sentence.notes
        if steps[-1].token_id != self.pieces.end:
            notes += (f"The {self.written} was stopped after {len(steps)} pieces without an end mark.",)
        output = self.writer.output([step.token_id for step in steps])
        if "\ufffd" in output.text and "\ufffd" not in sentence.sequence.text:
            notes += (
                f"The {self.written} holds bytes that make no whole character; they are shown as \ufffd.",
            )
        return Trace.collect(
            steps,
            sentence.sequence,
            output,
            self.task,
            self.name,
            settings=settings,
            notes=notes,
            unread=sentence.unread,
            beams=() if beam is None else (beam,),
        )


def _widened(step: Step, position: int, before: int, total: int) -> Step:
    """A sentence's step as a step of the whole text: no weight outside its sentence."""
    own = slice(before, before + len(step.weights))
    if not len(step.weights) or len(step.weights) == total:
        return replace(step, position=position)
    energies, weights = np.full(total, -np.inf, np.float32), np.zeros(total, np.float32)
    energies[own], weights[own] = step.energies, step.weights
    return replace(step, position=position, energies=energies, weights=weights)
