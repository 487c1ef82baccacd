"""Encoders: a source's features -> annotations, one vector a position.

Letters: B batch, S source length, E embedding width, D annotation width.
"""

import torch
from torch import Tensor, nn
from torch.nn import functional
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence

from attnviz.efficientnet import MIDDLE_CHANNELS, TOP_CHANNELS, EfficientNetLite0


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


class ImageEncoder(nn.Module):
    """One annotation for each cell of a 14 x 14 grid over the photo, row by row.

    h_i = relu(W_m norm(m_i) + W_t norm(t_i) + b), m the stride-16 map of the image network, t its
    stride-32 map brought to the same grid by bilinear interpolation. (Xu et al. (2015), section
    3.1.1, take one map of VGG; the deeper of these two knows what is there, the other one where.)
    Unnormalised, the first map is seven times as large as the second and drowns it.

    The image network is frozen, so that its maps can be computed once and kept.
    """

    def __init__(self, width: int, dropout: float) -> None:
        super().__init__()
        self.network = EfficientNetLite0()
        self.dropout = nn.Dropout(dropout)
        self.middle_norm = nn.LayerNorm(MIDDLE_CHANNELS)
        self.top_norm = nn.LayerNorm(TOP_CHANNELS)
        self.middle_layer = nn.Linear(MIDDLE_CHANNELS, width)
        self.top_layer = nn.Linear(TOP_CHANNELS, width, bias=False)

    def forward(self, middle: Tensor, top: Tensor) -> tuple[Tensor, Tensor]:
        """Reads the maps of the image network.

        Args:
            middle: (B, 112, 14, 14). top: (B, 1280, 7, 7).

        Returns:
            annotations (B, 196, D); summary (B, D), their mean.
        """
        fine = self.middle_layer(self.middle_norm(_cells(middle)))  # (B, 196, D)
        coarse = self.top_layer(self.top_norm(_cells(top))).mT.unflatten(-1, top.shape[-2:])
        coarse = functional.interpolate(coarse, middle.shape[-2:], mode="bilinear", align_corners=False)
        annotations = self.dropout(torch.relu(fine + _cells(coarse)))
        return annotations, annotations.mean(1)


def _cells(features: Tensor) -> Tensor:
    """Maps (B, C, height, width) -> (B, height * width, C), row by row."""
    return features.flatten(2).mT
