"""The trace of a headline -> what the article is sent.

JavaScript counts a text in other units than Python, so that no offset is sent: the text is cut here,
and the parts joined give it back character by character.
"""

from bisect import bisect_right
from typing import Any

from attnviz import measures
from attnviz import text as texts
from attnviz.axes import Sequence, Span
from attnviz.support import support
from attnviz.trace import Trace
from attnviz.weight_matrix import WeightMatrix, matrix
from player.payload import named, scale, sentence

LANGUAGE = "en"


def payload(trace: Trace, whole_scale: bool, coverage: bool) -> dict[str, Any]:
    """The article's data.

    Args:
        trace: of a headline with at least one word.
        whole_scale: colours run from 0 to 1; otherwise to the largest weight of this headline.
        coverage: whether the heat is the sum over all words of the headline.
    """
    shown = matrix(trace, "words")
    top, label = scale([shown], whole_scale)
    start, stop = _read(trace.sequence)
    spans = _sentences(trace.sequence.text, start, stop)
    rest = trace.sequence.text[stop:]
    gap = len(rest) - len(rest.lstrip())
    told = sentence(trace, shown) | {
        "sentences": _parts(trace.sequence.text, shown.source_spans, spans),
        "before": trace.sequence.text[:start],
        "after": rest[:gap],
        "unread": rest[gap:],
        "coverage": measures.coverage(shown).tolist(),
        "support": _support(trace, shown),
    }
    # A change of the looks alone keeps the place: `headline` stays the same.
    headline = named(told)["id"]
    return named(
        {
            "headline": headline,
            "view": "coverage" if coverage else "word",
            "scale": {"top": top, "label": label},
            "trace": told,
        }
    )


def _read(axis: Sequence) -> Span:
    """The characters that the model read."""
    return axis.offsets[0][0], axis.offsets[-1][1]


def _sentences(text: str, start: int, stop: int) -> list[Span]:
    """The sentences of the part that was read, such that each reaches to where the next one starts."""
    starts = [start + begin for begin, _ in texts.sentences(text[start:stop], LANGUAGE)] or [start]
    starts[0] = start
    return list(zip(starts, [*starts[1:], stop], strict=True))


def _parts(text: str, words: tuple[Span, ...], spans: list[Span]) -> list[list[list[Any]]]:
    """For each sentence its text in parts: [characters, the word's index], -1 for what is between words."""
    starts = [start for start, _ in spans]
    parts: list[list[list[Any]]] = [[] for _ in spans]
    at = starts[0]
    for index, (start, stop) in enumerate(words):
        start = max(start, at)
        _between(parts, text, (at, start), starts)
        parts[bisect_right(starts, start) - 1].append([text[start:stop], index])
        at = max(stop, at)
    _between(parts, text, (at, spans[-1][1]), starts)
    return parts


def _between(parts: list[list[list[Any]]], text: str, span: Span, starts: list[int]) -> None:
    """Adds what lies between two words; a sentence may start within it."""
    start, stop = span
    while start < stop:
        home = bisect_right(starts, start) - 1
        end = min(stop, starts[home + 1]) if home + 1 < len(starts) else stop
        parts[home].append([text[start:end], -1])
        start = end


def _support(trace: Trace, shown: WeightMatrix) -> list[dict[str, Any] | None]:
    """For each word of the headline what it rests on; None for signs."""
    axis = trace.sequence
    column_of = {axis.owners[group[0]]: column for column, group in enumerate(shown.columns)}
    found = {word.span: word for word in support(trace)}
    told: list[dict[str, Any] | None] = []
    for span in shown.target_spans:
        word = found.get(span)
        if word is None:
            told.append(None)
            continue
        kind = "unsupported" if word.unsupported else "found" if word.found else "leans"
        told.append({"kind": kind, "weight": word.largest, "source": column_of[word.place]})
    return told
