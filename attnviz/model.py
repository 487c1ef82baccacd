"""EncoderDecoder: an encoder, a decoder and the vocabulary that they share.

Letters: B batch, S source length, T target length, V vocabulary, H state width.
"""

from dataclasses import dataclass

import torch
from torch import Tensor, nn

from attnviz import attention
from attnviz.attention import Attended, Memory
from attnviz.decoders import AttentionDecoder, Decoder, FixedContextDecoder
from attnviz.encoders import TextEncoder


@dataclass(frozen=True, slots=True)
class Config:
    """The sizes of a model; `mechanism` is additive, bilinear, dot, cosine or none."""

    vocabulary: int
    mechanism: str = "additive"
    embedding_width: int = 256
    encoder_width: int = 256
    attention_width: int = 256
    decoder_width: int = 512
    dropout: float = 0.0


class EncoderDecoder(nn.Module):
    """Source tokens in, a decoder to be stepped out.

    One vocabulary serves both sides, and its embedding is also the output layer (Press and Wolf,
    2017), so that the readout is as wide as the embedding.
    """

    def __init__(self, config: Config) -> None:
        super().__init__()
        self.config = config
        self.embedding = nn.Embedding(config.vocabulary, config.embedding_width)
        nn.init.normal_(self.embedding.weight, std=config.embedding_width**-0.5)
        self.embedding_dropout = nn.Dropout(config.dropout)
        self.encoder = TextEncoder(config.embedding_width, config.encoder_width, config.dropout)
        self.decoder = _decoder(config, self.encoder.annotation_width)
        self.output_bias = nn.Parameter(torch.zeros(config.vocabulary))

    def embed(self, tokens: Tensor) -> Tensor:
        """Tokens (...) -> (..., E), scaled so that their entries are of order one."""
        return self.embedding(tokens) * self.config.embedding_width**0.5

    def encode(self, tokens: Tensor, mask: Tensor) -> Memory:
        """Tokens and mask (B, S) -> the memory that every decoder step looks at."""
        annotations, summary = self.encoder(self.embed(tokens), mask)
        return Memory(annotations, self.keys(annotations), mask, summary)

    def keys(self, annotations: Tensor) -> Tensor:
        """The keys (B, S, A) of the mechanism; none, (B, S, 0), without attention."""
        if isinstance(self.decoder, AttentionDecoder):
            return self.decoder.attention.keys(annotations)
        return annotations[..., :0]

    def step(self, tokens: Tensor, state: Tensor, memory: Memory) -> tuple[Tensor, Tensor, Attended]:
        """Last tokens (B,), the state before (B, H) -> logits (B, V), the state after, attended."""
        readout, state, attended = self.decoder(self.embed(tokens), state, memory)
        return self.logits(readout), state, attended

    def logits(self, readout: Tensor) -> Tensor:
        """Readouts (..., R) -> logits (..., V)."""
        return nn.functional.linear(readout, self.embedding.weight, self.output_bias)

    def readouts(self, source: Tensor, mask: Tensor, before: Tensor) -> Tensor:
        """Teacher forcing: source and mask (B, S), the word before each step (B, T) -> (B, T, R)."""
        return self.decoder.unroll(self.embed(before), self.encode(source, mask))


def _decoder(config: Config, annotation_width: int) -> Decoder:
    sizes = (config.embedding_width, annotation_width, config.decoder_width, config.dropout)
    if config.mechanism == "none":
        return FixedContextDecoder(*sizes)
    scorer = attention.build(config.mechanism, annotation_width, config.decoder_width, config.attention_width)
    return AttentionDecoder(scorer, *sizes)
