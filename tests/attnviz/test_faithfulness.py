"""What words owe to their weights: against plain numpy and a plain second decoding."""

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from attnviz import faithfulness
from attnviz.errors import InputError, NoAttentionError
from attnviz.faithfulness import VARIATIONS, erase, tau, vary
from tests.attnviz.test_session import small

EVERY_KIND = pytest.mark.parametrize(
    ("mechanism", "query"),
    [("additive", "before"), ("dot", "before"), ("cosine", "before"), ("bilinear", "after")],
)


def driven(mechanism: str = "additive", query: str = "before"):
    session = small(mechanism, query)
    session.step()
    session.force(5)
    session.attend({0: 1.0, 3: 1.0})
    session.step()
    session.step()
    return session


def distribution(session, step: int, weights: np.ndarray) -> np.ndarray:
    """p of the next word if the step looks with these weights, decoded plainly."""
    other = session.branch()
    other.rewind(step)
    other.attend(weights)
    other.look()
    return other._next().logprobs.double().exp().numpy()


@EVERY_KIND
def test_kl_is_that_of_a_plain_computation(mechanism: str, query: str) -> None:
    session = driven(mechanism, query)
    steps = session.steps
    found = {one.name: one for one in vary(session, seed=7)}
    assert tuple(found) == VARIATIONS
    draw = torch.Generator().manual_seed(7)
    for t, step in enumerate(steps):
        weights = step.weights.astype(np.float64)
        rest = weights.copy()
        rest[weights.argmax()] = 0
        changed = {
            "uniform": np.full(4, 0.25),
            "permuted": weights[torch.randperm(4, generator=draw).numpy()],
            "without the largest": rest / rest.sum(),
            "of the neighbour": steps[t + 1 if t < 3 else t - 1].weights.astype(np.float64),
        }
        p = distribution(session, t, weights)
        for name, others in changed.items():
            q = distribution(session, t, others)
            kl = (p * np.log(p / q)).sum()
            assert found[name].kl[t] == pytest.approx(kl, rel=1e-2, abs=1e-5), (name, t)
            assert found[name].flipped[t] == (p.argmax() != q.argmax())
            assert found[name].kl[t] >= 0


def test_unchanged_weights_have_no_kl(monkeypatch: pytest.MonkeyPatch) -> None:
    session = small()
    session.step()
    monkeypatch.setattr(faithfulness, "_without_largest", lambda weights: weights)
    found = {one.name: one for one in vary(session)}
    assert found["without the largest"].kl[0] == 0
    # A single step has no neighbour but itself.
    assert found["of the neighbour"].kl[0] == 0
    assert not found["of the neighbour"].flipped[0]


@EVERY_KIND
def test_erasure_is_that_of_a_second_plain_decoding(mechanism: str, query: str) -> None:
    session = small(mechanism, query)
    for token in (5, 3, 7):
        session.force(token)
    groups = [[0], [1, 2], [3]]
    found = erase(session, groups)
    mean = session.memory.annotations[0].mean(0)
    for g, group in enumerate(groups):
        plain = small(mechanism, query)
        annotations = plain.memory.annotations.clone()
        for position in group:
            annotations[0, position] = mean
        plain.memory = plain.model.remember(annotations, plain.memory.mask, plain.memory.summary)
        for t, token in enumerate((5, 3, 7)):
            (step,) = plain.force(token)
            assert found.drops[t, g] == pytest.approx(session.steps[t].logprob - step.logprob, abs=1e-4)
    for t, step in enumerate(session.steps):
        mass = [step.weights[group].sum() for group in groups]
        assert found.agreement[t] == pytest.approx(tau(found.drops[t], np.array(mass)), nan_ok=True)


def test_tau_by_hand() -> None:
    """Four things: one of six pairs turned round: (5 - 1) / 6; with a tie in one, (5 - 0) / sqrt(6 * 5)."""
    assert tau(np.array([1, 2, 3, 4]), np.array([1, 2, 4, 3])) == pytest.approx(4 / 6)
    assert tau(np.array([1, 2, 3, 4]), np.array([1, 2, 3, 3])) == pytest.approx(5 / np.sqrt(30))
    assert np.isnan(tau(np.array([1, 1, 1]), np.array([1, 2, 3])))


@given(st.lists(st.integers(0, 5), min_size=2, max_size=12))
def test_tau_of_a_ranking_with_itself_and_its_reverse(values: list[int]) -> None:
    ranking = np.array(values, float)
    if len(set(values)) > 1:
        assert tau(ranking, ranking) == pytest.approx(1)
        assert tau(ranking, -ranking) == pytest.approx(-1)


@given(st.lists(st.lists(st.floats(0.001, 1), min_size=3, max_size=3), min_size=1, max_size=5))
def test_without_the_largest_rows_sum_to_one_and_it_is_gone(rows: list) -> None:
    weights = torch.tensor(rows, dtype=torch.float64)
    weights /= weights.sum(1, keepdim=True)
    weights[0] = torch.tensor([0.0, 1.0, 0.0])  # nothing else to look at
    found = faithfulness._without_largest(weights)
    np.testing.assert_allclose(found.sum(1), 1)
    assert (found.gather(1, weights.argmax(1, keepdim=True)) == 0).all()


def test_what_cannot_be_asked_is_told() -> None:
    with pytest.raises(InputError, match="at least one step"):
        vary(small())
    blind = small("none")
    blind.step()
    with pytest.raises(NoAttentionError):
        vary(blind)
    with pytest.raises(NoAttentionError):
        erase(blind)
