"""Merging pieces into words, worked out by hand."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from attnviz import matrix
from attnviz.axes import Sequence
from attnviz.errors import InputError
from attnviz.trace import Trace
from tests.attnviz import traces
from tests.attnviz.test_trace import part, wild_traces

W = traces.trace().weights.astype(np.float64)


def test_pieces_with_the_end_mark_are_the_trace_itself() -> None:
    shown = matrix(traces.trace(), "pieces", end=True)
    np.testing.assert_array_equal(shown.weights, traces.trace().weights)
    np.testing.assert_allclose(shown.energies, traces.trace().energies)
    assert shown.source == traces.AXIS.tokens
    assert shown.source_ends == (7,)
    assert shown.target_ends == (4,)
    assert not shown.end_mass.any()


def test_a_source_word_is_the_sum_and_a_target_word_the_mean_of_its_pieces() -> None:
    shown = matrix(traces.trace(), "words", end=True)
    assert shown.source == ("Je", "m'", "appelle", "Zoé", "</s>")
    assert shown.target == ("I", "am", "Zoe", "</s>")
    assert shown.columns == ((0,), (1, 2), (3, 4), (5, 6), (7,))
    assert shown.rows == ((0,), (1,), (2, 3), (4,))
    assert shown.weights[0, 2] == pytest.approx(W[0, 3] + W[0, 4], abs=1e-6)
    assert shown.weights[2, 1] == pytest.approx((W[2, 1] + W[2, 2] + W[3, 1] + W[3, 2]) / 2, abs=1e-6)
    assert shown.weights[2, 4] == pytest.approx((W[2, 7] + W[3, 7]) / 2, abs=1e-6)
    assert [traces.AXIS.text[slice(*span)] for span in shown.source_spans[:4]] == list(shown.source[:4])


@pytest.mark.parametrize("level", ["words", "pieces"])
def test_a_hidden_end_mark_is_a_number_and_is_not_spread(level: str) -> None:
    whole, hidden = matrix(traces.trace(), level, end=True), matrix(traces.trace(), level, end=False)
    np.testing.assert_array_equal(hidden.weights, whole.weights[:-1, :-1])
    np.testing.assert_allclose(hidden.end_mass, whole.weights[:-1, -1], atol=1e-7)
    assert hidden.source_ends == hidden.target_ends == ()


def test_the_energy_of_a_word_is_the_one_whose_softmax_is_its_weight() -> None:
    shown = matrix(traces.trace(), "words", end=True)
    single = [0, 1, 3]
    np.testing.assert_allclose(traces.softmax(shown.energies[single]), shown.weights[single], atol=1e-6)
    assert np.isnan(shown.energies[2]).all()


@settings(deadline=None, max_examples=60)
@given(wild_traces(), st.sampled_from(["words", "pieces"]), st.booleans())
def test_every_row_sums_to_one(made: Trace, level: str, end: bool) -> None:
    made.weights[0] = made.weights[0] / made.weights[0].sum()
    shown = matrix(made, level, end)
    np.testing.assert_allclose(shown.weights.sum(axis=1) + shown.end_mass, 1.0, atol=1e-5)
    assert shown.weights.shape == (len(shown.target), len(shown.source))
    assert sorted(position for group in shown.columns for position in group) == [
        position for position in range(len(made.axis)) if end or position not in made.axis.ends
    ]


def test_several_sentences_hide_all_their_end_marks() -> None:
    text = "Un chien. Un chat."
    joined = Trace.join(text, [part(text, 0, ["Un", "chien", "."], 1), part(text, 9, ["Un", "chat", "."], 2)])
    shown = matrix(joined, "pieces", end=False)
    assert shown.source == ("Un", "chien", ".", "Un", "chat", ".")
    ends = joined.weights[:, 3] + joined.weights[:, 7]
    np.testing.assert_allclose(shown.end_mass, ends[[0, 1, 2, 3, 5, 6, 7, 8]], atol=1e-7)
    assert matrix(joined, "words", end=True).source_ends == (3, 7)


def test_what_a_user_types_is_never_taken_for_the_end_mark() -> None:
    axis = Sequence("</s>", ("</s>", "</s>"), ((0, 4), (4, 4)), ((0, 4),), (0, -1))
    made = traces.trace(axis=axis)
    assert matrix(made, "words", end=False).source == ("</s>",)
    assert matrix(made, "words", end=True).source_ends == (1,)


def test_repeated_words_stay_apart() -> None:
    axis = Sequence("a a", ("a", "a", "</s>"), ((0, 1), (2, 3), (3, 3)), ((0, 1), (2, 3)), (0, 1, -1))
    assert matrix(traces.trace(axis=axis)).columns == ((0,), (1,))


def test_an_unknown_level_is_refused() -> None:
    with pytest.raises(InputError, match="words"):
        matrix(traces.trace(), "letters")
