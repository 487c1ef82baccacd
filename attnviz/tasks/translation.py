"""Translation: a text -> Trace."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import torch

from attnviz import text as texts
from attnviz.arithmetic import TEMPERATURES, Arithmetic, dissect
from attnviz.attention import Memory
from attnviz.axes import END, Sequence, Span
from attnviz.errors import InputError
from attnviz.model import TextToText
from attnviz.search import Steps
from attnviz.session import DecodingSession
from attnviz.tasks.decoding import Options, Writer, decode, gather
from attnviz.text import Pieces
from attnviz.trace import Beam, Step, Trace

LONGEST = 400
BATCH = 32


@dataclass(frozen=True, slots=True)
class _Prepared:
    """A sentence as the model reads it; `sequence` and `unread` index the user's whole text."""

    sequence: Sequence
    token_ids: list[int]
    unread: tuple[Span, ...]
    notes: tuple[str, ...]


class Translator:
    """Translates text, sentence by sentence, and shows every decoder step.

    A model that was trained on texts of several sentences (`whole`) reads a text as one.

    translator(text) gives one Trace for the whole text; `sentences` one a sentence; `many` one for
    each of several texts. A text whose sentences are too long for the model is read up to
    its limit and the trace's `unread` says what was left out.
    """

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
        self.whole: bool = config.get("whole", False)
        self.writer = Writer(pieces, self.target_language)

    def __call__(self, text: str, **options: Any) -> Trace:
        """Translates a text.

        Args:
            text: one sentence or many.
            options: the fields of Options: search, beam_size, target, ...

        Returns:
            The trace of the whole text: its sentences' traces joined, if there are several.

        Raises:
            InputError: there is nothing to translate, or an option is wrong.
        """
        return self.many([text], **options)[0]

    def many(self, texts: list[str], **options: Any) -> list[Trace]:
        """One trace a text, decoded in batches; the same as one by one."""
        return [
            Trace.join(parts[0].sequence.text, parts) for parts in self._decode_all(texts, Options(**options))
        ]

    def sentences(
        self, text: str, *, progress: Callable[[int, int], None] | None = None, **options: Any
    ) -> list[Trace]:
        """One trace a sentence; all their offsets are into the whole text.

        `progress` is called with the number of sentences done and of all.
        """
        return self._decode_all([text], Options(**options), progress)[0]

    def steps(self, text: str, **options: Any) -> Iterator[Step]:
        """Yields each step as soon as it is decoded (for the beam: once the search is over).

        The steps are those of `self(text).steps`.
        """
        chosen = Options(**options)
        sentences = self._prepare(text)
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
        """A decoding of one sentence for a person to drive.

        Raises:
            InputError: there is nothing to translate, or more than one sentence.
        """
        sentences = self._prepare(text)
        if len(sentences) > 1:
            raise InputError(f"Expected one sentence to decode step by step, got {len(sentences)}.")
        (sentence,) = sentences

        def collect(steps: list[Step], settings: dict[str, Any]) -> Trace:
            return self._trace(sentence, steps, settings)

        memory = self.encode([sentence.token_ids])
        return DecodingSession(
            self.model, memory, self.writer.vocabulary, self.writer.spell, collect, _limit(sentence)
        )

    def arithmetic(self, trace: Trace, temperatures: tuple[float, ...] = TEMPERATURES) -> Arithmetic:
        """Every number behind a trace of one sentence; see `arithmetic.Arithmetic`.

        Args:
            trace: what this translator made of a sentence, alone or among others of a text.

        Raises:
            NoAttentionError: the model has no attention.
            InputError: the trace is not of this model, or of several sentences joined.
        """
        for sentence in self._prepare(trace.sequence.text):
            if sentence.sequence == trace.axis:
                ids = [step.token_id for step in trace]
                return dissect(
                    self.model, self.encode([sentence.token_ids]), self.writer.vocabulary, ids, temperatures
                )
        raise InputError(f"Expected the trace of one sentence by {self.name}, got one by {trace.model}.")

    def _decode_all(
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

    def _prepare_one_of(self, given: list[str], index: int) -> list[_Prepared]:
        try:
            return self._prepare(given[index])
        except InputError as error:
            where = f"Text {index + 1} of {len(given)}: " if len(given) > 1 else ""
            raise InputError(f"{where}{error}") from error

    def _prepare(self, text: str) -> list[_Prepared]:
        if not isinstance(text, str):
            raise InputError(f"Expected a text, got {type(text).__name__}.")
        cleaned = texts.clean(text)
        spans = texts.sentences(cleaned.text, self.source_language)
        if self.whole and spans:
            spans = [(spans[0][0], spans[-1][1])]
        if not spans:
            raise InputError("There is nothing to translate: the text is empty; type a sentence.")
        spoken = [span for span in spans if any(map(str.isalnum, cleaned.text[slice(*span)]))]
        if not spoken:
            raise InputError(
                "There is nothing to translate: expected words, got only signs and symbols; type a sentence."
            )
        first, *others = [self._prepare_sentence(cleaned, span) for span in spoken]
        silent = tuple(span for span in spans if span not in spoken)
        if silent:
            note = "Lines or sentences of signs alone were not translated."
            first = replace(first, unread=(*first.unread, *silent), notes=(*first.notes, note))
        return [first, *others]

    def _prepare_sentence(self, cleaned: texts.Cleaned, span: Span) -> _Prepared:
        start, stop = span
        written = cleaned.text[start:stop]
        quiet = texts.quiet(written)
        ids, offsets = self.pieces.encode(quiet)
        words = texts.words(written, self.source_language)
        owners = texts.group(offsets, words)
        notes = cleaned.notes()
        unread: tuple[Span, ...] = ()
        if quiet != written:
            notes.append("Capitals throughout were read as small letters.")
        if len(ids) > LONGEST:
            kept = texts.whole_pieces(offsets, owners, LONGEST)
            cut = offsets[kept - 1][1]
            ids, offsets, owners = ids[:kept], offsets[:kept], owners[:kept]
            words = [(begin, min(end, cut)) for begin, end in words[: owners[-1] + 1]]
            unread = ((start + cut, stop),)
            notes.append(
                f"A sentence is too long: its first {cut} characters ({LONGEST} pieces at most) were "
                f"translated, the other {stop - start - cut} were left out."
            )
        elif len(ids) > self.trained_length:
            notes.append(
                f"A sentence is longer ({len(ids)} pieces) than any that the model was trained on "
                f"({self.trained_length}): expect mistakes."
            )
        unknown = sum(self.pieces.is_byte(piece) for piece in ids)
        if unknown > len(ids) / 2:
            notes.append(
                "Most of a sentence is in letters that the model has never seen (they are spelled in "
                "bytes): its translation is a guess."
            )
        labels = [
            self.writer.vocabulary.labels[piece] if self.pieces.is_byte(piece) else written[slice(*offset)]
            for piece, offset in zip(ids, offsets, strict=True)
        ]
        end_offset = (offsets[-1][1],) * 2
        axis = Sequence(written, (*labels, END), (*offsets, end_offset), tuple(words), (*owners, -1)).moved(
            cleaned.text, start
        )
        return _Prepared(axis, [*ids, self.pieces.end], unread, tuple(notes))

    def _targets(self, options: Options, count: int) -> list[list[int] | None]:
        """The pieces that each sentence is forced to; None where it is free."""
        if options.target is None:
            return [None] * count
        target = texts.clean(options.target).text
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
        self, sentences: list[_Prepared], targets: list[list[int] | None], options: Options
    ) -> Iterator[Steps]:
        memory = self.encode([sentence.token_ids for sentence in sentences])
        limits = [_limit(sentence) for sentence in sentences]
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
        self, sentences: list[_Prepared], targets: list[list[int] | None], options: Options
    ) -> list[Trace]:
        steps, beams = gather(self._search(sentences, targets, options), len(sentences))
        return [
            self._trace(sentence, row, options.as_settings(), beam)
            for sentence, row, beam in zip(sentences, steps, beams, strict=True)
        ]

    def _trace(
        self, sentence: _Prepared, steps: list[Step], settings: dict[str, Any], beam: Beam | None = None
    ) -> Trace:
        length = len(sentence.sequence)
        if beam is not None:
            beam = replace(beam, weights=beam.weights[:, :length])  # the batch's padding goes
        notes = sentence.notes
        if steps[-1].token_id != self.pieces.end:
            notes += (f"The translation was stopped after {len(steps)} pieces without an end mark.",)
        return Trace.collect(
            steps,
            sentence.sequence,
            self.writer.output([step.token_id for step in steps]),
            "translation",
            self.name,
            settings=settings,
            notes=notes,
            unread=sentence.unread,
            beams=() if beam is None else (beam,),
        )


def _limit(sentence: _Prepared) -> int:
    """The most steps for a sentence."""
    return min(LONGEST, 2 * len(sentence.token_ids) + 10)


def _widened(step: Step, position: int, before: int, total: int) -> Step:
    """A sentence's step as a step of the whole text: no weight outside its sentence."""
    own = slice(before, before + len(step.weights))
    if not len(step.weights) or len(step.weights) == total:
        return replace(step, position=position)
    energies, weights = np.full(total, -np.inf, np.float32), np.zeros(total, np.float32)
    energies[own], weights[own] = step.energies, step.weights
    return replace(step, position=position, energies=energies, weights=weights)
