"""Searches for a target: greedy, sample, forced and beam, each an iterator of steps.

All decode a batch of B sources at once and yield, for each position, one Step a source (None
once that source is finished): a batch gives the same traces as its sources one by one. The
memory is an argument throughout, so that one model can serve many searches at the same time.

Letters: B batch, K beam size, S source length, V vocabulary, D annotation width, H state width.
"""

from collections.abc import Callable, Generator, Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
import torch
from torch import Tensor

from attnviz.attention import Attended, Memory
from attnviz.errors import InputError
from attnviz.model import EncoderDecoder
from attnviz.trace import Beam, Step

ALTERNATIVES = 5

Steps = list[Step | None]
# (position, rows that go on, logprobs (B, V), the best tokens of each (B, 5)) -> tokens (B,)
Choose = Callable[[int, list[int], Tensor, Tensor], Tensor]


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """The readable labels of all V tokens, and which of them start and end a target."""

    labels: list[str]
    start: int
    end: int


def greedy(
    model: EncoderDecoder, memory: Memory, vocabulary: Vocabulary, limits: list[int]
) -> Iterator[Steps]:
    """Takes the likeliest token at each step; stops a source at the end mark or at its limit."""
    return _walk(model, memory, vocabulary, limits, lambda _position, _rows, _logprobs, best: best[:, 0])


def sample(
    model: EncoderDecoder,
    memory: Memory,
    vocabulary: Vocabulary,
    limits: list[int],
    temperature: float,
    generator: torch.Generator,
) -> Iterator[Steps]:
    """Draws each token from softmax(logits / temperature) with the caller's generator.

    A step's logprob and alternatives are the model's own, at temperature 1.
    """

    def draw(_position: int, _rows: list[int], logprobs: Tensor, _best: Tensor) -> Tensor:
        chances = torch.softmax(logprobs / temperature, dim=-1)
        return torch.multinomial(chances, 1, generator=generator).squeeze(-1)

    return _walk(model, memory, vocabulary, limits, draw)


def forced(
    model: EncoderDecoder, memory: Memory, vocabulary: Vocabulary, targets: list[list[int]]
) -> Iterator[Steps]:
    """Writes the given targets and shows what the model would have done at each step of them."""

    def dictated(position: int, rows: list[int], _logprobs: Tensor, _best: Tensor) -> Tensor:
        return torch.tensor([targets[row][position] for row in rows])

    return _walk(model, memory, vocabulary, [len(target) for target in targets], dictated)


@torch.inference_mode()
def _walk(
    model: EncoderDecoder, memory: Memory, vocabulary: Vocabulary, limits: list[int], choose: Choose
) -> Iterator[Steps]:
    """One hypothesis a source, each token as `choose` says."""
    rows = list(range(len(limits)))
    tokens = torch.full((len(rows),), vocabulary.start)
    state = model.decoder.start(memory)
    for position in range(max(limits)):
        logits, state, attended = model.step(tokens, state, memory)
        logprobs = torch.log_softmax(logits, dim=-1)
        best = logprobs.topk(ALTERNATIVES)
        tokens = choose(position, rows, logprobs, best.indices)
        taken = tokens.tolist()
        taken_logprobs = logprobs.gather(1, tokens.unsqueeze(1)).squeeze(1).tolist()
        moment = Moment.of(best, attended, state)
        steps: Steps = [None] * len(limits)
        for index, row in enumerate(rows):
            steps[row] = moment.step(index, position, taken[index], taken_logprobs[index], vocabulary)
        yield steps
        going = [
            index
            for index, row in enumerate(rows)
            if taken[index] != vocabulary.end and position + 1 < limits[row]
        ]
        if not going:
            return
        if len(going) < len(rows):
            rows, kept = [rows[index] for index in going], torch.tensor(going)
            tokens, state, memory = tokens[kept], state[kept], memory.select(kept)


class Moment(NamedTuple):
    """What one step of a batch saw and thought, as numpy: a row is a hypothesis."""

    best_logprobs: np.ndarray
    best: np.ndarray
    energies: np.ndarray
    weights: np.ndarray
    contexts: np.ndarray
    states: np.ndarray
    gates: np.ndarray | None

    @classmethod
    def of(cls, best: tuple[Tensor, Tensor], attended: Attended, state: Tensor) -> "Moment":
        energies, weights, context, gate = attended
        best_logprobs, tokens = best
        return cls(
            best_logprobs.numpy(),
            tokens.numpy(),
            energies.numpy(),
            weights.numpy(),
            context.numpy(),
            state.numpy(),
            None if gate is None else gate.numpy(),
        )

    def step(self, row: int, position: int, token: int, logprob: float, vocabulary: Vocabulary) -> Step:
        """The step that this row's hypothesis makes by taking a token."""
        best = zip(self.best[row].tolist(), self.best_logprobs[row].tolist(), strict=True)
        return Step(
            position,
            vocabulary.labels[token],
            token,
            logprob,
            tuple((vocabulary.labels[other], value) for other, value in best)[:ALTERNATIVES],
            self.energies[row],
            self.weights[row],
            self.contexts[row],
            self.states[row],
            None if self.gates is None else float(self.gates[row]),
        )

    def read(self, row: int, position: int, token: int, verdict: list[float], vocabulary: Vocabulary) -> Step:
        """The step of a token that was given to be read, and what was thought of it."""
        return Step(
            position,
            vocabulary.labels[token],
            token,
            0.0,
            (),
            self.energies[row],
            self.weights[row],
            self.contexts[row],
            self.states[row],
            verdict=tuple(verdict),
        )


@torch.inference_mode()
def beam(
    model: EncoderDecoder,
    memory: Memory,
    vocabulary: Vocabulary,
    limits: list[int],
    size: int,
    length_penalty: float = 1.0,
    no_repeat: bool = False,
) -> Generator[Steps, None, list[Beam]]:
    """Keeps the `size` likeliest hypotheses at each step; returns the best finished one.

    score = logprob / length ** length_penalty, the end mark counted. A source is done when `size`
    hypotheses have finished, or at its limit. The steps come once the search is over, since the
    best hypothesis is known only then; the generator returns every source's whole beam.

    Graves (2012), algorithm 1, with the score divided by the length. With `no_repeat` no hypothesis
    writes the same three tokens in a row twice (Paulus, Xiong and Socher 2018, section 2.5); what the
    steps say of other tokens stays the model's own.

    Raises:
        InputError: the size is not between 1 and V / 2.
    """
    if not 1 <= size <= len(vocabulary.labels) // 2:
        raise InputError(f"Expected a beam size from 1 to {len(vocabulary.labels) // 2}, got {size}.")
    trees = [_Tree(length_penalty) for _ in limits]
    rows = list(range(len(limits)))
    memory = memory.select(torch.arange(len(rows)).repeat_interleave(size))
    tokens = torch.full((len(rows) * size,), vocabulary.start)
    state = model.decoder.start(memory)
    # All beams of a source start alike, so only the first may grow at the first step.
    totals = torch.full((len(rows), size), -torch.inf)
    totals[:, 0] = 0.0
    for position in range(max(limits)):
        logits, state, attended = model.step(tokens, state, memory)
        logprobs = torch.log_softmax(logits, dim=-1)
        # Of 2K candidates at most K are end marks, so K are left to go on.
        best = logprobs.topk(max(2 * size, ALTERNATIVES))
        moment = Moment.of(best, attended, state)
        if no_repeat:
            for index, row in enumerate(rows):
                for slot, tokens_out in enumerate(trees[row].repeats()):
                    logprobs[index * size + slot, tokens_out] = -torch.inf
            best = logprobs.topk(2 * size)
        grown = totals.view(-1, 1) + best.values[:, : 2 * size]
        candidate_totals, places = grown.view(len(rows), -1).topk(2 * size)
        slots, ranks = places // (2 * size), places % (2 * size)
        parents = slots + torch.arange(len(rows)).unsqueeze(1) * size
        candidates = _Candidates(
            slots, best.indices[parents, ranks], best.values[parents, ranks], candidate_totals
        )
        onward = [
            trees[row].grow(position, moment, index * size, candidates.of(index), size, vocabulary.end)
            for index, row in enumerate(rows)
        ]
        going = [
            index
            for index, row in enumerate(rows)
            if len(trees[row].finished) < size and position + 1 < limits[row]
        ]
        if not going:
            break
        kept = torch.tensor([onward[index] for index in going])
        some_done = len(going) < len(rows)
        rows, going_rows = [rows[index] for index in going], torch.tensor(going)
        parents = parents[going_rows].gather(1, kept).view(-1)
        tokens = candidates.tokens[going_rows].gather(1, kept).view(-1)
        totals = candidate_totals[going_rows].gather(1, kept)
        state = state[parents]
        if some_done:
            memory = memory.select(parents)
    records = [tree.record(vocabulary) for tree in trees]
    paths = [record.path(record.hypotheses[0][0]) for record in records]
    for position in range(max(len(path) for path in paths)):
        yield [
            tree.step(path[position], vocabulary) if position < len(path) else None
            for tree, path in zip(trees, paths, strict=True)
        ]
    return records


class _Candidate(NamedTuple):
    """A way for a hypothesis to go on: its slot among the K before, and what the token adds."""

    slot: int
    token: int
    logprob: float
    total: float


class _Candidates(NamedTuple):
    """The 2K best candidates of each source, best first; all (B, 2K)."""

    slots: Tensor
    tokens: Tensor
    logprobs: Tensor
    totals: Tensor

    def of(self, index: int) -> list[_Candidate]:
        columns = (part[index].tolist() for part in self)
        return [_Candidate(*entry) for entry in zip(*columns, strict=True)]


class _Node(NamedTuple):
    """A candidate that was taken up; `row` is where its step stands in `moments[position]`."""

    parent: int
    position: int
    row: int
    token: int
    logprob: float
    total: float


@dataclass(slots=True)
class _Tree:
    """The beam of one source as it grows."""

    length_penalty: float
    moments: list[Moment] = field(default_factory=list)
    nodes: list[_Node] = field(default_factory=list)
    alive: list[int] = field(default_factory=list)
    finished: list[tuple[int, float]] = field(default_factory=list)

    def grow(
        self,
        position: int,
        moment: Moment,
        first_row: int,
        candidates: list[_Candidate],
        size: int,
        end: int,
    ) -> list[int]:
        """Takes up the best candidates; returns which of them go on, always K.

        `first_row` is the row in the moment of this source's first slot.
        """
        self.moments.append(moment)
        before, self.alive = self.alive, []
        onward: list[int] = []
        for rank, candidate in enumerate(candidates):
            ended = candidate.token == end
            # An end mark counts only among the K best, as any other token would.
            if candidate.total == -np.inf or len(onward) == size or (ended and rank >= size):
                continue
            parent = before[candidate.slot] if before else -1
            node = len(self.nodes)
            self.nodes.append(_Node(parent, position, first_row + candidate.slot, *candidate[1:]))
            if ended:
                self.finished.append((node, self.score(node)))
            else:
                self.alive.append(node)
                onward.append(rank)
        return onward

    def repeats(self) -> list[list[int]]:
        """For each hypothesis that goes on the tokens that would repeat three in a row."""
        return [_third(self.tokens(node)) for node in self.alive]

    def tokens(self, node: int) -> list[int]:
        """The tokens from the root to a node."""
        tokens = []
        while node >= 0:
            tokens.append(self.nodes[node].token)
            node = self.nodes[node].parent
        return tokens[::-1]

    def score(self, node: int) -> float:
        return self.nodes[node].total / (self.nodes[node].position + 1) ** self.length_penalty

    def record(self, vocabulary: Vocabulary) -> Beam:
        unfinished = sorted(((node, self.score(node)) for node in self.alive), key=_by_score)[:1]
        parents = {node.parent for node in self.nodes}
        ended = {node for node, _ in self.finished}
        fates = (
            "finished" if index in ended else "kept" if index in parents else "dropped"
            for index in range(len(self.nodes))
        )
        return Beam(
            np.array([node.parent for node in self.nodes], dtype=np.int32),
            tuple(vocabulary.labels[node.token] for node in self.nodes),
            np.array([node.token for node in self.nodes], dtype=np.int32),
            np.array([node.position for node in self.nodes], dtype=np.int32),
            np.array([node.logprob for node in self.nodes], dtype=np.float32),
            np.array([node.total for node in self.nodes], dtype=np.float32),
            np.stack([self.moments[node.position].weights[node.row] for node in self.nodes]),
            tuple(fates),
            tuple(sorted(self.finished, key=_by_score)) or tuple(unfinished),
        )

    def step(self, index: int, vocabulary: Vocabulary) -> Step:
        node = self.nodes[index]
        moment = self.moments[node.position]
        return moment.step(node.row, node.position, node.token, node.logprob, vocabulary)


def _third(tokens: list[int]) -> list[int]:
    """What followed wherever the last two tokens stood before."""
    last = tokens[-2:]
    return [tokens[at + 2] for at in range(len(tokens) - 2) if tokens[at : at + 2] == last]


def _by_score(hypothesis: tuple[int, float]) -> float:
    return -hypothesis[1]
