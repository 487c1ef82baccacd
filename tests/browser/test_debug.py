"""The page Debug in the real app: force a word, drag a weight, undo, compare; two people never meet."""

from collections.abc import Callable

from playwright.sync_api import Page, expect

from attnviz.tasks import Translator

TEXT = "Les personnes âgées ont des difficultés à comprendre la technologie moderne."


def open_debugger(visit: Callable[..., Page], settings: str = "") -> Page:
    """From the page Translate, with the sentence at hand."""
    page = visit(f"?text={TEXT}{settings}")
    page.get_by_role("link", name="Open in the debugger").click()
    expect(page.locator(".debugger .steps .item").first).to_be_visible(timeout=30_000)
    return page


def test_force_drag_undo_and_compare(visit: Callable[..., Page], translator: Translator) -> None:
    page = open_debugger(visit)
    written = page.locator(".now-text")
    before = translator(TEXT).text
    expect(written).to_have_text(before)

    page.locator(".steps .item").nth(8).click()
    page.locator(".bars .well").nth(translator(TEXT).source.index("mod")).press("End")
    page.locator(".apply").click()
    expect(written).to_have_text("Old people have difficulty understanding modern technology.")
    expect(page.locator(".was-text")).to_contain_text(before)
    expect(page.locator(".diff-note")).to_contain_text("with the same word and other weights")
    expect(page.locator(".gain")).to_contain_text("more than before")

    page.locator(".steps .item").nth(2).click()
    page.locator(".typed input").fill("ladies")
    page.get_by_role("button", name="Write it").click()
    expect(written).to_contain_text("Old ladies")
    page.locator(".undo").click()
    expect(written).to_have_text("Old people have difficulty understanding modern technology.")
    page.locator(".undo").click()
    expect(written).to_have_text(before)
    expect(page.locator(".undo")).to_be_disabled()
    page.locator(".redo").click()
    expect(written).to_have_text("Old people have difficulty understanding modern technology.")

    other = open_debugger(visit)  # another browser
    expect(other.locator(".now-text")).to_have_text(before)
    expect(other.locator(".redo")).to_be_disabled()
    expect(written).to_have_text("Old people have difficulty understanding modern technology.")


def test_a_page_whose_settings_are_not_the_usual_ones_hands_over_too(visit: Callable[..., Page]) -> None:
    page = open_debugger(visit, "&search=greedy&level=pieces&end=true")
    expect(page.get_by_label("French sentence")).to_have_value(TEXT)
    expect(page.locator(".tree-part")).to_be_hidden()  # the trace at hand was greedy
    assert "open=" not in page.url


def test_a_pair_is_handed_over_and_a_word_of_it_replaced(visit: Callable[..., Page]) -> None:
    page = visit("entail?premise=A dog is running.&hypothesis=A dog is asleep.")
    page.get_by_role("link", name="Open in the debugger").click()
    expect(page.locator(".now-text")).to_contain_text("contradiction", timeout=30_000)
    page.locator(".steps .item").nth(3).click()
    page.locator(".typed input").fill("moving")
    page.get_by_role("button", name="Replace it").click()
    expect(page.locator(".now-text")).to_contain_text("A dog is moving.")
    expect(page.locator(".was-text")).to_contain_text("A dog is asleep.")
    expect(page.locator(".gain")).to_contain_text("ln p (contradiction)")


def test_a_headline_is_handed_over(visit: Callable[..., Page]) -> None:
    page = visit("summarize?text=Police said on Monday that the bridge in Brellin was closed after a storm.")
    page.get_by_role("link", name="Open in the debugger").click()
    expect(page.locator(".debugger .steps .item").first).to_be_visible(timeout=30_000)
    expect(page.locator(".now-text")).to_contain_text("brellin")
