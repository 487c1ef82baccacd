"""Named symptoms of a decoding that went wrong, each with what it may come from and what to try.

A threshold tells where a picture is worth a second look; none of them proves a fault. Each is a
constant here, with why it stands where it does.

Letters: T target labels, S source labels.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from attnviz import measures
from attnviz.axes import Grid
from attnviz.trace import Trace
from attnviz.weight_matrix import matrix

# More weight on the end mark than on all words together: the step read next to nothing of the source.
END_SINK = 0.5
# 0.9 of the entropy of equal weights: of 20 words, one may have about 0.28 if the others share the rest.
FLAT = 0.9
# A word of a language seldom becomes more than three of another; four steps on it are one too many.
STUCK = 4
# A translated word gets about 1 in all; below a fifth no step really read it. Words of up to three
# letters are not looked at: most are articles and the like, which often have no word of their own.
SKIPPED, SHORT = 0.2, 3
# More than three words' worth of attention on one.
OVER_COVERED = 3.0
# Nine times out of ten, by the model's own account, it would have been another word.
UNSURE = 0.1
# Of the steps, going back: speech is read from left to right, so that more than a few are a fault.
JUMPING = 0.15


_Note = Callable[[str, list[int], list[int], str, str, str], None]
_Listed = Callable[[list[int]], str]


@dataclass(frozen=True, slots=True)
class Symptom:
    """name: such as "stuck". rows, columns: the target and source labels that show it, of the matrix
    in words without end marks. told: what was seen, with numbers. cause, advice: a sentence each.
    """

    name: str
    rows: tuple[int, ...]
    columns: tuple[int, ...]
    told: str
    cause: str
    advice: str


def symptoms(trace: Trace, monotone: bool = False, ignored: frozenset[int] = frozenset()) -> list[Symptom]:
    """All the symptoms that a trace shows, in words; none for a sound one.

    Args:
        trace: of one source, of a model with attention.
        monotone: whether the source is expected to be read from left to right, as speech is.
        ignored: source positions that a person crossed out, which are not skipped by the model.

    Raises:
        NoAttentionError: the model has no attention.
    """
    shown = matrix(trace, "words")
    over_words = not isinstance(trace.axis, Grid)
    top = shown.weights.argmax(axis=1) if shown.source else np.zeros(0, int)
    names = [f"“{label}”" for label in shown.target]
    found: list[Symptom] = []

    def note(name: str, rows: list[int], columns: list[int], told: str, cause: str, advice: str) -> None:
        if rows or columns:
            found.append(Symptom(name, tuple(rows), tuple(columns), told, cause, advice))

    def listed(rows: list[int]) -> str:
        return ", ".join(names[row] for row in rows[:6]) + (" ..." if len(rows) > 6 else "")

    mass = measures.end_mass(shown)
    sunk = [t for t in range(len(names)) if mass[t] > END_SINK]
    note(
        "end-mark sink",
        sunk,
        [],
        f"{listed(sunk)} looked at the end mark with more than half of the weight.",
        "The step needs nothing of the source, or finds nothing; the end mark is where spare weight goes.",
        "See whether the word depends on the weights at all; if not, leave it.",
    )
    flat_at = FLAT * math.log(len(shown.source) + (1 if trace.axis.ends else 0)) if shown.source else 0.0
    entropies = measures.entropy(shown)
    flat = [t for t in range(len(names)) if len(shown.source) > 3 and entropies[t] > flat_at]
    note(
        "flat",
        flat,
        [],
        f"{listed(flat)} looked everywhere alike (entropy above {flat_at:.2f} nats).",
        "The word comes from what was written before, or the source says nothing about it.",
        "Put the weight on the source word that it should come from, and see whether the word changes.",
    )
    if over_words:
        # A step that looked at the end mark most, or everywhere alike, looked at no word in particular.
        aimed = np.array([-1 - t if t in (*sunk, *flat) else place for t, place in enumerate(top)])
        _note_stuck(aimed, shown.source, note, listed)
    _note_repeats(shown.target, note)
    if over_words and len(names) > 0:
        cover = measures.coverage(shown)
        spoken = [
            s
            for s, label in enumerate(shown.source)
            if any(map(str.isalnum, label)) and not ignored.issuperset(shown.columns[s])
        ]
        skipped = [s for s in spoken if cover[s] < SKIPPED and len(shown.source[s]) > SHORT]
        if trace.task == "summarization":  # leaving words out is what a headline is for
            skipped = []
        note(
            "skipped source",
            [],
            skipped,
            f"{', '.join(f'“{shown.source[s]}”' for s in skipped)} got less than {SKIPPED} of weight in all.",
            "The word was left out, or its meaning was read from its neighbours' annotations.",
            "Go to the step where it should come and put the weight on it.",
        )
        over = [s for s in spoken if cover[s] > OVER_COVERED]
        note(
            "over-covered source",
            [],
            over,
            f"{', '.join(f'“{shown.source[s]}” ({cover[s]:.1f})' for s in over)}: "
            f"more weight in all than {OVER_COVERED:.0f} words get.",
            "Many words were written from one, often a repetition.",
            "Cross it out from the step after which it has been said.",
        )
    alike = measures.alikeness(shown)
    note(
        "identical maps",
        list(range(len(names))) if alike > measures.ALIKE else [],
        [],
        f"All words looked at the same places ({alike:.2f} alike, from 0 to 1).",
        "The decoder has learned to write without looking.",
        "Trust none of the maps of this trace.",
    )
    if monotone:
        back = [t for t in range(1, len(top)) if top[t] < top[t - 1]]
        note(
            "jumping",
            back if len(back) > JUMPING * max(1, len(top) - 1) else [],
            [],
            f"{len(back)} of {len(top)} steps went back in the source.",
            "The decoder lost its place.",
            "Go to the first of them and put the weight where it should go on.",
        )
    chances = measures.probability(trace, shown)
    unsure = [t for t in range(len(names)) if chances[t] < UNSURE]
    note(
        "low confidence",
        unsure,
        [],
        f"{listed(unsure)} had a probability below {UNSURE}.",
        "The model was all but guessing.",
        "Look at the alternatives; force the right one and see how the rest follows.",
    )
    return found


def _note_stuck(top: np.ndarray, source: tuple[str, ...], note: _Note, listed: _Listed) -> None:
    start = 0
    for t in range(1, len(top) + 1):
        if t < len(top) and top[t] == top[start]:
            continue
        rows = list(range(start, t))
        if len(rows) >= STUCK:
            note(
                "stuck",
                rows,
                [int(top[start])],
                f"{listed(rows)}: {len(rows)} words in a row from “{source[top[start]]}”.",
                "The decoder does not know what it has said already.",
                "Cross the source word out from the second of them on.",
            )
        start = t


def _note_repeats(target: tuple[str, ...], note: _Note) -> None:
    """Stretches of up to four words that follow on themselves."""
    words = [word.lower() for word in target]
    at = 0
    while at < len(words):
        for size in (1, 2, 3, 4):
            times = 1
            while words[at + times * size : at + (times + 1) * size] == words[at : at + size]:
                times += 1
            if times > 1 and at + times * size <= len(words) and any(map(str.isalnum, words[at])):
                rows = list(range(at, at + times * size))
                note(
                    "repeated words",
                    rows,
                    [],
                    f"“{' '.join(target[at : at + size])}” is written {times} times in a row.",
                    "The decoder came back to the same state and the same place.",
                    "Force another word at the second time, or cross out the source word that it came from.",
                )
                at += times * size - 1
                break
        at += 1
