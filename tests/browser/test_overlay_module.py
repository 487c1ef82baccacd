"""The overlay's JavaScript in a real Chromium, without Streamlit: colours, places and sums.

Expected pixels come from attnviz.export's definition of the ramp and from the payload, never from
the overlay.
"""

import base64
import io
from pathlib import Path

import numpy as np
import pytest
from PIL import Image
from playwright.sync_api import expect

import overlay
from attnviz.axes import Grid, Sequence
from attnviz.export import RAMP, at_pixels
from overlay.payload import payload
from tests.attnviz import traces
from tests.browser.mounting import show
from tests.browser.payloads import DARK

GREY = (90, 120, 150)
WORDS = ("a", "dog", "runs")


def caption(words: tuple[str, ...]) -> Sequence:
    spans, at = [], 0
    for word in words:
        spans.append((at, at + len(word)))
        at += len(word) + 1
    text = " ".join(words)
    return Sequence(
        text, (*words, "</s>"), (*spans, (len(text), len(text))), tuple(spans), (*range(len(words)), -1)
    )


def made(width: int = 560, height: int = 280, words: tuple[str, ...] = WORDS, maps=None, **changes) -> dict:
    """A payload whose word t looks at cell 15 * t alone, unless told otherwise."""
    steps = len(words) + 1
    trace = traces.trace(axis=Grid(14, 14, width, height), output=caption(words), gates=gates(steps))
    trace.weights[:] = 0.0
    for t in range(steps):
        trace.weights[t, (15 * t) % 196] = 1.0
    if maps is not None:
        trace.weights[: len(maps)] = maps
    data = payload(Image.new("RGB", (width, height), GREY), trace) | changes
    return data | {"id": str(sorted(data.items()))}


def gates(steps: int) -> np.ndarray:
    return np.linspace(0.25, 0.75, steps).astype(np.float32)


@pytest.fixture
def open_overlay(open_component):
    """Opens a page that shows a photo, and waits until it is drawn."""

    def open_one(data, **options):
        page = open_component(overlay, data, **options)
        page.wait_for_function(
            "() => document.getElementById('host').shadowRoot.querySelector('.view').clientWidth > 0"
        )
        expect(page.locator(".counter")).not_to_be_empty()
        return page

    return open_one


def pixels(page) -> np.ndarray:
    """What the photo's canvas shows."""
    url = page.locator(".view").evaluate("canvas => canvas.toDataURL()")
    return np.asarray(Image.open(io.BytesIO(base64.b64decode(url.split(",")[1]))).convert("RGB")).astype(int)


def ramp(share: float) -> np.ndarray:
    at = share * (len(RAMP) - 1)
    return np.array([np.interp(at, np.arange(len(RAMP)), RAMP[:, channel]) for channel in range(3)])


def blended(share: float, opacity: float) -> np.ndarray:
    return (1 - opacity) * np.array(GREY) + opacity * ramp(share)


def at(page, x: float, y: float) -> tuple[float, float]:
    """A place on the photo, given as shares of its sides, in the window."""
    page.locator(".view").evaluate("view => view.scrollIntoView({ block: 'center' })")
    box = page.locator(".view").bounding_box()
    return box["x"] + x * box["width"], box["y"] + y * box["height"]


def drag(page, start: tuple[float, float], stop: tuple[float, float]) -> None:
    page.mouse.move(*at(page, *start))
    page.mouse.down()
    page.mouse.move(*at(page, *stop), steps=4)
    page.mouse.up()


def word(page, t: int):
    return page.locator(f".chip[data-target='{t}']")


# ---- what is computed


def computed(page, expression: str):
    """What an expression gives in the scope of the overlay's own functions."""
    code = overlay.ASSETS.script().replace("export default", "const mounted =")
    return page.evaluate("code => new Function(code)()", f"{code}\nreturn {expression}")


def test_spread_is_half_a_cell_wide(open_overlay) -> None:
    """Worked out by hand: pixels at u = 0.125, 0.375 ... of two cells; only the two at the edge mix."""
    page = open_overlay(made())
    flat = [0, 0, 0, 0.25, 0.75, 1, 1, 1]
    assert computed(page, "Array.from(spread([0, 1], 1, 2, 8, 1))") == flat
    assert computed(page, "Array.from(spread([0, 1], 2, 1, 1, 8))") == flat
    # Both ways at once: the corner of a lone bright cell is the product of its shares.
    assert computed(page, "spread([0, 0, 0, 1], 2, 2, 8, 8)[3 * 8 + 3]") == 0.25 * 0.25
    # One pixel of an odd number of cells shows the middle one; outside its edges a map goes on as it is.
    assert computed(page, "Array.from(spread([0, 1, 0], 1, 3, 1, 1))") == [1]
    assert computed(page, "spread([1, 0], 1, 2, 8, 1)[0]") == 1


def test_the_weight_inside_a_box_counts_shares_of_cells(open_overlay) -> None:
    page = open_overlay(made())
    grid = "{ rows: 2, columns: 2, width: 10, height: 6 }"  # cells of 5 x 3 pixels

    def mass(left, top, right, bottom):
        box = f"{{ left: {left}, top: {top}, right: {right}, bottom: {bottom} }}"
        return computed(page, f"boxMass([0.1, 0.2, 0.3, 0.4], {grid}, {box})")

    assert mass(0, 0, 10, 6) == pytest.approx(1)
    assert mass(5, 3, 10, 6) == pytest.approx(0.4)
    # 3 of 5 columns of the left cells, all of the right ones; 1 of 3 rows of the upper, 2 of 3 of the lower.
    assert mass(2, 2, 10, 5) == pytest.approx((0.6 * 0.1 + 0.2) / 3 + (0.6 * 0.3 + 0.4) * 2 / 3)
    assert mass(4, 4, 4, 4) == 0


# ---- colours


@pytest.mark.parametrize("size", [(560, 280), (300, 900), (2800, 280)])
def test_a_bright_cell_is_where_its_rectangle_is(open_overlay, size) -> None:
    """Exact cells: word 1 looks at row 2, column 2 and nowhere else; the edges are sharp."""
    page = open_overlay(made(*size))
    page.locator(".smooth").uncheck()
    word(page, 1).click()
    found = pixels(page)
    height, width, _ = found.shape
    x, y = (round(width / 14), round(width / 7)), (round(height / 14), round(height / 7))
    bright, dark = blended(1, 0.6), blended(0, 0.6)
    assert np.abs(found[y[0] + 1 : y[1] - 1, x[0] + 1 : x[1] - 1] - bright).max() <= 3
    outside = np.ones((height, width), bool)
    outside[y[0] - 1 : y[1] + 1, x[0] - 1 : x[1] + 1] = False
    assert np.abs(found[outside] - dark).max() <= 3


def test_smooth_maps_are_those_of_the_package(open_overlay) -> None:
    chance = np.random.default_rng(1)
    maps = chance.dirichlet(np.ones(196), 1)
    page = open_overlay(made(maps=maps, words=("dog",)) | {"top": float(maps.max())})
    found = pixels(page)
    height, width, _ = found.shape
    expected = at_pixels(maps[0].reshape(14, 14), width, height, smooth=True) / maps.max()
    colours = np.stack([np.interp(expected * 8, np.arange(9), RAMP[:, c]) for c in range(3)], axis=-1)
    assert np.abs(found - (0.4 * np.array(GREY) + 0.6 * colours)).max() <= 4


def test_opacity_and_the_scales(open_overlay) -> None:
    """Word 0 is sharp, word 1 flat: one scale for all shows it dark, its own scale bright."""
    flat = np.full((1, 196), 1 / 196)
    sharp = np.eye(196)[:1]
    page = open_overlay(made(maps=np.concatenate([sharp, flat])))
    word(page, 1).click()
    assert np.abs(pixels(page) - blended(1 / 196, 0.6)).max() <= 3
    page.locator(".scaling").select_option("own")
    assert np.abs(pixels(page) - blended(1, 0.6)).max() <= 3
    assert page.locator(".legend .top").text_content() == "0.0051"
    assert "own" in page.locator(".legend .scale").text_content()
    page.locator(".opacity").fill("0")
    assert np.abs(pixels(page) - np.array(GREY)).max() <= 3
    page.locator(".opacity").fill("1")
    page.locator(".scaling").select_option("all")
    assert np.abs(pixels(page) - ramp(1 / 196)).max() <= 3
    assert page.locator(".legend .top").text_content() == "1.0000"


def test_the_small_maps_follow_the_settings(open_overlay) -> None:
    page = open_overlay(made())
    assert page.locator(".map .label").all_text_contents() == ["a", "dog", "runs", "end mark"]
    page.locator(".opacity").fill("0")
    url = page.locator(".map canvas").nth(2).evaluate("canvas => canvas.toDataURL()")
    small = np.asarray(Image.open(io.BytesIO(base64.b64decode(url.split(",")[1]))).convert("RGB")).astype(int)
    assert np.abs(small - np.array(GREY)).max() <= 3
    page.locator(".map").nth(2).click()
    assert page.locator(".counter").text_content() == "3 / 4"
    assert page.locator(".map.now .label").text_content() == "runs"


# ---- reading


def test_the_pointer_reads_weight_cell_and_pixel(open_overlay) -> None:
    page = open_overlay(made())
    word(page, 1).click()
    page.mouse.move(*at(page, 1.5 / 14, 1.5 / 14))
    text = page.locator(".probe").text_content()
    assert text.startswith("weight 1.0000 · row 2, column 2 · pixel 6")
    page.mouse.move(*at(page, 0.99, 0.99))
    assert page.locator(".probe").text_content() == "weight 0.0000 · row 14, column 14 · pixel 554, 277"
    mark = page.locator(".cell-mark").bounding_box()
    photo = page.locator(".view").bounding_box()
    assert mark["x"] + mark["width"] == pytest.approx(photo["x"] + photo["width"], abs=1)
    assert mark["width"] == pytest.approx(photo["width"] / 14, abs=1)
    page.mouse.move(2, 2)
    expect(page.locator(".cell-mark")).to_be_hidden()


def test_a_tap_reads_too_and_stays_read(open_overlay) -> None:
    """A finger that taps never moves, and leaves when it is lifted."""
    page = open_overlay(made())
    word(page, 1).click()
    x, y = at(page, 1.5 / 14, 1.5 / 14)
    tap = {"pointerType": "touch", "clientX": x, "clientY": y, "pointerId": 7, "bubbles": True}
    for kind in ("pointerdown", "pointerup", "pointerleave"):
        page.locator(".view").dispatch_event(kind, tap)
    assert page.locator(".probe").text_content().startswith("weight 1.0000 · row 2, column 2")
    expect(page.locator(".cell-mark")).to_be_visible()
    expect(page.locator(".box-mark")).to_be_hidden()


def test_the_weight_inside_a_box(open_overlay) -> None:
    """A box over the left half: the flat word has half of its weight there, a cut cell its share."""
    maps = np.stack([np.full(196, 1 / 196), np.eye(196)[15], np.eye(196)[13]])
    page = open_overlay(made(maps=maps))
    drag(page, (0.001, 0.001), (0.5, 0.999))
    inside = page.locator(".inside b")
    assert float(inside.text_content()) == pytest.approx(0.5, abs=0.01)
    word(page, 1).click()
    assert float(inside.text_content()) == pytest.approx(1, abs=0.02)
    word(page, 2).click()
    assert inside.text_content() == "0.000"
    assert "dog" in page.locator(".series").get_attribute("aria-label")
    page.keyboard.press("Escape")  # releases the lock
    expect(page.locator(".box-mark")).to_be_visible()
    page.keyboard.press("Escape")  # and then the box
    expect(page.locator(".box-mark")).to_be_hidden()
    # From 1.5 to 3 cells: half of cell 15, in row and in column a quarter of it.
    drag(page, (1.5 / 14, 1.5 / 14), (3 / 14, 3 / 14))
    word(page, 1).click()
    assert float(inside.text_content()) == pytest.approx(0.25, abs=0.03)
    page.locator(".view").click()
    expect(page.locator(".box-mark")).to_be_hidden()
    drag(page, (0.2, 0.2), (0.4, 0.4))
    page.get_by_role("button", name="Clear the box").click()
    expect(page.locator(".box-mark")).to_be_hidden()


def test_the_panel_has_the_numbers(open_overlay) -> None:
    data = made()
    page = open_overlay(data)
    word(page, 2).click()
    assert page.locator(".lead .word").text_content() == "runs"
    assert page.locator(".facts .probability").text_content() == f"{data['probability'][2]:.3f}"
    assert page.locator(".facts .gate").text_content() == f"{data['gate'][2]:.3f}"
    assert page.locator(".facts .largest").text_content() == "1.0000"
    assert page.locator(".facts .where").text_content() == "row 3, column 3"
    assert page.locator(".facts .entropy").text_content() == "0.00 nats"
    tokens = page.locator(".alternative .token").all_text_contents()
    assert tokens == ["a", "b", "runs"]


def test_without_a_gate_none_is_shown(open_overlay) -> None:
    page = open_overlay(made(gate=None))
    expect(page.locator(".gate-part")).to_be_hidden()
    expect(page.locator(".gate-key")).to_be_hidden()
    expect(page.locator(".series")).to_be_hidden()  # nothing to draw until there is a box
    drag(page, (0.1, 0.1), (0.6, 0.6))
    expect(page.locator(".series")).to_be_visible()
    expect(page.locator(".box-key")).to_be_visible()


def test_photo_and_chart_have_names_and_take_the_keys(open_overlay) -> None:
    page = open_overlay(made())
    view, series = page.locator(".view"), page.locator(".series")
    assert "word 1, a; largest 1.0000 at row 1, column 1" in view.get_attribute("aria-label")
    assert series.get_attribute("aria-label").startswith("Gate: a 0.25, ")
    series.focus()
    page.keyboard.press("ArrowRight")
    assert "word 2, dog" in view.get_attribute("aria-label")
    assert page.locator(".map[aria-current=true] .label").all_text_contents() == ["dog"]


# ---- moving


def test_hover_previews_click_locks_and_keys_walk(open_overlay) -> None:
    page = open_overlay(made())
    word(page, 2).hover()
    assert page.locator(".lead .word").text_content() == "runs"
    page.mouse.move(2, 2)
    assert page.locator(".lead .word").text_content() == "a"
    word(page, 1).click()
    expect(page.locator(".release")).to_be_visible()
    word(page, 2).hover()
    assert page.locator(".lead .word").text_content() == "dog"
    page.keyboard.press("Escape")
    expect(page.locator(".release")).to_be_hidden()
    page.mouse.move(2, 2)
    page.locator(".view").focus()
    for key, counter in (
        ("End", "4 / 4"),
        ("ArrowLeft", "3 / 4"),
        ("Home", "1 / 4"),
        ("ArrowRight", "2 / 4"),
    ):
        page.keyboard.press(key)
        assert page.locator(".counter").text_content() == counter


def test_it_plays_to_the_end_and_maps_blend(open_overlay) -> None:
    page = open_overlay(made(), motion=True)
    page.locator(".speed select").select_option("4")
    page.locator(".play").click()
    seen = []
    for _ in range(200):
        seen.append(page.locator(".seek").evaluate("slider => slider.valueAsNumber"))
        if seen[-1] >= 3:
            break
        page.wait_for_timeout(15)
    assert seen[-1] == 3
    assert any(value % 1 for value in seen)  # between two words
    expect(page.locator(".play span")).to_have_text("Play")
    # A drag that has not ended: letting go settles on a word.
    page.locator(".seek").evaluate("slider => { slider.value = 0.5; slider.oninput() }")
    # Half of word 0's map and half of word 1's: both cells are at the middle of the ramp.
    found = pixels(page)
    height, width, _ = found.shape
    for cell in (0, 1):
        middle = found[int((cell + 0.5) * height / 14), int((cell + 0.5) * width / 14)]
        assert np.abs(middle - blended(0.5, 0.6)).max() <= 4
    assert page.evaluate("window.stateCalls") == []


def test_a_rerun_with_the_same_photo_disturbs_nothing(open_overlay) -> None:
    page = open_overlay(made())
    word(page, 2).click()
    drag(page, (0.1, 0.1), (0.5, 0.5))
    show(page, made())
    assert page.locator(".counter").text_content() == "3 / 4"
    expect(page.locator(".box-mark")).to_be_visible()
    show(page, made(words=("two", "cats")))
    assert page.locator(".chip .label").all_text_contents() == ["two", "cats", "end mark"]
    expect(page.locator(".box-mark")).to_be_visible()  # the same photo: the box still means the same place
    show(page, made(400, 400))
    expect(page.locator(".box-mark")).to_be_hidden()


# ---- looks


@pytest.mark.parametrize("size", [(1, 1), (1, 900), (3000, 30), (30, 3000), (16, 16), (640, 480)])
@pytest.mark.parametrize("width", [380, 1200])
def test_any_shape_fits_the_page(open_overlay, size, width) -> None:
    page = open_overlay(made(*size), width=width)
    host = page.locator("#host").bounding_box()
    for name in (".view", ".controls", ".panels", ".maps", ".targets"):
        box = page.locator(name).bounding_box()
        assert box["x"] + box["width"] <= host["x"] + host["width"] + 1, name
    assert page.locator(".view").bounding_box()["height"] <= 900


@pytest.mark.parametrize("count", [1, 60])
def test_captions_of_any_length_fit(open_overlay, count) -> None:
    page = open_overlay(made(words=tuple(f"word{t}" for t in range(count))), width=700)
    assert page.locator(".map").count() == count + 1
    assert page.evaluate("document.documentElement.scrollWidth") <= 700


def test_forced_captions_and_notes_say_so_and_text_is_only_text(open_overlay) -> None:
    data = made(words=("<b>a</b>", "dog"), forced=True, notes=["<script>window.hacked = 1</script>"])
    page = open_overlay(data, theme=DARK)
    expect(page.locator(".badge")).to_have_text("forced: you chose this caption")
    assert page.locator(".notes li").text_content() == "<script>window.hacked = 1</script>"
    assert word(page, 0).locator(".label").text_content() == "<b>a</b>"
    assert page.evaluate("window.hacked") is None


def test_the_picture_is_saved_at_the_size_of_the_photo(open_overlay) -> None:
    page = open_overlay(made(maps=np.full((1, 196), 1 / 196)) | {"top": 1 / 196})
    page.locator(".save summary").click()
    with page.expect_download() as download:
        page.locator(".formats [value=png]").click()
    saved = Image.open(Path(download.value.path())).convert("RGB")
    assert saved.size == (560, 280)
    assert np.abs(np.asarray(saved).astype(int) - blended(1, 0.6)).max() <= 3
