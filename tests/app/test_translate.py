"""The page Translate under Streamlit's AppTest: what is asked for, what is sent, what is said."""

import base64
import json
from pathlib import Path

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from attnviz import matrix
from attnviz.tasks import Translator

WAIT = 60
MAIN = Path(__file__).parents[2] / "app" / "main.py"


def open_page(**query: str) -> AppTest:
    at = AppTest.from_file(MAIN, default_timeout=WAIT)
    for name, value in query.items():
        at.query_params[name] = value
    return at.run()


def sent(at: AppTest) -> dict:
    """The payload of the player."""
    (component,) = (node for node in at.main if node.type == "bidi_component")
    return json.loads(component.proto.json)


def weights(trace: dict) -> np.ndarray:
    numbers = np.frombuffer(base64.b64decode(trace["weights"]), "<u2") / 65535
    return numbers.reshape(len(trace["target"]), len(trace["source"]))


def write(at: AppTest, text: str) -> AppTest:
    return at.text_area(key="source_text").set_value(text).run()


def test_the_first_visit_shows_an_example_at_once(translator: Translator) -> None:
    at = open_page()
    text = at.text_area(key="source_text").value
    assert not at.exception
    (trace,) = sent(at)["traces"]
    assert trace["translation"] == translator(text).text


def test_the_player_gets_the_package_s_numbers(translator: Translator) -> None:
    at = write(open_page(), "Je m'appelle Zoé Wrzeszcz.")
    (trace,) = sent(at)["traces"]
    made = translator("Je m'appelle Zoé Wrzeszcz.")
    shown = matrix(made, "words", end=False)
    assert trace["source"] == list(shown.source)
    np.testing.assert_allclose(weights(trace), shown.weights, atol=1 / 65535)
    np.testing.assert_allclose(trace["end_mass"], shown.end_mass, atol=1e-6)
    energies = np.frombuffer(base64.b64decode(trace["energies"]), "<f4").reshape(shown.energies.shape)
    np.testing.assert_array_equal(energies, shown.energies)
    assert trace["source_glue"][:4] == [False, False, True, False]  # Je | m' | appelle | Zoé
    assert [len(group) for group in trace["decoded"]] == [len(row) for row in shown.rows]


def test_settings_change_what_is_shown(translator: Translator) -> None:
    at = open_page(text="Le chien dort.")
    at.segmented_control(key="level").set_value("pieces").run()
    at.toggle(key="end").set_value(True).run()
    at.segmented_control(key="scale").set_value("the largest weight").run()
    at.segmented_control(key="search").set_value("greedy").run()
    data = sent(at)
    made = translator("Le chien dort.", search="greedy")
    assert data["traces"][0]["target"] == made.target
    assert data["traces"][0]["target_end"] == len(made) - 1
    assert data["traces"][0]["end_mass"] is None
    assert data["scale"]["top"] == pytest.approx(float(made.weights.max()))
    assert "largest" in data["scale"]["label"]


def test_a_forced_translation_is_what_is_shown() -> None:
    at = open_page(text="Le chien dort.")
    at.text_input(key="target").set_value("The cat eats.").run()
    (trace,) = sent(at)["traces"]
    assert trace["translation"] == "The cat eats."
    assert trace["forced"]


def test_the_address_is_read_and_written() -> None:
    at = open_page(text="Merci beaucoup.", search="greedy", level="pieces", beam="nonsense", end="perhaps")
    assert at.text_area(key="source_text").value == "Merci beaucoup."
    assert at.segmented_control(key="search").value == "greedy"
    assert not at.exception
    write(at, "Bonsoir.")
    assert at.query_params["text"] == "Bonsoir."
    write(at, "Bonsoir. " * 400)
    assert "text" not in at.query_params


BAD = {
    "nothing": "",
    "spaces": " \n\t ",
    "emoji": "😀😀 👩‍👩‍👧",
    "marks": "?! ...",
}


@pytest.mark.parametrize("kind", BAD)
def test_what_cannot_be_translated_gets_one_sentence(kind: str) -> None:
    at = write(open_page(), BAD[kind])
    assert not at.exception
    assert len(at.warning) == 1
    assert "nothing to translate" in at.warning[0].value
    assert at.text_area(key="source_text").value == BAD[kind]


ODD = {
    "arabic": "مرحبا بالعالم",
    "hebrew": "שלום עולם",
    "html": "<script>alert(1)</script> &lt;",
    "control": "Le\x00 chien\x07 dort.",
    "long word": "a" * 10_000,
    "long sentence": "le chien et " * 1700,
}


@pytest.mark.parametrize("kind", ODD)
def test_odd_input_gives_a_right_picture(kind: str) -> None:
    at = write(open_page(), ODD[kind])
    assert not at.exception
    for trace in sent(at)["traces"]:
        sums = weights(trace).sum(axis=1) + np.array(trace["end_mass"])
        np.testing.assert_allclose(sums, 1.0, atol=len(trace["source"]) / 65535 + 1e-4)


def test_what_was_left_out_is_said_exactly(translator: Translator) -> None:
    text = "le chien et " * 1700
    at = write(open_page(), text)
    ((start, stop),) = translator(text).unread
    assert f"({start + 1:,} to {stop:,})" in at.warning[0].value
    assert stop == len(text.rstrip())


def test_too_much_text_is_refused() -> None:
    at = write(open_page(), "Bonjour. " * 12_000)
    assert "100,000" in at.warning[0].value


def test_many_sentences_come_a_page_at_a_time() -> None:
    at = write(open_page(), "Bonjour. Merci ! " * 45)
    assert len(sent(at)["traces"]) == 40
    at.selectbox[0].set_value(80).run()
    assert len(sent(at)["traces"]) == 10


def test_wrong_number_of_forced_sentences_is_told() -> None:
    at = write(open_page(), "Bonjour. Merci.")
    at.text_input(key="target").set_value("Hello.").run()
    assert "as many target sentences" in at.warning[0].value
