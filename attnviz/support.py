"""What a written word rests on: whether the text has it, and whether the decoder leaned on any place.

A word that stands nowhere in the text, written while the attention was spread thin, is made up by the
decoder from what it has seen in training. The reverse does not hold: a word that leans on a place may
still be wrong, as when one name is taken for another.
"""

from dataclasses import dataclass

import numpy as np

from attnviz.axes import Sequence, Span
from attnviz.text import bare
from attnviz.trace import Trace
from attnviz.weight_matrix import matrix

# A fifth of the weight on one word, at one of the word's steps at least, is to lean on it.
LEANS = 0.2
# Words with the same first letters count as one: "wins" and "winning". Shorter words must be the same.
STEM = 5


@dataclass(frozen=True, slots=True)
class Support:
    """What one word of the output rests on.

    span: its characters in the output's text. found: whether the text that was read has the word, or
    one of the same stem. largest: the largest weight on one source word at any of its steps. place:
    which source word that is, as an index of the axis's words. leans: whether that is LEANS or more.
    """

    span: Span
    found: bool
    largest: float
    place: int
    leans: bool

    @property
    def unsupported(self) -> bool:
        """Whether it rests on nothing: it is not in the text, and leans on no place in it."""
        return not self.found and not self.leans


def support(trace: Trace) -> list[Support]:
    """For each word of the output what it rests on; signs such as commas are left out.

    Raises:
        InputError: the trace read a picture. NoAttentionError: the model has no attention.
    """
    source = trace.sequence
    trace.require_attention()
    read = {_stem(source.text[slice(*word)]) for word in _read(source)}
    shown = matrix(trace, "words")
    columns = {
        column: source.owners[positions[0]]
        for column, positions in enumerate(shown.columns)
        if source.owners[positions[0]] >= 0
    }
    member = np.zeros((len(source), len(columns)))
    for index, column in enumerate(columns):
        member[list(shown.columns[column]), index] = 1.0
    found = []
    for row in shown.rows:
        owner = trace.output.owners[row[0]]
        word = trace.output.text[slice(*trace.output.words[owner])] if owner >= 0 else ""
        if not any(map(str.isalnum, word)):
            continue
        steps = trace.weights[list(row)].astype(np.float64) @ member  # (steps of the word, source words)
        best = int(steps.max(axis=0).argmax())
        largest = float(steps[:, best].max())
        found.append(
            Support(
                trace.output.words[owner],
                _stem(word) in read,
                largest,
                list(columns.values())[best],
                largest >= LEANS,
            )
        )
    return found


def _read(source: Sequence) -> list[Span]:
    """The words that were read, wholly or in part."""
    return [source.words[owner] for owner in sorted({owner for owner in source.owners if owner >= 0})]


def _stem(word: str) -> str:
    return bare(word)[:STEM]
