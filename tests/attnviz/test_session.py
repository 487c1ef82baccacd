"""A decoder driven by hand: exact, independent of others, and honest about what was done to it."""

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

import attnviz
from attnviz.decoding import DecodingSession
from attnviz.errors import InputError, NoAttentionError
from attnviz.search import Vocabulary
from attnviz.tasks import Captioner, Translator
from attnviz.trace import Trace
from tests.attnviz.test_model import SOURCE, encode
from tests.conftest import MECHANISMS, tiny

ONE = "Un homme mange une pomme rouge dans le parc."
ATTENTIVE = MECHANISMS[:-1]


def small(mechanism: str = "additive", query: str = "before") -> DecodingSession:
    """A session on an untrained model whose end mark, 1, is hardly ever the likeliest."""
    model = tiny(mechanism, query=query)

    def collect(_steps, _told):
        raise AssertionError("not needed here")

    labels = Vocabulary([f"t{token}" for token in range(12)], 0, 1)
    return DecodingSession(model, encode(model, [SOURCE]), labels, lambda _before, _text: [3, 4], collect, 30)


def same_bits(one: Trace, other: Trace) -> None:
    for name in ("token_ids", "logprobs", "energies", "weights", "contexts", "states"):
        np.testing.assert_array_equal(getattr(one, name), getattr(other, name))


def test_running_and_forcing_its_own_words_give_the_greedy_trace(translator: Translator) -> None:
    greedy = translator(ONE, search="greedy")
    session = translator.session(ONE)
    same_bits(session.run(), greedy)
    session.rewind(0)
    for step in greedy:
        session.force(step.token_id)
    same_bits(session.trace, greedy)
    assert [record["step"] for record in session.trace.settings["interventions"]] == list(range(len(greedy)))


def test_its_own_weights_change_nothing_bit_for_bit(translator: Translator) -> None:
    greedy = translator(ONE, search="greedy")
    session = translator.session(ONE)
    while not session.ended:
        session.attend(session.look().weights)
        session.step()
    same_bits(session.trace, greedy)


def test_going_back_and_running_again_gives_the_same_bits(translator: Translator) -> None:
    session = translator.session(ONE)
    whole = session.run()
    for step in (0, 3, len(whole) - 1, len(whole)):
        session.rewind(step)
        same_bits(session.run(), whole)


@pytest.mark.parametrize("mechanism", ATTENTIVE)
@pytest.mark.parametrize("query", ["before", "after"])
def test_attended_masked_and_heated_steps_by_the_formulas(mechanism: str, query: str) -> None:
    session = small(mechanism, query)
    annotations = session.memory.annotations[0].numpy().astype(np.float64)
    session.force(5)
    energies = session.look().energies.astype(np.float64)

    session.attend({1: 3.0, 2: 1.0})
    np.testing.assert_allclose(session.look().weights, [0, 0.75, 0.25, 0])
    np.testing.assert_allclose(
        session.look().context, 0.75 * annotations[1] + 0.25 * annotations[2], rtol=1e-5
    )
    np.testing.assert_allclose(session.look().energies, energies, rtol=1e-5)
    assert session.undo()

    session.mask(2)
    session.temperature(0.5)
    powers = np.exp(energies / 0.5 - max(energies / 0.5))
    powers[2] = 0
    np.testing.assert_allclose(session.look().weights, powers / powers.sum(), rtol=1e-4)
    assert session.look().weights[2] == 0
    np.testing.assert_allclose(
        session.look().context, powers / powers.sum() @ annotations, rtol=1e-4, atol=1e-6
    )
    session.force(5)
    assert session.look().weights[2] == 0, "a mask holds from there on"
    session.unmask(2)
    assert session.look().weights[2] > 0


def test_weights_are_for_one_step_and_change_what_follows() -> None:
    session = small()
    plain = session.branch()
    session.attend({0: 1.0})
    session.step()
    assert session.pending.weights is None
    assert session.actions[0].weights == (1.0, 0.0, 0.0, 0.0)
    plain.step()
    assert not np.array_equal(session.steps[0].state, plain.steps[0].state)
    assert not np.array_equal(session.look().energies, plain.look().energies)


def test_a_branch_is_independent_and_shares_what_was(translator: Translator) -> None:
    session = translator.session(ONE)
    session.step()
    other = session.branch()
    assert other.steps[0].state is session.steps[0].state
    other.force("dog")
    other.mask(0)
    assert (len(session.steps), len(other.steps)) == (1, 2)
    same_bits(session.run(), translator(ONE, search="greedy"))


actions = st.lists(
    st.one_of(
        st.tuples(st.just("step")),
        st.tuples(st.just("force"), st.integers(2, 11)),
        st.tuples(st.just("attend"), st.lists(st.floats(0.01, 5), min_size=4, max_size=4)),
        st.tuples(st.just("mask"), st.integers(0, 2)),
        st.tuples(st.just("temperature"), st.floats(0.1, 9)),
        st.tuples(st.just("rewind"), st.just(0)),
        st.tuples(st.just("undo")),
        st.tuples(st.just("redo")),
    ),
    max_size=25,
)


def snapshot(session: DecodingSession) -> list:
    return [*session.actions, session.pending, *(step.state.tobytes() for step in session.steps)]


@settings(max_examples=60, deadline=None)
@given(actions)
def test_undo_and_redo_are_exact_whatever_was_done(doings: list) -> None:
    session = small()
    for name, *arguments in doings:
        try:
            getattr(session, name)(*arguments)
        except InputError:  # the end was reached, or a weight lies on a mask
            continue
    now = snapshot(session)
    taken = 0
    while session.undo():
        taken += 1
    assert session.steps == []
    assert not session.pending.interfered
    for _ in range(taken):
        assert session.redo()
    assert snapshot(session) == now


def test_five_hundred_things_can_be_undone() -> None:
    session = small()
    for count in range(600):
        session.temperature(1 + count / 100)
    for _ in range(500):
        assert session.undo()
    assert session.pending.temperature == pytest.approx(1.99)


def test_what_was_done_is_saved_with_the_trace_and_can_be_replayed(translator: Translator, tmp_path) -> None:
    session = translator.session(ONE)
    session.step()
    session.attend({4: 1.0})
    session.step()
    session.force("dog")
    session.mask(3)
    session.temperature(2.0)
    trace = session.run()
    for name in ("trace.json", "trace.safetensors"):
        trace.save(tmp_path / name)
        read = attnviz.read(tmp_path / name)
        assert read == trace
        again = translator.session(ONE)
        again.replay(read)
        same_bits(again.trace, trace)
        assert again.trace.settings == trace.settings
    other = translator.session("Bonjour.")
    with pytest.raises(InputError, match="Expected 5 weights"):
        other.replay(trace)
    assert other.steps == []


def test_words_are_spelled_as_they_stand_in_a_text(translator: Translator) -> None:
    session = translator.session("Le chien dort.")
    for word in ("The", "Wrzeszcz", "is", "asleep", ".", "☃"):
        session.force(word)
    assert session.trace.text == "The Wrzeszcz is asleep. ☃"
    with pytest.raises(InputError, match="Expected a word"):
        session.force("  ")


def test_a_caption_is_driven_by_the_same_interface(captioner: Captioner) -> None:
    photo = Path(__file__).parents[2] / "app" / "samples" / "cat.jpg"
    session = captioner.session(photo)
    same_bits(session.run(), captioner(photo, search="greedy"))
    session.rewind(0)
    session.force("A cat,")
    session.attend({97: 1.0})
    assert session.step().weights[97] == 1
    assert session.run().text.startswith("a cat")


def test_what_cannot_be_done_is_told_and_changes_nothing() -> None:
    session = small()
    session.mask(0)
    before = snapshot(session)
    for do, told in [
        (lambda: session.attend([1.0, 1.0]), "4 weights"),
        (lambda: session.attend([1.0, -1.0, 1.0, 1.0]), "from 0 up"),
        (lambda: session.attend([1.0, float("nan"), 1.0, 1.0]), "from 0 up"),
        (lambda: session.attend([1.0, float("inf"), 1.0, 1.0]), "from 0 up"),
        (lambda: session.attend([0.0] * 4), "above 0"),
        (lambda: session.attend({}), "above 0"),
        (lambda: session.attend({4: 1.0}), "from 0 to 3"),
        (lambda: session.attend({0: 1.0}), "masked"),
        (lambda: session.mask(-1), "from 0 to 3"),
        (lambda: session.temperature(0.0), "temperature"),
        (lambda: session.rewind(1), "from 0 to 0"),
        (lambda: session.force(12), "from 0 to 11"),
        (lambda: session.force(0), "can be written"),
        (lambda: session.trace, "at least one step"),
    ]:
        with pytest.raises(InputError, match=told):
            do()
        assert snapshot(session) == before
    session.mask(1)
    session.mask(2)
    with pytest.raises(InputError, match="one position at least"):
        session.mask(3)
    session.force(1)
    assert session.ended
    for do in (session.step, session.look, lambda: session.force(3), lambda: session.attend([1.0] * 4)):
        with pytest.raises(InputError, match="has ended"):
            do()


def test_without_attention_words_can_be_forced_but_nothing_attended() -> None:
    session = small("none")
    session.force(5)
    session.step()
    for do in (lambda: session.attend({0: 1.0}), lambda: session.mask(0), lambda: session.temperature(2.0)):
        with pytest.raises(NoAttentionError):
            do()


def test_several_sentences_are_told_apart(translator: Translator) -> None:
    with pytest.raises(InputError, match="one sentence"):
        translator.session("Il dort. Elle lit.")


def test_two_people_on_one_model_do_not_meet(translator: Translator) -> None:
    def drive(position: int) -> Trace:
        session = translator.session(ONE)
        session.mask(position)
        return session.run()

    alone = [drive(position) for position in range(6)]
    with ThreadPoolExecutor(2) as pool:
        for one, other in zip(alone, pool.map(drive, range(6)), strict=True):
            same_bits(one, other)
    assert torch.is_grad_enabled()
