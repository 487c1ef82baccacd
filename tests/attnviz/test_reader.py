"""The pair reader against its recurrence, written out in numpy."""

import numpy as np
import pytest
import torch

from attnviz.reader import PairReader, ReaderConfig
from tests.attnviz.test_model import gru, numbers

PREMISE, HYPOTHESIS = [3, 7, 5, 2], [4, 9, 1]


def small(mechanism: str = "additive", seed: int = 0) -> PairReader:
    """An untrained reader, 4 wide, with three labels and lively random weights."""
    torch.manual_seed(seed)
    model = PairReader(ReaderConfig(12, 3, mechanism, width=4)).eval()
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.copy_(torch.randn_like(parameter) * 0.7)
    return model


@torch.inference_mode()
def encode(model: PairReader, rows: list[list[int]]):
    width = max(map(len, rows))
    tokens = torch.tensor([row + [0] * (width - len(row)) for row in rows])
    return model.encode(tokens, torch.arange(width) < torch.tensor([len(row) for row in rows]).unsqueeze(1))


def test_every_word_is_read_as_the_equations_say() -> None:
    model = small()
    p, memory = numbers(model), encode(model, [PREMISE])
    annotations = memory.annotations[0].numpy().astype(np.float64)
    np.testing.assert_allclose(annotations[:, :4], p["embedding.weight"][PREMISE], atol=1e-6)
    reading = np.tanh(
        p["initial_layer.weight"] @ memory.summary[0].numpy().astype(np.float64) + p["initial_layer.bias"]
    )
    match = np.zeros(4)
    cell = {name.removeprefix("match_cell."): value for name, value in p.items()}
    rnn = {name.removeprefix("rnn."): value for name, value in p.items()}
    with torch.inference_mode():
        state = model.start(memory)
    np.testing.assert_allclose(state[0], np.hstack([reading, match]), atol=1e-5)
    for token in HYPOTHESIS:
        word = p["embedding.weight"][token]
        reading = gru(word, reading, rnn, "_l0")
        seen = np.hstack([word, reading])
        query = p["attention.query_layer.weight"] @ np.hstack([seen, match]) + p["attention.query_layer.bias"]
        keys = annotations @ p["attention.key_layer.weight"].T
        energies = np.tanh(keys + query) @ p["attention.energy_layer.weight"][0]
        weights = np.exp(energies) / np.exp(energies).sum()
        context = weights @ annotations
        compared = np.hstack([seen, context, seen - context, seen * context])
        compared = np.maximum(0, p["compare_layer.weight"] @ compared + p["compare_layer.bias"])
        match = gru(compared, match, cell)
        hidden = np.tanh(p["readout_layer.weight"] @ np.hstack([match, reading]) + p["readout_layer.bias"])
        with torch.inference_mode():
            logits, state, attended = model.step(torch.tensor([token]), state, memory)
        np.testing.assert_allclose(attended.weights[0], weights, atol=1e-5)
        np.testing.assert_allclose(attended.context[0], context, atol=1e-5)
        np.testing.assert_allclose(state[0], np.hstack([reading, match]), atol=1e-5)
        np.testing.assert_allclose(
            logits[0], p["label_layer.weight"] @ hidden + p["label_layer.bias"], atol=1e-5
        )


@pytest.mark.parametrize("mechanism", ["additive", "bilinear"])
def test_all_words_at_once_are_the_steps_one_after_the_other_also_beside_padding(mechanism: str) -> None:
    model = small(mechanism)
    memory = encode(model, [PREMISE, [6]])
    tokens = torch.tensor([HYPOTHESIS, [8, 8, 2]])
    with torch.inference_mode():
        readouts, energies = model.unroll(tokens, memory)
        together = model.predict(readouts, energies, memory)
        alone, state = encode(model, [PREMISE]), model.start(encode(model, [PREMISE]))
        for step, token in enumerate(HYPOTHESIS):
            logits, state, attended = model.step(torch.tensor([token]), state, alone)
            torch.testing.assert_close(together[0, step], logits[0], atol=1e-5, rtol=1e-5)
            torch.testing.assert_close(energies[0, step], attended.energies[0], atol=1e-5, rtol=1e-5)
    assert torch.isinf(energies[1, :, 1:]).all(), "padding gets no energy"
