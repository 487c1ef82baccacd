"""Alignment error rate by hand from its definition, symmetrisation by hand, and what files may hold."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from attnviz.alignments import (
    SYMMETRISATIONS,
    Gold,
    Scores,
    pharaoh,
    read_gold,
    read_links,
    score,
    symmetrise,
)
from attnviz.errors import FormatError, InputError

links = st.frozensets(st.tuples(st.integers(0, 7), st.integers(0, 7)))


def gold(sure: set, possible: set | None = None) -> Gold:
    return Gold(frozenset(sure), frozenset(sure) | frozenset(possible or ()))


def test_aer_worked_out_by_hand() -> None:
    """|A| = 3, |S| = 2, |A & S| = 1 (0-0), |A & P| = 2 (0-0 and 1-2): AER = 1 - 3 / 5."""
    people = gold({(0, 0), (1, 1)}, {(1, 2), (2, 2)})
    found = score([people], [frozenset({(0, 0), (1, 2), (3, 3)})])
    assert (found.aer, found.precision, found.recall) == pytest.approx((0.4, 2 / 3, 0.5))


def test_sentences_count_together_and_not_as_a_mean_of_rates() -> None:
    """Two sentences: one perfect with one link, one wrong with three; 1 - (1 + 1) / (4 + 2)."""
    people = [gold({(0, 0)}), gold({(0, 0)})]
    found = score(people, [frozenset({(0, 0)}), frozenset({(0, 1), (1, 0), (1, 1)})])
    assert found == Scores(pytest.approx(1 - 2 / 6), pytest.approx(1 / 4), pytest.approx(1 / 2), 2)


@pytest.mark.parametrize(
    ("people", "found", "expected"),
    [
        (gold(set()), set(), (0.0, 1.0, 1.0)),
        (gold({(0, 0)}), set(), (1.0, 1.0, 0.0)),
        (gold(set(), {(0, 0)}), {(0, 0)}, (0.0, 1.0, 1.0)),
        (gold(set(), {(0, 0)}), {(1, 1)}, (1.0, 0.0, 1.0)),
    ],
    ids=["nothing at all", "nothing found", "only possible ones", "nothing sure and a wrong one"],
)
def test_edges(people: Gold, found: set, expected: tuple) -> None:
    scores = score([people], [frozenset(found)])
    assert (scores.aer, scores.precision, scores.recall) == expected


def test_as_many_sentences_on_both_sides() -> None:
    with pytest.raises(InputError, match="2 of gold and 1"):
        score([gold(set()), gold(set())], [frozenset()])


@given(st.lists(st.tuples(links, links, links)))
def test_rates_stay_from_0_to_1_and_gold_itself_is_perfect(rows: list) -> None:
    people = [gold(set(sure), set(possible)) for sure, possible, _ in rows]
    found = score(people, [own for _, _, own in rows])
    assert all(0 <= value <= 1 for value in (found.aer, found.precision, found.recall))
    assert score(people, [one.possible for one in people]).aer == pytest.approx(0)


def test_grow_diag_final_worked_out_by_hand() -> None:
    """From 0-0 and 1-1: 2-1 and 1-2 touch 1-1 and bring a new word each; then 2-2 brings none."""
    forward = frozenset({(0, 0), (1, 1), (2, 1)})
    backward = frozenset({(0, 0), (1, 1), (1, 2), (2, 2)})
    assert symmetrise(forward, backward, "grow-diag-final") == {(0, 0), (1, 1), (2, 1), (1, 2)}
    assert symmetrise(forward, backward, "intersection") == {(0, 0), (1, 1)}
    assert symmetrise(forward, backward, "union") == forward | backward


def test_final_adds_what_touches_nothing_where_a_word_is_still_unlinked() -> None:
    forward, backward = frozenset({(0, 0), (5, 5)}), frozenset({(0, 0), (5, 0)})
    # 5-5 brings both words; after that 5-0 brings none.
    assert symmetrise(forward, backward, "grow-diag-final") == {(0, 0), (5, 5)}


@given(links, links)
def test_every_symmetrisation_lies_between_intersection_and_union(forward, backward) -> None:
    for method in SYMMETRISATIONS:
        assert forward & backward <= symmetrise(forward, backward, method) <= forward | backward


def test_an_unknown_symmetrisation_is_told() -> None:
    with pytest.raises(InputError, match="union, intersection, grow-diag-final"):
        symmetrise(frozenset(), frozenset(), "grow")


@given(st.lists(links), st.sampled_from([0, 1]))
def test_pharaoh_round_trip(tmp_path_factory, rows: list, base: int) -> None:
    path = tmp_path_factory.mktemp("links") / "links"
    path.write_text("".join(pharaoh(row, base) + "\n" for row in rows))
    assert read_links(path, base) == rows


def test_gold_is_counted_from_1_and_tells_sure_from_possible(tmp_path: Path) -> None:
    path = tmp_path / "gold"
    path.write_bytes(b"\xef\xbb\xbf10-9 11p42\r\n\r\n")
    sentence, empty = read_gold(path)
    assert (sentence.sure, sentence.possible) == ({(9, 8)}, {(9, 8), (10, 41)})
    assert (empty.sure, empty.possible) == (set(), set())


@pytest.mark.parametrize(
    ("line", "base", "lengths", "told"),
    [
        ("0-1", 1, None, "line 2: 0-1 lies outside the sentence"),
        ("3-1", 1, (2, 2), "line 2: 3-1 lies outside the sentence, which has 2 and 2 words"),
        ("1p3", 1, (2, 2), "line 2: 1p3 lies outside"),
        ("2-0", 0, (2, 2), "line 2: 2-0 lies outside"),
        ("1-x", 1, None, "line 2: expected links such as 1-2 or 1p2, got '1-x'"),
        ("1-2/0.5", 0, None, "line 2: expected links"),
        ("-1-2", 0, None, "line 2: expected links"),
        ("١-٢", 0, None, "line 2: expected links"),
    ],
)
def test_a_bad_line_is_told_with_its_number(tmp_path: Path, line: str, base: int, lengths, told: str) -> None:
    path = tmp_path / "links"
    path.write_text(f"\n{line}\n", encoding="utf-8")
    with pytest.raises(FormatError) as error:
        read_links(path, base, lengths and [lengths, lengths])
    assert told in str(error.value)


def test_files_that_do_not_fit_are_told(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="cannot be read"):
        read_links(tmp_path / "none")
    (tmp_path / "links").write_text("0-0\n")
    with pytest.raises(FormatError, match="1 lines, but there are 2 sentences"):
        read_links(tmp_path / "links", 0, [(1, 1), (1, 1)])
    (tmp_path / "binary").write_bytes(b"\xff\xfe0-0")
    with pytest.raises(InputError, match="UTF-8"):
        read_links(tmp_path / "binary")
