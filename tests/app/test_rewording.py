"""Small changes to sentences."""

import pytest

from rewording import negate, replace_word


@pytest.mark.parametrize(
    ("text", "negated"),
    [
        ("A dog is running.", "A dog is not running."),
        ("Two men have eaten.", "Two men have not eaten."),
        ("There are children on the carpet.", "There are not children on the carpet."),
        ("Some kids are building a tower.", "No kids are building a tower."),
        ("Somebody sleeps.", "Nobody sleeps."),
        ("Nothing is here.", "Something is here."),
        ("A dog runs.", "It is not true that a dog runs."),
        ("Anna runs.", "It is not true that Anna runs."),
    ],
)
def test_a_sentence_is_negated_and_given_back(text: str, negated: str) -> None:
    assert negate(text) == negated
    assert negate(negated) == text


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        ("They aren't asleep.", "They are asleep."),
        ("He can’t swim.", "He can swim."),
        ("Won't it rain?", "Will it rain?"),
        ("It CANNOT be.", "It is not true that It CANNOT be."),
    ],
)
def test_contractions_go(text: str, plain: str) -> None:
    assert negate(text) == plain


@pytest.mark.parametrize("text", ["Thistle is tall.", "Nobel won.", "Somewhere it rains."])
def test_parts_of_words_are_no_words(text: str) -> None:
    assert negate(negate(text)) == text


def test_another_word_takes_the_place_of_one() -> None:
    assert replace_word("A dog runs.", 2, 5, " big cat ") == "A big cat runs."
