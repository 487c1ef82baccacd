"""Translation: a text -> Trace."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from attnviz import text as texts
from attnviz.arithmetic import TEMPERATURES, Arithmetic, dissect
from attnviz.axes import Span
from attnviz.errors import InputError
from attnviz.model import TextToText
from attnviz.tasks.decoding import Options
from attnviz.tasks.writing import LONGEST, Prepared, TextTask
from attnviz.text import Pieces
from attnviz.trace import Trace


class Translator(TextTask):
    """Translates text, sentence by sentence, and shows every decoder step.

    A model that was trained on texts of several sentences (`whole`) reads a text as one.

    translator(text) gives one Trace for the whole text; `sentences` one a sentence; `many` one for
    each of several texts. A text whose sentences are too long for the model is read up to
    its limit and the trace's `unread` says what was left out.
    """

    task = "translation"
    written = "translation"

    def __init__(self, name: str, model: TextToText, pieces: Pieces, config: dict[str, Any]) -> None:
        super().__init__(name, model, pieces, config)
        self.whole: bool = config.get("whole", False)

    def sentences(
        self, text: str, *, progress: Callable[[int, int], None] | None = None, **options: Any
    ) -> list[Trace]:
        """One trace a sentence; all their offsets are into the whole text.

        `progress` is called with the number of sentences done and of all.
        """
        return self.decode_all([text], Options(**options), progress)[0]

    def arithmetic(self, trace: Trace, temperatures: tuple[float, ...] = TEMPERATURES) -> Arithmetic:
        """Every number behind a trace of one sentence; see `arithmetic.Arithmetic`.

        Args:
            trace: what this translator made of a sentence, alone or among others of a text.

        Raises:
            NoAttentionError: the model has no attention.
            InputError: the trace is not of this model, or of several sentences joined.
        """
        for sentence in self.prepare(trace.sequence.text):
            if sentence.sequence == trace.axis:
                ids = [step.token_id for step in trace]
                return dissect(
                    self.model, self.encode([sentence.token_ids]), self.writer.vocabulary, ids, temperatures
                )
        raise InputError(f"Expected the trace of one sentence by {self.name}, got one by {trace.model}.")

    def limit(self, prepared: Prepared) -> int:
        return min(LONGEST, 2 * len(prepared.token_ids) + 10)

    def prepare(self, text: str) -> list[Prepared]:
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

    def _prepare_sentence(self, cleaned: texts.Cleaned, span: Span) -> Prepared:
        start, stop = span
        written = cleaned.text[start:stop]
        quiet = texts.quiet(written)
        ids, offsets, words, fits = self.cut(written, quiet)
        notes = cleaned.notes()
        unread: tuple[Span, ...] = ()
        if quiet != written:
            notes.append("Capitals throughout were read as small letters.")
        if not fits:
            cut = offsets[-1][1]
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
        if self.strange(ids):
            notes.append(
                "Most of a sentence is in letters that the model has never seen (they are spelled in "
                "bytes): its translation is a guess."
            )
        axis = self.axis(written, ids, offsets, words).moved(cleaned.text, start)
        return Prepared(axis, [*ids, self.pieces.end], unread, tuple(notes))
