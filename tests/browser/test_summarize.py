"""The page Summarize in a real Chromium against the real command."""

from collections.abc import Callable
from urllib.parse import quote

from playwright.sync_api import Page, expect

from article.examples import EXAMPLES
from attnviz import matrix
from attnviz.tasks import Summarizer

ARTICLE = (
    "The lighthouse of Sarnholm was sold at auction on Friday for 3 million kroner. A retired “sailor” "
    "bought it 👩‍✈️, the auctioneer said.\n\nThe tower had been dark since 2009. "
)
LONG = ARTICLE * 40


def test_a_pasted_article_gets_its_headline_and_its_heat(
    visit: Callable[..., Page], news: Summarizer
) -> None:
    page = visit("summarize")
    page.get_by_label("Article", exact=True).fill(LONG)
    page.get_by_role("button", name="Summarize").click()
    expect(page.locator(".article .cut")).to_be_visible()
    made = news(LONG, no_repeat=True)
    shown = matrix(made, "words")
    assert page.locator(".article .targets .label").all_inner_texts() == list(shown.target)
    words = page.locator(".article .w").evaluate_all("words => words.map(word => word.textContent)")
    assert words == list(shown.source)
    read = LONG[: made.unread[0][0]]
    assert page.locator(".article .prose").evaluate("prose => prose.textContent").strip() == read.strip()
    page.locator(".article .chip").nth(1).click()
    hottest = page.locator(f".article .w[data-source='{shown.weights[1].argmax()}']")
    ground = page.locator(".article .prose").evaluate("prose => getComputedStyle(prose).backgroundColor")
    assert hottest.evaluate("word => getComputedStyle(word).backgroundColor") != ground
    page.locator(".article .speed select").select_option("4")
    page.locator(".article .play").click()
    last = len(shown.target)
    expect(page.locator(".article .counter")).to_have_text(f"{last} / {last}", timeout=15_000)


def test_a_link_opens_the_same_article_and_settings(visit: Callable[..., Page], package: Summarizer) -> None:
    text = EXAMPLES["packages"]["A library"]
    query = f"text={quote(text)}&summary_model=Software+packages&summary_search=greedy&summary_coverage=true"
    page = visit(f"summarize?{query}")
    shown = matrix(package(text, search="greedy"), "words")
    assert page.locator(".article .targets .label").all_inner_texts() == list(shown.target)
    expect(page.locator(".article .legend .scale")).to_contain_text("whole headline")


def test_the_heat_changes_without_a_rerun_and_looks_keep_the_place(visit: Callable[..., Page]) -> None:
    page = visit("summarize")
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
    page.locator(".article .chip").nth(2).click()
    page.locator(".article .w").nth(4).hover()
    page.locator(".article .prose").focus()
    page.keyboard.press("ArrowRight")
    assert page.evaluate("window.sentFrames") == 0
    page.locator(".article .chip").nth(2).click()
    page.get_by_text("Coverage", exact=True).click()
    expect(page.locator(".article .legend .scale")).to_contain_text("whole headline")
    expect(page.locator(".article .release")).to_be_visible()
    expect(page.locator(".article .counter")).to_contain_text("3 / ")


def test_a_phone_shows_it_all_in_its_width(visit: Callable[..., Page]) -> None:
    page = visit("summarize")
    page.set_viewport_size({"width": 390, "height": 800})
    page.get_by_text("Longer than it reads").click()
    expect(page.locator(".article .cut")).to_be_visible()
    wide = page.locator(".article .open").evaluate("open => [open.scrollWidth, open.clientWidth]")
    assert wide[0] <= wide[1]
    assert page.evaluate("document.scrollingElement.scrollWidth") <= 390
