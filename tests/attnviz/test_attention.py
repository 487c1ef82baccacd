"""Every mechanism against its formula, worked out in float64 with math and numpy alone."""

import math

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from attnviz.attention import Additive, Attention, Bilinear, Cosine, Dot, Memory, build
from attnviz.errors import InputError, ShapeError

ANNOTATIONS = [[1.0, 0.0], [0.5, -1.0], [0.0, 2.0]]
QUERY = [0.6, 0.8]


def double(values: list) -> torch.Tensor:
    return torch.tensor(values, dtype=torch.float64)


def memory_of(attention: Attention, annotations: torch.Tensor, mask: torch.Tensor | None = None) -> Memory:
    mask = torch.ones(annotations.shape[:2], dtype=torch.bool) if mask is None else mask
    return Memory(annotations, attention.keys(annotations), mask, annotations[:, 0])


def attend(attention: Attention, mask: list[bool] | None = None) -> tuple[list, list, list]:
    annotations = double([ANNOTATIONS])
    masks = None if mask is None else torch.tensor([mask])
    attended = attention.double()(double([QUERY]), memory_of(attention, annotations, masks))
    return tuple(part[0].tolist() for part in attended[:3])


def additive() -> Additive:
    attention = Additive(annotation_width=2, query_width=2, width=2).double()
    with torch.no_grad():
        attention.key_layer.weight.copy_(double([[1.0, 0.5], [-1.0, 2.0]]))
        attention.query_layer.weight.copy_(double([[0.5, 0.0], [1.0, -1.0]]))
        attention.query_layer.bias.copy_(double([0.1, -0.2]))
        attention.energy_layer.weight.copy_(double([[2.0, -1.0]]))
    return attention


def bilinear() -> Bilinear:
    attention = Bilinear(annotation_width=2, query_width=2).double()
    with torch.no_grad():
        # keys = annotations @ weight.T, so that h^T W z has W = weight.T = [[2, 1], [0, -1]]
        attention.key_layer.weight.copy_(double([[2.0, 0.0], [1.0, -1.0]]))
    return attention


def cosine(temperature: float) -> Cosine:
    attention = Cosine(2, 2).double()
    with torch.no_grad():
        attention.log_temperature.fill_(math.log(temperature))
    return attention


# u_i by hand. Additive: W2 z + b = [0.5*0.6 + 0.1, 0.6 - 0.8 - 0.2] = [0.4, -0.4];
# W1 h = [1, -1], [0.5 - 0.5, -0.5 - 2] = [0, -2.5], [1, 4].
BY_HAND = {
    "additive": [
        2 * math.tanh(1.4) - math.tanh(-1.4),
        2 * math.tanh(0.4) - math.tanh(-2.9),
        2 * math.tanh(1.4) - math.tanh(3.6),
    ],
    # W z = [2*0.6 + 0.8, -0.8] = [2, -0.8]
    "bilinear": [2.0, 1.0 + 0.8, -1.6],
    "dot": [0.6, 0.3 - 0.8, 1.6],
    # |z| = 1; |h| = 1, sqrt(1.25), 2; temperature 0.5 doubles
    "cosine": [1.2, 2 * -0.5 / math.sqrt(1.25), 1.6],
}
MAKE = {"additive": additive, "bilinear": bilinear, "dot": lambda: Dot(2, 2), "cosine": lambda: cosine(0.5)}


def softmax(energies: list[float]) -> list[float]:
    exponentials = [math.exp(energy) for energy in energies]
    return [value / sum(exponentials) for value in exponentials]


@pytest.mark.parametrize("mechanism", MAKE)
def test_energies_weights_and_context_are_the_formulas(mechanism: str) -> None:
    energies, weights, context = attend(MAKE[mechanism]())
    expected = softmax(BY_HAND[mechanism])
    assert energies == pytest.approx(BY_HAND[mechanism], abs=1e-12)
    assert weights == pytest.approx(expected, abs=1e-12)
    assert context == pytest.approx((np.array(expected) @ np.array(ANNOTATIONS)).tolist(), abs=1e-12)


@pytest.mark.parametrize("mechanism", MAKE)
def test_masked_positions_get_exactly_nothing(mechanism: str) -> None:
    energies, weights, context = attend(MAKE[mechanism](), mask=[True, False, True])
    left = softmax([BY_HAND[mechanism][0], BY_HAND[mechanism][2]])
    assert energies[1] == -math.inf
    assert weights[1] == 0.0
    assert [weights[0], weights[2]] == pytest.approx(left, abs=1e-12)
    assert context == pytest.approx([left[0], 2 * left[1]], abs=1e-12)


def test_cosine_of_a_zero_vector_is_zero_and_not_nan() -> None:
    attention = cosine(1.0)
    annotations = torch.tensor([[[0.0, 0.0], [1.0, 0.0]]], dtype=torch.float64)
    attended = attention(torch.tensor([[1.0, 0.0]], dtype=torch.float64), memory_of(attention, annotations))
    assert attended.energies.tolist() == [[0.0, 1.0]]


@pytest.mark.parametrize("make", [Dot, Cosine])
def test_unequal_widths_are_refused_with_both(make: type) -> None:
    with pytest.raises(ShapeError, match="got 4 and 6"):
        make(4, 6)


def test_query_and_memory_of_unequal_batches_are_refused() -> None:
    attention = Dot(2, 2)
    with pytest.raises(ShapeError, match="2 rows and the memory 1"):
        attention(torch.zeros(2, 2), memory_of(attention, torch.zeros(1, 3, 2)))


def test_an_unknown_mechanism_is_refused() -> None:
    with pytest.raises(InputError, match="additive, bilinear, dot or cosine"):
        build("telepathy", 2, 2, 2)


@settings(deadline=None, max_examples=40)
@given(st.sampled_from(["additive", "bilinear", "dot", "cosine"]), st.integers(0, 10**6), st.integers(1, 7))
def test_permuting_the_source_permutes_the_weights(mechanism: str, seed: int, length: int) -> None:
    torch.manual_seed(seed)
    attention = build(mechanism, 4, 4, 3).double()
    annotations, query = torch.randn(1, length, 4).double(), torch.randn(1, 4).double()
    order = torch.randperm(length)
    plain = attention(query, memory_of(attention, annotations))
    permuted = attention(query, memory_of(attention, annotations[:, order]))
    torch.testing.assert_close(permuted.weights, plain.weights[:, order])
    torch.testing.assert_close(permuted.context, plain.context)
    assert plain.weights.sum().item() == pytest.approx(1.0, abs=1e-12)


@pytest.mark.parametrize("mechanism", ["additive", "bilinear", "dot", "cosine"])
def test_several_queries_of_one_source_are_as_one_by_one(mechanism: str) -> None:
    torch.manual_seed(3)
    attention = build(mechanism, 6, 6, 5).double()
    annotations = torch.randn(2, 4, 6, dtype=torch.float64)
    mask = torch.tensor([[True] * 4, [True, True, False, False]])
    memory, queries = memory_of(attention, annotations, mask), torch.randn(2, 3, 6, dtype=torch.float64)
    together = attention(queries, memory)
    for k in range(3):
        for part, whole in zip(attention(queries[:, k], memory)[:3], together[:3], strict=True):
            torch.testing.assert_close(whole[:, k], part)
