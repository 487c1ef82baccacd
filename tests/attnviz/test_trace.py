"""Traces: their parts, joining, and files that survive or are refused."""

import contextlib
import json
import pickle
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import attnviz
from attnviz.axes import Sequence
from attnviz.errors import FormatError, NoAttentionError, ShapeError
from attnviz.trace import Trace
from tests.attnviz import traces

FORMATS = ["json", "safetensors"]


@st.composite
def sequences(draw: st.DrawFn) -> Sequence:
    """One character a piece, words of one or two pieces, an end mark."""
    text = draw(st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=8))
    spans = tuple((index, index + 1) for index in range(len(text)))
    width = draw(st.integers(1, 2))
    words = tuple((start, min(start + width, len(text))) for start in range(0, len(text), width))
    owners = tuple(index // width for index in range(len(text)))
    return Sequence(text, (*text, "</s>"), (*spans, (len(text),) * 2), words, (*owners, -1))


@st.composite
def wild_traces(draw: st.DrawFn) -> Trace:
    made = traces.trace(
        draw(st.integers(0, 2**32 - 1)),
        draw(sequences()),
        draw(sequences()),
        draw(st.integers(0, 2)),
        notes=tuple(draw(st.lists(st.text(st.characters(exclude_categories=["Cs"])), max_size=2))),
        settings={"search": "beam", "beam_size": draw(st.integers(1, 9))},
        unread=((3, 9),) if draw(st.booleans()) else (),
    )
    if draw(st.booleans()):  # a joined trace has positions that a step could not see
        made.energies[0, 0], made.weights[0, 0] = -np.inf, 0.0
    return made


@pytest.mark.parametrize("file_format", FORMATS)
@settings(deadline=None, max_examples=40)
@given(made=wild_traces())
def test_a_trace_survives_its_file_bit_for_bit(
    tmp_path_factory: pytest.TempPathFactory, file_format: str, made: Trace
) -> None:
    path = tmp_path_factory.mktemp("traces") / f"trace.{file_format}"
    made.save(path)
    back = attnviz.read(path)
    assert back == made
    assert back.energies.tobytes() == made.energies.tobytes()
    assert [path.name for path in path.parent.iterdir()] == [path.name]


def test_a_difference_anywhere_is_a_difference() -> None:
    made = traces.trace(beams=1)
    assert made == traces.trace(beams=1)
    assert made != replace(made, notes=("other",))
    assert made != replace(made, weights=made.weights + np.float32(1e-6))
    assert made != replace(made, beams=())
    assert made != replace(made, beams=(replace(made.beams[0], totals=made.beams[0].totals + 1),))
    assert made != "a trace"


def test_a_trace_is_its_steps() -> None:
    made = traces.trace()
    assert len(made) == 5 == len(made.steps)
    assert [step.token for step in made] == made.target == ["I", "am", "Zo", "e", "</s>"]
    assert made.source == list(traces.AXIS.tokens)
    assert made[-1].position == 4
    np.testing.assert_array_equal(made[2].weights, made.weights[2])
    assert made.logprob == pytest.approx(sum(step.logprob for step in made))
    with pytest.raises(IndexError):
        made[5]


def part(text: str, start: int, words: list[str], seed: int) -> Trace:
    """The trace of one sentence of a text: a piece a word, and an end mark."""
    spans, at = [], start
    for word in words:
        at = text.index(word, at)
        spans.append((at, at + len(word)))
        at += len(word)
    owners = (*range(len(words)), -1)
    axis = Sequence(text, (*words, "</s>"), (*spans, (at, at)), tuple(spans), owners)
    return traces.trace(seed, axis, notes=("note",), beams=1)


def test_joined_sentences_index_the_whole_text_and_never_see_each_other() -> None:
    text = "Un chien. Un chat noir."
    parts = [part(text, 0, ["Un", "chien", "."], 1), part(text, 9, ["Un", "chat", "noir", "."], 2)]
    joined = Trace.join(text, parts)
    assert joined.text == "I am Zoe I am Zoe"
    assert [text[start:stop] for start, stop in joined.axis.offsets] == [
        *["Un", "chien", ".", ""],
        *["Un", "chat", "noir", ".", ""],
    ]
    assert [joined.text[start:stop] for start, stop in joined.output.offsets] == [
        *["I", "am", "Zo", "e", ""],
        *["I", "am", "Zo", "e", ""],
    ]
    assert joined.axis.ends == (3, 8)
    assert joined.axis.owners == (0, 1, 2, -1, 3, 4, 5, 6, -1)
    np.testing.assert_array_equal(joined.weights[:5, :4], parts[0].weights)
    np.testing.assert_array_equal(joined.weights[5:, 4:], parts[1].weights)
    assert not joined.weights[:5, 4:].any()
    assert not joined.weights[5:, :4].any()
    assert np.isneginf(joined.energies[:5, 4:]).all()
    assert joined.notes == ("note",)
    assert len(joined.beams) == 2
    assert Trace.join(text, parts[:1]) is parts[0]


def test_a_model_without_attention_has_no_weights_and_says_so(tmp_path: Path) -> None:
    made = traces.trace()
    nothing = np.zeros((5, 0), np.float32)
    made = replace(made, energies=nothing, weights=nothing)
    assert not made.has_attention
    with pytest.raises(NoAttentionError, match="no attention"):
        attnviz.matrix(made)
    made.save(tmp_path / "trace.json")
    assert attnviz.read(tmp_path / "trace.json") == made


@pytest.mark.parametrize(
    ("name", "shape"),
    [
        ("weights", (5, 7)),
        ("weights", (8, 5)),
        ("energies", (5, 7)),
        ("contexts", (4, 6)),
        ("logprobs", (6,)),
    ],
)
def test_parts_that_disagree_are_refused(name: str, shape: tuple[int, ...]) -> None:
    with pytest.raises(ShapeError):
        replace(traces.trace(), **{name: np.zeros(shape, np.float32)})


@pytest.mark.parametrize(
    "wrong",
    [{"offsets": ((0, 99),) * 8}, {"owners": (9,) * 8}, {"tokens": ("a",)}, {"offsets": ((2, 1),) * 8}],
)
def test_a_sequence_whose_parts_disagree_is_refused(wrong: dict) -> None:
    with pytest.raises(ShapeError):
        replace(traces.AXIS, **wrong)


class Bomb:
    def __reduce__(self):
        return (pytest.fail, ("code from a file was run",))


FOREIGN = {
    "empty": b"",
    "noise": bytes(range(256)) * 4,
    "pickle": pickle.dumps(Bomb()),
    "zip": b"PK\x03\x04" + bytes(60),
    "list": b"[1, 2, 3]",
    "other": b'{"attnviz": 7}',
    "deep": b"[" * 100_000,
    "huge": b"\xff" * 8 + b"{}",
    "latin": '{"attnviz": "é"}'.encode("latin-1"),
}


@pytest.mark.parametrize("file_format", FORMATS)
@pytest.mark.parametrize("kind", FOREIGN)
def test_foreign_files_are_refused_in_a_sentence(tmp_path: Path, kind: str, file_format: str) -> None:
    path = tmp_path / f"trace.{file_format}"
    path.write_bytes(FOREIGN[kind])
    with pytest.raises(FormatError, match="trace"):
        attnviz.read(path)


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(FormatError, match="cannot be read: No such file"):
        attnviz.read(tmp_path / "nowhere.json")


@pytest.mark.parametrize("file_format", FORMATS)
def test_a_truncated_file_is_refused(tmp_path: Path, file_format: str) -> None:
    path = tmp_path / f"trace.{file_format}"
    raw = traces.trace(beams=1).dumps(file_format)
    for share in (0.1, 0.5, 0.9, 0.999):
        path.write_bytes(raw[: int(share * len(raw))])
        with pytest.raises(FormatError):
            attnviz.read(path)


def damaged(change) -> bytes:
    body = json.loads(traces.trace(beams=1).dumps("json"))
    change(body["attnviz"])
    return json.dumps(body).encode()


@pytest.mark.parametrize(
    "change",
    [
        lambda body: body.update(version=4),
        lambda body: body.update(kind="beam"),
        lambda body: body.pop("axis"),
        lambda body: body.update(alternatives=5),
        lambda body: body["axis"].update(offsets=[[0, 10**9]] * 8),
        lambda body: body["axis"].update(offsets="abc"),
        lambda body: body["arrays"].pop("weights"),
        lambda body: body["arrays"]["weights"].update(shape=[5, 7]),
        lambda body: body["arrays"]["weights"].update(shape=[-1, -1]),
        lambda body: body["arrays"]["weights"].update(dtype="object"),
        lambda body: body["arrays"]["weights"].update(dtype="O8"),
        lambda body: body["arrays"]["weights"]["values"].__setitem__(0, "__import__('os')"),
        lambda body: body["arrays"]["weights"]["values"].__setitem__(0, None),
        lambda body: body["arrays"]["weights"].update(shape=[10**9, 10**9]),
        lambda body: body["arrays"]["beam0.parents"]["values"].__setitem__(0, 3),
        lambda body: body["arrays"]["beam0.weights"].update(shape=[8, 4]),
        lambda body: body["beams"][0].update(tokens=["one"]),
        lambda body: body["beams"][0].update(hypotheses=[[99, 0.5]]),
        lambda body: body.update(surprise=1, arrays={}),
    ],
)
def test_a_damaged_trace_is_refused(tmp_path: Path, change) -> None:
    path = tmp_path / "trace.json"
    path.write_bytes(damaged(change))
    with pytest.raises(FormatError):
        attnviz.read(path)


@settings(deadline=None, max_examples=150)
@given(st.data())
def test_no_flipped_byte_raises_anything_else(
    tmp_path_factory: pytest.TempPathFactory, data: st.DataObject
) -> None:
    file_format = data.draw(st.sampled_from(FORMATS))
    raw = bytearray(traces.trace(beams=1).dumps(file_format))
    for _ in range(data.draw(st.integers(1, 4))):
        raw[data.draw(st.integers(0, len(raw) - 1))] = data.draw(st.integers(0, 255))
    path = tmp_path_factory.mktemp("flipped") / f"trace.{file_format}"
    path.write_bytes(bytes(raw))
    with contextlib.suppress(FormatError):
        assert isinstance(attnviz.read(path), Trace)
