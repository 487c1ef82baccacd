"""The shipped entailment model: exact offsets, words read one by one, honest about what it cannot read."""

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings

import attnviz
from attnviz import faithfulness
from attnviz.errors import InputError
from attnviz.labelled import LABELS
from attnviz.tasks import Entailment
from attnviz.trace import Trace
from tests.attnviz.test_text import pasted

PREMISE = "Two small children are building a tower of red blocks on the carpet."
# Written for this test; none of them stands in a data set.
PAIRS = [
    ("Some kids are building a tower.", "entailment"),
    ("There are children on the carpet.", "entailment"),
    ("The children are sleeping.", "contradiction"),
    ("Nobody is building anything.", "contradiction"),
    ("The children are sisters.", "neutral"),
]


@pytest.mark.parametrize(("hypothesis", "label"), PAIRS)
def test_plain_pairs_get_their_label(entailment: Entailment, hypothesis: str, label: str) -> None:
    verdict = entailment(PREMISE, hypothesis).verdict
    assert max(verdict, key=verdict.__getitem__) == label


def test_a_step_is_a_piece_of_the_hypothesis_that_looks_at_the_premise(entailment: Entailment) -> None:
    trace = entailment(PREMISE, "Kids aren't sleeping.")
    assert trace.labels == LABELS
    assert trace.sequence.text == PREMISE
    assert trace.text == "Kids aren't sleeping."
    assert [trace.text[slice(*span)] for span in trace.output.offsets] == trace.target
    assert trace.weights.shape == (len(trace.target), len(trace.source))
    np.testing.assert_allclose(trace.weights.sum(1), 1, atol=1e-5)
    np.testing.assert_allclose(np.exp(trace.verdicts).sum(1), 1, atol=1e-5)
    assert trace.verdict == pytest.approx(dict(zip(LABELS, np.exp(trace.verdicts[-1]), strict=True)))
    assert trace[2].verdict == tuple(trace.verdicts[2].tolist())
    assert (trace.output.ends, trace.sequence.ends) == ((), ())


def test_the_label_after_a_word_is_the_one_had_the_hypothesis_ended_there(entailment: Entailment) -> None:
    hypothesis = "The two children are not sleeping in a bed."
    whole = entailment(PREMISE, hypothesis)
    for step, (_, stop) in enumerate(whole.output.offsets):
        part = entailment(PREMISE, hypothesis[:stop])
        assert part.token_ids.tolist() == whole.token_ids[: step + 1].tolist()
        np.testing.assert_allclose(part.verdicts[-1], whole.verdicts[step], atol=1e-5)
        np.testing.assert_allclose(part.weights, whole.weights[: step + 1], atol=1e-5)


def same(one: Trace, other: Trace) -> None:
    assert (one.axis, one.output, one.notes, one.unread) == (
        other.axis,
        other.output,
        other.notes,
        other.unread,
    )
    for name in ("weights", "verdicts", "contexts", "states"):
        np.testing.assert_allclose(getattr(one, name), getattr(other, name), atol=1e-4)


def test_many_are_the_same_as_one_by_one(entailment: Entailment) -> None:
    pairs = [(PREMISE, hypothesis) for hypothesis, _ in PAIRS] + [
        ("It rains.", PREMISE),
        (PREMISE * 9, "No."),
    ]
    for pair, trace in zip(pairs, entailment.many(pairs), strict=True):
        same(trace, entailment(*pair))


def test_two_threads_on_one_model_read_as_one_does(entailment: Entailment) -> None:
    alone = [entailment(PREMISE, hypothesis) for hypothesis, _ in PAIRS]
    with ThreadPoolExecutor(2) as pool:
        for one, other in zip(
            alone * 2, pool.map(lambda p: entailment(PREMISE, p[0]), PAIRS * 2), strict=True
        ):
            same(one, other)


@settings(max_examples=60, deadline=None)
@given(premise=pasted, hypothesis=pasted)
def test_whatever_is_pasted_is_read_with_exact_offsets_or_refused_in_a_sentence(
    entailment: Entailment, premise: str, hypothesis: str
) -> None:
    try:
        trace = entailment(premise, hypothesis)
    except InputError as refused:
        told = str(refused)
        assert told.startswith("Expected words in the ")
        return
    assert len(trace.sequence.text) == len(premise)
    assert len(trace.text) == len(hypothesis)
    np.testing.assert_allclose(trace.weights.sum(1), 1, atol=1e-5)
    for sequence in (trace.sequence, trace.output):
        assert list(sequence.tokens) == [sequence.text[slice(*span)] for span in sequence.offsets]
        assert all(a <= b for a, b in zip(sequence.offsets, sequence.offsets[1:], strict=False))


@pytest.mark.parametrize(
    ("premise", "hypothesis", "told"),
    [
        ("", "A dog.", "in the premise, got an empty one"),
        ("A dog.", " \n ", "in the hypothesis, got an empty one"),
        ("...", "A dog.", "in the premise, got only signs"),
        ("A dog.", "a " * 200, "at most 150 pieces"),
        (None, "A dog.", "premise as text, got NoneType"),
    ],
)
def test_what_cannot_be_read_is_told(
    entailment: Entailment, premise: str, hypothesis: str, told: str
) -> None:
    with pytest.raises(InputError, match=told):
        entailment(premise, hypothesis)
    with pytest.raises(InputError, match=f"Pair 2 of 2: .*{told}" if premise is not None else told):
        entailment.many([("A dog.", "A cat."), (premise, hypothesis)])


@pytest.mark.parametrize("pairs", ["A dog.", [("A dog.",)], [3]])
def test_what_is_no_list_of_pairs_is_told(entailment: Entailment, pairs: object) -> None:
    with pytest.raises(InputError, match=r"Expected (a list|pairs)"):
        entailment.many(pairs)


@pytest.mark.parametrize(
    ("premise", "hypothesis", "note"),
    [
        ("A dog runs.", "A dog  runs.", "same text"),
        ("A <b>dog</b> runs.", "A dog.", "HTML"),
        ("Un chien court vite dans l'herbe haute derrière la maison.", "A dog.", "is it English"),
        ("一只黑色的狗在草地上奔跑", "A dog.", "is it English"),
        ("A" * 5000, "A dog.", "is it English"),
        ("A dog runs. " * 60, "A dog.", "longer"),
        ("A dog\x00 runs.", "A dog.", "Control characters"),
    ],
)
def test_what_is_odd_is_noted(entailment: Entailment, premise: str, hypothesis: str, note: str) -> None:
    (found,) = entailment(premise, hypothesis).notes
    assert note in found


@pytest.mark.parametrize("hypothesis", [pair[0] for pair in PAIRS])
def test_plain_english_is_not_noted(entailment: Entailment, hypothesis: str) -> None:
    assert entailment(PREMISE, hypothesis).notes == ()


def test_a_premise_of_twenty_thousand_words_is_read_up_to_the_limit(entailment: Entailment) -> None:
    premise = "dog cat " * 10_000
    trace = entailment(premise, "A dog.")
    assert len(trace.source) == 400
    ((start, stop),) = trace.unread
    assert premise[:start].split() == ["dog", "cat"] * 200
    assert stop == len(premise.rstrip())
    assert "were left out" in trace.notes[0]


def test_a_trace_is_written_and_read(entailment: Entailment, tmp_path: Path) -> None:
    trace = entailment(PREMISE, "Kids play.")
    for name in ("trace.json", "trace.safetensors"):
        trace.save(tmp_path / name)
        assert attnviz.read(tmp_path / name) == trace


# ---- driven by hand


def test_a_session_reads_what_the_task_reads_bit_for_bit(entailment: Entailment) -> None:
    session = entailment.session(PREMISE, "The children are sleeping.")
    assert session.look().token == "the"
    read = session.run()
    with pytest.raises(InputError, match="ended"):
        session.step()
    same(read, entailment(PREMISE, "The children are sleeping."))
    other = entailment.session(PREMISE, "The children are sleeping.")
    while not other.ended:
        other.attend(other.look().weights)
        other.step()
    np.testing.assert_array_equal(other.trace.verdicts, read.verdicts)


def test_masks_and_weights_are_kept_and_replayed(entailment: Entailment, tmp_path: Path) -> None:
    session = entailment.session(PREMISE, "The children are sleeping.")
    session.step()
    session.mask(1)
    session.step()
    session.attend({4: 1.0})
    trace = session.run()
    assert trace.weights[1, 1] == 0
    assert trace.weights[2, 4] == 1
    trace.save(tmp_path / "trace.json")
    again = entailment.session(PREMISE, "The children are sleeping.")
    again.replay(attnviz.read(tmp_path / "trace.json"))
    np.testing.assert_array_equal(again.trace.verdicts, trace.verdicts)
    another = entailment.session(PREMISE, "The children are eating.")
    with pytest.raises(InputError, match="another"):
        another.replay(trace)
    assert another.steps == []


def test_what_was_done_is_repeated_on_another_hypothesis(entailment: Entailment) -> None:
    session = entailment.session(PREMISE, "The children are sleeping.")
    session.attend({0: 1.0})
    session.step()
    session.mask(2)
    session.run()
    other = entailment.session(PREMISE, "The children are eating.")
    other.repeat(session.actions[:3])
    assert len(other.steps) == 3
    np.testing.assert_array_equal(other.trace.weights, session.trace.weights[:3])
    assert other.run().weights[:, 2].tolist()[1:] == [0.0] * 4
    assert other.undo()
    with pytest.raises(InputError, match="positions"):
        entailment.session("It rains.", "It is wet.").repeat(session.actions)


def test_what_depends_on_the_weights_is_what_other_weights_change(entailment: Entailment) -> None:
    """KL of the calibrated labels under uniform weights, by driving each step by hand."""
    session = entailment.session(PREMISE, "The children are sleeping.")
    session.run()
    uniform = faithfulness.vary(session)[0]
    assert uniform.name == "uniform"
    for step, own in enumerate(session.steps):
        other = session.branch()
        other.rewind(step)
        other.attend(np.ones(other.positions))
        p, q = np.array(own.verdict, np.float64), np.array(other.look().verdict, np.float64)
        assert uniform.kl[step] == pytest.approx(max(0, (np.exp(p) * (p - q)).sum()), abs=1e-5)
        assert uniform.flipped[step] == (p.argmax() != q.argmax())


def test_erasing_a_position_costs_the_label_what_it_costs_by_hand(entailment: Entailment) -> None:
    session = entailment.session(PREMISE, "The children are sleeping.")
    session.run()
    found = faithfulness.erase(session)
    assert found.drops.shape == session.trace.weights.shape
    erased = entailment.session(PREMISE, "The children are sleeping.")
    memory = erased.memory
    annotations = memory.annotations.clone()
    annotations[0, 3] = memory.annotations[0].mean(0)
    erased.memory = erased.model.remember(annotations, memory.mask, memory.summary)
    after = erased.run().verdicts
    said = session.trace.verdicts.argmax(1)
    rows = np.arange(len(said))
    drops = session.trace.verdicts[rows, said] - after[rows, said]
    np.testing.assert_allclose(found.drops[:, 3], drops, atol=1e-4)
