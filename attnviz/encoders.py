"""Encoders: a source's features -> annotations, one vector a position.

Letters: B batch, S source length, E embedding width, D annotation width.
"""

import torch
from torch import Tensor, nn
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence


class TextEncoder(nn.Module):
    """A bidirectional GRU over embedded tokens.

    h_i = [forward GRU state at i ; backward GRU state at i]

    Bahdanau, Cho and Bengio (2015), section 3.2. Padding is never read: each direction starts
    at a real token, so a sentence has the same annotations alone and in a batch.
    """

    def __init__(self, embedding_width: int, width: int, dropout: float) -> None:
        super().__init__()
        self.dropout = nn.Dropout(dropout)
        self.rnn = nn.GRU(embedding_width, width, bidirectional=True, batch_first=True)
        self.annotation_width = 2 * width

    def forward(self, embedded: Tensor, mask: Tensor) -> tuple[Tensor, Tensor]:
        """Reads a padded batch.

        Args:
            embedded: (B, S, E).
            mask: (B, S), true on real tokens, which come first; every row has at least one.

        Returns:
            annotations (B, S, D), 0 under the mask; summary (B, D), the last state of either
            direction (the backward one's last state is at position 0).
        """
        packed = pack_padded_sequence(
            self.dropout(embedded), mask.sum(1).cpu(), batch_first=True, enforce_sorted=False
        )
        states, last = self.rnn(packed)
        annotations, _ = pad_packed_sequence(states, batch_first=True, total_length=mask.shape[1])
        return self.dropout(annotations), torch.cat([last[0], last[1]], dim=-1)
