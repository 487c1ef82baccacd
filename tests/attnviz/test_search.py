"""Searches on tiny models, against brute force and against each other."""

import itertools
import math
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
import torch

from attnviz import search
from attnviz.attention import Memory
from attnviz.errors import InputError
from attnviz.model import EncoderDecoder
from attnviz.trace import Beam, Step
from tests.attnviz.test_model import encode
from tests.conftest import MECHANISMS, tiny, vocabulary

SOURCES = [[3, 7, 5, 1], [2, 1], [9, 8, 7, 6, 5, 4, 1]]
LIMITS = [9, 5, 12]


def collect(decoding: Iterator[search.Steps], count: int) -> list[list[Step]]:
    rows: list[list[Step]] = [[] for _ in range(count)]
    for moment in decoding:
        assert len(moment) == count
        for row, step in zip(rows, moment, strict=True):
            if step is not None:
                row.append(step)
    return rows


def beams_of(model: EncoderDecoder, memory: Memory, limits: list[int], size: int, penalty: float = 1.0):
    """Runs a beam search to its end: the steps of each source, and the beams."""
    held: list[list[Beam]] = []

    def run() -> Iterator[search.Steps]:
        held.append((yield from search.beam(model, memory, vocabulary(), limits, size, penalty)))

    return collect(run(), len(limits)), held[0]


def decode(kind: str, model: EncoderDecoder, sources: list[list[int]], limits: list[int]) -> list[list[Step]]:
    memory, count = encode(model, sources), len(sources)
    if kind == "greedy":
        return collect(search.greedy(model, memory, vocabulary(), limits), count)
    if kind == "forced":
        targets = [[5, 3, source[0], 1] for source in sources]
        return collect(search.forced(model, memory, vocabulary(), targets), count)
    return beams_of(model, memory, limits, 3)[0]


def same(one: list[Step], other: list[Step], length: int) -> None:
    """The same steps; `length` cuts the padding of a batch off."""
    assert [step.token_id for step in one] == [step.token_id for step in other]
    for a, b in zip(one, other, strict=True):
        assert a.position == b.position
        assert a.token == b.token
        assert a.logprob == pytest.approx(b.logprob, abs=1e-4)
        assert [token for token, _ in a.alternatives] == [token for token, _ in b.alternatives]
        for name in ("energies", "weights"):
            np.testing.assert_allclose(getattr(a, name)[:length], getattr(b, name)[:length], atol=1e-4)
        for name in ("context", "state"):
            np.testing.assert_allclose(getattr(a, name), getattr(b, name), atol=1e-4)


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("mechanism", MECHANISMS)
@pytest.mark.parametrize("kind", ["greedy", "forced", "beam"])
def test_a_batch_gives_the_same_as_one_by_one(kind: str, mechanism: str, seed: int) -> None:
    model = tiny(mechanism, seed=seed)
    together = decode(kind, model, SOURCES, LIMITS)
    for source, limit, steps in zip(SOURCES, LIMITS, together, strict=True):
        same(steps, decode(kind, model, [source], [limit])[0], len(source))
        assert not steps[0].weights[len(source) :].any()


@pytest.mark.parametrize("seed", range(6))
def test_a_beam_of_one_is_greedy(seed: int) -> None:
    model = tiny(seed=seed)
    memory = encode(model, SOURCES)
    greedy = collect(search.greedy(model, memory, vocabulary(), LIMITS), 3)
    beam, _ = beams_of(model, memory, LIMITS, 1)
    for source, one, other in zip(SOURCES, greedy, beam, strict=True):
        same(one, other, len(source))


def test_greedy_takes_the_best_of_all_and_names_five() -> None:
    model = tiny()
    steps = decode("greedy", model, [SOURCES[0]], [9])[0]
    for step in steps:
        assert len(step.alternatives) == 5
        assert step.alternatives[0] == (step.token, pytest.approx(step.logprob))
        logprobs = [logprob for _, logprob in step.alternatives]
        assert logprobs == sorted(logprobs, reverse=True)


def logprob_of(model: EncoderDecoder, memory: Memory, target: tuple[int, ...]) -> float:
    """ln p(target | source) by stepping the model by hand."""
    state, last, total = model.decoder.start(memory), 0, 0.0
    for token in target:
        logits, state, _ = model.step(torch.tensor([last]), state, memory)
        total += torch.log_softmax(logits[0].double(), -1)[token].item()
        last = token
    return total


def plain_beam(model: EncoderDecoder, memory: Memory, limit: int, size: int) -> list[tuple[tuple, float]]:
    """Beam search as one would explain it: all continuations, sorted; slow and obvious."""
    live: list[tuple[tuple[int, ...], float]] = [((), 0.0)]
    finished: list[tuple[tuple[int, ...], float]] = []
    for length in range(1, limit + 1):
        grown = [
            ((*target, token), logprob_of(model, memory, (*target, token)))
            for target, _ in live
            for token in range(12)
        ]
        grown.sort(key=lambda entry: -entry[1])
        finished += [(target, total / length) for target, total in grown[:size] if target[-1] == 1]
        live = [entry for entry in grown if entry[0][-1] != 1][:size]
        if len(finished) >= size:
            break
    return sorted(finished, key=lambda entry: -entry[1])


@pytest.mark.parametrize("size", [2, 3, 6])
@pytest.mark.parametrize("seed", range(4))
def test_a_beam_finds_what_a_plain_one_finds(seed: int, size: int) -> None:
    model, limit = tiny(seed=seed), 5
    with torch.inference_mode():
        memory = encode(model, [SOURCES[0]])
        expected = plain_beam(model, memory, limit, size)
        _, (beam,) = beams_of(model, memory, [limit], size)
    if not expected:
        assert "finished" not in beam.fates
        return
    labels = vocabulary().labels
    found = [
        (tuple(labels.index(beam.tokens[node]) for node in beam.path(node)), score)
        for node, score in beam.hypotheses
    ]
    assert [target for target, _ in found] == [target for target, _ in expected]
    assert [score for _, score in found] == pytest.approx([score for _, score in expected], abs=1e-4)


@pytest.mark.parametrize("penalty", [0.0, 0.7, 1.0])
@pytest.mark.parametrize("seed", range(4))
def test_the_whole_beam_adds_up(seed: int, penalty: float) -> None:
    model = tiny(seed=seed)
    memory = encode(model, SOURCES)
    steps, beams = beams_of(model, memory, LIMITS, 4, penalty)
    labels = vocabulary().labels
    for index, beam in enumerate(beams):
        own = encode(model, [SOURCES[index]])
        scores = [score for _, score in beam.hypotheses]
        assert scores == sorted(scores, reverse=True)
        best = beam.path(beam.hypotheses[0][0])
        assert [beam.tokens[node] for node in best] == [step.token for step in steps[index]]
        for node, step in zip(best, steps[index], strict=True):
            np.testing.assert_array_equal(beam.weights[node], step.weights)
        parents = set(beam.parents.tolist())
        for node in range(len(beam)):
            path = beam.path(node)
            assert [beam.positions[step] for step in path] == list(range(len(path)))
            assert beam.totals[node] == pytest.approx(beam.logprobs[path].sum(), abs=1e-4)
            target = tuple(labels.index(beam.tokens[step]) for step in path)
            with torch.inference_mode():
                assert beam.totals[node] == pytest.approx(logprob_of(model, own, target), abs=1e-3)
            fate = "finished" if target[-1] == 1 else "kept" if node in parents else "dropped"
            assert beam.fates[node] == fate
        for node, score in beam.hypotheses:
            length = len(beam.path(node))
            assert score == pytest.approx(beam.totals[node] / length**penalty, abs=1e-5)


def test_the_weights_of_a_beam_belong_to_its_own_hypothesis() -> None:
    """Forcing the beam's words must look at the same places: the classic fault is a beam not reordered."""
    for seed in range(8):
        model = tiny(seed=seed)
        memory = encode(model, SOURCES)
        steps, _ = beams_of(model, memory, LIMITS, 5)
        targets = [[step.token_id for step in row] for row in steps]
        forced = collect(search.forced(model, memory, vocabulary(), targets), 3)
        for source, one, other in zip(SOURCES, steps, forced, strict=True):
            same(one, other, len(source))


def test_limits_stop_each_source_and_nothing_else() -> None:
    model = tiny(seed=3)
    with torch.no_grad():
        model.output_bias[1] = -1e9  # never an end mark
    for kind in ("greedy", "beam"):
        rows = decode(kind, model, SOURCES, LIMITS)
        assert [len(row) for row in rows] == LIMITS


def test_sampling_is_repeatable_and_follows_the_distribution() -> None:
    model = tiny()
    memory = encode(model, [SOURCES[0]])

    def first(seed: int, temperature: float) -> int:
        generator = torch.Generator().manual_seed(seed)
        drawing = search.sample(model, memory, vocabulary(), [1], temperature, generator)
        (step,) = next(iter(drawing))
        assert step is not None
        return step.token_id

    assert [first(seed, 1.0) for seed in range(20)] == [first(seed, 1.0) for seed in range(20)]
    with torch.inference_mode():
        logits, _, _ = model.step(torch.tensor([0]), model.decoder.start(memory), memory)
    for temperature in (1.0, 2.5):
        expected = torch.softmax(logits[0] / temperature, -1).numpy()
        counts = np.bincount([first(seed, temperature) for seed in range(1500)], minlength=12) / 1500
        assert np.abs(counts - expected).sum() < 0.15
    assert {first(seed, 0.01) for seed in range(20)} == {int(logits[0].argmax())}


def test_sampled_logprobs_are_the_model_s_own() -> None:
    model = tiny()
    memory = encode(model, [SOURCES[0]])
    generator = torch.Generator().manual_seed(4)
    (steps,) = collect(search.sample(model, memory, vocabulary(), [9], 3.0, generator), 1)
    with torch.inference_mode():
        total = logprob_of(model, memory, tuple(step.token_id for step in steps))
    assert math.fsum(step.logprob for step in steps) == pytest.approx(total, abs=1e-4)


@pytest.mark.parametrize("size", [0, 7, -1])
def test_an_impossible_beam_is_refused(size: int) -> None:
    model = tiny()
    with pytest.raises(InputError, match="beam size from 1 to 6"):
        beams_of(model, encode(model, SOURCES), LIMITS, size)


def test_two_threads_on_one_model_do_not_meet() -> None:
    model = tiny(seed=5)
    jobs = list(itertools.islice(itertools.cycle(SOURCES), 120))
    alone = {tuple(source): decode("beam", model, [source], [12])[0] for source in SOURCES}
    with ThreadPoolExecutor(4) as pool:
        for source, steps in zip(
            jobs, pool.map(lambda s: decode("beam", model, [s], [12])[0], jobs), strict=True
        ):
            same(steps, alone[tuple(source)], len(source))


def test_without_repeats_no_three_tokens_come_twice_and_the_steps_stay_the_model_s_own() -> None:
    model = tiny(seed=4)  # whose beam goes round in circles
    memory, limits = encode(model, SOURCES), [30, 30, 30]

    def run(no_repeat: bool) -> list[list[Step]]:
        found = search.beam(model, memory, vocabulary(), limits, 3, no_repeat=no_repeat)
        return collect(found, len(limits))

    def threes(row: list[Step]) -> list[tuple[int, ...]]:
        ids = [step.token_id for step in row]
        return list(zip(ids, ids[1:], ids[2:], strict=False))

    assert any(len(threes(row)) > len(set(threes(row))) for row in run(no_repeat=False))
    for source, row in zip(SOURCES, run(no_repeat=True), strict=True):
        assert len(threes(row)) == len(set(threes(row)))
        ids = [step.token_id for step in row]
        (own,) = collect(search.forced(model, encode(model, [source]), vocabulary(), [ids]), 1)
        same(own, row, len(source))
