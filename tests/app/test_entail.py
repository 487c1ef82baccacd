"""The page Entail under Streamlit's AppTest: what is asked for, what is sent, what is said."""

import json
from pathlib import Path

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from attnviz import matrix
from attnviz.tasks import Entailment
from pairs import EXAMPLES

MAIN = Path(__file__).parents[2] / "app" / "main.py"


def open_page(**query: str) -> AppTest:
    at = AppTest.from_file(MAIN, default_timeout=60)
    for name, value in query.items():
        at.query_params[name] = value
    return at.switch_page("views/entail.py").run()


def sent(at: AppTest) -> dict:
    """What the player is sent of the pair."""
    (component,) = (node for node in at.main if node.type == "bidi_component")
    (trace,) = json.loads(component.proto.json)["traces"]
    return trace


def write(at: AppTest, premise: str, hypothesis: str) -> AppTest:
    at.text_area(key="premise_text").set_value(premise)
    return at.text_area(key="hypothesis_text").set_value(hypothesis).run()


def shown(at: AppTest) -> dict[str, float]:
    return {metric.label: float(metric.value) for metric in at.metric}


@pytest.mark.parametrize(
    ("example", "label"),
    [
        ("Entailed", "entailment"),
        ("Contradicted", "contradiction"),
        ("Neither", "neutral"),
        ("Nobody", "contradiction"),
        ("A mistake", "entailment"),
    ],
)
def test_the_examples_show_each_label(example: str, label: str) -> None:
    at = write(open_page(), *EXAMPLES[example])
    assert not at.exception
    verdict = shown(at)
    assert max(verdict, key=verdict.__getitem__) == label


def test_the_player_gets_the_package_s_numbers(entailment: Entailment) -> None:
    premise, hypothesis = "Two dogs run through deep snow.", "Animals aren't outdoors."
    at = write(open_page(), premise, hypothesis)
    made, data = entailment(premise, hypothesis), sent(at)
    words = matrix(made, "words")
    assert data["source"] == list(words.source)
    assert data["target"] == ["Animals", "aren't", "outdoors", "."]
    assert data["sides"] == ["Premise", "Hypothesis"]
    assert data["verdict"]["labels"] == list(made.labels)
    last = [row[-1] for row in words.rows]
    np.testing.assert_allclose(data["verdict"]["rows"], np.exp(made.verdicts[last]), atol=1e-5)
    assert (data["end_mass"], data["source_end"], data["target_end"], data["decoded"]) == (
        None,
        None,
        None,
        [],
    )
    assert shown(at) == pytest.approx(made.verdict, abs=0.005)


def test_a_link_opens_its_pair(entailment: Entailment) -> None:
    at = open_page(premise="A cat sleeps.", hypothesis="A cat is awake.")
    assert shown(at) == pytest.approx(entailment("A cat sleeps.", "A cat is awake.").verdict, abs=0.005)
    assert at.query_params["hypothesis"] in ("A cat is awake.", ["A cat is awake."])


def press(at: AppTest, name: str) -> AppTest:
    return next(button for button in at.button if button.label == name).click().run()


def test_one_click_changes_the_pair_and_tells_the_difference(entailment: Entailment) -> None:
    at = write(open_page(), "A dog is running.", "A dog is asleep.")
    before = entailment("A dog is running.", "A dog is asleep.").verdict
    for button, pair in (
        ("Negate", ("A dog is running.", "A dog is not asleep.")),
        ("Negate", ("A dog is running.", "A dog is asleep.")),
        ("Swap", ("A dog is asleep.", "A dog is running.")),
    ):
        press(at, button)
        assert (at.text_area(key="premise_text").value, at.text_area(key="hypothesis_text").value) == pair
        after = entailment(*pair).verdict
        assert [float(metric.delta) for metric in at.metric] == pytest.approx(
            [after[label] - before[label] for label in after], abs=0.006
        )
        before = after
    assert any("A dog is running.\nHypothesis: A dog is asleep." in text.value for text in at.text)


def test_a_word_is_replaced(entailment: Entailment) -> None:
    at = write(open_page(), "A dog is running.", "A dog is asleep.")
    (chosen,) = (box for box in at.selectbox if box.label.startswith("Replace"))
    chosen.set_value(3)
    at.text_input(key="other_word").set_value("moving").run()
    press(at, "Replace")
    assert at.text_area(key="hypothesis_text").value == "A dog is moving."
    assert shown(at) == pytest.approx(entailment("A dog is running.", "A dog is moving.").verdict, abs=0.005)


@pytest.mark.parametrize(
    ("premise", "hypothesis", "told"),
    [
        ("", "A dog.", "premise"),
        ("A dog.", "", "hypothesis"),
        ("A dog.", "a " * 200, "at most 150"),
        ("!", "A", "signs"),
    ],
)
def test_what_cannot_be_read_is_told(premise: str, hypothesis: str, told: str) -> None:
    at = write(open_page(), premise, hypothesis)
    assert not at.exception
    assert told in at.warning[0].value
    assert at.text_area(key="premise_text").value == premise


def test_notes_and_what_was_left_out_are_told() -> None:
    at = write(open_page(), "dog cat " * 10_000, "A <b>dog</b>.")
    assert not at.exception
    assert "were not read" in at.warning[0].value
    assert any("HTML" in note for note in sent(at)["notes"])
    at = write(at, "A dog.", "A dog.")
    assert sent(at)["notes"] == ["Premise and hypothesis are the same text."]
