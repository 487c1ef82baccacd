"""Does the output depend on the weights that the picture shows?

Two kinds of question. What if the decoder had looked elsewhere at one step (`Variation`)? And what if
a source position had said nothing itself (`Erasure`; its neighbours' annotations still tell of it)?

What may be concluded: where the distribution over the next word hardly changes whatever the weights,
the weights of that step explain nothing about its word. What may not: that the weights are the reason
where it does change. The annotations of a recurrent encoder hold their neighbours too, other weights
may lead to the same word, and weights that were never trained take the decoder where it has never
been. Jain and Wallace (2019), "Attention is not explanation"; Wiegreffe and Pinter (2019), "Attention
is not not explanation"; for translation Moradi, Kambhatla and Sarkar (2019).

Letters: T target length, S source length, G groups of source positions.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from attnviz.attention import Attended, Memory
from attnviz.errors import InputError, NoAttentionError
from attnviz.session import Session

VARIATIONS = ("uniform", "permuted", "without the largest", "of the neighbour")
# Nats. Below it no probability moves by more than 0.16: |p - p'| <= sqrt(KL / 2), Pinsker's inequality.
HARDLY = 0.05


@dataclass(frozen=True, slots=True, eq=False)
class Variation:
    """What each step would have come to with other weights, from the same state; each step alone.

    name: "uniform": the same weight everywhere; "permuted": its weights dealt out anew, by a seed;
    "without the largest": its largest weight taken out and the rest brought to 1; "of the neighbour":
    the weights of the next step, at the last step of the one before.
    kl: (T,), KL(p || p') in nats, p the next word's distribution and p' the one with these weights.
    flipped: (T,), whether another word is the likeliest.
    """

    name: str
    kl: np.ndarray
    flipped: np.ndarray


@dataclass(frozen=True, slots=True, eq=False)
class Erasure:
    """What the same words would have cost had a group of source positions said nothing.

    The annotations of a group are replaced by the mean of all, and the words are forced again from
    the beginning. drops: (T, G), ln p of each word less ln p with that group erased, in nats: above 0
    where the group helped. agreement: (T,), Kendall's tau-b between drops and weights over the groups,
    from -1 to 1; NaN where either is the same everywhere.
    """

    drops: np.ndarray
    agreement: np.ndarray


def vary(session: Session, seed: int = 0) -> list[Variation]:
    """Every step so far with other weights, in the order of `VARIATIONS`.

    Raises:
        NoAttentionError: the model has no attention. InputError: no step was taken.
    """
    weights = _weights(session)
    tokens, states = session.starts
    draw = torch.Generator().manual_seed(seed)
    base = _distributions(session, tokens, states, weights)
    others = {
        "uniform": torch.full_like(weights, 1 / weights.shape[1]),
        "permuted": torch.stack([row[torch.randperm(len(row), generator=draw)] for row in weights]),
        "without the largest": _without_largest(weights),
        "of the neighbour": weights[_neighbours(len(weights))],
    }
    found = []
    for name in VARIATIONS:
        changed = _distributions(session, tokens, states, others[name])
        kl = (base.exp() * (base - changed)).sum(-1).clamp(min=0)
        found.append(Variation(name, kl.numpy(), (base.argmax(-1) != changed.argmax(-1)).numpy()))
    return found


def erase(session: Session, groups: Sequence[Sequence[int]] | None = None) -> Erasure:
    """Every group of source positions erased in its turn; each position by itself if none are given.

    Words that a person forced are forced here too; other interference is left out.

    Raises:
        NoAttentionError: the model has no attention. InputError: no step was taken.
    """
    weights = _weights(session)
    chosen = [[position] for position in range(weights.shape[1])] if groups is None else groups
    before, _ = session.starts
    logprobs = _forced(session, _without(session, chosen), before, session.said)
    drops = (logprobs[0] - logprobs[1:]).T.double().numpy()  # (T, G)
    mass = np.stack([weights[:, list(group)].sum(-1).numpy() for group in chosen], axis=-1)
    agreement = np.array([tau(*rows) for rows in zip(drops, mass, strict=True)])
    return Erasure(drops, agreement)


def tau(one: np.ndarray, other: np.ndarray) -> float:
    """Kendall's tau-b of two rankings of the same things, ties counted out; NaN if either is all ties.

    tau_b = (concordant - discordant) / sqrt((pairs - ties_one) (pairs - ties_other)); Kendall (1945).
    """
    above = np.triu_indices(len(one), 1)
    a, b = (np.sign(row[:, None] - row[None, :])[above] for row in (one, other))
    scale = np.sqrt(np.count_nonzero(a) * np.count_nonzero(b))
    return float((a * b).sum() / scale) if scale else float("nan")


def _weights(session: Session) -> Tensor:
    if session.model.config.mechanism == "none":
        raise NoAttentionError("This model has no attention, so that nothing can depend on it.")
    steps = session.steps
    if not steps:
        raise InputError("Expected at least one step, got none; call step() or run() first.")
    return torch.from_numpy(np.stack([step.weights for step in steps]))


@torch.inference_mode()
def _distributions(session: Session, tokens: Tensor, states: Tensor, weights: Tensor) -> Tensor:
    """The logprobs (T, V) of the next word when every step looks with these weights, (T, S)."""
    memory = session.memory

    def look(attended: Attended) -> Attended:
        return attended._replace(weights=weights, context=weights @ memory.annotations[0])

    everywhere = memory.select(torch.zeros(len(tokens), dtype=torch.long))
    logits, _, _ = session.model.step(tokens, states, everywhere, look)
    return session.distribution(logits).double()


def _without_largest(weights: Tensor) -> Tensor:
    """Rows without their largest weight; a row that has no other is spread over the other positions."""
    rest = weights.clone()
    rest.scatter_(1, rest.argmax(1, keepdim=True), 0.0)
    alone = rest.sum(1) == 0
    if weights.shape[1] > 1:
        rest[alone] = 1.0
        rest.scatter_(1, weights.argmax(1, keepdim=True), 0.0)
    else:
        rest = weights.clone()
    return rest / rest.sum(1, keepdim=True)


def _neighbours(count: int) -> list[int]:
    """The step after each, and the one before for the last."""
    return [min(step + 1, count - 1) if step + 1 < count or count == 1 else step - 1 for step in range(count)]


def _without(session: Session, groups: Sequence[Sequence[int]]) -> Memory:
    """The memory as it is, and with each group erased: (1 + G) sources."""
    memory = session.memory.select(torch.zeros(1 + len(groups), dtype=torch.long))
    annotations = memory.annotations.clone()
    tokens = None if memory.tokens is None else memory.tokens.clone()
    mean = session.memory.annotations[0].mean(0)
    for row, group in enumerate(groups, 1):
        annotations[row, list(group)] = mean
        if tokens is not None:  # nor may it be copied: no model ever writes the start mark
            tokens[row, list(group)] = session.starts[0][0]
    return session.model.remember(annotations, memory.mask, memory.summary, tokens)


@torch.inference_mode()
def _forced(session: Session, memory: Memory, before: Tensor, targets: Tensor) -> Tensor:
    """ln p of the targets (T,) given each source: (1 + G, T)."""
    count = len(memory.mask)
    readouts, energies = session.model.unroll(before.expand(count, -1), memory)
    logits = session.model.predict(readouts, torch.softmax(energies, -1), memory)
    logprobs = session.distribution(logits)
    return logprobs.gather(-1, targets.expand(count, -1).unsqueeze(-1)).squeeze(-1)
