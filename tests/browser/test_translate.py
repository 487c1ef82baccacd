"""The page Translate in a real Chromium against the real command."""

import json
import re
from collections.abc import Callable
from urllib.parse import quote

import pytest
from playwright.sync_api import Page, expect

from attnviz import matrix
from attnviz.tasks import Translator

SENTENCE = "Un homme lit un livre dans le parc."


def words(page: Page, side: str) -> list[str]:
    """The labels of a line of words, without the figures under them."""
    return page.locator(f".player .{side} .label").all_inner_texts()


def counter(page: Page) -> str:
    return page.locator(".player .counter").inner_text().replace("\u2009", " ")


def runs(page: Page) -> list[object]:
    """Starts to record what the page sends to the server; a rerun of the script would be seen here."""
    sent: list[object] = []

    def record(frame: object) -> None:
        sent.append(frame)

    page.on("websocket", lambda socket: socket.on("framesent", record))
    page.reload()
    expect(page.locator(".player .targets button").first).to_be_visible()
    page.wait_for_timeout(1500)
    sent.clear()
    return sent


def test_a_pasted_paragraph_is_translated_sentence_by_sentence(
    visit: Callable[..., Page], translator: Translator
) -> None:
    page = visit()
    text = "Un chien court. Une femme mange une pomme ! Où est la gare ?"
    page.get_by_label("French text").fill(text)
    page.get_by_role("button", name="Translate").click()
    expect(page.locator(".player .place")).to_have_text("Sentence 1 of 3")
    shown = [matrix(trace) for trace in translator.sentences(text)]
    assert words(page, "targets") == list(shown[0].target)
    page.get_by_text(translator.sentences(text)[1].text).first.click()
    expect(page.locator(".player .place")).to_have_text("Sentence 2 of 3")
    assert words(page, "sources") == list(shown[1].source)


def test_hovering_shows_the_weights_of_the_package_and_reruns_nothing(
    visit: Callable[..., Page], translator: Translator
) -> None:
    page = visit(f"?text={quote(SENTENCE)}")
    sent = runs(page)
    shown = matrix(translator(SENTENCE))
    for t in (1, len(shown.target) - 1, 0):
        page.locator(".player .targets button").nth(t).hover()
        best = shown.weights[t].argmax()
        expect(page.locator(".player .readout")).to_contain_text(
            f"{shown.target[t]} looked most at {shown.source[best]} {shown.weights[t][best]:.3f}"
        )
    assert sent == []


def test_playback_runs_to_the_end_in_the_browser(visit: Callable[..., Page], translator: Translator) -> None:
    page = visit(f"?text={quote(SENTENCE)}", reduced_motion="no-preference")
    sent = runs(page)
    page.get_by_label("Speed").select_option("4")
    page.get_by_role("button", name="Play", exact=True).click()
    total = len(matrix(translator(SENTENCE)).target)
    expect(page.locator(".player .counter")).to_have_text(re.compile(rf"{total}\s*/\s*{total}"))
    expect(page.get_by_role("button", name="Play", exact=True)).to_be_visible()
    assert len(page.evaluate("window.__attnvizFrames")) > 10
    assert sent == []


def test_keys_move_the_step_and_escape_releases(visit: Callable[..., Page]) -> None:
    page = visit(f"?text={quote(SENTENCE)}")
    page.locator(".player .targets button").nth(2).click()
    expect(page.get_by_role("button", name="Locked: release it")).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.get_by_role("button", name="Locked: release it")).to_be_hidden()
    page.keyboard.press("Home")
    page.keyboard.press("ArrowRight")
    expect(page.locator(".player .counter")).to_have_text(re.compile(r"^2\s*/"))


def test_a_link_opens_the_same_sentence_and_settings(visit: Callable[..., Page]) -> None:
    page = visit()
    page.get_by_label("French text").fill(SENTENCE)
    page.get_by_role("button", name="Translate").click()
    page.get_by_text("greedy", exact=True).click()
    page.get_by_text("pieces", exact=True).click()
    page.get_by_text("End mark", exact=True).click()
    expect(page.locator(".player .targets")).to_contain_text("end mark")
    page.wait_for_function("location.search.includes('end=')")
    again = visit(page.url.split("/")[-1])
    assert again.get_by_label("French text").input_value() == SENTENCE
    assert words(again, "targets") == words(page, "targets")
    assert words(again, "targets")[-1] == "end mark"
    assert again.url == page.url


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_both_themes_can_be_read(visit: Callable[..., Page], scheme: str) -> None:
    page = visit(f"?text={quote(SENTENCE)}", color_scheme=scheme)
    colours = page.locator(".player .targets button").first.evaluate(
        """chip => {
             const style = getComputedStyle(chip), light = (colour) => {
               const [r, g, b] = colour.match(/[0-9.]+/g).map(Number);
               return 0.2126 * r + 0.7152 * g + 0.0722 * b;
             };
             const app = getComputedStyle(document.querySelector('.stApp'));
             return [light(app.backgroundColor), light(style.color)];
           }"""
    )
    background, ink = colours
    assert (background < 60) == (scheme == "dark")
    assert abs(background - ink) > 120


def test_a_narrow_screen_does_not_scroll_sideways(visit: Callable[..., Page]) -> None:
    page = visit(f"?text={quote(SENTENCE)}")
    page.set_viewport_size({"width": 375, "height": 800})
    page.wait_for_timeout(800)
    widths = page.evaluate(
        """() => {
             const page = document.querySelector('[data-testid=stMain]');
             return [page.scrollWidth, page.clientWidth];
           }"""
    )
    assert widths[0] <= widths[1]


def test_what_a_user_types_stays_text(visit: Callable[..., Page]) -> None:
    page = visit(f"?text={quote('<script>alert(1)</script> &lt; <b>gras</b> le chien')}")
    page.on("dialog", lambda dialog: pytest.fail(f"a script ran: {dialog.message}"))
    assert words(page, "sources")[:3] == ["<", "script", ">"]
    assert page.locator(".player b:text('gras')").count() == 0
    page.get_by_text("Heat map").scroll_into_view_if_needed()
    expect(page.locator(".js-plotly-plot .xtick text").nth(1)).to_have_text("script")


def test_downloads_are_the_trace_and_the_weights(visit: Callable[..., Page], translator: Translator) -> None:
    page = visit(f"?text={quote(SENTENCE)}")
    with page.expect_download() as json_file:
        page.get_by_role("button", name="Trace (JSON)").click()
    assert json.loads(json_file.value.path().read_bytes())["attnviz"]["axis"]["text"] == SENTENCE
    with page.expect_download() as csv_file:
        page.get_by_role("button", name="Weights (CSV)").click()
    lines = csv_file.value.path().read_text().splitlines()
    shown = matrix(translator(SENTENCE))
    assert lines[0] == "step,target,position,source,weight,energy"
    assert len(lines) == 1 + shown.weights.size
