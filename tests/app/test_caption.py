"""The page Caption under Streamlit's AppTest: what is asked for, what is sent, what is said."""

import base64
import io
import json
from pathlib import Path

import numpy as np
import pytest
from PIL import Image
from streamlit.testing.v1 import AppTest

import photos
from attnviz import matrix, measures
from attnviz.tasks import Captioner

MAIN = Path(__file__).parents[2] / "app" / "main.py"
SAMPLES = MAIN.parent / "samples"


def open_page(**query: str) -> AppTest:
    at = AppTest.from_file(MAIN, default_timeout=60)
    for name, value in query.items():
        at.query_params[name] = value
    return at.switch_page("views/caption.py").run()


def components(at: AppTest) -> dict[str, dict]:
    """What the strip and the overlay are sent."""
    found = [json.loads(node.proto.json) for node in at.main if node.type == "bidi_component"]
    return {"overlay" if "weights" in data else "strip": data for data in found}


def weights(data: dict) -> np.ndarray:
    numbers = np.frombuffer(base64.b64decode(data["weights"]), "<f4")
    return numbers.reshape(len(data["words"]), data["rows"] * data["columns"])


def picture(width: int = 90, height: int = 60, file_format: str = "PNG", **options) -> bytes:
    buffer = io.BytesIO()
    noise = np.random.default_rng(width).integers(0, 255, (height, width, 3), dtype=np.uint8)
    Image.fromarray(noise).save(buffer, file_format, **options)
    return buffer.getvalue()


def upload(at: AppTest, *files: tuple[str, bytes]) -> AppTest:
    kinds = {"png": "image/png", "jpg": "image/jpeg"}
    uploader = at.get("file_uploader")[0]
    return uploader.set_value([(name, data, kinds.get(name[-3:], "image/png")) for name, data in files]).run()


def test_the_first_visit_shows_a_sample_with_the_package_s_numbers(captioner: Captioner) -> None:
    at = open_page()
    assert not at.exception
    data = components(at)["overlay"]
    trace = captioner(SAMPLES / "cat.jpg")
    shown = matrix(trace, "words", end=True)
    assert data["words"] == list(shown.target)
    np.testing.assert_allclose(weights(data), shown.weights, atol=1e-6)
    assert data["gate"] == pytest.approx(measures.gate(trace, shown), abs=1e-5)
    assert data["probability"] == pytest.approx(measures.probability(trace, shown).tolist(), abs=1e-5)
    grid = trace.grid
    assert (data["width"], data["height"]) == (grid.width, grid.height) == (451, 300)
    assert [data["xs"][0], data["xs"][-1]] == [0, data["width"]]
    assert [data["ys"][0], data["ys"][-1]] == [0, data["height"]]


@pytest.mark.parametrize("name", sorted(photos.samples()))
def test_a_link_names_a_sample_and_the_settings(captioner: Captioner, name: str) -> None:
    at = open_page(photo=name, caption_search="greedy")
    data = components(at)["overlay"]
    assert data["text"] == captioner(SAMPLES / f"{name}.jpg", search="greedy").text
    assert at.query_params["photo"] in (name, [name])


def test_nonsense_in_the_address_changes_nothing() -> None:
    at = open_page(photo="../../etc/passwd", caption_search="foo", caption_beam="999", caption_target="")
    assert not at.exception
    assert components(at)["strip"]["chosen"] == "cat"


def test_a_forced_caption(captioner: Captioner) -> None:
    at = open_page()
    at.text_input(key="caption_target").set_value("A brown dog runs.").run()
    data = components(at)["overlay"]
    assert data["forced"]
    assert data["text"] == "a brown dog runs"
    expected = captioner(SAMPLES / "cat.jpg", target="a brown dog runs")
    np.testing.assert_allclose(weights(data), matrix(expected, "words", end=True).weights, atol=1e-6)
    at.text_input(key="caption_target").set_value("?!").run()
    assert not at.exception
    assert "no word" in at.warning[0].value


def test_hypotheses_can_be_chosen(captioner: Captioner) -> None:
    at = open_page()
    trace = captioner(SAMPLES / "cat.jpg")
    (choice,) = (box for box in at.selectbox if "Hypotheses" in box.label)
    choice.set_value(1).run()
    data = components(at)["overlay"]
    assert data["text"] == captioner.written(trace.beams[0], 1)
    other = captioner.hypothesis(SAMPLES / "cat.jpg", trace, 1)
    np.testing.assert_allclose(weights(data), matrix(other, "words", end=True).weights, atol=1e-6)


def test_uploads_join_the_strip_and_the_last_one_is_shown(captioner: Captioner) -> None:
    exif = Image.Exif()
    exif[0x0112] = 6
    turned = picture(80, 50, "JPEG", exif=exif)
    at = upload(open_page(), ("one.png", picture()), ("two.jpg", turned))
    assert not at.exception
    found = components(at)
    own = [photo["name"] for photo in found["strip"]["photos"] if photo["own"]]
    assert own == ["one.png", "two.jpg"]
    data = found["overlay"]
    assert (data["width"], data["height"]) == (50, 80)
    assert data["text"] == captioner(turned).text
    assert "photo" not in at.query_params


def test_what_is_no_picture_is_said_and_the_photo_before_stays() -> None:
    at = upload(open_page(), ("bad.png", b"hello"), ("cut.png", picture()[:300]))
    assert not at.exception
    messages = [warning.value for warning in at.warning]
    assert any("bad.png" in message and "another kind" in message for message in messages)
    assert any("cut.png" in message and "cut off" in message for message in messages)
    assert components(at)["strip"]["chosen"] == "cat"


def test_own_photos_are_few_and_the_oldest_go() -> None:
    own: dict[str, photos.Photo] = {}
    for number in range(photos.MOST + 3):
        photos.add(own, photos.given(f"{number}.png", picture(number + 1, 5)))
    assert [photo.name for photo in own.values()] == [f"{number}.png" for number in range(3, photos.MOST + 3)]
    photos.add(own, photos.given("again.png", picture(4, 5)))
    assert len(own) == photos.MOST
    assert next(iter(own.values())).name == "4.png"


def test_every_sample_has_its_source_named() -> None:
    sources = (SAMPLES / "SOURCES.md").read_text(encoding="utf-8")
    for name in photos.samples():
        assert f"`{name}.jpg`" in sources
