"""The page Entail in a real Chromium against the real command."""

from collections.abc import Callable
from urllib.parse import quote

import numpy as np
from playwright.sync_api import Page, expect

from attnviz import matrix
from attnviz.tasks import Entailment

PREMISE, HYPOTHESIS = "A woman in a red hat is singing on a stage.", "A woman is asleep."


def open_pair(visit: Callable[..., Page]) -> Page:
    page = visit(f"entail?premise={quote(PREMISE)}&hypothesis={quote(HYPOTHESIS)}")
    expect(page.locator(".player .targets .label").first).to_have_text("A")
    return page


def test_a_link_shows_the_package_s_numbers_word_by_word(
    visit: Callable[..., Page], entailment: Entailment
) -> None:
    page, made = open_pair(visit), entailment(PREMISE, HYPOTHESIS)
    shown = matrix(made, "words")
    assert page.locator(".player .sources .label").all_inner_texts() == list(shown.source)
    for index in (0, 3):
        page.locator(f"[data-target='{index}']").click()
        expect(page.locator(".player .step .word")).to_have_text(shown.target[index])
        chances = np.exp(made.verdicts[shown.rows[index][-1]])
        assert page.locator(".verdict .number").all_inner_texts() == [f"{chance:.3f}" for chance in chances]
        page.locator(f"[data-target='{index}']").click()


def test_an_example_and_a_negation_change_the_verdict(visit: Callable[..., Page]) -> None:
    page = open_pair(visit)
    page.get_by_text("Nobody", exact=True).first.click()
    expect(page.get_by_role("heading", name="The premise contradicts the hypothesis")).to_be_visible()
    page.get_by_role("button", name="Negate", exact=True).click()
    expect(page.get_by_label("Hypothesis", exact=True)).to_have_value("Somebody is repairing a bike.")
    expect(page.get_by_role("heading", name="The hypothesis follows from the premise")).to_be_visible()
    assert "hypothesis=Somebody" in page.url
