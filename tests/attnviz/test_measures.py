"""Measures against values worked out by hand."""

import math

import numpy as np
import pytest

from attnviz import matrix, measures
from attnviz.axes import Grid, Sequence
from attnviz.errors import InputError
from tests.attnviz import traces

AXIS = Sequence("a b", ("a", "b", "</s>"), ((0, 1), (2, 3), (3, 3)), ((0, 1), (2, 3)), (0, 1, -1))
WORDS = ((0, 1), (2, 3), (4, 5))
OUTPUT = Sequence("x y z", ("x", "y", "z", "</s>"), (*WORDS, (5, 5)), WORDS, (0, 1, 2, -1))
WEIGHTS = np.array([[0.75, 0.25, 0.0], [0.2, 0.5, 0.3], [0.1, 0.2, 0.7], [0.0, 0.0, 1.0]], np.float32)


@pytest.fixture
def made():
    trace = traces.trace(axis=AXIS, output=OUTPUT)
    trace.weights[:] = WEIGHTS
    trace.logprobs[:] = np.log([0.5, 0.25, 1.0, 0.125])
    return trace


def test_entropy_in_nats(made) -> None:
    expected = [
        -(0.75 * math.log(0.75) + 0.25 * math.log(0.25)),
        -(0.2 * math.log(0.2) + 0.5 * math.log(0.5) + 0.3 * math.log(0.3)),
        -(0.1 * math.log(0.1) + 0.2 * math.log(0.2) + 0.7 * math.log(0.7)),
        0.0,
    ]
    assert measures.entropy(matrix(made, "pieces", end=True)) == pytest.approx(expected, abs=1e-6)
    assert measures.entropy(matrix(made, "pieces", end=False)) == pytest.approx(expected[:3], abs=1e-6)


@pytest.mark.parametrize("end", [True, False])
def test_mass_on_the_end_mark_is_the_same_shown_or_hidden(made, end: bool) -> None:
    assert measures.end_mass(matrix(made, "words", end))[:3] == pytest.approx([0.0, 0.3, 0.7])


def test_largest_and_coverage(made) -> None:
    shown = matrix(made, "words", end=False)
    assert measures.largest(shown) == pytest.approx([0.75, 0.5, 0.2])
    assert measures.coverage(shown) == pytest.approx([1.05, 0.95])
    assert measures.coverage(matrix(made, "words", end=True)) == pytest.approx([1.05, 0.95, 2.0])


@pytest.mark.parametrize("end", [True, False])
def test_alignment_links_source_and_target_words_only(made, end: bool) -> None:
    """z looked most at the end mark: it is aligned with nothing, not with its second choice."""
    assert measures.alignment(matrix(made, "words", end)) == [(0, 0), (1, 1)]


def test_links_above_a_threshold(made) -> None:
    shown = matrix(made, "words", end=True)
    assert measures.links(shown, 0.2) == [(0, 0), (1, 0), (0, 1), (1, 1), (1, 2)]
    assert measures.links(shown, 0.75) == [(0, 0)]
    for threshold in (0, -1, 1.5, math.nan):
        with pytest.raises(InputError, match="threshold"):
            measures.links(shown, threshold)


def test_probability_and_confidence(made) -> None:
    assert measures.probability(made, matrix(made, "words", end=True)) == pytest.approx([0.5, 0.25, 1, 0.125])
    assert measures.confidence(made) == pytest.approx((0.5 * 0.25 * 0.125) ** 0.25)


def test_the_probability_of_a_word_is_the_product_over_its_pieces() -> None:
    made = traces.trace()
    p = np.exp(made.logprobs.astype(np.float64))
    found = measures.probability(made, matrix(made, "words", end=False))
    assert found == pytest.approx([p[0], p[1], p[2] * p[3]])


# Two words over a picture of 40 x 20 pixels under 2 x 2 cells of 20 x 10.
GRID = Grid(2, 2, 40, 20)
TWO = Sequence("x y", ("x", "y", "</s>"), ((0, 1), (2, 3), (3, 3)), ((0, 1), (2, 3)), (0, 1, -1))
MAPS = np.array([[0.4, 0.1, 0.3, 0.2], [0.25, 0.25, 0.25, 0.25], [0.0, 0.0, 0.0, 1.0]], np.float32)


@pytest.fixture
def seen():
    trace = traces.trace(axis=GRID, output=TWO)
    trace.weights[:] = MAPS
    return matrix(trace, "words", end=True)


def test_mass_inside_a_box(seen) -> None:
    assert measures.inside(seen, GRID, (0, 0, 40, 20)) == pytest.approx([1, 1, 1])
    assert measures.inside(seen, GRID, (0, 0, 20, 10)) == pytest.approx([0.4, 0.25, 0])
    # Half of each left cell's width, the whole height: 0.5 * 0.4 + 0.5 * 0.3.
    assert measures.inside(seen, GRID, (10, 0, 20, 20)) == pytest.approx([0.35, 0.25, 0])
    # A quarter of every cell: the middle.
    assert measures.inside(seen, GRID, (10, 5, 30, 15)) == pytest.approx([0.25, 0.25, 0.25])
    assert measures.inside(seen, GRID, (7, 7, 7, 7)) == pytest.approx([0, 0, 0])
    assert measures.inside(seen, GRID, (-100, -100, 400, 400)) == pytest.approx([1, 1, 1])
    for box in ((5, 0, 4, 1), (0, 5, 1, 4), (0, 0, math.nan, 1)):
        with pytest.raises(InputError, match="left, top, right, bottom"):
            measures.inside(seen, GRID, box)


def test_centre_of_mass_in_pixels(seen) -> None:
    # Cell centres are x 10, 30 and y 5, 15: x = 10 * 0.7 + 30 * 0.3, y = 5 * 0.5 + 15 * 0.5.
    expected = [[16, 10], [20, 10], [30, 15]]
    assert measures.centre(seen, GRID) == pytest.approx(np.array(expected), abs=1e-5)


def test_alikeness_is_the_shared_weight_of_the_words(seen) -> None:
    # min of the two words: 0.25 + 0.1 + 0.25 + 0.2; the end mark is left out.
    assert measures.alikeness(seen) == pytest.approx(0.8)
    trace = traces.trace(axis=GRID, output=TWO)
    trace.weights[:] = MAPS[1]
    assert measures.alikeness(matrix(trace, "words", end=True)) == pytest.approx(1.0)
    trace.weights[:2] = [[0.5, 0.5, 0, 0], [0, 0, 0.5, 0.5]]
    assert measures.alikeness(matrix(trace, "words", end=False)) == 0.0
    alone = Sequence("x", ("x", "</s>"), ((0, 1), (1, 1)), ((0, 1),), (0, -1))
    assert measures.alikeness(matrix(traces.trace(axis=GRID, output=alone), "words", end=True)) == 0.0
