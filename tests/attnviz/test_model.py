"""Encoder and decoders against their recurrences, written out in numpy."""

from dataclasses import replace

import numpy as np
import pytest
import torch

from attnviz.errors import ShapeError
from attnviz.model import EncoderDecoder, TextToText
from tests.conftest import MECHANISMS, tiny

SOURCE = [3, 7, 5, 1]


def sigmoid(x: np.ndarray) -> np.ndarray:
    return 1 / (1 + np.exp(-x))


def gru(x: np.ndarray, h: np.ndarray, parts: dict[str, np.ndarray], suffix: str = "") -> np.ndarray:
    """One step of a GRU, Cho et al. (2014), in torch's order of gates: reset, update, new."""
    inner = parts[f"weight_ih{suffix}"] @ x + parts[f"bias_ih{suffix}"]
    outer = parts[f"weight_hh{suffix}"] @ h + parts[f"bias_hh{suffix}"]
    (xr, xz, xn), (hr, hz, hn) = np.split(inner, 3), np.split(outer, 3)
    update = sigmoid(xz + hz)
    return (1 - update) * np.tanh(xn + sigmoid(xr + hr) * hn) + update * h


def numbers(module: torch.nn.Module) -> dict[str, np.ndarray]:
    return {name: value.detach().numpy().astype(np.float64) for name, value in module.state_dict().items()}


def encode(model: EncoderDecoder, rows: list[list[int]]):
    width = max(map(len, rows))
    tokens = torch.tensor([row + [0] * (width - len(row)) for row in rows])
    mask = torch.arange(width) < torch.tensor([len(row) for row in rows]).unsqueeze(1)
    with torch.inference_mode():
        return model.encode(tokens, mask)


def test_annotations_are_the_states_of_both_directions() -> None:
    model = tiny()
    parts = numbers(model.encoder.rnn)
    words = numbers(model)["embedding.weight"][SOURCE] * 6**0.5
    forward, backward, ahead, back = np.zeros(4), np.zeros(4), [], []
    for word in words:
        forward = gru(word, forward, parts, "_l0")
        ahead.append(forward)
    for word in words[::-1]:
        backward = gru(word, backward, parts, "_l0_reverse")
        back.insert(0, backward)
    memory = encode(model, [SOURCE])
    expected = np.hstack([np.array(ahead), np.array(back)])
    np.testing.assert_allclose(memory.annotations[0].numpy(), expected, atol=1e-5)
    np.testing.assert_allclose(memory.summary[0].numpy(), np.hstack([ahead[-1], back[0]]), atol=1e-5)


@pytest.mark.parametrize("mechanism", MECHANISMS)
def test_padding_changes_nothing(mechanism: str) -> None:
    model = tiny(mechanism)
    alone, batch = encode(model, [SOURCE]), encode(model, [SOURCE, [2] * 9])
    np.testing.assert_allclose(batch.annotations[0, :4], alone.annotations[0], atol=1e-6)
    assert not batch.annotations[0, 4:].any()
    with torch.inference_mode():
        one = model.step(torch.tensor([0]), model.decoder.start(alone), alone)
        two = model.step(torch.tensor([0, 0]), model.decoder.start(batch), batch)
    np.testing.assert_allclose(two[0][0], one[0][0], atol=1e-5)
    np.testing.assert_allclose(two[1][0], one[1][0], atol=1e-5)


def test_a_step_is_the_paper_s_with_the_state_before_it_as_query() -> None:
    model = tiny("additive")
    memory, p = encode(model, [SOURCE]), numbers(model)
    annotations = memory.annotations[0].numpy().astype(np.float64)
    state = np.tanh(p["decoder.initial_layer.weight"] @ annotations.mean(0) + p["decoder.initial_layer.bias"])
    word = p["embedding.weight"][5] * 6**0.5
    hidden = np.tanh(
        annotations @ p["decoder.attention.key_layer.weight"].T
        + p["decoder.attention.query_layer.weight"] @ state
        + p["decoder.attention.query_layer.bias"]
    )
    energies = hidden @ p["decoder.attention.energy_layer.weight"][0]
    weights = np.exp(energies) / np.exp(energies).sum()
    context = weights @ annotations
    after = gru(np.hstack([word, context]), state, numbers(model.decoder.cell))
    readout = np.tanh(
        p["decoder.readout_layer.weight"] @ np.hstack([after, context, word])
        + p["decoder.readout_layer.bias"]
    )
    with torch.inference_mode():
        logits, found, attended = model.step(torch.tensor([5]), model.decoder.start(memory), memory)
    np.testing.assert_allclose(attended.energies[0], energies, atol=1e-5)
    np.testing.assert_allclose(attended.weights[0], weights, atol=1e-5)
    np.testing.assert_allclose(attended.context[0], context, atol=1e-5)
    np.testing.assert_allclose(found[0], after, atol=1e-5)
    np.testing.assert_allclose(logits[0], p["embedding.weight"] @ readout + p["output_bias"], atol=1e-4)


@pytest.mark.parametrize("mechanism", MECHANISMS)
def test_teacher_forcing_is_the_steps_one_after_the_other(mechanism: str) -> None:
    model = tiny(mechanism)
    before = [0, 4, 9, 2]
    with torch.inference_mode():
        memory = encode(model, [SOURCE])
        state, stepped = model.decoder.start(memory), []
        for token in before:
            logits, state, _ = model.step(torch.tensor([token]), state, memory)
            stepped.append(logits[0])
        together = model.logits(model.unroll(torch.tensor([before]), memory).readouts)[0]
    torch.testing.assert_close(together, torch.stack(stepped), atol=1e-5, rtol=1e-5)


def test_without_attention_the_context_is_the_same_at_every_step_and_there_are_no_weights() -> None:
    model = tiny("none")
    memory = encode(model, [SOURCE])
    with torch.inference_mode():
        state, contexts = model.decoder.start(memory), []
        for token in (0, 4, 9):
            _, state, attended = model.step(torch.tensor([token]), state, memory)
            contexts.append(attended.context)
            assert attended.weights.shape == (1, 0)
    assert all(torch.equal(context, memory.summary) for context in contexts)


@pytest.mark.parametrize("mechanism", MECHANISMS)
def test_several_targets_of_one_source_share_its_memory(mechanism: str) -> None:
    """K targets a source give the readouts of each of them with a memory of its own."""
    model = tiny(mechanism)
    sources, before = [SOURCE, SOURCE[::-1]], torch.tensor([[0, 4, 9], [0, 2, 2], [0, 5, 6], [0, 7, 3]])
    with torch.inference_mode():
        together = model.unroll(before, encode(model, sources)).readouts
        for row, target in enumerate(before):
            alone = model.unroll(target.unsqueeze(0), encode(model, [sources[row // 2]])).readouts
            torch.testing.assert_close(together[row : row + 1], alone, atol=1e-5, rtol=1e-5)


def test_a_gate_scales_the_context_that_the_decoder_gets() -> None:
    """beta = sigmoid(w . z + b) by hand; the step is then one over annotations scaled by beta."""
    plain = tiny("additive")
    gated = TextToText(replace(plain.config, gated=True)).eval()
    gated.load_state_dict(plain.state_dict(), strict=False)
    layer = gated.decoder.gate_layer
    with torch.no_grad():
        layer.weight.copy_(torch.linspace(-1, 1, 8).unsqueeze(0))
        layer.bias.fill_(0.3)
    with torch.inference_mode():
        memory = encode(plain, [SOURCE])
        state = plain.decoder.start(memory)
        beta = 1 / (1 + np.exp(-(float(layer.weight[0] @ state[0]) + 0.3)))
        logits, after, attended = gated.step(torch.tensor([5]), state, memory)
        scaled = replace(memory, annotations=memory.annotations * float(beta))
        expected_logits, expected_after, unscaled = plain.step(torch.tensor([5]), state, scaled)
    assert attended.gate is not None
    assert attended.gate.item() == pytest.approx(beta, abs=1e-6)
    torch.testing.assert_close(attended.context * float(beta), unscaled.context, atol=1e-5, rtol=1e-5)
    torch.testing.assert_close(after, expected_after, atol=1e-5, rtol=1e-5)
    torch.testing.assert_close(logits, expected_logits, atol=1e-4, rtol=1e-4)
    assert unscaled.gate is None


def test_luong_s_decoder_looks_after_the_word_and_lets_no_context_into_its_state() -> None:
    model = tiny("bilinear", query="after")
    memory, p = encode(model, [SOURCE]), numbers(model)
    annotations = memory.annotations[0].numpy().astype(np.float64)
    state = np.tanh(p["decoder.initial_layer.weight"] @ annotations.mean(0) + p["decoder.initial_layer.bias"])
    cell = {name.removeprefix("decoder.cell."): value for name, value in p.items() if "decoder.cell." in name}
    tokens = [0, 5, 3]
    with torch.inference_mode():
        reached = model.decoder.start(memory)
        unrolled = model.unroll(torch.tensor([tokens]), memory)
        for step, token in enumerate(tokens):
            word = p["embedding.weight"][token] * 6**0.5
            state = gru(word, state, cell)
            energies = annotations @ p["decoder.attention.key_layer.weight"].T @ state
            weights = np.exp(energies - energies.max())
            context = weights / weights.sum() @ annotations
            readout = np.tanh(
                p["decoder.readout_layer.weight"] @ np.hstack([state, context, word])
                + p["decoder.readout_layer.bias"]
            )
            logits = p["embedding.weight"] @ readout + p["output_bias"]
            found, reached, attended = model.step(torch.tensor([token]), reached, memory)
            np.testing.assert_allclose(attended.energies[0], energies, atol=1e-4)
            np.testing.assert_allclose(found[0], logits, atol=1e-4)
            np.testing.assert_allclose(unrolled.energies[0, step], energies, atol=1e-4)
            np.testing.assert_allclose(unrolled.readouts[0, step], readout, atol=1e-4)


@pytest.mark.parametrize("query", ["before", "after", "within"])
@pytest.mark.parametrize("mechanism", MECHANISMS)
def test_unrolled_energies_are_those_of_the_steps(mechanism: str, query: str) -> None:
    model = tiny(mechanism, query=query)
    sources, before = [SOURCE, [2, 1]], torch.tensor([[0, 5, 3], [0, 4, 4]])
    memory = encode(model, sources)
    with torch.inference_mode():
        unrolled = model.unroll(before, memory)
        state = model.decoder.start(memory)
        for step, tokens in enumerate(before.T):
            _, state, attended = model.step(tokens, state, memory)
            np.testing.assert_allclose(unrolled.energies[:, step], attended.energies, atol=1e-5)


def test_the_conditional_decoder_looks_between_its_two_recurrences() -> None:
    model = tiny("bilinear", query="within")
    memory, p = encode(model, [SOURCE]), numbers(model)
    annotations = memory.annotations[0].numpy().astype(np.float64)
    state = np.tanh(p["decoder.initial_layer.weight"] @ annotations.mean(0) + p["decoder.initial_layer.bias"])
    cells = {
        kind: {name.rpartition(".")[2]: value for name, value in p.items() if f"decoder.{kind}." in name}
        for kind in ("cell", "context_cell")
    }
    with torch.inference_mode():
        reached = model.start(memory)
        for token in (0, 5, 3):
            word = p["embedding.weight"][token] * 6**0.5
            query = gru(word, state, cells["cell"])
            energies = annotations @ p["decoder.attention.key_layer.weight"].T @ query
            weights = np.exp(energies - energies.max())
            context = weights / weights.sum() @ annotations
            state = gru(context, query, cells["context_cell"])
            readout = np.tanh(
                p["decoder.readout_layer.weight"] @ np.hstack([state, context, word])
                + p["decoder.readout_layer.bias"]
            )
            logits, reached, attended = model.step(torch.tensor([token]), reached, memory)
            np.testing.assert_allclose(attended.energies[0], energies, atol=1e-4)
            np.testing.assert_allclose(reached[0], state, atol=1e-4)
            np.testing.assert_allclose(
                logits[0], p["embedding.weight"] @ readout + p["output_bias"], atol=1e-4
            )


def test_a_model_that_copies_mixes_its_words_with_those_it_looks_at() -> None:
    """p(w) = s softmax(logits)[w] + (1 - s) sum over the places of w of alpha, by hand."""
    model, tokens = tiny(query="within", copying=True), [3, 7, 3, 1]
    memory, p = encode(model, [tokens]), numbers(model)
    with torch.inference_mode():
        readout, _, attended = model.decoder(model.embed(torch.tensor([5])), model.start(memory), memory)
        found = model.step(torch.tensor([5]), model.start(memory), memory)[0][0].exp().numpy()
    r = readout[0].numpy().astype(np.float64)
    logits = p["embedding.weight"] @ r + p["output_bias"]
    own = np.exp(logits - logits.max())
    share = sigmoid(p["switch_layer.weight"] @ r + p["switch_layer.bias"])
    expected = share * own / own.sum()
    for weight, token in zip(attended.weights[0].numpy(), tokens, strict=True):
        expected[token] += (1 - share[0]) * weight
    np.testing.assert_allclose(found, expected, atol=1e-5)
    assert found.sum() == pytest.approx(1, abs=1e-5)


@pytest.mark.parametrize("copying", [True, False])
def test_the_logprobs_of_targets_are_those_of_the_whole_distribution(copying: bool) -> None:
    model = tiny(query="within", copying=copying)
    sources, before = [SOURCE, [2, 1]], torch.tensor([[0, 5, 3], [0, 4, 4]])
    targets = torch.tensor([[5, 3, 1], [2, 7, 1]])  # 2 and 1 can be copied from the second source
    memory = encode(model, sources)
    with torch.inference_mode():
        readouts, energies = model.unroll(before, memory)
        weights = torch.softmax(energies, -1)
        whole = torch.log_softmax(model.predict(readouts, weights, memory), -1)
        found = model.logprobs(readouts, weights, memory, targets)
    expected = whole.gather(-1, targets.unsqueeze(-1)).squeeze(-1)
    torch.testing.assert_close(found, expected, atol=1e-4, rtol=1e-4)


def test_a_model_that_copies_needs_to_know_what_stands_there() -> None:
    model = tiny(copying=True)
    memory = replace(encode(model, [SOURCE]), tokens=None)
    with torch.inference_mode(), pytest.raises(ShapeError, match="tokens"):
        model.step(torch.tensor([0]), model.start(memory), memory)
