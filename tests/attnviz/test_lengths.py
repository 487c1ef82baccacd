"""Bins by length: the same words in every joined bin, and nothing outside its bounds."""

from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from attnviz.lengths import BOUNDS, FEWEST, joined, natural, unseen
from attnviz.parallel import held_out


def sentence(number: int, words: int) -> tuple[str, str]:
    return " ".join(f"w{number}" for _ in range(words)), f"t{number}"


@given(st.lists(st.integers(1, 12), min_size=1, max_size=300))
def test_joined_texts_keep_to_their_bin_and_hold_each_sentence_once(lengths: list[int]) -> None:
    pairs = [sentence(number, words) for number, words in enumerate(lengths)] * 4
    for one in joined(pairs, [(1, 12), (13, 24), (30, 41)]):
        assert len(one.pairs) >= FEWEST
        assert all(one.low <= len(source.split()) <= one.high for source, _ in one.pairs)
        held = Counter(word for _, target in one.pairs for word in target.split())
        every = Counter(target for _, target in pairs)
        assert held <= every
        assert sum(held.values()) >= sum(every.values()) - 6 * one.high, "only the last few may be missing"


def test_natural_bins_hold_what_has_their_length_and_small_ones_go() -> None:
    pairs = [sentence(number, 5) for number in range(FEWEST)] + [sentence(number, 15) for number in range(3)]
    (only,) = natural(pairs)
    assert (only.label, len(only.pairs)) == ("1-10", FEWEST)


def test_bins_follow_on_each_other_up_to_50_words_and_beyond() -> None:
    assert [low for low, _ in BOUNDS[1:]] == [high + 1 for _, high in BOUNDS[:-1]]
    assert BOUNDS[0][0] == 1
    assert BOUNDS[-1][1] > 60


@given(st.lists(st.tuples(st.text(), st.text())), st.floats(0, 1))
def test_no_text_is_both_trained_and_measured_on(pairs: list, share: float) -> None:
    kept, held = held_out(pairs, share)
    assert Counter(kept) + Counter(held) == Counter(pairs)
    assert not {target for _, target in kept} & {target for _, target in held}
    # The split does not depend on what else there is.
    assert held_out(held, share)[1] == held


def test_about_that_share_is_held_out() -> None:
    pairs = [("s", f"t{number}") for number in range(4000)]
    assert 0.06 < len(held_out(pairs, 0.08)[1]) / len(pairs) < 0.10


def test_texts_that_share_a_stretch_with_training_are_left_out() -> None:
    trained = [("one two three four five six", "")]
    pairs = [
        ("zero One two three nine", "a"),
        ("two three one", "b"),
        ("four five six seven", "c"),
        ("", "d"),
    ]
    assert unseen(pairs, trained, 3) == [pairs[1], pairs[3]]
