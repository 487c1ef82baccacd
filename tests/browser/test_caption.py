"""The page Caption in a real Chromium against the real command."""

import base64
import io
import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from PIL import Image
from playwright.sync_api import Page, expect

import attnviz
from attnviz.tasks import Captioner

SAMPLES = Path(__file__).parents[2] / "app" / "samples"


@pytest.fixture(scope="module")
def phone() -> bytes:
    """What a phone sends: 12 megapixels, upright only after its EXIF turn."""
    with Image.open(SAMPLES / "ball.jpg") as upright:
        stored = upright.resize((3024, 4032)).transpose(Image.Transpose.ROTATE_90)
    exif = Image.Exif()
    exif[0x0112] = 6
    buffer = io.BytesIO()
    stored.save(buffer, "JPEG", quality=80, exif=exif)
    return buffer.getvalue()


def upload(page: Page, name: str, data: bytes, mime: str = "image/jpeg") -> None:
    page.locator("input[type=file]").set_input_files({"name": name, "mimeType": mime, "buffer": data})


def caption(page: Page) -> list[str]:
    return page.locator(".overlay .targets .label").all_inner_texts()


def test_a_photo_from_a_phone_is_captioned_upright_and_played(
    visit: Callable[..., Page], captioner: Captioner, phone: bytes
) -> None:
    page = visit("caption")
    before = caption(page)
    upload(page, "IMG_0001.jpg", phone)
    expect(page.get_by_role("button", name="Show IMG_0001.jpg")).to_have_attribute("aria-pressed", "true")
    trace = captioner(phone)
    assert (trace.grid.width, trace.grid.height) == (3024, 4032)
    expect(page.locator(".overlay .targets")).to_contain_text(trace.text.split()[-1])
    expect(page.locator(".overlay .targets .label").first).to_have_text(trace.text.split()[0])
    assert caption(page) == [*trace.text.split(), "end mark"]
    assert caption(page) != before
    photo = page.locator(".overlay .view").bounding_box()
    assert photo["height"] / photo["width"] == pytest.approx(4 / 3, abs=0.01)
    page.locator(".overlay .speed select").select_option("4")
    page.locator(".overlay .play").click()
    expect(page.locator(".overlay .counter")).to_have_text(f"{len(trace)} / {len(trace)}", timeout=15_000)


def test_nothing_reruns_while_looking(visit: Callable[..., Page]) -> None:
    page = visit("caption")
    sent: list[object] = []
    page.on("websocket", lambda _: sent.append("a new socket"))
    page.evaluate(
        """() => {
             const send = WebSocket.prototype.send;
             window.sentFrames = 0;
             WebSocket.prototype.send = function (...args) {
               window.sentFrames += 1;
               return send.apply(this, args);
             };
           }"""
    )
    view = page.locator(".overlay .view")
    view.scroll_into_view_if_needed()
    box = view.bounding_box()
    page.mouse.move(box["x"] + 30, box["y"] + 30)
    page.mouse.down()
    page.mouse.move(box["x"] + 90, box["y"] + 80, steps=5)
    page.mouse.up()
    expect(page.locator(".overlay .inside b")).to_be_visible()
    page.locator(".overlay .chip").nth(1).click()
    page.locator(".overlay .opacity").fill("0.3")
    page.locator(".overlay .smooth").uncheck()
    page.locator(".overlay .map").last.click()
    page.keyboard.press("Home")
    assert page.evaluate("window.sentFrames") == 0
    assert sent == []


def test_a_pasted_picture_is_shown(visit: Callable[..., Page]) -> None:
    page = visit("caption")
    noise = np.random.default_rng(0).integers(0, 255, (30, 90, 3), dtype=np.uint8)
    buffer = io.BytesIO()
    Image.fromarray(noise).save(buffer, "PNG")
    page.evaluate(
        """(data) => {
             const bytes = Uint8Array.from(atob(data), (letter) => letter.charCodeAt(0));
             const clipboard = new DataTransfer();
             clipboard.items.add(new File([bytes], "shot.png", { type: "image/png" }));
             document.dispatchEvent(new ClipboardEvent("paste", { clipboardData: clipboard, bubbles: true }));
           }""",
        base64.b64encode(buffer.getvalue()).decode(),
    )
    shown = page.get_by_role("button", name="Show shot.png")
    expect(shown).to_have_attribute("aria-pressed", "true")
    photo = page.locator(".overlay .view")
    expect(photo).to_be_visible()
    page.wait_for_timeout(500)
    box = photo.bounding_box()
    assert box["width"] / box["height"] == pytest.approx(3, abs=0.02)
    page.get_by_role("button", name="Remove shot.png").click()
    expect(shown).to_have_count(0)
    expect(page.get_by_role("button", name="Show cat")).to_have_attribute("aria-pressed", "true")


def test_a_link_opens_the_same_sample_and_settings(visit: Callable[..., Page]) -> None:
    page = visit("caption")
    page.get_by_role("button", name="Show rocket").click()
    expect(page.get_by_role("button", name="Show rocket")).to_have_attribute("aria-pressed", "true")
    page.get_by_role("textbox", name="Force a caption").fill("a tall tower at night")
    page.get_by_role("textbox", name="Force a caption").press("Enter")
    expect(page.locator(".overlay .badge")).to_be_visible()
    page.wait_for_function("location.search.includes('tower') && location.search.includes('rocket')")
    again = visit("caption" + page.evaluate("location.search"))
    assert caption(again) == ["a", "tall", "tower", "at", "night", "end mark"]
    expect(again.get_by_role("button", name="Show rocket")).to_have_attribute("aria-pressed", "true")


def test_the_downloads_hold_what_is_shown(
    visit: Callable[..., Page], captioner: Captioner, tmp_path: Path
) -> None:
    page = visit("caption?photo=coffee")
    saved = {}
    for name in ("Trace (JSON)", "Overlay, full size (PNG)", "Playback (GIF)", "All maps (SVG)"):
        with page.expect_download() as download:
            page.get_by_role("button", name=name).click()
        saved[name] = Path(download.value.path()).read_bytes()
    (tmp_path / "trace.json").write_bytes(saved["Trace (JSON)"])
    assert attnviz.read(tmp_path / "trace.json").text == captioner(SAMPLES / "coffee.jpg").text
    assert json.loads(saved["Trace (JSON)"])["attnviz"]["axis"]["width"] == 600
    assert Image.open(io.BytesIO(saved["Overlay, full size (PNG)"])).size == (600, 400)
    assert saved["Playback (GIF)"].startswith(b"GIF89a")
    assert saved["All maps (SVG)"].startswith(b"<svg")


def test_what_is_no_picture_is_said_in_a_sentence(visit: Callable[..., Page]) -> None:
    page = visit("caption")
    upload(page, "letter.png", b"Dear Sir or Madam", "image/png")
    expect(page.locator("[data-testid=stAlert]")).to_contain_text("letter.png: Expected a picture")
    expect(page.locator(".overlay .view")).to_be_visible()


def test_dark_mode_is_dark(visit: Callable[..., Page]) -> None:
    page = visit("caption", color_scheme="dark")
    colour = page.locator(".overlay .lead .word").evaluate("node => getComputedStyle(node).color")
    assert colour == "rgb(232, 235, 239)"


def test_another_page_and_back_keeps_the_photos(visit: Callable[..., Page], phone: bytes) -> None:
    page = visit("caption")
    upload(page, "mine.jpg", phone)
    expect(page.get_by_role("button", name="Show mine.jpg")).to_have_attribute("aria-pressed", "true")
    page.get_by_role("link", name="Translate").click()
    expect(page.locator(".player .sources .chip").first).to_be_visible()
    page.get_by_role("link", name="Caption").click()
    expect(page.get_by_role("button", name="Show mine.jpg")).to_have_attribute("aria-pressed", "true")
