"""Attention mechanisms: a query and a memory in; energies, weights and a context out.

All four differ only in how an annotation h_i is scored against the decoder state z_t:

    additive   u_i = v^T tanh(W_1 h_i + W_2 z_t)     Bahdanau, Cho and Bengio (2015), A.1.2
    bilinear   u_i = h_i^T W z_t                     Luong, Pham and Manning (2015), eq. 8 "general"
    dot        u_i = h_i^T z_t                       Luong, Pham and Manning (2015), eq. 8 "dot"
    cosine     u_i = cos(h_i, z_t) / temperature     Graves, Wayne and Danihelka (2014), eq. 6

and share the rest: alpha = softmax(u), c_t = sum_i alpha_i h_i. What depends on the source alone
(the keys) is computed once and travels in the memory, never on a module: one model may serve
many people at once.

Letters: B batch, K queries a source, S source length, D annotation width, A attention width,
Q query width.
"""

import math
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from attnviz.errors import InputError, ShapeError


@dataclass(frozen=True, slots=True)
class Memory:
    """What an encoder leaves behind for the decoder to look at.

    annotations: (B, S, D), one vector a source position.
    keys: (B, S, A), the part of the energies that depends on the source alone.
    mask: (B, S), true where the source is real and false where it is padding.
    summary: (B, D), the encoder's last state; all that a decoder without attention gets to see.
    tokens: (B, S), what stands at the positions, for a model that copies; None for pictures.
    """

    annotations: Tensor
    keys: Tensor
    mask: Tensor
    summary: Tensor
    tokens: Tensor | None = None

    def select(self, rows: Tensor) -> "Memory":
        """The memory of the given batch rows, in that order; a row may be taken repeatedly."""
        tokens = None if self.tokens is None else self.tokens[rows]
        return Memory(self.annotations[rows], self.keys[rows], self.mask[rows], self.summary[rows], tokens)


class Attended(NamedTuple):
    """energies (B, S), -inf under the mask; weights (B, S), rows sum to 1; context (B, D).

    gate: (B,), from 0 to 1, how much of the context a gated decoder lets in; None without a gate.
    """

    energies: Tensor
    weights: Tensor
    context: Tensor
    gate: Tensor | None = None

    def admitted(self) -> Tensor:
        """The context that the decoder gets, (B, D): times the gate, if there is one."""
        return self.context if self.gate is None else self.gate.unsqueeze(-1) * self.context


class Attention(nn.Module, ABC):
    """A mechanism: subclasses say what the keys are and how a query scores them."""

    @abstractmethod
    def keys(self, annotations: Tensor) -> Tensor:
        """Annotations (B, S, D) -> keys (B, S, A); computed once a source."""

    def project(self, query: Tensor) -> Tensor:
        """Queries (..., Q) -> what meets the keys, (..., A); the query itself unless it is changed."""
        return query

    @abstractmethod
    def energies(self, query: Tensor, keys: Tensor) -> Tensor:
        """Queries (B, K, Q), keys (B, S, A) -> unmasked energies (B, K, S)."""

    def forward(self, query: Tensor, memory: Memory) -> Attended:
        """Weighs every annotation by its energy against the query.

        weights = softmax(energies), context = sum_i weights[i] annotations[i]

        Args:
            query: a decoder state, (B, Q); or K of them that look at one source, (B, K, Q), so that
                its annotations need no repeating.
            memory: annotations (B, S, D), keys (B, S, A), mask (B, S).

        Returns:
            energies (B, S), -inf under the mask; weights (B, S), exactly 0 under the mask;
            context (B, D). Each has K after B if the query has.

        Raises:
            ShapeError: the query and the memory disagree in batch size or width.
        """
        if query.shape[0] != memory.keys.shape[0]:
            raise ShapeError(
                f"The query holds {query.shape[0]} rows and the memory {memory.keys.shape[0]}; "
                "both must be of one batch."
            )
        if query.dim() == 2:
            return Attended(*(part.squeeze(1) for part in self._look(query.unsqueeze(1), memory)))
        return Attended(*self._look(query, memory))

    def _look(self, queries: Tensor, memory: Memory) -> tuple[Tensor, Tensor, Tensor]:
        energies = self.energies(queries, memory.keys)  # (B, K, S)
        energies = energies.masked_fill(~memory.mask.unsqueeze(1), -math.inf)
        weights = torch.softmax(energies, dim=-1)
        return energies, weights, torch.bmm(weights, memory.annotations)


class Additive(Attention):
    """Scores every annotation against the query with a one-layer network.

    energies[i] = v^T tanh(W_1 h_i + W_2 z + b)

    Bahdanau, Cho and Bengio (2015), appendix A.1.2, with a bias; the keys are W_1 h_i.
    """

    def __init__(self, annotation_width: int, query_width: int, width: int) -> None:
        super().__init__()
        self.key_layer = nn.Linear(annotation_width, width, bias=False)
        self.query_layer = nn.Linear(query_width, width)
        self.energy_layer = nn.Linear(width, 1, bias=False)

    def keys(self, annotations: Tensor) -> Tensor:
        return self.key_layer(annotations)  # (B, S, A)

    def project(self, query: Tensor) -> Tensor:
        return self.query_layer(query)  # (..., A)

    def energies(self, query: Tensor, keys: Tensor) -> Tensor:
        hidden = torch.tanh(keys.unsqueeze(1) + self.project(query).unsqueeze(2))  # (B, K, S, A)
        return self.energy_layer(hidden).squeeze(-1)


class Bilinear(Attention):
    """Scores with one matrix between annotation and query; also called multiplicative.

    energies[i] = h_i^T W z

    Luong, Pham and Manning (2015), eq. 8, "general"; the keys are h_i^T W.
    """

    def __init__(self, annotation_width: int, query_width: int) -> None:
        super().__init__()
        self.key_layer = nn.Linear(annotation_width, query_width, bias=False)

    def keys(self, annotations: Tensor) -> Tensor:
        return self.key_layer(annotations)  # (B, S, Q)

    def energies(self, query: Tensor, keys: Tensor) -> Tensor:
        return torch.bmm(query, keys.mT)


class Dot(Attention):
    """Scores with the plain inner product, unscaled.

    energies[i] = h_i^T z

    Luong, Pham and Manning (2015), eq. 8, "dot"; the keys are the annotations themselves.

    Raises:
        ShapeError: annotation and query differ in width.
    """

    def __init__(self, annotation_width: int, query_width: int) -> None:
        super().__init__()
        _require_one_width("dot", annotation_width, query_width)

    def keys(self, annotations: Tensor) -> Tensor:
        return annotations

    def energies(self, query: Tensor, keys: Tensor) -> Tensor:
        return torch.bmm(query, keys.mT)


class Cosine(Attention):
    """Scores with the cosine of the angle, over a learned temperature.

    energies[i] = (h_i . z) / (|h_i| |z|) / temperature

    Graves, Wayne and Danihelka (2014), eq. 5 and 6, with beta = 1 / temperature; the keys are
    the annotations at length 1. The temperature starts at 0.1 and stays positive (its logarithm
    is learned). A vector of length 0 has cosine 0 with everything.

    Raises:
        ShapeError: annotation and query differ in width.
    """

    def __init__(self, annotation_width: int, query_width: int) -> None:
        super().__init__()
        _require_one_width("cosine", annotation_width, query_width)
        self.log_temperature = nn.Parameter(torch.tensor(math.log(0.1)))

    def keys(self, annotations: Tensor) -> Tensor:
        return F.normalize(annotations, dim=-1)

    def project(self, query: Tensor) -> Tensor:
        return F.normalize(query, dim=-1)

    def energies(self, query: Tensor, keys: Tensor) -> Tensor:
        cosines = torch.bmm(self.project(query), keys.mT)
        return cosines / self.log_temperature.exp()


def build(mechanism: str, annotation_width: int, query_width: int, width: int) -> Attention:
    """The mechanism of that name; `width` is used by the additive one only.

    Raises:
        InputError: there is no mechanism of that name.
    """
    if mechanism == "additive":
        return Additive(annotation_width, query_width, width)
    plain: dict[str, Callable[[int, int], Attention]] = {
        "bilinear": Bilinear,
        "dot": Dot,
        "cosine": Cosine,
    }
    if mechanism not in plain:
        raise InputError(
            f"There is no attention mechanism {mechanism!r}; choose additive, bilinear, dot or cosine."
        )
    return plain[mechanism](annotation_width, query_width)


def _require_one_width(mechanism: str, annotation_width: int, query_width: int) -> None:
    if annotation_width != query_width:
        raise ShapeError(
            f"{mechanism} attention needs annotations and query of one width, "
            f"got {annotation_width} and {query_width}; use bilinear for unequal widths."
        )
