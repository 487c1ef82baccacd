"""The page Debug in the real app: force a word, drag a weight, undo, compare; two people never meet."""

from collections.abc import Callable

from playwright.sync_api import Page, expect

from attnviz.tasks import Translator

TEXT = "Les personnes âgées ont des difficultés à comprendre la technologie moderne."


def open_debugger(visit: Callable[..., Page]) -> Page:
    """From the page Translate, with the sentence at hand."""
    page = visit(f"?text={TEXT}")
    page.get_by_role("button", name="Open in the debugger").click()
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
