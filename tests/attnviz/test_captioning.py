"""The captioner with a small untrained model: what it reads, what its trace says, what it refuses."""

import io
import threading
from pathlib import Path

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image

import attnviz
from attnviz import matrix, measures
from attnviz.captions import normal
from attnviz.errors import InputError
from attnviz.model import Config, ImageToText
from attnviz.tasks import Captioner
from attnviz.text import Pieces
from attnviz.training import subwords

TEXTS = ["a brown dog runs in the grass", "two men sit on a bench", "a child plays with a red ball"]


@pytest.fixture(scope="module")
def captioner(tmp_path_factory: pytest.TempPathFactory) -> Captioner:
    file = tmp_path_factory.mktemp("captioner") / "tokenizer.json"
    subwords.learn(TEXTS * 5, 300).save(str(file))
    pieces = Pieces.read(file)
    torch.manual_seed(0)
    sizes = {"embedding_width": 16, "encoder_width": 24, "attention_width": 12, "decoder_width": 20}
    model = ImageToText(Config(len(pieces.strings), gated=True, **sizes))
    with torch.no_grad():
        for name, parameter in model.named_parameters():
            if "network" not in name:
                parameter.copy_(torch.randn_like(parameter) * 0.5)
        model.output_bias[pieces.end] += 3.0
    return Captioner("made-up", model, pieces, {"target": "en"})


def photo(seed: int, width: int = 60, height: int = 40) -> Image.Image:
    noise = np.random.default_rng(seed).integers(0, 255, (5, 7, 3), dtype=np.uint8)
    return Image.fromarray(noise).resize((width, height), Image.Resampling.BICUBIC)


def file_of(picture: Image.Image, file_format: str = "PNG", **options) -> bytes:
    buffer = io.BytesIO()
    picture.save(buffer, file_format, **options)
    return buffer.getvalue()


def same(one: attnviz.Trace, other: attnviz.Trace) -> None:
    assert one.text == other.text
    assert one.target == other.target
    np.testing.assert_allclose(one.weights, other.weights, atol=1e-5)
    np.testing.assert_allclose(one.logprobs, other.logprobs, atol=1e-4)
    np.testing.assert_allclose(one.gates, other.gates, atol=1e-5)


@pytest.mark.parametrize("search", ["greedy", "beam", "sample"])
def test_a_trace_over_the_grid_of_the_upright_photo(captioner: Captioner, search: str) -> None:
    exif = Image.Exif()
    exif[0x0112] = 6
    trace = captioner(file_of(photo(1, 60, 40), "JPEG", exif=exif), search=search)
    grid = trace.grid
    assert (grid.rows, grid.columns, grid.width, grid.height) == (14, 14, 40, 60)
    assert trace.weights.shape == trace.energies.shape == (len(trace), 196)
    np.testing.assert_allclose(trace.weights.sum(axis=1), 1, atol=1e-5)
    exponentials = np.exp(trace.energies - trace.energies.max(axis=1, keepdims=True))
    np.testing.assert_allclose(
        trace.weights, exponentials / exponentials.sum(axis=1, keepdims=True), atol=1e-5
    )
    assert trace.gates.shape == (len(trace),)
    assert ((trace.gates > 0) & (trace.gates < 1)).all()


def test_the_context_is_the_weighted_sum_of_the_annotations(captioner: Captioner) -> None:
    picture = photo(2)
    trace = captioner(picture, search="greedy")
    annotations = captioner.encode([picture]).annotations[0].numpy()
    np.testing.assert_allclose(trace.contexts, trace.weights @ annotations, atol=1e-4)


def test_many_are_as_one_by_one_and_two_threads_as_one(captioner: Captioner) -> None:
    pictures = [photo(seed, 30 + seed, 40) for seed in range(5)]
    alone = [captioner(picture) for picture in pictures]
    for one, other in zip(alone, captioner.many(pictures), strict=True):
        same(one, other)
    found: dict[int, list] = {}
    threads = [
        threading.Thread(target=lambda at=at: found.update({at: [captioner(p) for p in pictures]}))
        for at in (0, 1)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for at in (0, 1):
        assert found[at] == alone


def test_steps_are_those_of_the_trace(captioner: Captioner) -> None:
    trace = captioner(photo(3), search="greedy")
    steps = list(captioner.steps(photo(3), search="greedy"))
    assert [step.token for step in steps] == trace.target
    assert [step.gate for step in steps] == trace.gates.tolist()
    assert trace[0].gate == trace.gates[0]


@pytest.mark.parametrize("name", ["trace.json", "trace.safetensors"])
def test_a_trace_survives_a_file(captioner: Captioner, tmp_path: Path, name: str) -> None:
    trace = captioner(photo(4))
    trace.save(tmp_path / name)
    assert attnviz.read(tmp_path / name) == trace


def test_a_forced_caption_is_written_as_given(captioner: Captioner) -> None:
    trace = captioner(photo(5), target="A brown dog, runs!")
    assert trace.text == "a brown dog runs"
    assert trace.settings == {"search": "forced"}
    assert "lower-case" in trace.notes[0]
    assert captioner(photo(5), target="a brown dog runs").notes == ()
    free = captioner(photo(5), search="greedy")
    forced = captioner(photo(5), target=free.text) if normal(free.text) == free.text and free.text else free
    if forced.target == free.target:
        np.testing.assert_allclose(forced.logprobs, free.logprobs, atol=1e-4)


def test_hypotheses_of_the_beam_are_whole_traces(captioner: Captioner) -> None:
    trace = captioner(photo(6), beam_size=4)
    (beam,) = trace.beams
    for rank, (node, score) in enumerate(beam.hypotheses):
        other = captioner.hypothesis(photo(6), trace, rank)
        assert other.text == captioner.written(beam, rank)
        assert other.token_ids.tolist() == beam.token_ids[beam.path(node)].tolist()
        np.testing.assert_allclose(other.weights, beam.weights[beam.path(node)], atol=1e-5)
        assert other.logprob / len(other) == pytest.approx(score, abs=1e-4)
        assert other.settings["hypothesis"] == rank
    same(captioner.hypothesis(photo(6), trace, 0), trace)
    for rank in (-1, len(beam.hypotheses)):
        with pytest.raises(InputError, match="rank"):
            captioner.hypothesis(photo(6), trace, rank)
    with pytest.raises(InputError, match="beam"):
        captioner.hypothesis(photo(6), captioner(photo(6), search="greedy"), 0)


@pytest.mark.parametrize(
    ("target", "says"), [("", "no word"), (" ?! 🦆", "no word"), ("dog " * 61, "60 pieces"), (7, "text")]
)
def test_what_cannot_be_forced(captioner: Captioner, target, says: str) -> None:
    with pytest.raises(InputError, match=says):
        captioner(photo(1), target=target)


def test_what_cannot_be_captioned(captioner: Captioner) -> None:
    with pytest.raises(InputError, match=r"wrap one in \[ \]"):
        captioner.many(photo(1))  # type: ignore[arg-type]
    with pytest.raises(InputError, match="another kind"):
        captioner(b"no picture at all")
    assert captioner.many([]) == []


def test_words_are_merged_over_cells_that_stay_apart(captioner: Captioner) -> None:
    trace = captioner(photo(7), target="two men sit on a zyxw bench")
    shown = matrix(trace, "words", end=True)
    assert shown.target == ("two", "men", "sit", "on", "a", "zyxw", "bench", "</s>")
    assert shown.weights.shape == (8, 196)
    assert shown.source[15] == "2,2"
    for row, weights in zip(shown.rows, shown.weights, strict=True):
        np.testing.assert_allclose(weights, trace.weights[list(row)].mean(axis=0), atol=1e-6)
    gates = measures.gate(trace, shown)
    assert gates is not None
    assert gates[5] == pytest.approx(trace.gates[list(shown.rows[5])].mean(), abs=1e-6)


@given(text=st.text(max_size=30))
@settings(max_examples=60, deadline=None)
def test_normal_captions_are_words_with_single_spaces(text: str) -> None:
    words = normal(text)
    assert words == " ".join(words.split())
    assert normal(words) == words
    assert not any(letter in words for letter in ".,;:!?()")


def test_normal_captions_by_hand() -> None:
    assert (
        normal("A tri-colored dog 's toy , in the kids’ pool .") == "a tri-colored dog's toy in the kids pool"
    )
    assert normal('A "STOP" sign (#2)!') == "a stop sign 2"
