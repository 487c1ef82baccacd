"""What a headline's words rest on, on made-up traces small enough to see."""

from dataclasses import replace

import numpy as np
import pytest

from attnviz.axes import Sequence
from attnviz.errors import InputError, NoAttentionError
from attnviz.support import Support, support
from attnviz.trace import Trace
from tests.attnviz.traces import GRID, trace

# "Wins at Zürich" as the pieces Win | s | at | Zü | rich | end
SOURCE = Sequence(
    "Wins at Zürich",
    ("Win", "s", "at", "Zü", "rich", "</s>"),
    ((0, 3), (3, 4), (5, 7), (8, 10), (10, 14), (14, 14)),
    ((0, 4), (5, 7), (8, 14)),
    (0, 0, 1, 2, 2, -1),
)
# "zurich rate, winds" as the pieces zu | rich | rate | , | winds | end
OUTPUT = Sequence(
    "zurich rate, winds",
    ("zu", "rich", "rate", ",", "winds", "</s>"),
    ((0, 2), (2, 6), (7, 11), (11, 12), (13, 18), (18, 18)),
    ((0, 6), (7, 11), (11, 12), (13, 18)),
    (0, 0, 1, 2, 3, -1),
)
WEIGHTS = [
    [0.0, 0.0, 0.1, 0.1, 0.0, 0.8],
    [0.0, 0.0, 0.0, 0.5, 0.4, 0.1],  # 0.9 on "Zürich", whose pieces count together
    [0.1, 0.05, 0.1, 0.1, 0.05, 0.6],  # 0.15 at most: the end mark is no word
    [0.0, 0.0, 0.0, 0.0, 1.0, 0.0],
    [0.1, 0.11, 0.3, 0.3, 0.09, 0.1],
    [0.0, 0.0, 0.0, 0.0, 0.0, 1.0],
]


def shown() -> Trace:
    return replace(trace(axis=SOURCE, output=OUTPUT), weights=np.array(WEIGHTS, np.float32))


def test_each_word_is_told_where_it_leans_and_whether_the_text_has_it() -> None:
    near = pytest.approx
    assert support(shown()) == [
        Support((0, 6), True, near(0.9), 2, True),
        Support((7, 11), False, near(0.15), 0, False),
        # Five letters count: "winds" is not "Wins". It leans on "Zürich", 0.39.
        Support((13, 18), False, near(0.39), 2, True),
    ]
    assert [word.unsupported for word in support(shown())] == [False, True, False]


def test_words_of_one_stem_are_one() -> None:
    source = replace(SOURCE, text="Minister Zürich", words=((0, 8), (8, 9), (9, 15)))
    output = replace(OUTPUT, text="ministry rate, win", words=((0, 8), (9, 13), (13, 14), (15, 18)))
    found = support(replace(shown(), axis=source, output=output))
    assert [word.found for word in found] == [True, False, False]


def test_words_that_were_not_read_are_not_found() -> None:
    """The axis has all words of its text; those without a position were not read."""
    cut = Sequence(SOURCE.text, SOURCE.tokens[:3], SOURCE.offsets[:3], SOURCE.words, SOURCE.owners[:3])
    few = trace(axis=cut, output=OUTPUT)
    assert support(few)[0].found is False


def test_pictures_and_models_without_attention_are_refused() -> None:
    with pytest.raises(InputError):
        support(trace(axis=GRID))
    blind = shown()
    with pytest.raises(NoAttentionError):
        support(replace(blind, weights=blind.weights[:, :0], energies=blind.energies[:, :0]))
