"""The page Lab under Streamlit's AppTest: what is sent, what is said, what bad input gets."""

import base64
import json
from pathlib import Path

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

import attnviz
from attnviz import matrix
from attnviz.alignments import Gold, read_gold, read_lines, score
from experiments import thread
from experiments.figures import figures
from experiments.gold import HANSARDS
from experiments.models import ATTENTIVE, MECHANISMS

PAGE = Path(__file__).parents[2] / "app" / "views" / "lab.py"
TEXT = "Un homme mange une pomme rouge."


def open_part(part: str, **query: str) -> AppTest:
    at = AppTest.from_file(PAGE, default_timeout=90)
    at.query_params["part"] = part
    for name, value in query.items():
        at.query_params[name] = value
    return at.run()


def sent(at: AppTest) -> dict:
    (component,) = (node for node in at.main if node.type == "bidi_component")
    return json.loads(component.proto.json)


def numbers(text: str, kind: str = "<f4") -> np.ndarray:
    return np.frombuffer(base64.b64decode(text), kind)


def test_all_mechanisms_are_sent_on_one_scale() -> None:
    at = open_part("Mechanisms", text=TEXT)
    data = sent(at)
    assert [model["name"] for model in data["models"]] == list(MECHANISMS)
    assert data["scale"] == {"top": 1.0, "label": "0 to 1"}
    sources = set()
    for model in data["models"]:
        trace = attnviz.load(f"lab-{model['name']}")(TEXT)
        assert model["text"] == trace.text
        if model["name"] == "none":
            assert model["trace"] is None
            continue
        shown = matrix(trace, "words")
        found = numbers(model["trace"]["weights"], "<u2").reshape(shown.weights.shape) / 65535
        np.testing.assert_allclose(found, shown.weights, atol=1 / 65535)
        sources.add(tuple(model["trace"]["source"]))
    assert sources == {("Un", "homme", "mange", "une", "pomme", "rouge", ".")}


def test_one_forced_translation_for_all() -> None:
    at = open_part("Mechanisms", text=TEXT)
    at.text_input(key="lab_forced").set_value("A man eats an apple.").run()
    data = sent(at)
    assert {model["text"] for model in data["models"]} == {"A man eats an apple."}
    assert all(model["trace"]["forced"] for model in data["models"] if model["trace"])


@pytest.mark.parametrize("mechanism", ATTENTIVE)
def test_the_arithmetic_that_is_sent_is_the_model_s(mechanism: str) -> None:
    data = sent(open_part("The arithmetic", mechanism=mechanism, text=TEXT))
    model = attnviz.load(f"lab-{mechanism}")
    trace = model(TEXT)
    found = model.arithmetic(trace)
    assert data["mechanism"] == mechanism
    np.testing.assert_allclose(numbers(data["energies"]), found.energies.ravel(), atol=1e-6)
    np.testing.assert_allclose(numbers(data["annotations"]), found.annotations.ravel(), atol=1e-6)
    assert [outcome["temperature"] for outcome in data["outcomes"]].count(1.0) == 1
    assert data["target"] == [*trace.target[:-1], data["target"][-1]]
    assert (data["source_end"], data["target_end"]) == (len(trace.source) - 1, len(trace.target) - 1)


def test_the_length_experiment_shows_what_was_measured() -> None:
    at = open_part("Length")
    assert not at.exception
    measured = figures()
    assert set(measured) == {"quality", "lengths", "aer", "speed"}
    for rows in measured["lengths"].values():
        assert set(rows) == set(MECHANISMS)
        assert all(
            one["n"] >= 200 and one["low"] < one["BLEU"] < one["high"] for row in rows.values() for one in row
        )
    at.text_area(key="lab_long").set_value("Bonjour. <b>Merci</b> & adieu.").run()
    assert not at.exception
    assert not any("<b>" in element.proto.body for element in at.get("html"))


def test_the_thread_is_lost_where_all_that_follows_is_unlikely() -> None:
    """Twenty likely words, an odd one among them, then fourteen unlikely ones: lost at the first of these."""
    likely, unlikely = [0.5] * 20, [1e-3] * 14
    likely[5] = 1e-9
    assert thread._lost([*likely, *unlikely]) == 20
    assert thread._lost([*likely, *unlikely, *[0.5] * thread.WINDOW]) is None, "it found the thread again"
    assert thread._lost(likely) is None
    assert thread._lost(unlikely) == 0
    assert thread._lost(unlikely[: thread.WINDOW - 1]) is None, "too short to tell"
    assert thread._lost([]) is None


def test_a_translation_that_stops_too_early_is_told() -> None:
    model = attnviz.load("lab-additive")
    text = "Un homme joue de la guitare sur scène. Deux enfants courent sur la plage avec leur chien."
    early = thread.read(model(text, target="A man"))
    assert early.too_early
    assert "stops after 2 words" in thread.verdict(early)
    whole = thread.read(model(text))
    assert not whole.too_early
    assert thread.page(whole).count("<span") == len(whole.words)


@pytest.mark.skipif(not HANSARDS.is_dir(), reason="the gold sentences are not here")
def test_gold_alignments_are_scored_and_sorted_by_worst() -> None:
    at = open_part("Gold alignments")
    assert not at.exception
    english, french = (
        [line.split() for line in read_lines(HANSARDS / f"test.{side}")] for side in ("en", "fr")
    )
    gold = [
        Gold(*(frozenset((t, s) for s, t in links) for links in (one.sure, one.possible)))
        for one in read_gold(HANSARDS / "test.en-fr.gold")
    ]
    links = attnviz.load("align-fr-en").links(list(zip(french, english, strict=True)))
    assert f"AER {score(gold, links).aer:.3f}" in at.markdown[0].value
    table = at.dataframe[1].value
    assert len(table) == 447
    assert table["AER"].is_monotonic_decreasing
    worst = table["sentence"][0] - 1
    assert table["AER"][0] == pytest.approx(score([gold[worst]], [links[worst]]).aer)


def test_without_the_gold_sentences_it_says_what_to_do(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr("experiments.gold.HANSARDS", tmp_path / "none")
    at = open_part("Gold alignments")
    assert not at.exception
    assert "ATTNVIZ_DATA" in at.info[0].value


@pytest.mark.parametrize("part", ["Mechanisms", "The arithmetic", "Length"])
@pytest.mark.parametrize("text", ["", "  \n ", "?!", "x" * 9000], ids=["empty", "blank", "signs", "long"])
def test_bad_input_gets_a_sentence(part: str, text: str) -> None:
    at = open_part(part)
    key = "lab_long" if part == "Length" else "lab_text"
    at.text_area(key=key).set_value(text).run()
    assert not at.exception
    assert len(at.warning) == 1
    assert "Traceback" not in at.warning[0].value
