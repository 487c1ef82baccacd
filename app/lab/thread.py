"""Where a translation loses the thread of its source, as a model that sees the source judges it."""

import math
from dataclasses import dataclass
from html import escape

WINDOW = 6
LOST = -4.0
LEAST = 1e-30
_WORD = "border-radius: 3px; padding: 0 2px"
_MARK = "border: 1px solid; border-radius: 1rem; padding: 0 .5rem; font-size: .8125rem; white-space: nowrap"


@dataclass(frozen=True, slots=True)
class Reading:
    """A translation as a judge reads it: each word with the judge's p, and where the thread is lost.

    lost: the first word from which on the judge finds all that follows, `WINDOW` words at a time,
    less likely than exp(`LOST`) a word on average; None if that never happens.
    """

    words: tuple[tuple[str, float], ...]
    lost: int | None


def read(words: list[tuple[str, float]]) -> Reading:
    """Looks for the thread in words with their probabilities.

    The mean ln p of every window from some word to the end must lie below `LOST`: a single odd word,
    or a bad stretch that the translation recovers from, is not the end of the thread.
    """
    logs = [math.log(max(p, LEAST)) for _, p in words]
    lost = None
    for start in range(len(logs) - WINDOW, -1, -1):
        if sum(logs[start : start + WINDOW]) / WINDOW >= LOST:
            break
        lost = start
    return Reading(tuple(words), lost)


def page(reading: Reading) -> str:
    """The words as HTML, the less likely the darker behind them; a mark where the thread is lost."""
    parts = []
    for at, (word, p) in enumerate(reading.words):
        if at == reading.lost:
            parts.append(f'<span style="{_MARK}">the thread is lost here</span>')
        doubt = min(1.0, -math.log(max(p, LEAST)) / 10)
        shade = f"background: color-mix(in srgb, #d9730d {round(65 * doubt)}%, transparent); {_WORD}"
        parts.append(f'<span title="p {p:.2g}" style="{shade}">{escape(word)}</span>')
    return f'<p dir="auto" style="line-height: 1.75">{" ".join(parts)}</p>'
