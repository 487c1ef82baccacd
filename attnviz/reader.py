"""PairReader: reads a second text word by word while it looks back at a first, and says how they relate.

Letters: B batch, S length of the first text, T of the second, W width, D = 2W annotation width,
L labels.
"""

from dataclasses import dataclass

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from attnviz import attention
from attnviz.attention import Attended, Memory
from attnviz.decoders import Change, Unrolled, unchanged
from attnviz.encoders import TextEncoder


@dataclass(frozen=True, slots=True)
class ReaderConfig:
    """The sizes of a PairReader. mechanism: additive or bilinear."""

    vocabulary: int
    labels: int
    mechanism: str = "additive"
    width: int = 192
    dropout: float = 0.0


class PairReader(nn.Module):
    """Conditional encoding with word-by-word attention, over three labels or more.

    x_i, y_t      embedded words of the first and the second text
    h_i         = [x_i ; GRU states of both directions at i]              annotations
    s_t         = GRU(s_{t-1}, y_t), s_0 = tanh(W_0 summary)              conditional encoding
    alpha_t     = softmax(attention(query [y_t ; s_t ; m_{t-1}], h))
    c_t         = sum_i alpha_ti h_i                                      context
    m_t         = GRU'(m_{t-1}, relu(W_c [g_t ; c_t ; g_t - c_t ; g_t * c_t])),  g_t = [y_t ; s_t]
    p(label)    = softmax(MLP [m_t ; s_t])

    Rocktaeschel et al. (2016), sections 2.2 and 2.4, eq. 11 to 14: the premise is read before the
    hypothesis, and each word of the hypothesis looks with what was matched so far. That the match is
    a recurrent state of its own is Wang and Jiang (2016), eq. 6; that word and context are compared by
    difference and product is Chen et al. (2017), eq. 14. Nothing here reads ahead in the second text,
    so that the label after each word is the one that the model gives if the text ends there.
    """

    def __init__(self, config: ReaderConfig) -> None:
        super().__init__()
        self.config, width = config, config.width
        self.embedding = nn.Embedding(config.vocabulary, width)
        self.encoder = TextEncoder(width, width // 2, config.dropout)
        self.initial_layer = nn.Linear(self.encoder.annotation_width, width)
        self.rnn = nn.GRU(width, width, batch_first=True)
        self.attention = attention.build(config.mechanism, 2 * width, 3 * width, width)
        self.compare_layer = nn.Linear(8 * width, width)
        self.match_cell = nn.GRUCell(width, width)
        self.readout_layer = nn.Linear(2 * width, width)
        self.label_layer = nn.Linear(width, config.labels)
        self.dropout = nn.Dropout(config.dropout)

    def embed(self, tokens: Tensor) -> Tensor:
        """Tokens (...) -> (..., W)."""
        return self.dropout(self.embedding(tokens))

    def encode(self, tokens: Tensor, mask: Tensor) -> Memory:
        """The first text, tokens and mask (B, S) -> the memory that the second is read against."""
        embedded = self.embed(tokens)
        states, summary = self.encoder(embedded, mask)
        return self.remember(torch.cat([embedded, states], -1), mask, summary)

    def remember(
        self, annotations: Tensor, mask: Tensor, summary: Tensor, tokens: Tensor | None = None
    ) -> Memory:
        """The memory of annotations (B, S, D) under a mask (B, S), with their summary (B, W)."""
        return Memory(annotations, self.attention.keys(annotations), mask, summary, tokens)

    def start(self, memory: Memory) -> Tensor:
        """The state [s ; m] before the first word, (B, 2W)."""
        reading = torch.tanh(self.initial_layer(memory.summary))
        return torch.cat([reading, torch.zeros_like(reading)], -1)

    def step(
        self, tokens: Tensor, state: Tensor, memory: Memory, change: Change = unchanged
    ) -> tuple[Tensor, Tensor, Attended]:
        """The next words (B,), the state before them (B, 2W) -> logits (B, L), the state after, attended.

        `change` may put something else in the place of what was attended to.
        """
        word = self.embed(tokens)
        reading, match = state.chunk(2, -1)
        _, last = self.rnn(word.unsqueeze(1), reading.unsqueeze(0).contiguous())
        reading = self.dropout(last.squeeze(0))
        match, attended = self._match(torch.cat([word, reading], -1), match, memory, change)
        readout = self.dropout(torch.cat([match, reading], -1))
        return self.predict(readout, attended.weights, memory), torch.cat([last[0], match], -1), attended

    def unroll(self, tokens: Tensor, memory: Memory) -> Unrolled:
        """All words (B, T) of the second text at once: readouts (B, T, 2W) and energies (B, T, S)."""
        words = self.embed(tokens)
        reading, match = self.start(memory).chunk(2, -1)
        readings, _ = self.rnn(words, reading.unsqueeze(0).contiguous())
        readings = self.dropout(readings)
        matches, energies = [], []
        for seen in torch.cat([words, readings], -1).unbind(1):
            match, attended = self._match(seen, match, memory, unchanged)
            matches.append(match)
            energies.append(attended.energies)
        readouts = self.dropout(torch.cat([torch.stack(matches, 1), readings], -1))
        return Unrolled(readouts, torch.stack(energies, 1))

    def predict(self, readout: Tensor, _weights: Tensor, _memory: Memory) -> Tensor:
        """Readouts (..., 2W) -> logits (..., L)."""
        return self.label_layer(self.dropout(torch.tanh(self.readout_layer(readout))))

    def _match(self, seen: Tensor, match: Tensor, memory: Memory, change: Change) -> tuple[Tensor, Attended]:
        """What g_t (B, 2W) adds to the match m_{t-1} (B, W), and where it looked."""
        attended = change(self.attention(torch.cat([seen, match], -1), memory))
        context = attended.context
        compared = torch.cat([seen, context, seen - context, seen * context], -1)
        return self.match_cell(self.dropout(F.relu(self.compare_layer(compared))), match), attended
