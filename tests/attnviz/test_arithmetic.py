"""The arithmetic of a step against the formulas, worked out in numpy from the model's parameters."""

import numpy as np
import pytest
import torch

from attnviz.arithmetic import Arithmetic, dissect
from attnviz.errors import InputError, NoAttentionError
from attnviz.model import EncoderDecoder
from attnviz.search import Vocabulary
from attnviz.tasks import Translator
from tests.attnviz.test_model import SOURCE, encode, gru, numbers
from tests.conftest import tiny

WRITTEN = [5, 3, 1]
ATTENTIVE = ("additive", "bilinear", "dot", "cosine")
EVERY_MECHANISM = pytest.mark.parametrize("mechanism", ATTENTIVE)


def take_apart(model: EncoderDecoder, temperatures: tuple[float, ...] = (0.5, 1.0, 3.0)) -> Arithmetic:
    size = model.config.vocabulary
    vocabulary = Vocabulary([f"t{token}" for token in range(size)], 0, 1)
    return dissect(model, encode(model, [SOURCE]), vocabulary, WRITTEN, temperatures)


def softmax(energies: np.ndarray) -> np.ndarray:
    powers = np.exp(energies - energies.max(-1, keepdims=True))
    return powers / powers.sum(-1, keepdims=True)


@EVERY_MECHANISM
def test_energies_come_of_keys_and_projections_by_each_formula(mechanism: str) -> None:
    model = tiny(mechanism)
    found, p = take_apart(model), {k.removeprefix("decoder.attention."): v for k, v in numbers(model).items()}
    h, z = found.annotations.astype(np.float64), found.queries.astype(np.float64)
    energies = {
        "additive": lambda: (
            np.tanh(
                (h @ p["key_layer.weight"].T)[None]
                + (z @ p["query_layer.weight"].T + p["query_layer.bias"])[:, None]
            )
            @ p["energy_layer.weight"][0]
        ),
        "bilinear": lambda: z @ (h @ p["key_layer.weight"].T).T,
        "dot": lambda: z @ h.T,
        "cosine": lambda: (
            (z @ h.T)
            / np.outer(np.linalg.norm(z, axis=1), np.linalg.norm(h, axis=1))
            / np.exp(p["log_temperature"])
        ),
    }[mechanism]()
    np.testing.assert_allclose(found.energies, energies, atol=1e-5)
    # What the page works out from what it is sent is the same.
    if mechanism == "additive":
        shown = np.tanh(found.keys[None] + found.projected[:, None]) @ found.energy_vector
    else:
        shown = found.projected @ found.keys.T / (found.temperature or 1.0)
    np.testing.assert_allclose(shown, energies, atol=1e-5)
    np.testing.assert_allclose(found.weights, softmax(energies), atol=1e-5)
    np.testing.assert_allclose(found.contexts, softmax(energies) @ h, atol=1e-5)


@EVERY_MECHANISM
def test_a_temperature_changes_one_step_and_nothing_before_it(mechanism: str) -> None:
    model = tiny(mechanism)
    found, p = take_apart(model), numbers(model)
    cell = {name.removeprefix("decoder.cell."): value for name, value in p.items() if "decoder.cell." in name}
    words = p["embedding.weight"][[0, *WRITTEN[:-1]]] * 6**0.5
    for outcome in found.outcomes:
        contexts = softmax(found.energies.astype(np.float64) / outcome.temperature) @ found.annotations
        for t, (word, context) in enumerate(zip(words, contexts, strict=True)):
            state = gru(np.hstack([word, context]), found.queries[t].astype(np.float64), cell)
            np.testing.assert_allclose(outcome.states[t], state, atol=1e-5)
            joined = np.hstack([state, context, word])
            readout = np.tanh(p["decoder.readout_layer.weight"] @ joined + p["decoder.readout_layer.bias"])
            chances = softmax(p["embedding.weight"] @ readout + p["output_bias"])
            best = np.argsort(-chances)[:5]
            assert [label for label, _ in outcome.words[t]] == [f"t{token}" for token in best]
            np.testing.assert_allclose(
                np.exp([logprob for _, logprob in outcome.words[t]]), chances[best], atol=1e-5
            )
    # At 1 it is what the model did: each state is the next step's query.
    plain = found.outcomes[1]
    np.testing.assert_allclose(plain.states[:-1], found.queries[1:], atol=1e-6)


def test_what_cannot_be_taken_apart_is_told() -> None:
    with pytest.raises(NoAttentionError):
        take_apart(tiny("none"))
    with pytest.raises(InputError, match="above 0"):
        take_apart(tiny(), (0.0,))
    memory = encode(tiny(), [SOURCE, SOURCE])
    with pytest.raises(InputError, match="one source"):
        dissect(tiny(), memory, Vocabulary(["a"] * 10, 0, 1), WRITTEN)


def test_a_translator_s_arithmetic_is_that_of_its_trace(translator: Translator) -> None:
    text = "Un chien court. Une femme chante."
    for trace in translator.sentences(text, search="greedy"):
        found = translator.arithmetic(trace, (1.0,))
        np.testing.assert_allclose(found.weights, trace.weights, atol=1e-5)
        np.testing.assert_allclose(found.contexts, trace.contexts, atol=1e-4)
        for words, step in zip(found.outcomes[0].words, trace, strict=True):
            assert dict(words) == pytest.approx(dict(step.alternatives), abs=1e-3)
    with pytest.raises(InputError, match="one sentence"):
        translator.arithmetic(translator(text, search="greedy"))


def test_queries_after_the_word_have_no_such_arithmetic() -> None:
    model = tiny("additive", query="after")
    with pytest.raises(NoAttentionError), torch.inference_mode():
        take_apart(model)
