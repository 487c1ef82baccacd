"""Each symptom on a made-up trace that shows it, and none on a sound one."""

from dataclasses import replace

import numpy as np
import pytest

from attnviz.symptoms import Symptom, symptoms
from attnviz.trace import Trace
from tests.attnviz.traces import made


def trace(weights: list[list[float]], target: str, logprob: float = -0.1) -> Trace:
    """Words of a source of as many letters as there are columns, the last one the end mark."""
    return made(np.array(weights, np.float32), target.split(), logprob)


def found(trace: Trace, **options) -> dict[str, Symptom]:
    return {symptom.name: symptom for symptom in symptoms(trace, **options)}


SOUND = [[0.8, 0.1, 0.1, 0, 0], [0, 0.9, 0.1, 0, 0], [0, 0, 1, 0, 0], [0, 0, 0.1, 0.9, 0], [0, 0, 0, 0, 1]]


def test_a_sound_trace_has_none() -> None:
    assert symptoms(trace(SOUND, "one two three four </s>")) == []


@pytest.mark.parametrize(
    ("name", "weights", "target", "rows", "columns"),
    [
        ("end-mark sink", [*SOUND[:3], [0, 0, 0, 0.4, 0.6], SOUND[4]], "one two three four </s>", (3,), ()),
        ("flat", [*SOUND[:3], [0.2, 0.2, 0.2, 0.2, 0.2], SOUND[3], SOUND[4]], "a b c d e </s>", (3,), ()),
        (
            "stuck",
            [*SOUND[:2], *[[0, 0, 1, 0, 0]] * 4, SOUND[3], SOUND[4]],
            "a b c d e f g </s>",
            (2, 3, 4, 5),
            (2,),
        ),
        (
            "skipped source",
            [[0.95, 0, 0.05, 0, 0], [0, 1, 0, 0, 0], [0.5, 0.5, 0, 0, 0], SOUND[3], SOUND[4]],
            "a b c d </s>",
            (),
            (2,),
        ),
        ("repeated words", [SOUND[0], SOUND[0], *SOUND[1:]], "the The cat is so </s>", (0, 1), ()),
        ("low confidence", SOUND, "one two three four </s>", (0, 1, 2, 3), ()),
    ],
)
def test_each_symptom(name: str, weights, target: str, rows: tuple, columns: tuple) -> None:
    made_up = trace(weights, target, -3.0 if name == "low confidence" else -0.1)
    symptom = found(made_up)[name]
    assert (symptom.rows, symptom.columns) == (rows, columns)
    assert all((symptom.told, symptom.cause, symptom.advice))


def test_more_weight_than_words_on_one_source_word() -> None:
    weights = [[0, 1, 0, 0, 0]] * 4 + [[0.5, 0, 0.3, 0.2, 0], [0, 0, 0, 0, 1]]
    shown = found(trace(weights, "a b c d e </s>"))
    assert shown["over-covered source"].columns == (1,)
    assert "4.0" in shown["over-covered source"].told


def test_identical_maps_and_jumping() -> None:
    same = [[0.5, 0.3, 0.1, 0.1, 0]] * 4 + [[0, 0, 0, 0, 1]]
    assert found(trace(same, "a b c d </s>"))["identical maps"].rows == (0, 1, 2, 3)
    back = [SOUND[3], SOUND[2], SOUND[1], SOUND[0], SOUND[4]]
    assert "jumping" not in found(trace(back, "a b c d </s>"))
    assert found(trace(back, "a b c d </s>"), monotone=True)["jumping"].rows == (1, 2, 3)


def test_phrases_that_follow_on_themselves() -> None:
    weights = [SOUND[t % 4] for t in range(8)] + [SOUND[4]]
    shown = found(trace(weights, "x in the in the in the y </s>"))
    assert shown["repeated words"].rows == (1, 2, 3, 4, 5, 6)
    assert "3 times" in shown["repeated words"].told
    assert "repeated words" not in found(trace(weights, "a b a c a d a e </s>"))


def test_a_headline_may_leave_words_out() -> None:
    """The same weights as a translation's that skips a word, and words that a person crossed out."""
    weights = [[0.95, 0, 0.05, 0, 0], [0, 1, 0, 0, 0], [0.5, 0.5, 0, 0, 0], SOUND[3], SOUND[4]]
    translated = trace(weights, "a b c d </s>")
    assert "skipped source" in found(translated)
    assert "skipped source" not in found(replace(translated, task="summarization"))
    assert "skipped source" not in found(translated, ignored=frozenset({2}))
