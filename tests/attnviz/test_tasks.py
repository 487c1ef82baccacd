"""A user's text in, traces out, with the model that is shipped: whatever its words, these must hold."""

import dataclasses
import math
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import example, given, settings
from hypothesis import strategies as st

from attnviz.axes import END
from attnviz.errors import InputError
from attnviz.tasks import Options, Translator
from attnviz.tasks.translation import LONGEST
from attnviz.trace import Step, Trace

ONE = "Un homme mange une pomme rouge dans le parc."
TWO = "Le chien court. Il pleut depuis ce matin."
PARAGRAPH = "Oui !\n\nM. Roux dort. « Viens. »\r\n\t\nNon"
MIXED = [ONE, "Oui.", PARAGRAPH]
SEARCHES = ("greedy", "beam", "sample")
EVERY_TEXT = pytest.mark.parametrize("text", ["Un chat dort", PARAGRAPH])
EVERY_SEARCH = pytest.mark.parametrize("search", SEARCHES)


def assert_same_steps(one: list[Step], other: list[Step]) -> None:
    assert [step.token_id for step in one] == [step.token_id for step in other]
    for a, b in zip(one, other, strict=True):
        assert (a.position, a.token) == (b.position, b.token)
        assert a.logprob == pytest.approx(b.logprob, abs=1e-4)
        assert dict(a.alternatives) == pytest.approx(dict(b.alternatives), abs=1e-4)
        for name in ("energies", "weights", "context", "state"):
            np.testing.assert_allclose(getattr(a, name), getattr(b, name), atol=1e-4)


def assert_same(one: Trace, other: Trace) -> None:
    """Equal, but for the last digits of what is computed in batches."""
    assert one.axis == other.axis
    assert one.output == other.output
    assert (one.settings, one.notes, one.unread) == (other.settings, other.notes, other.unread)
    assert_same_steps(one.steps, other.steps)
    assert [beam.tokens for beam in one.beams] == [beam.tokens for beam in other.beams]
    for a, b in zip(one.beams, other.beams, strict=True):
        np.testing.assert_allclose(a.weights, b.weights, atol=1e-4)


def assert_whole(trace: Trace) -> None:
    """What must be true of any trace that a text gives."""
    assert trace.weights.shape == (len(trace.target), len(trace.source))
    np.testing.assert_allclose(trace.weights.sum(1), 1, atol=1e-5)
    assert (trace.weights >= 0).all()
    assert np.isfinite(trace.logprobs).all()
    assert (trace.logprobs <= 0).all()
    for axis in (trace.axis, trace.output):
        assert "\ud800" not in axis.text
        for token, (start, stop), owner in zip(axis.tokens, axis.offsets, axis.owners, strict=True):
            if owner < 0:
                assert token == END
                assert start == stop
            elif axis.text[start:stop].strip() and not token.startswith("⟨"):
                # normalised when it is the model's: "..." for one piece of "…" is read, never written
                assert token == axis.text[start:stop]
                assert axis.words[owner][0] <= start or stop <= axis.words[owner][1]


# --- many, steps and sentences are one and the same


@pytest.mark.parametrize("search", ["greedy", "beam"])
def test_many_texts_give_the_traces_of_one_by_one(translator: Translator, search: str) -> None:
    together = translator.many(MIXED, search=search, beam_size=3)
    assert len(together) == len(MIXED)
    for text, trace in zip(MIXED, together, strict=True):
        assert_same(trace, translator(text, search=search, beam_size=3))


def test_more_texts_than_a_batch_stay_in_order(translator: Translator) -> None:
    texts = [f"Il y a {number} {'très ' * (number % 4)}chats." for number in range(36)]
    for text, trace in zip(texts, translator.many(texts, target="It is so."), strict=True):
        assert trace.axis.text == text
        assert len(trace.source) == len(translator.pieces.encode(text)[0]) + 1


def test_many_forced_texts_give_the_traces_of_one_by_one(translator: Translator) -> None:
    texts = [ONE, "Oui.", "Il neige"]
    for text, trace in zip(texts, translator.many(texts, target="It is so."), strict=True):
        assert trace.text == "It is so."
        assert_same(trace, translator(text, target="It is so."))


def test_many_draws_like_one_by_one_in_order(translator: Translator) -> None:
    texts = [ONE, "Oui.", TWO]

    def generator() -> torch.Generator:
        return torch.Generator().manual_seed(7)

    together = translator.many(texts, search="sample", generator=generator())
    one_by_one = generator()
    for text, trace in zip(texts, together, strict=True):
        assert_same(trace, translator(text, search="sample", generator=one_by_one))


def test_no_texts_give_no_traces(translator: Translator) -> None:
    assert translator.many([]) == []


@EVERY_SEARCH
@EVERY_TEXT
def test_steps_are_those_of_the_trace(translator: Translator, text: str, search: str) -> None:
    steps = list(translator.steps(text, search=search, beam_size=2))
    trace = translator(text, search=search, beam_size=2)
    assert [step.position for step in steps] == list(range(len(trace)))
    assert_same_steps(steps, trace.steps)


def test_forced_steps_are_those_of_the_trace(translator: Translator) -> None:
    target = "The dog ran.\nIt rained."
    assert_same_steps(list(translator.steps(TWO, target=target)), translator(TWO, target=target).steps)


def test_the_first_step_comes_before_the_others_are_decoded(translator: Translator) -> None:
    steps = translator.steps(TWO, search="greedy")
    assert next(steps).position == 0
    steps.close()


@EVERY_TEXT
def test_sentences_join_to_the_trace(translator: Translator, text: str) -> None:
    told: list[tuple[int, int]] = []
    parts = translator.sentences(text, search="greedy", progress=lambda *counts: told.append(counts))
    assert told[-1] == (len(parts), len(parts))
    assert all(part.axis.text == text for part in parts)
    assert_same(Trace.join(text, parts), translator(text, search="greedy"))


def test_a_joined_trace_looks_only_at_the_sentence_it_translates(translator: Translator) -> None:
    parts = translator.sentences(PARAGRAPH, search="greedy")
    assert len(parts) == 4
    whole = translator(PARAGRAPH, search="greedy")
    inside = np.zeros(whole.weights.shape, bool)
    row = column = 0
    for part in parts:
        block = np.s_[row : row + len(part.target), column : column + len(part.source)]
        inside[block] = True
        np.testing.assert_allclose(whole.weights[block], part.weights, atol=1e-4)
        row, column = row + len(part.target), column + len(part.source)
    assert inside.shape == (row, column)
    assert (whole.weights[~inside] == 0).all()
    assert (whole.energies[~inside] == -np.inf).all()
    assert np.isfinite(whole.energies[inside]).all()
    assert whole.text == " ".join(part.text for part in parts)
    assert len(whole.axis.ends) == 4


def test_padding_of_a_batch_is_gone(translator: Translator) -> None:
    for trace in translator.many(["Oui.", ONE, "Il neige"], beam_size=2):
        length = len(translator.pieces.encode(trace.axis.text)[0]) + 1
        assert trace.energies.shape == (len(trace), length)
        assert np.isfinite(trace.energies).all()
        assert trace.beams[0].weights.shape == (len(trace.beams[0]), length)


# --- searches


@EVERY_TEXT
def test_a_beam_of_one_is_greedy(translator: Translator, text: str) -> None:
    greedy = translator(text, search="greedy")
    beam = translator(text, search="beam", beam_size=1)
    assert_same_steps(greedy.steps, beam.steps)
    assert greedy.beams == ()
    assert len(beam.beams) == len(beam.axis.ends)


@pytest.mark.parametrize("text", [ONE, "Oui."])
def test_its_own_words_forced_give_its_own_trace(translator: Translator, text: str) -> None:
    free = translator(text, search="greedy")
    forced = translator(text, target=free.text)
    if forced.token_ids.tolist() == free.token_ids.tolist():  # it may spell a word unlike the tokenizer
        assert_same_steps(free.steps, forced.steps)
    assert forced.text == free.text
    assert forced.settings == {"search": "forced"}


def test_a_wider_beam_never_forgets_its_score(translator: Translator) -> None:
    trace = translator(ONE, beam_size=4)
    (beam,) = trace.beams
    node, score = beam.hypotheses[0]
    assert score == pytest.approx(trace.logprob / len(trace), abs=1e-4)
    assert [beam.tokens[index] for index in beam.path(node)] == trace.target
    np.testing.assert_allclose(beam.weights[beam.path(node)], trace.weights, atol=1e-6)
    assert trace.settings == {"search": "beam", "beam_size": 4, "length_penalty": 1.0}


def test_sampling_is_repeatable_and_the_generator_s_own(translator: Translator) -> None:
    def draw(seed: int, temperature: float = 3.0) -> Trace:
        generator = torch.Generator().manual_seed(seed)
        return translator(ONE, search="sample", temperature=temperature, generator=generator)

    before = torch.random.get_rng_state()
    assert draw(1) == draw(1)
    assert draw(1).token_ids.tolist() != draw(2).token_ids.tolist()
    assert translator(ONE, search="sample") == translator(ONE, search="sample")
    assert torch.equal(before, torch.random.get_rng_state())
    # Next to no temperature leaves the likeliest token.
    assert_same_steps(draw(1, 0.01).steps, translator(ONE, search="greedy").steps)


def test_alternatives_are_the_likeliest_best_first(translator: Translator) -> None:
    for step in translator(ONE, search="greedy"):
        logprobs = [logprob for _, logprob in step.alternatives]
        assert len(logprobs) == 5
        assert logprobs == sorted(logprobs, reverse=True)
        assert sum(map(math.exp, logprobs)) <= 1 + 1e-5
        assert step.alternatives[0] == (step.token, pytest.approx(step.logprob))


@pytest.mark.parametrize("search", ["greedy", "beam"])
def test_threads_may_share_a_model(translator: Translator, search: str) -> None:
    alone = [translator(text, search=search, beam_size=2) for text in MIXED]
    with ThreadPoolExecutor(2) as pool:
        together = list(pool.map(lambda text: translator(text, search=search, beam_size=2), MIXED * 2))
    for trace, expected in zip(together, alone * 2, strict=True):
        assert_same(trace, expected)


# --- the user's own text


@pytest.mark.parametrize(
    "text",
    [
        ONE,
        PARAGRAPH,
        "  L’été, « l'homme » dit : “oui…”  ",
        "J'ai 3.5 € – ou 12\u00a0% ; \U0001f986 !",
        "Cafe\u0301 de\u0301ja\u0300 bu\u0308",
        "שלום עולם. مرحبا بالعالم.",
        "Un 👩\u200d👩\u200d👧 rit.\tOui.",
        "</s> et <s> et <0x0A>",
    ],
)
def test_every_piece_shows_the_user_s_own_characters(
    translator: Translator, monkeypatch: pytest.MonkeyPatch, text: str
) -> None:
    # What it never saw may be translated at length.
    monkeypatch.setattr("attnviz.tasks.writing.LONGEST", 40)
    trace = translator(text, search="greedy")
    assert trace.axis.text == text
    assert_whole(trace)
    read = {index for start, stop in trace.axis.offsets for index in range(start, stop)}
    assert {index for index, character in enumerate(text) if not character.isspace()} <= read
    assert [text[start:stop] for start, stop in trace.axis.words if " " in text[start:stop]] == []


def test_a_small_text_by_hand(translator: Translator) -> None:
    trace = translator(" L’eau. Oui", search="greedy")
    words = [trace.axis.text[slice(*span)] for span in trace.axis.words]
    assert words == ["L’", "eau", ".", "Oui"]
    assert trace.source[-1] == END
    assert trace.target[-1] == END
    assert trace.axis.offsets[trace.axis.ends[0]] == (7, 7)
    assert trace.axis.offsets[trace.axis.ends[1]] == (11, 11)
    assert trace.notes == ()
    assert trace.unread == ()
    assert (trace.task, trace.model) == ("translation", "translate-fr-en")


@EVERY_TEXT
def test_output_offsets_cover_what_was_written(translator: Translator, text: str) -> None:
    output = translator(text, search="greedy").output
    covered = {index for start, stop in output.offsets for index in range(start, stop)}
    assert covered >= {index for index, character in enumerate(output.text) if not character.isspace()}
    assert [start for start, _ in output.offsets] == sorted(start for start, _ in output.offsets)
    assert [owner for owner in output.owners if owner >= 0] == sorted(o for o in output.owners if o >= 0)


@pytest.mark.parametrize(
    ("text", "same_as"),
    [
        ("L’homme n’est pas là.", "L'homme n'est pas là."),
        ("Il dit “oui”.", 'Il dit "oui".'),
        ("UN HOMME MANGE.", "Un homme mange."),
        ("Un  homme\u00a0mange.\t", "Un homme mange."),
        ("Un homme\x00mange.", "Un homme mange."),
        ("L'e\u0301te\u0301 est la\u0300.", "L'été est là."),
    ],
)
def test_ways_to_write_the_same_are_read_the_same(translator: Translator, text: str, same_as: str) -> None:
    one, other = translator(text, search="greedy"), translator(same_as, search="greedy")
    assert_same_steps(one.steps, other.steps)
    assert one.text == other.text


@pytest.mark.parametrize("text", ["Un homme dort", "un homme dort", "UN HOMME DORT", "Un homme dort."])
def test_capitals_and_final_stops_are_no_matter_of_errors(translator: Translator, text: str) -> None:
    trace = translator(text)
    assert trace.target[-1] == END
    assert "man" in trace.text.lower()
    assert bool(trace.notes) == text.isupper()


# --- limits


def test_five_thousand_words_are_read_up_to_a_whole_word(translator: Translator) -> None:
    text = "  " + " ".join(["chat"] * 5000) + ". Oui."
    trace = translator(text, target="It is so.\nYes.")
    ((start, stop),) = trace.unread
    assert stop == text.index(". Oui") + 1
    assert text[start - 4 : start + 1] == "chat "
    size = len(translator.pieces.encode("chat")[0])
    assert trace.axis.ends[0] == LONGEST // size * size
    (note,) = trace.notes
    assert f"first {start - 2} characters" in note
    assert f"other {stop - start} were left out" in note
    assert trace.axis.words[trace.axis.owners[trace.axis.ends[0] - 1]][1] == start
    assert_whole(trace)


def test_a_word_of_ten_thousand_letters_is_read_up_to_the_limit(translator: Translator) -> None:
    trace = translator("x" * 10_000, target="It is so.")
    ((start, stop),) = trace.unread
    assert stop == 10_000
    assert trace.axis.ends == (LONGEST,)
    assert trace.axis.words == ((0, start),)
    assert trace.axis.offsets[-2][1] == start
    assert_whole(trace)


def test_a_long_word_of_bytes_is_cut_between_characters(translator: Translator) -> None:
    text = "a" + "\U000130fa" * 1000  # hieroglyphs, four bytes each
    trace = translator(text, target="It is so.")
    kept = trace.axis.ends[0]
    assert LONGEST - 4 < kept <= LONGEST
    _, offsets = translator.pieces.encode(text)
    assert offsets[kept - 1] != offsets[kept]
    assert trace.unread == ((offsets[kept - 1][1], 1001),)


def test_what_just_fits_is_read_whole(translator: Translator) -> None:
    size = len(translator.pieces.encode("chat")[0])
    trace = translator(" ".join(["chat"] * (LONGEST // size)), target="It is so.")
    assert trace.unread == ()
    assert any("longer" in note for note in trace.notes)


@pytest.mark.parametrize("search", SEARCHES)
def test_a_sentence_at_the_limit_is_searched_like_any_other(
    translator: Translator, monkeypatch: pytest.MonkeyPatch, search: str
) -> None:
    monkeypatch.setattr("attnviz.tasks.writing.LONGEST", 12)
    trace = translator("Le chat noir dort. " + "Le chat dort et " * 40, search=search, beam_size=2)
    assert len(trace.unread) == 1
    assert trace.axis.ends[1] - trace.axis.ends[0] <= 13
    assert len(trace) <= 2 * 12
    stopped = len(trace.output.ends) < 2
    assert any("without an end mark" in note for note in trace.notes) == stopped
    assert_whole(trace)


# --- bad input


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "empty"),
        (" \t\r\n \u2028\u3000", "empty"),
        ("\x00\x01", "empty"),
        ("😀🎉👩\u200d👩\u200d👧", "signs"),
        ("?! ...", "signs"),
        ("\ud800", "signs"),
        ("\u200b\u0301", "signs"),
        (None, "NoneType"),
        (b"Bonjour", "bytes"),
        (["Bonjour"], "list"),
        (5, "int"),
    ],
)
def test_what_cannot_be_translated_is_told_in_a_sentence(
    translator: Translator, text: Any, words: str
) -> None:
    calls: list[Callable[[], object]] = [
        lambda: translator(text),
        lambda: translator.sentences(text),
        lambda: list(translator.steps(text)),
    ]
    for call in calls:
        with pytest.raises(InputError, match=words) as told:
            call()
        assert len(str(told.value).splitlines()) == 1
    with pytest.raises(InputError, match="Text 2 of 3"):
        translator.many(["Oui.", text, "Non."])


@pytest.mark.parametrize("texts", ["Oui.", None, 5, b"Oui."])
def test_many_wants_a_list(translator: Translator, texts: Any) -> None:
    with pytest.raises(InputError, match="Expected"):
        translator.many(texts)


@pytest.mark.parametrize(
    ("text", "note"),
    [
        ("Bon\x00jour \x1b toi", "(2)"),
        ("Bon\ud800jour", "surrogates (1)"),
        ("\udfff\ud800 oui", "surrogates (2)"),
        ("𓃺𓃻𓃼 𓃽", "never seen"),
        ("UN CHAT NOIR", "Capitals"),
    ],
)
def test_odd_text_is_translated_with_a_note(translator: Translator, text: str, note: str) -> None:
    trace = translator(text, search="greedy")
    assert sum(note in told for told in trace.notes) == 1
    assert len(trace.axis.text) == len(text)
    assert_whole(trace)


@pytest.mark.parametrize("text", ["<script>alert(1)</script>", "&lt;b&gt; oui", "</s>oui</s>", "<s> oui"])
def test_markup_and_marks_are_characters(translator: Translator, text: str) -> None:
    trace = translator(text, search="greedy")
    assert len(trace.axis.ends) == 1
    assert trace.axis.ends == (len(trace.source) - 1,)
    assert trace.notes == ()
    assert_whole(trace)


@settings(deadline=None, max_examples=15, derandomize=True)
@given(
    text=st.lists(
        st.sampled_from(
            "Oui. chat \n \r\n \t \x00 \ud800 \u0301 \u2028 ▁ </s> 👩\u200d👧 שלום İ CHAT ’".split(" ")
        )
        | st.sampled_from([" ", "\n \n"])
        | st.text(st.characters(), max_size=3),
        max_size=6,
    ).map("".join)
)
@example(text="Oui.\n \nNon.")
@example(text="\u0301\na")
@example(text="\u2028 a")
def test_any_text_with_a_letter_gives_a_whole_trace(translator: Translator, text: str) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("attnviz.tasks.writing.LONGEST", 20)
        if not any(character.isalnum() for character in text):
            with pytest.raises(InputError, match=r"\AThere is nothing to translate[^\n]*\Z"):
                translator(text)
            return
        trace = translator(text, search="greedy")
    assert len(trace.axis.text) == len(text)
    assert_whole(trace)


# --- options


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"search": "best"}, "search"),
        ({"search": None}, "search"),
        ({"search": ["beam"]}, "search"),
        *[({"beam_size": size}, "beam size") for size in (0, -1, 65, 1000, True, "5", 1.5, None, math.nan)],
        *[
            ({"search": "sample", "temperature": value}, "temperature")
            for value in (0, -1, math.nan, math.inf, "1", None, 101, True)
        ],
        *[({"length_penalty": value}, "length_penalty") for value in (-0.1, math.nan, math.inf, "1", None)],
        ({"target": 5}, "target"),
        ({"target": b"Yes"}, "target"),
        ({"search": "sample", "generator": 5}, "generator"),
        ({"beamsize": 5}, "beamsize"),
    ],
    ids=str,
)
def test_options_that_cannot_be_meant_are_refused(
    translator: Translator, options: dict[str, Any], words: str
) -> None:
    with pytest.raises((InputError, TypeError) if "beamsize" in options else InputError, match=words):
        translator("Oui.", **options)


def test_options_at_their_limits_are_taken() -> None:
    for options in ({"beam_size": 1}, {"beam_size": 64}, {"temperature": 0.01}, {"length_penalty": 0}):
        assert dataclasses.asdict(Options(**options))


@pytest.mark.parametrize("target", ["", " \n\t", "\x00"])
def test_an_empty_target_is_refused(translator: Translator, target: str) -> None:
    for text in (ONE, TWO):
        with pytest.raises(InputError, match="target"):
            translator(text, target=target)


@pytest.mark.parametrize(
    ("target", "words"),
    [
        ("Only one.", r"\(2\), got 1"),
        ("One. Two. Three.", r"\(2\), got 3"),
        ("One.\n\n\nTwo.\nThree.", r"\(2\), got 3"),
    ],
)
def test_as_many_targets_as_sentences(translator: Translator, target: str, words: str) -> None:
    with pytest.raises(InputError, match=words):
        translator(TWO, target=target)


@pytest.mark.parametrize(
    ("text", "target", "expected"),
    [
        ("Oui.", "Yes", "Yes"),
        ("Oui.", "Yes. No.", "Yes. No."),  # one sentence takes the whole target
        ("Oui.", "  Yes  ", "Yes"),
        ("Oui.", "</s>", "</s>"),
        (TWO, "One. Two.", "One. Two."),
        (TWO, "One\n \nTwo", "One Two"),
    ],
)
def test_a_target_is_written_as_given(translator: Translator, text: str, target: str, expected: str) -> None:
    trace = translator(text, target=target)
    assert trace.text == expected
    assert [trace.target[end] for end in trace.output.ends] == [END] * len(trace.axis.ends)
    assert_whole(trace)


def test_a_target_longer_than_the_limit_is_refused(translator: Translator) -> None:
    with pytest.raises(InputError, match=str(LONGEST)):
        translator("Oui.", target="x " * (LONGEST + 1))


@pytest.mark.parametrize(
    ("text", "left_out"),
    [("Bonjour.\n😀\nMerci.", ["😀"]), ("\u200b\nBonjour.", ["\u200b"]), ("***\nOui.\n---", ["***", "---"])],
)
def test_a_line_of_signs_is_left_out_and_said_so(
    translator: Translator, text: str, left_out: list[str]
) -> None:
    trace = translator(text)
    assert [text[start:stop] for start, stop in trace.unread] == left_out
    assert any("signs alone" in note for note in trace.notes)
    assert "".join(trace.axis.tokens).count("</s>") == text.count(".")
