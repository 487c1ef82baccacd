"""Where a translation loses the thread of its source, as a model that sees the source judges it."""

import math
from dataclasses import dataclass
from html import escape

from attnviz import measures
from attnviz.axes import END, Span
from attnviz.trace import Trace

# Of the lab's translations of 41 to 50 words these mark 85 % without attention, none of additive
# attention's own, and 26 % of people's (who paraphrase): measured on 80 texts of `lengths.joined`.
WINDOW = 12
LOST = -3.0
STOPPED = -4.0
_LEAST = 1e-30
_WORD = "border-radius: 3px; padding: 0 1px"
_MARK = "border: 1px solid; border-radius: 1rem; padding: 0 .5rem; font-size: .8125rem; white-space: nowrap"


@dataclass(frozen=True, slots=True)
class Reading:
    """A translation as a judge reads it.

    words: each word's characters in the text, with the judge's p. lost: the first word from which on
    the judge finds every `WINDOW` words less likely than exp(`LOST`) a word on average; None if that
    never happens. stopped: the judge's p of stopping where the translation does.
    """

    text: str
    words: tuple[tuple[Span, float], ...]
    lost: int | None
    stopped: float

    @property
    def too_early(self) -> bool:
        """Whether the judge would have gone on."""
        return math.log(max(self.stopped, _LEAST)) < STOPPED


def read(judged: Trace) -> Reading:
    """Looks for the thread in a translation that the judge was forced to.

    Every window from some word to the end must be unlikely: a single odd word, or a bad stretch that
    the translation recovers from, is not the end of the thread.
    """
    words = measures.words(judged)
    last = judged[len(judged) - 1]
    return Reading(
        judged.text,
        tuple(words),
        _lost([p for _, p in words]),
        math.exp(last.logprob) if last.token == END else 0.0,
    )


def _lost(chances: list[float]) -> int | None:
    logs = [math.log(max(p, _LEAST)) for p in chances]
    lost = None
    for start in range(len(logs) - WINDOW, -1, -1):
        if sum(logs[start : start + WINDOW]) / WINDOW >= LOST:
            break
        lost = start
    if lost is None:
        return None
    # The window may begin with words that are still likely.
    return next(at for at in range(lost, len(logs)) if logs[at] < LOST)


def page(reading: Reading) -> str:
    """The text as HTML, the less likely a word the darker behind it; marks where the thread is lost."""
    parts, at = [], 0
    for index, ((start, stop), p) in enumerate(reading.words):
        parts.append(escape(reading.text[at:start]))
        if index == reading.lost:
            parts.append(f'<span style="{_MARK}">the thread is lost here</span> ')
        doubt = min(1.0, -math.log(max(p, _LEAST)) / 10)
        shade = f"background: color-mix(in srgb, #d9730d {round(65 * doubt)}%, transparent); {_WORD}"
        parts.append(f'<span title="p {p:.2g}" style="{shade}">{escape(reading.text[start:stop])}</span>')
        at = stop
    parts.append(escape(reading.text[at:]))
    if reading.too_early:
        parts.append(f' <span style="{_MARK}">stops too early</span>')
    return f'<p dir="auto" style="line-height: 1.75">{"".join(parts)}</p>'


def verdict(reading: Reading) -> str:
    """What is to be said of it, in a sentence."""
    if reading.lost is not None:
        return f"The thread is lost at word {reading.lost + 1} of {len(reading.words)}."
    if reading.too_early:
        return f"It stops after {len(reading.words)} words, with the source not yet told."
    return "It keeps to the source to its end, as far as can be judged."
