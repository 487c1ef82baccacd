"""ROUGE and calibration against their definitions, by hand."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from attnviz.scores import calibration_error, rouge


def test_rouge_by_hand() -> None:
    """ "police kill the gunman" of "the gunman kill police", Lin (2004)'s own words.

    One word of four in common order less: unigrams 4 of 4; bigrams "the gunman" of 3; the longest
    common subsequence is "the gunman", 2 of 4.
    """
    assert rouge(["the gunman kill police"], ["police kill the gunman"]) == {
        "ROUGE-1": 100.0,
        "ROUGE-2": pytest.approx(100 / 3, abs=0.01),
        "ROUGE-L": 50.0,
    }


def test_rouge_is_the_mean_of_f_over_texts_stemmed_in_small_letters() -> None:
    # Precision 1 / 2, recall 1 / 1: F = 2 / 3. "Wins" and "winning" are one stem.
    assert rouge(["Wins big", ""], ["winning", "gold"])["ROUGE-1"] == pytest.approx(
        100 * (2 / 3) / 2, abs=0.01
    )


def test_calibration_error_by_hand() -> None:
    """Two bins: of 0.90 twice, once right; of 0.40 once, right."""
    chances, right = np.array([0.9, 0.9, 0.4]), np.array([True, False, True])
    assert calibration_error(chances, right) == pytest.approx((abs(1 - 1.8) + abs(1 - 0.4)) / 3)


def test_what_is_always_sure_and_right_is_calibrated() -> None:
    assert calibration_error(np.ones(7), np.ones(7, dtype=bool)) == 0.0


@given(st.lists(st.tuples(st.floats(0, 1), st.booleans()), min_size=1, max_size=40))
def test_the_calibration_error_is_a_share_and_at_least_the_gap_of_the_means(rows) -> None:
    chances, right = np.array([row[0] for row in rows]), np.array([row[1] for row in rows])
    found = calibration_error(chances, right)
    assert abs(right.mean() - chances.mean()) - 1e-9 <= found <= 1 + 1e-9
