"""Decoders: (last token, state, memory) -> logits, the next state and where it looked.

Letters: B batch, T target length, S source length, E embedding width, D annotation width,
H state width, R readout width (= E: the output layer is the embedding).
"""

from collections.abc import Callable
from typing import NamedTuple

import torch
from torch import Tensor, nn

from attnviz.attention import Attended, Attention, Memory


class DecoderStep(NamedTuple):
    """readout (B, R), what the output layer turns into logits; state (B, H); attended."""

    readout: Tensor
    state: Tensor
    attended: Attended


Change = Callable[[Attended], Attended]


def unchanged(attended: Attended) -> Attended:
    """What the decoder attended to, as it is."""
    return attended


class Unrolled(NamedTuple):
    """readouts (B * K, T, R) and energies (B * K, T, S) of all steps of targets that are given."""

    readouts: Tensor
    energies: Tensor


class Decoder(nn.Module):
    """A GRU whose input is the last word and a context; the readout sees all three.

    c_t = context(z_{t-1})
    z_t = GRU(z_{t-1}, [y_{t-1} ; c_t])
    r_t = tanh(W_r [z_t ; c_t ; y_{t-1}])

    Bahdanau, Cho and Bengio (2015), appendix A.2, with the deep output of Pascanu et al. (2014).
    The query is the state BEFORE the step, z_{t-1}: the context helps to choose the word that it
    is shown with. Subclasses say where the context and the first state come from.
    """

    def __init__(
        self, embedding_width: int, annotation_width: int, width: int, dropout: float, fed: bool = True
    ) -> None:
        """fed: whether the context is an input of the GRU."""
        super().__init__()
        self.initial_layer = nn.Linear(annotation_width, width)
        self.cell = nn.GRUCell(embedding_width + (annotation_width if fed else 0), width)
        self.readout_layer = nn.Linear(width + annotation_width + embedding_width, embedding_width)
        self.dropout = nn.Dropout(dropout)

    def start(self, memory: Memory) -> Tensor:
        """The state before the first step, (B, H)."""
        raise NotImplementedError

    def look(self, state: Tensor, memory: Memory) -> Attended:
        """Where a decoder in these states, (B, H) or (B, K, H), looks, and the contexts it gets."""
        raise NotImplementedError

    def forward(
        self, embedded: Tensor, state: Tensor, memory: Memory, change: Change = unchanged
    ) -> DecoderStep:
        """One step: the last word (B, E) and the state before it (B, H) give the next of each.

        `change` may put something else in the place of what the decoder attended to; the step goes
        on from that.
        """
        attended = change(self.look(state, memory))
        context = attended.admitted()
        state = self.cell(torch.cat([embedded, context], dim=-1), state)
        return DecoderStep(self.readout(state, context, embedded), state, attended)

    def readout(self, state: Tensor, context: Tensor, embedded: Tensor) -> Tensor:
        """r_t for any leading shape, so that training can compute all steps at once."""
        joined = torch.cat([state, context, embedded], dim=-1)
        return self.dropout(torch.tanh(self.readout_layer(self.dropout(joined))))

    def unroll(self, embedded: Tensor, memory: Memory) -> Unrolled:
        """Teacher forcing: all steps of targets that are given.

        Args:
            embedded: the words before each step, (B * K, T, E): K targets a source, one after the
                other.
            memory: of B sources.
        """
        each = embedded.shape[0] // memory.annotations.shape[0]
        state = self.start(memory).repeat_interleave(each, 0)
        embedded = self.dropout(embedded)
        states, contexts, energies = [], [], []
        for word in embedded.unbind(1):
            attended = self.look(state.view(-1, each, state.shape[-1]), memory)
            context = attended.admitted().flatten(0, 1)
            state = self.cell(torch.cat([word, context], dim=-1), state)
            states.append(state)
            contexts.append(context)
            energies.append(attended.energies.flatten(0, 1))
        readouts = self.readout(torch.stack(states, 1), torch.stack(contexts, 1), embedded)
        return Unrolled(readouts, torch.stack(energies, 1))


class AttentionDecoder(Decoder):
    """Looks back at every annotation at each step; starts from their mean.

    z_0 = tanh(W_0 mean_i h_i), as Xu et al. (2015), section 3.1.2, so that text, pictures and
    sound start alike. A gated decoder lets in beta_t c_t with beta_t = sigmoid(w . z_{t-1} + b),
    section 4.2.1 of the same.
    """

    def __init__(
        self,
        attention: Attention,
        embedding_width: int,
        annotation_width: int,
        width: int,
        dropout: float,
        gated: bool = False,
        fed: bool = True,
    ) -> None:
        super().__init__(embedding_width, annotation_width, width, dropout, fed)
        self.attention = attention
        self.gate_layer = nn.Linear(width, 1) if gated else None

    def start(self, memory: Memory) -> Tensor:
        real = memory.mask.unsqueeze(-1)
        mean = (memory.annotations * real).sum(1) / real.sum(1)
        return torch.tanh(self.initial_layer(mean))

    def look(self, state: Tensor, memory: Memory) -> Attended:
        attended: Attended = self.attention(state, memory)
        if self.gate_layer is None:
            return attended
        return attended._replace(gate=torch.sigmoid(self.gate_layer(state)).squeeze(-1))


class LuongDecoder(AttentionDecoder):
    """Looks with the state AFTER the last word was read, and lets no context into the GRU.

    z_t = GRU(z_{t-1}, y_{t-1})
    c_t = context(z_t)
    r_t = tanh(W_r [z_t ; c_t ; y_{t-1}])

    Luong, Pham and Manning (2015), section 3, without input feeding. The query of step t + 1 knows
    the word of step t, which is what an aligner needs; and the states need no attention, so that
    training looks with all of them at once.
    """

    def __init__(
        self, attention: Attention, embedding_width: int, annotation_width: int, width: int, dropout: float
    ) -> None:
        super().__init__(attention, embedding_width, annotation_width, width, dropout, fed=False)

    def forward(
        self, embedded: Tensor, state: Tensor, memory: Memory, change: Change = unchanged
    ) -> DecoderStep:
        state = self.cell(embedded, state)
        attended = change(self.look(state, memory))
        return DecoderStep(self.readout(state, attended.context, embedded), state, attended)

    def unroll(self, embedded: Tensor, memory: Memory) -> Unrolled:
        each = embedded.shape[0] // memory.annotations.shape[0]
        state = self.start(memory).repeat_interleave(each, 0)
        embedded = self.dropout(embedded)
        states = []
        for word in embedded.unbind(1):
            state = self.cell(word, state)
            states.append(state)
        queries = torch.stack(states, 1)  # (B * K, T, H)
        attended = self.look(queries.view(len(memory.mask), -1, state.shape[-1]), memory)
        contexts = attended.context.reshape(*queries.shape[:2], -1)
        energies = attended.energies.reshape(*queries.shape[:2], -1)
        return Unrolled(self.readout(queries, contexts, embedded), energies)


class ConditionalDecoder(AttentionDecoder):
    """Looks between two GRUs: with a state that has read the last word, for a context that goes on.

    q_t = GRU(z_{t-1}, y_{t-1})
    c_t = context(q_t)
    z_t = GRU'(q_t, c_t)
    r_t = tanh(W_r [z_t ; c_t ; y_{t-1}])

    The conditional GRU of Sennrich et al. (2017), "Nematus", section 2, without its third layer. To
    copy a name piece by piece, the query must know which piece was written last, as Luong's does;
    to copy none twice, the next state must know where this one looked, as Bahdanau's does.
    """

    def __init__(
        self, attention: Attention, embedding_width: int, annotation_width: int, width: int, dropout: float
    ) -> None:
        super().__init__(attention, embedding_width, annotation_width, width, dropout, fed=False)
        self.context_cell = nn.GRUCell(annotation_width, width)

    def forward(
        self, embedded: Tensor, state: Tensor, memory: Memory, change: Change = unchanged
    ) -> DecoderStep:
        query = self.cell(embedded, state)
        attended = change(self.look(query, memory))
        state = self.context_cell(attended.context, query)
        return DecoderStep(self.readout(state, attended.context, embedded), state, attended)

    def unroll(self, embedded: Tensor, memory: Memory) -> Unrolled:
        each = embedded.shape[0] // memory.annotations.shape[0]
        state = self.start(memory).repeat_interleave(each, 0)
        embedded = self.dropout(embedded)
        states, contexts, energies = [], [], []
        for word in embedded.unbind(1):
            query = self.cell(word, state)
            attended = self.look(query.view(-1, each, query.shape[-1]), memory)
            context = attended.context.flatten(0, 1)
            state = self.context_cell(context, query)
            states.append(state)
            contexts.append(context)
            energies.append(attended.energies.flatten(0, 1))
        readouts = self.readout(torch.stack(states, 1), torch.stack(contexts, 1), embedded)
        return Unrolled(readouts, torch.stack(energies, 1))


class FixedContextDecoder(Decoder):
    """No attention: the context is the encoder's last state at every step.

    Cho et al. (2014), eq. 8: the source reaches the decoder through one vector c only. Energies
    and weights have no source positions, (B, 0), since the decoder looks at none.
    """

    def start(self, memory: Memory) -> Tensor:
        return torch.tanh(self.initial_layer(memory.summary))

    def look(self, state: Tensor, memory: Memory) -> Attended:
        nothing = state.new_zeros(*state.shape[:-1], 0)
        summary = memory.summary if state.dim() == 2 else memory.summary.unsqueeze(1)
        return Attended(nothing, nothing, summary.expand(*state.shape[:-1], -1))
