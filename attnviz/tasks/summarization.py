"""Headline summarisation: a text -> Trace of its headline."""

from typing import Any

from attnviz import text as texts
from attnviz.errors import InputError
from attnviz.model import TextToText
from attnviz.tasks.writing import Prepared, TextTask
from attnviz.text import Pieces

LONGEST_HEADLINE = 60  # pieces
SHORTEST = 8  # words; of the texts to train on 12 in 60,000 are shorter
STRANGE = 0.5  # of a model's own test texts at most 1 in 300 is so strange, of French ones 9 in 10


class Summarizer(TextTask):
    """Writes a headline for a text, and shows at each word where it looked.

    summarizer(text) gives one Trace. The model reads a text as one, up to its first words (`reads`);
    the trace's `unread` says what it did not read. A model of small letters sees the text so, and its
    headlines are in small letters; labels and offsets are of the text as it was given.

    Rush, Chopra and Weston (2015); Chopra, Auli and Rush (2016); what it looks at it may copy, See,
    Liu and Manning (2017).
    """

    task = "summarization"
    written = "headline"

    def __init__(self, name: str, model: TextToText, pieces: Pieces, config: dict[str, Any]) -> None:
        super().__init__(name, model, pieces, config)
        self.reads: int = config["first_words"]
        self.lower: bool = config["lower"]

    def seen(self, text: str) -> str:
        return texts.lower(text) if self.lower else text

    def limit(self, prepared: Prepared) -> int:
        return min(LONGEST_HEADLINE, 2 * len(prepared.token_ids) + 10)

    def prepare(self, text: str) -> list[Prepared]:
        if not isinstance(text, str):
            raise InputError(f"Expected a text, got {type(text).__name__}.")
        cleaned = texts.clean(text)
        if not any(map(str.isalnum, cleaned.text)):
            came = "only signs and symbols" if cleaned.text.strip() else "an empty text"
            raise InputError(f"There is nothing to summarise: expected words, got {came}; paste an article.")
        start = len(cleaned.text) - len(cleaned.text.lstrip())
        end = len(cleaned.text.rstrip())
        stop = start + texts.first_words(cleaned.text[start:end], self.source_language, self.reads)
        written = cleaned.text[start:stop]
        ids, offsets, words, _ = self.cut(written, self.seen(written))
        stop = start + offsets[-1][1]
        notes = [*cleaned.notes(), *texts.notes(text)]
        read = sum(any(map(str.isalnum, written[slice(*word)])) for word in words)
        if read < SHORTEST:
            notes.append(
                f"The model was trained on longer texts than this one of {read} "
                f"{'word' if read == 1 else 'words'}: its headline is a guess."
            )
        if stop < end:
            notes.append(
                f"The model reads {self.reads} words at most: of this text it read the first {read}, and the "
                f"other {end - stop:,} characters were left out."
            )
        if self.pieces.strangeness(written, ids, offsets, words) >= STRANGE:
            notes.append(
                "Half of the words or more are unknown to the model and read in pieces: is this English, and "
                "of the kind that it was trained on? Its headline is a guess."
            )
        return [
            Prepared(
                self.axis(written, ids, offsets, words).moved(cleaned.text, start),
                [*ids, self.pieces.end],
                ((stop, end),) if stop < end else (),
                tuple(notes),
            )
        ]
