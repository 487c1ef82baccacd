"""The page Summarize under AppTest, and what is sent to the browser: the text whole, cut at the words."""

import base64
import json
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from streamlit.testing.v1 import AppTest

from article.examples import EXAMPLES
from article.payload import payload
from attnviz import matrix
from attnviz import text as texts
from attnviz.axes import Sequence
from attnviz.support import support
from attnviz.tasks import Summarizer
from tests.attnviz import traces

WAIT = 60
MAIN = Path(__file__).parents[2] / "app" / "main.py"
ARTICLE = EXAMPLES["news"]["The bridge"]
LONG = EXAMPLES["news"]["Longer than it reads"]


def open_page(**query: str) -> AppTest:
    at = AppTest.from_file(MAIN, default_timeout=WAIT)
    for name, value in query.items():
        at.query_params[name] = value
    return at.switch_page("views/summarize.py").run()


def write(at: AppTest, text: str) -> AppTest:
    return at.text_area(key="article_text").set_value(text).run()


def component(at: AppTest) -> dict:
    """The article's payload."""
    (found,) = (node for node in at.main if node.type == "bidi_component")
    return json.loads(found.proto.json)


def sent(at: AppTest) -> dict:
    return component(at)["trace"]


def weights(trace: dict) -> np.ndarray:
    numbers = np.frombuffer(base64.b64decode(trace["weights"]), "<u2") / 65535
    return numbers.reshape(len(trace["target"]), len(trace["source"]))


def whole(trace: dict) -> str:
    inside = "".join(text for parts in trace["sentences"] for text, _ in parts)
    return trace["before"] + inside + trace["after"] + trace["unread"]


# ---- the page


def test_the_first_visit_shows_an_example_at_once(news: Summarizer) -> None:
    at = open_page()
    assert not at.exception
    assert at.text_area(key="article_text").value == ARTICLE
    assert sent(at)["translation"] == news(ARTICLE, no_repeat=True).text


def test_the_article_gets_the_package_s_numbers(news: Summarizer) -> None:
    trace = sent(open_page())
    made = news(ARTICLE, no_repeat=True)
    shown = matrix(made, "words")
    np.testing.assert_allclose(weights(trace), shown.weights, atol=1 / 65535)
    np.testing.assert_allclose(trace["end_mass"], shown.end_mass, atol=1e-6)
    np.testing.assert_allclose(trace["coverage"], shown.weights.sum(axis=0), atol=1e-5)
    assert whole(trace) == ARTICLE
    words = [text for parts in trace["sentences"] for text, word in parts if word >= 0]
    assert words == list(shown.source)
    flags = {word.span: word for word in support(made)}
    for span, told in zip(shown.target_spans, trace["support"], strict=True):
        assert (told is None) == (span not in flags)
        if told:
            assert (told["kind"] == "unsupported") == flags[span].unsupported
            start, stop = made.sequence.words[flags[span].place]
            assert trace["source"][told["source"]] == ARTICLE[start:stop]


def test_the_other_model_brings_its_own_examples(package: Summarizer) -> None:
    at = open_page()
    at.segmented_control(key="summary_model").set_value("packages").run()
    text = EXAMPLES["packages"]["A command"]
    assert at.text_area(key="article_text").value == text
    assert sent(at)["translation"] == package(text, no_repeat=True).text
    write(at, "A tool of mine that counts sheep.")
    at.segmented_control(key="summary_model").set_value("news").run()
    assert at.text_area(key="article_text").value == "A tool of mine that counts sheep."


def test_settings_change_what_is_shown(news: Summarizer) -> None:
    at = open_page(text=ARTICLE)
    at.segmented_control(key="summary_search").set_value("greedy").run()
    made = news(ARTICLE, search="greedy")
    assert sent(at)["translation"] == made.text
    before = component(at)
    at.segmented_control(key="summary_scale").set_value("the largest weight").run()
    at.toggle(key="summary_coverage").set_value(True).run()
    after = component(at)
    assert after["scale"]["top"] == pytest.approx(float(matrix(made).weights.max()))
    assert (before["view"], after["view"]) == ("word", "coverage")
    assert before["headline"] == after["headline"]  # the browser keeps its place
    assert before["id"] != after["id"]


def test_a_forced_headline_is_what_is_shown() -> None:
    at = open_page(text=ARTICLE)
    at.text_input(key="summary_target").set_value("bridge closed, zebras angry").run()
    trace = sent(at)
    assert trace["translation"] == "bridge closed, zebras angry"
    assert trace["forced"]
    kinds = [told and told["kind"] for told in trace["support"]]
    assert kinds[0] == "found"  # bridge
    assert kinds[2] is None  # the comma
    assert kinds[3] in ("unsupported", "leans")  # zebras


def test_the_address_is_read_and_written() -> None:
    at = open_page(text="A short article.", summary_search="greedy", summary_coverage="true")
    assert at.text_area(key="article_text").value == "A short article."
    assert at.segmented_control(key="summary_search").value == "greedy"
    assert component(at)["view"] == "coverage"
    write(at, "Another one.")
    assert at.query_params["text"] == "Another one."
    write(at, "Another one. " * 400)
    assert "text" not in at.query_params


BAD = {"nothing": "", "spaces": " \n\t ", "emoji": "😀😀 👩‍👩‍👧", "marks": "?! ..."}


@pytest.mark.parametrize("kind", BAD)
def test_what_cannot_be_summarised_gets_one_sentence(kind: str) -> None:
    at = write(open_page(), BAD[kind])
    assert not at.exception
    assert len(at.warning) == 1
    assert "nothing to summarise" in at.warning[0].value


ODD = {
    "html": ("<p>The council said &amp; did nothing.</p>", "HTML"),
    "french": ("Le conseil municipal a annoncé mardi que le plus vieux pont du port sera fermé.", "English"),
    "arabic": ("أعلن المجلس يوم الثلاثاء إغلاق الجسر القديم في المدينة", "English"),
    "20,000 words": ("The council closed the bridge. " * 4000, "left out"),
    "control": ("The\x00 council\x07 closed the bridge.", "Control characters"),
    "long word": ("a" * 10_000, "left out"),
}


@pytest.mark.parametrize("kind", ODD)
def test_odd_input_gives_a_note_and_a_right_picture(kind: str) -> None:
    text, note = ODD[kind]
    at = write(open_page(), text)
    assert not at.exception
    trace = sent(at)
    assert note in " ".join(trace["notes"])
    assert len(whole(trace)) == len(text)
    sums = weights(trace).sum(axis=1) + np.array(trace["end_mass"])
    np.testing.assert_allclose(sums, 1.0, atol=len(trace["source"]) / 65535 + 1e-4)


def test_the_rest_starts_where_the_model_stopped(news: Summarizer) -> None:
    trace = sent(open_page(text=LONG))
    ((start, stop),) = news(LONG).unread
    assert trace["unread"] == LONG[start:stop].lstrip()
    assert whole(trace) == LONG


def test_too_much_text_is_refused() -> None:
    at = write(open_page(), "Hello. " * 80_000)
    assert "500,000" in at.warning[0].value


# ---- the payload


def axis_of(text: str, count: int) -> Sequence:
    """The first words of a text as an axis of one piece each."""
    spans = tuple(texts.words(text, "en"))[:count]
    tokens = (*(text[slice(*span)] for span in spans), "</s>")
    return Sequence(text, tokens, (*spans, (spans[-1][1],) * 2), spans, (*range(len(spans)), -1))


@given(st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=300), st.integers(1, 40))
def test_the_parts_make_the_text_whatever_it_is(text: str, count: int) -> None:
    axis = axis_of(text, count)
    made = traces.trace(axis=axis)
    rest = (axis.words[-1][1], len(text))
    told = payload(replace(made, unread=(rest,) if rest[0] < rest[1] else ()), True, False)["trace"]
    assert whole(told) == text
    words = [(word, part) for parts in told["sentences"] for part, word in parts if word >= 0]
    assert words == list(enumerate(text[slice(*span)] for span in axis.words))


def test_words_are_in_the_sentence_that_they_stand_in() -> None:
    text = " It rained. We went home.\n\nThen the sun came  "
    told = payload(traces.trace(axis=axis_of(text, 99)), True, False)["trace"]
    joined = ["".join(part for part, _ in parts) for parts in told["sentences"]]
    assert joined == ["It rained. ", "We went home.\n\n", "Then the sun came"]
    assert (told["before"], told["after"], told["unread"]) == (" ", "  ", "")
    indices = [word for parts in told["sentences"] for _, word in parts if word >= 0]
    assert all(later == word + 1 for word, later in pairwise(indices))


def test_every_example_is_small_enough_for_the_address() -> None:
    assert all(len(text) <= 1500 for texts in EXAMPLES.values() for text in texts.values())
