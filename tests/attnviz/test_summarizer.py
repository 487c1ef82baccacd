"""The shipped writers of headlines: exact offsets, what was not read, and what may be copied."""

from pathlib import Path

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

import attnviz
from attnviz.decoding import DecodingSession
from attnviz.errors import InputError
from attnviz.tasks import Summarizer
from attnviz.trace import Trace
from tests.attnviz.test_text import pasted

# Written for these tests.
ARTICLE = (
    "Norvik Shipping said on Monday it would cut 400 jobs at its yard in Bergen after a fall in orders. "
    "The company, which builds ferries, blamed high steel prices and said most of the workers would leave "
    "by March."
)
PROGRAM = (
    "Tidemark reads the tide tables of many harbours and draws them as a chart in the terminal. It can warn "
    "when the water is too low for a boat of a given depth."
)


@pytest.fixture(params=["news", "package"])
def summarizer(request: pytest.FixtureRequest) -> Summarizer:
    return request.getfixturevalue(request.param)


def test_a_headline_is_short_and_says_what_the_text_says(news: Summarizer) -> None:
    trace = news(ARTICLE)
    assert 3 <= len(trace.text.split()) <= 15
    assert trace.text == trace.text.lower()
    assert {"norvik", "jobs"} & set(trace.text.split())


def test_a_synopsis_keeps_its_capitals(package: Summarizer) -> None:
    trace = package(PROGRAM)
    assert 1 <= len(trace.text.split()) <= 15


def test_labels_and_offsets_are_of_the_text_as_it_was_pasted(news: Summarizer) -> None:
    trace = news(f"  {ARTICLE}\n")
    source = trace.sequence
    assert source.text == f"  {ARTICLE}\n"
    assert source.tokens[0].startswith("N")
    for token, span in zip(source.tokens[:-1], source.offsets, strict=False):
        assert source.text[slice(*span)] == token
    assert trace.source[-1] == "</s>"
    np.testing.assert_allclose(trace.weights.sum(1), 1, atol=1e-5)
    assert trace.unread == ()


def test_what_stands_in_the_text_may_be_copied(news: Summarizer) -> None:
    """A name that no one ever trained on is likelier, by far, if it stands there than if it does not."""
    text = ARTICLE.replace("Norvik", "Zwobbelquist")
    there, elsewhere = (
        news(text, target=f"{name} shipping to cut 400 jobs") for name in ("Zwobbelquist", "Krummeldorp")
    )
    assert there.logprob > elsewhere.logprob + 5
    name = [t for t, span in enumerate(there.output.offsets) if span[1] <= len("zwobbelquist")]
    places = [i for i, span in enumerate(there.sequence.offsets[:-1]) if span[1] <= len("zwobbelquist")]
    assert there.weights[name][:, places].sum(1).mean() > 0.4


@pytest.mark.parametrize(("count", "unread"), [(119, False), (120, False), (121, True), (2000, True)])
def test_the_first_120_words_are_read_and_the_rest_is_told(
    summarizer: Summarizer, count: int, unread: bool
) -> None:
    text = " ".join(f"cat{'.' if at % 9 == 8 else ''}" for at in range(count))
    trace = summarizer(text, search="greedy")
    read = text[: trace.sequence.offsets[-1][1]]
    assert len(read.split()) == min(count, 120)
    assert trace.unread == (((len(read), len(text)),) if unread else ())
    assert [note for note in trace.notes if "words at most" in note] == ([trace.notes[0]] if unread else [])
    assert not unread or "read the first 120" in trace.notes[0]


def test_words_of_many_pieces_are_read_up_to_the_limit_of_pieces(summarizer: Summarizer) -> None:
    text = " ".join(["xqzwvkjhgfp" * 2] * 110)
    trace = summarizer(text, search="greedy")
    assert len(trace.source) <= 401
    ((start, stop),) = trace.unread
    assert (start, stop) == (trace.sequence.offsets[-1][1], len(text))


@settings(max_examples=40, deadline=None)
@given(text=pasted, lead=st.sampled_from(["", "Police said on Monday "]))
def test_whatever_is_pasted_is_read_with_exact_offsets_or_refused_in_a_sentence(
    news: Summarizer, text: str, lead: str
) -> None:
    try:
        trace = news(lead + text, search="greedy")
    except InputError as refused:
        told = str(refused)
        assert told.startswith("There is nothing to summarise: expected words")
        return
    source = trace.sequence
    assert len(source.text) == len(lead + text)
    np.testing.assert_allclose(trace.weights.sum(1), 1, atol=1e-5)
    reach = [span[1] for span in source.offsets]
    assert reach == sorted(reach)
    if trace.unread:
        assert trace.unread[0][0] == source.offsets[-1][1]


@pytest.mark.parametrize("text", ["", " \n", "... !!! —", "👩‍👩‍👧"])
def test_nothing_to_summarise_is_told(summarizer: Summarizer, text: str) -> None:
    with pytest.raises(InputError, match="nothing to summarise"):
        summarizer(text)


def test_what_is_no_text_is_told(summarizer: Summarizer) -> None:
    with pytest.raises(InputError, match="Expected a text, got int"):
        summarizer(3)


@pytest.mark.parametrize(
    ("text", "note"),
    [
        ("<p>Police said on Monday that the man &amp; his dog were found.</p>", "HTML"),
        ("La police a déclaré lundi que les manifestants avaient quitté la place dans la nuit.", "English"),
        ("警察は月曜日に声明を発表した", "English"),
        ("Police said\x00 on Monday.", "Control characters"),
        ("Storm.", "of 1 word:"),
        ("A storm hit the old town yesterday.", "of 7 words:"),
    ],
)
def test_what_is_odd_is_noted(summarizer: Summarizer, text: str, note: str) -> None:
    assert any(note in found for found in summarizer(text, search="greedy").notes)


def test_the_models_own_kind_of_text_is_not_noted(news: Summarizer, package: Summarizer) -> None:
    assert news(ARTICLE).notes == ()
    assert package(PROGRAM).notes == ()


def same(one: Trace, other: Trace) -> None:
    assert (one.text, one.axis, one.notes, one.unread) == (other.text, other.axis, other.notes, other.unread)
    np.testing.assert_allclose(one.weights, other.weights, atol=1e-4)
    np.testing.assert_allclose(one.logprobs, other.logprobs, atol=1e-3)


def test_many_are_the_same_as_one_by_one(summarizer: Summarizer) -> None:
    texts = [ARTICLE, PROGRAM, "Fire.", ARTICLE * 4]
    for text, trace in zip(texts, summarizer.many(texts), strict=True):
        same(trace, summarizer(text))


def test_forcing_a_headline_reproduces_the_search(summarizer: Summarizer) -> None:
    trace = summarizer(ARTICLE, search="greedy")
    forced = summarizer(ARTICLE, target=trace.text)
    assert forced.text == trace.text
    assert forced.token_ids.tolist() == trace.token_ids.tolist()
    np.testing.assert_allclose(forced.logprobs, trace.logprobs, atol=1e-4)


def test_a_forced_headline_is_read_in_the_model_s_letters(news: Summarizer) -> None:
    assert news(ARTICLE, target="Norvik CUTS Jobs").text == "norvik cuts jobs"


def test_no_three_pieces_come_twice_if_so_asked(news: Summarizer) -> None:
    text = "fish and chips " * 30
    ids = news(text, no_repeat=True).token_ids.tolist()
    threes = list(zip(ids, ids[1:], ids[2:], strict=False))
    assert len(threes) == len(set(threes))
    assert news(text, no_repeat=True).settings["no_repeat"] is True
    with pytest.raises(InputError, match="no_repeat"):
        news(text, no_repeat=3)


def test_steps_and_sessions_give_the_greedy_headline(summarizer: Summarizer) -> None:
    trace = summarizer(ARTICLE, search="greedy")
    assert [step.token_id for step in summarizer.steps(ARTICLE, search="greedy")] == trace.token_ids.tolist()
    session = summarizer.session(ARTICLE)
    assert session.run().token_ids.tolist() == trace.token_ids.tolist()
    session.rewind(0)
    session.force("Ferries")
    assert session.run().text.lower().startswith("ferries")


def test_where_a_session_looks_it_copies(news: Summarizer) -> None:
    """All weight on one piece makes it likelier than it was, whatever the model thinks of it."""
    session = news.session("The dog saw a zwobbelquist in the park on Monday.")
    memory = session.memory
    piece = int(memory.tokens[0, 4])
    before = session.distribution(session.model.step(*start(session), memory)[0])[0, piece]
    session.attend({4: 1.0})
    (taken,) = session.force(piece)
    assert taken.logprob > before


def start(session: DecodingSession) -> tuple[torch.Tensor, torch.Tensor]:
    return torch.tensor([0]), session.model.start(session.memory)


def test_a_trace_is_written_and_read(summarizer: Summarizer, tmp_path: Path) -> None:
    trace = summarizer(ARTICLE)
    for name in ("trace.json", "trace.safetensors"):
        trace.save(tmp_path / name)
        assert attnviz.read(tmp_path / name) == trace


def test_half_a_character_is_noted(news: Summarizer) -> None:
    """The bytes of a sign that no vocabulary has are copied one by one: a session may stop halfway."""
    session = news.session("The sign ☃ was seen in the park on Monday, police said.")
    lead = next(piece for piece in session.memory.tokens[0].tolist() if news.pieces.is_byte(piece))
    session.force(lead)
    session.force(news.pieces.end)
    assert session.trace.text == "\ufffd"
    assert any("no whole character" in note for note in session.trace.notes)
