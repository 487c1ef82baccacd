"""The arithmetic of attention, step by step and number by number, for a sentence that was decoded.

Letters: S source length, T target length, D annotation width, A attention width, H state width,
N temperatures.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch

from attnviz.attention import Additive, Attended, Cosine, Memory
from attnviz.decoders import AttentionDecoder
from attnviz.errors import InputError, NoAttentionError
from attnviz.model import EncoderDecoder
from attnviz.search import ALTERNATIVES, Vocabulary
from attnviz.trace import Alternatives

TEMPERATURES = (0.1, 0.25, 0.5, 1.0, 2.0, 4.0, 10.0)


@dataclass(frozen=True, slots=True, eq=False)
class Outcome:
    """What all steps come to when their energies are divided by a temperature before the softmax.

    Each step alone is changed: it starts from the state that the model was really in.
    states: (T, H), after the step. words: for each step the likeliest tokens with their logprobs.
    """

    temperature: float
    states: np.ndarray
    words: tuple[Alternatives, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Arithmetic:
    """All that goes into the weights of a sentence, and what comes of them.

    annotations: h_i, (S, D). queries: z_{t-1}, (T, H), the state before each step. The energies are

        additive   u_i = sum_a v_a tanh(k_i,a + q_a)   keys W_1 h_i, projected W_2 z + b
        bilinear   u_i = sum_a k_i,a q_a               keys h_i^T W, projected z
        dot        u_i = sum_a k_i,a q_a               keys h_i, projected z
        cosine     u_i = sum_a k_i,a q_a / temperature keys h_i / |h_i|, projected z / |z|

    keys: (S, A). projected: q, (T, A). energy_vector: v, (A,), additive only. temperature: learned,
    cosine only. energies, weights: (T, S). contexts: c_t, (T, D). outcomes: at each temperature that
    was asked for; at 1 what the model really did.
    """

    mechanism: str
    annotations: np.ndarray
    queries: np.ndarray
    keys: np.ndarray
    projected: np.ndarray
    energy_vector: np.ndarray | None
    temperature: float | None
    energies: np.ndarray
    weights: np.ndarray
    contexts: np.ndarray
    outcomes: tuple[Outcome, ...]


@torch.inference_mode()
def dissect(
    model: EncoderDecoder,
    memory: Memory,
    vocabulary: Vocabulary,
    token_ids: Sequence[int],
    temperatures: Sequence[float] = TEMPERATURES,
) -> Arithmetic:
    """Goes through the steps that wrote these tokens and keeps every number on the way.

    Args:
        memory: of one source. token_ids: what was written, T tokens.
        temperatures: to try each step at; above 0.

    Raises:
        NoAttentionError: the model has no attention.
        InputError: the memory is not of one source, no tokens are given, or a temperature is not
            above 0.
    """
    decoder = model.decoder
    if not isinstance(decoder, AttentionDecoder) or model.config.query != "before":
        raise NoAttentionError("The arithmetic is shown for decoders that look before each step.")
    if len(memory.mask) != 1 or not token_ids:
        raise InputError(f"Expected one source and some tokens, got {len(memory.mask)} and {len(token_ids)}.")
    if not all(temperature > 0 for temperature in temperatures):
        raise InputError(f"Expected temperatures above 0, got {tuple(temperatures)}.")
    embedded = model.embed(torch.tensor([vocabulary.start, *token_ids[:-1]]))  # (T, E)
    queries, energies = [], []
    state = decoder.start(memory)
    for word in embedded:
        queries.append(state)
        _, state, attended = decoder(word.unsqueeze(0), state, memory)
        energies.append(attended.energies)
    before, looked = torch.cat(queries), torch.cat(energies)
    everywhere = memory.select(torch.zeros(len(embedded), dtype=torch.long))

    def outcome(temperature: float) -> Outcome:
        def heat(attended: Attended) -> Attended:
            weights = torch.softmax(attended.energies / temperature, -1)
            return attended._replace(weights=weights, context=weights @ memory.annotations[0])

        readout, after, _ = decoder(embedded, before, everywhere, heat)
        best = torch.log_softmax(model.logits(readout), -1).topk(ALTERNATIVES, -1)
        words = tuple(
            tuple((vocabulary.labels[token], logprob) for token, logprob in zip(*row, strict=True))
            for row in zip(best.indices.tolist(), best.values.tolist(), strict=True)
        )
        return Outcome(temperature, after.numpy(), words)

    attention = decoder.attention
    return Arithmetic(
        mechanism=model.config.mechanism,
        annotations=memory.annotations[0].numpy(),
        queries=before.numpy(),
        keys=memory.keys[0].numpy(),
        projected=attention.project(before).numpy(),
        energy_vector=attention.energy_layer.weight[0].numpy() if isinstance(attention, Additive) else None,
        temperature=attention.log_temperature.exp().item() if isinstance(attention, Cosine) else None,
        energies=looked.numpy(),
        weights=torch.softmax(looked, -1).numpy(),
        contexts=(torch.softmax(looked, -1) @ memory.annotations[0]).numpy(),
        outcomes=tuple(outcome(temperature) for temperature in temperatures),
    )
