"""EncoderDecoder: an encoder, a decoder and the vocabulary that they write in.

Letters: B batch, K targets a source, S source length, T target length, V vocabulary, H state width.
"""

from dataclasses import dataclass

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from attnviz import attention
from attnviz.attention import Attended, Memory
from attnviz.decoders import (
    AttentionDecoder,
    Change,
    ConditionalDecoder,
    Decoder,
    FixedContextDecoder,
    LuongDecoder,
    Unrolled,
    unchanged,
)
from attnviz.encoders import ImageEncoder, TextEncoder
from attnviz.errors import ShapeError


@dataclass(frozen=True, slots=True)
class Config:
    """The sizes of a model.

    mechanism: additive, bilinear, dot, cosine or none. query: the decoder state that looks, before
    the last word is read (Bahdanau), after (Luong), or within the step, after the word and before the
    context (Nematus). gated: whether the decoder weighs its context as a whole. copying: whether what
    it looks at may be copied; see `EncoderDecoder.predict`. encoder_width: of one direction for text,
    of an annotation for pictures.
    """

    vocabulary: int
    mechanism: str = "additive"
    embedding_width: int = 256
    encoder_width: int = 256
    attention_width: int = 256
    decoder_width: int = 512
    dropout: float = 0.0
    gated: bool = False
    copying: bool = False
    query: str = "before"


class EncoderDecoder(nn.Module):
    """A decoder to be stepped out over the memory that an encoder leaves.

    The embedding of the target's tokens is also the output layer (Press and Wolf, 2017), so that
    the readout is as wide as the embedding. Subclasses add the encoder: see `TextToText` and
    `ImageToText`.
    """

    def __init__(self, config: Config, annotation_width: int) -> None:
        super().__init__()
        self.config = config
        self.embedding = nn.Embedding(config.vocabulary, config.embedding_width)
        nn.init.normal_(self.embedding.weight, std=config.embedding_width**-0.5)
        self.decoder = _decoder(config, annotation_width)
        self.output_bias = nn.Parameter(torch.zeros(config.vocabulary))
        self.switch_layer = nn.Linear(config.embedding_width, 1) if config.copying else None

    def embed(self, tokens: Tensor) -> Tensor:
        """Tokens (...) -> (..., E), scaled so that their entries are of order one."""
        return self.embedding(tokens) * self.config.embedding_width**0.5

    def remember(
        self, annotations: Tensor, mask: Tensor, summary: Tensor, tokens: Tensor | None = None
    ) -> Memory:
        """The memory of annotations (B, S, D) under a mask (B, S), with their summary (B, D)."""
        return Memory(annotations, self.keys(annotations), mask, summary, tokens)

    def keys(self, annotations: Tensor) -> Tensor:
        """The keys (B, S, A) of the mechanism; none, (B, S, 0), without attention."""
        if isinstance(self.decoder, AttentionDecoder):
            return self.decoder.attention.keys(annotations)
        return annotations[..., :0]

    def start(self, memory: Memory) -> Tensor:
        """The state before the first step, (B, H)."""
        return self.decoder.start(memory)

    def step(
        self, tokens: Tensor, state: Tensor, memory: Memory, change: Change = unchanged
    ) -> tuple[Tensor, Tensor, Attended]:
        """Last tokens (B,), the state before (B, H) -> logits (B, V), the state after, attended.

        `change` may put something else in the place of what the decoder attended to.
        """
        readout, state, attended = self.decoder(self.embed(tokens), state, memory, change)
        return self.predict(readout, attended.weights, memory), state, attended

    def logits(self, readout: Tensor) -> Tensor:
        """Readouts (..., R) -> logits (..., V) of what the vocabulary alone would say."""
        return F.linear(readout, self.embedding.weight, self.output_bias)

    def predict(self, readout: Tensor, weights: Tensor, memory: Memory) -> Tensor:
        """Readouts (B, ..., R) and weights (B, ..., S) -> logits (B, ..., V) of the next token.

        A model that copies mixes its own words with those that it looks at:

        p(w) = s softmax(logits)[w] + (1 - s) sum_{i: x_i = w} alpha_i,  s = sigmoid(w_s . r + b)

        See, Liu and Manning (2017), eq. 8 and 9; the logits are ln p then. The tokens x_i are of the
        vocabulary itself, which spells every word in pieces or bytes.
        """
        logits = self.logits(readout)
        if self.switch_layer is None:
            return logits
        if memory.tokens is None:
            raise ShapeError("Expected a memory with tokens for a model that copies, got one without.")
        own = torch.softmax(logits.float(), -1)
        share = torch.sigmoid(self.switch_layer(readout).float())
        between = weights.dim() - memory.tokens.dim()
        tokens = memory.tokens.view(len(memory.tokens), *(1,) * between, -1).expand(weights.shape)
        mixed = (share * own).scatter_add(-1, tokens, (1 - share) * weights.float())
        return torch.log(mixed.clamp(min=1e-30))

    def logprobs(self, readout: Tensor, weights: Tensor, memory: Memory, targets: Tensor) -> Tensor:
        """ln p of targets (B, T) from readouts (B, T, R) and weights (B, T, S), as `predict` says it.

        The whole distribution is not written out, which makes training twice as fast.
        """
        logits = self.logits(readout).float()
        own = logits.gather(-1, targets.unsqueeze(-1)).squeeze(-1) - logits.logsumexp(-1)
        if self.switch_layer is None or memory.tokens is None:
            return own
        switch = self.switch_layer(readout).float().squeeze(-1)
        same = memory.tokens.unsqueeze(1) == targets.unsqueeze(-1)
        copied = torch.log((weights.float() * same).sum(-1).clamp(min=1e-30))
        return torch.logaddexp(F.logsigmoid(switch) + own, F.logsigmoid(-switch) + copied)

    def unroll(self, before: Tensor, memory: Memory) -> Unrolled:
        """Teacher forcing: all steps at once, from the tokens before each, (B * K, T)."""
        return self.decoder.unroll(self.embed(before), memory)


class TextToText(EncoderDecoder):
    """Source tokens in, target tokens out; one vocabulary and one embedding serve both."""

    def __init__(self, config: Config) -> None:
        encoder = TextEncoder(config.embedding_width, config.encoder_width, config.dropout)
        super().__init__(config, encoder.annotation_width)
        self.encoder = encoder

    def encode(self, tokens: Tensor, mask: Tensor) -> Memory:
        """Tokens and mask (B, S) -> the memory that every decoder step looks at."""
        annotations, summary = self.encoder(self.embed(tokens), mask)
        return self.remember(annotations, mask, summary, tokens)


class ImageToText(EncoderDecoder):
    """Photos in, target tokens out: Show, Attend and Tell, Xu et al. (2015)."""

    def __init__(self, config: Config) -> None:
        super().__init__(config, config.encoder_width)
        self.encoder = ImageEncoder(config.encoder_width, config.dropout)

    def encode(self, pixels: Tensor) -> Memory:
        """Pixels (B, 3, 224, 224) -> the memory of their 14 x 14 grid cells, row by row."""
        return self.encode_features(*self.encoder.network(pixels))

    def encode_features(self, middle: Tensor, top: Tensor) -> Memory:
        """The image network's two maps -> the memory; what training caches."""
        annotations, summary = self.encoder(middle, top)
        return self.remember(annotations, torch.ones(annotations.shape[:2], dtype=torch.bool), summary)


def _decoder(config: Config, annotation_width: int) -> Decoder:
    sizes = (config.embedding_width, annotation_width, config.decoder_width, config.dropout)
    if config.mechanism == "none":
        return FixedContextDecoder(*sizes)
    scorer = attention.build(config.mechanism, annotation_width, config.decoder_width, config.attention_width)
    if config.query == "after":
        return LuongDecoder(scorer, *sizes)
    if config.query == "within":
        return ConditionalDecoder(scorer, *sizes)
    return AttentionDecoder(scorer, *sizes, gated=config.gated)
