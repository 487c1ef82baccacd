"""The debugger's component in a real Chromium: what it asks for when a person acts, and what it shows."""

from functools import partial

import numpy as np
import pytest
from playwright.sync_api import Page, expect

import debugger
from tests.browser.payloads import DARK, LIGHT, encoded

WEIGHTS = np.array([[0.7, 0.2, 0.1], [0.1, 0.8, 0.1], [0.0, 0.0, 1.0]])
BEFORE = np.array([[0.7, 0.2, 0.1], [0.5, 0.4, 0.1], [0.0, 0.0, 1.0]])


def step(token: str, identity: int, before: int | None, **changes) -> dict:
    return {
        "token": token,
        "id": identity,
        "p": 0.5,
        "alternatives": [["cat", 0.5], ["dog", 0.25], ["<b>", 0.1]],
        "ids": [7, 8, 9],
        "before": before,
        "forced": False,
        "attended": False,
        "masked": [],
        "temperature": 1.0,
        **changes,
    }


def faith(hardly: bool) -> dict:
    return {
        "kl": {},
        "flips": [],
        "hardly": hardly,
        "told": "It hardly does." if hardly else "It does.",
        "agreement": 0.5,
        "drops": None,
    }


def node(parent: int, token: str, identity: int, at: int, fate: str = "kept", **changes) -> dict:
    return {
        "parent": parent,
        "token": token,
        "id": identity,
        "step": at,
        "p": 0.5,
        "total": -0.7,
        "fate": fate,
        "rank": None,
        "score": None,
        "best": False,
        **changes,
    }


def driven(**changes) -> dict:
    return {
        "id": "1",
        "bench": "one",
        "reading": False,
        "of": "ln p",
        "changed": True,
        "source": ["un", "chat", "</s>"],
        "source_end": 2,
        "grid": None,
        "photo": None,
        "end": "</s>",
        "steps": [step("a", 3, 0), step("cat", 7, 1), step("</s>", 1, 2)],
        "weights": encoded(WEIGHTS, "<f4"),
        "original_weights": encoded(BEFORE, "<f4"),
        "positions": 3,
        "text": "a cat",
        "original_text": "a cat",
        "logprob": -1.5,
        "original_logprob": -1.0,
        "acts": ["as the model wrote it", "step 2: moved the weights"],
        "at": 1,
        "told": "",
        "faith": [faith(False), faith(False), faith(True)],
        "symptoms": [
            {
                "name": "stuck",
                "rows": [1],
                "columns": [],
                "told": "Seen.",
                "cause": "Because.",
                "advice": "Try.",
            }
        ],
        "rows": [[0], [1]],
        "beam": {
            "id": "tree",
            "nodes": [
                node(-1, "a", 3, 0, best=True),
                node(0, "cat", 7, 1, best=True, fate="finished", rank=0, score=-0.4),
                node(0, "dog", 8, 1, fate="dropped"),
            ],
            "weights": encoded(WEIGHTS, "<f4"),
        },
        "notes": [],
        **changes,
    }


@pytest.fixture
def open_debugger(open_component):
    return partial(open_component, debugger)


def acts(page: Page) -> list:
    """What was asked for; every act names the bench that it is of."""
    asked = page.evaluate("window.triggers.map(([name, value]) => value)")
    assert [act.pop("bench") for act in asked] == ["one"] * len(asked)
    return asked


def choose(page: Page, at: int) -> None:
    page.locator(".steps .item").nth(at).click()


def test_clicks_ask_for_words_at_the_current_step(open_debugger) -> None:
    page = open_debugger(driven())
    choose(page, 1)
    page.locator(".alternatives button").nth(1).click()
    page.locator(".typed input").fill("tiger")
    page.locator(".typed input").press("Enter")
    assert acts(page) == [{"do": "force", "token": 8, "step": 1}, {"do": "force", "text": "tiger", "step": 1}]
    expect(page.locator(".alternatives button").first).to_be_disabled()  # it is what was written
    expect(page.locator(".alternatives .token").nth(2)).to_have_text("<b>")


def test_a_dragged_bar_takes_its_weight_from_the_others_in_proportion(open_debugger) -> None:
    page = open_debugger(driven())
    choose(page, 0)
    well = page.locator(".bars .well").nth(1)
    box = well.bounding_box()
    assert box is not None
    page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] * 0.8)
    page.mouse.down()
    page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] * 0.4)
    page.mouse.up()
    page.locator(".apply").click()
    (act,) = acts(page)
    weights = np.array(act["weights"])
    assert (act["do"], act["step"]) == ("attend", 0)
    assert weights[1] == pytest.approx(0.6, abs=0.02)
    assert weights.sum() == pytest.approx(1)
    assert weights[0] / weights[2] == pytest.approx(7, rel=1e-4)


def test_keys_move_a_weight_and_reset_brings_it_back(open_debugger) -> None:
    page = open_debugger(driven())
    choose(page, 0)
    well = page.locator(".bars .well").first
    well.press("End")
    assert page.locator(".bars output").all_inner_texts() == ["1.00", "", ""]
    page.locator(".reset").click()
    assert page.locator(".bars output").all_inner_texts() == ["0.70", "0.20", "0.10"]
    expect(page.locator(".apply")).to_be_disabled()


def test_crossed_out_words_get_no_weight_and_can_be_allowed_again(open_debugger) -> None:
    page = open_debugger(driven(steps=[step("a", 3, 0), step("cat", 7, 1, masked=[0]), step("</s>", 1, 2)]))
    choose(page, 1)
    page.locator(".bars .well").first.press("End")
    expect(page.locator(".apply")).to_be_disabled()
    page.locator(".bars .cross-out").first.click()
    page.locator(".bars .cross-out").nth(1).click()
    assert acts(page) == [
        {"do": "unmask", "position": 0, "step": 1},
        {"do": "mask", "position": 1, "step": 1},
    ]


def test_undo_redo_and_the_list_of_what_was_done(open_debugger) -> None:
    page = open_debugger(driven())
    expect(page.locator(".redo")).to_be_disabled()
    page.locator(".undo").click()
    page.locator(".steps").press("Control+z")
    page.locator(".history summary").click()
    page.locator(".acts button").first.click()
    # The second press counts from where the first one leads, and there is nothing before it.
    assert acts(page) == [{"do": "go", "to": 0}] * 2
    page.evaluate("(data) => show(data)", driven(id="2", acts=["a", "b", "c"], at=2))
    for _ in range(3):
        page.locator(".steps").press("Control+z")
    assert acts(page)[2:] == [{"do": "go", "to": 1}, {"do": "go", "to": 0}]


def test_steps_that_hardly_depend_on_their_weights_are_hatched_and_say_so(open_debugger) -> None:
    page = open_debugger(driven())
    hatched = page.locator(".steps .item").evaluate_all(
        "items => items.map(item => getComputedStyle(item).backgroundImage !== 'none')"
    )
    assert hatched == [False, False, True]
    strip = page.locator(".strip button")
    images = strip.evaluate_all(
        "parts => parts.map(part => getComputedStyle(part).backgroundImage !== 'none')"
    )
    assert images == hatched
    strip.nth(1).click()
    expect(page.locator(".count")).to_have_text("step 2 of 3")
    choose(page, 2)
    expect(page.locator(".faith")).to_contain_text("It hardly does.")


def test_changes_are_counted_and_the_gain_is_told(open_debugger) -> None:
    page = open_debugger(driven())
    expect(page.locator(".diff-note")).to_contain_text("1 step with the same word and other weights")
    expect(page.locator(".diff-note")).to_contain_text("0.40")
    expect(page.locator(".gain")).to_contain_text(
        "ln p −1.50 under the changed attention, 0.50 less than before"
    )
    show_same = driven(id="2", at=0, acts=["as the model wrote it"])
    page.evaluate("(data) => show(data)", show_same)
    expect(page.locator(".diff")).to_be_hidden()


def test_the_tree_is_read_by_pointer_and_keys_and_gives_a_hypothesis(open_debugger) -> None:
    page = open_debugger(driven())
    page.locator(".knot").nth(2).hover()
    expect(page.locator(".tree-note")).to_contain_text("dropped after step 2")
    expect(page.locator(".tree-note")).to_contain_text("looked at end mark 1.00")
    page.locator(".knot").first.focus()
    page.keyboard.press("ArrowRight")
    expect(page.locator(".tree-note")).to_contain_text("finished, rank 1, score −0.40")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    assert acts(page) == [{"do": "follow", "tokens": [3, 8]}]


def test_a_symptom_leads_to_its_step(open_debugger) -> None:
    page = open_debugger(driven())
    page.locator(".symptoms button").click()
    expect(page.locator(".count")).to_have_text("step 2 of 3")


def test_cells_of_a_photo_share_the_weight(open_debugger) -> None:
    pixel = "data:image/gif;base64,R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7"
    grid = np.full((3, 4), 0.25)
    data = driven(
        source=[],
        grid={"rows": 2, "columns": 2, "aspect": 1.0},
        photo=pixel,
        positions=4,
        weights=encoded(grid, "<f4"),
        original_weights=encoded(grid, "<f4"),
        beam=None,
    )
    page = open_debugger(data)
    choose(page, 1)
    cells = page.locator(".photo-grid .cells")
    box = cells.bounding_box()
    assert box is not None
    for x, y in ((0.25, 0.25), (0.75, 0.75)):
        cells.click(position={"x": box["width"] * x, "y": box["height"] * y})
    page.locator(".apply").click()
    assert acts(page) == [{"do": "attend", "weights": [0.5, 0, 0, 0.5], "step": 1}]


@pytest.mark.parametrize(("theme", "width"), [(LIGHT, 360), (DARK, 1200)])
def test_the_debugger_is_not_wider_than_the_page(open_debugger, theme, width) -> None:
    page = open_debugger(driven(), theme=theme, width=width)
    assert page.evaluate("document.documentElement.scrollWidth") <= width


def test_another_source_brings_its_own_tree_and_its_own_photo(open_debugger) -> None:
    """Also where nothing else tells them apart: a model without attention, or the same caption."""
    page = open_debugger(driven())
    other = {"id": "other", "nodes": [node(-1, "b", 4, 0, fate="finished", rank=0, score=-1)], "weights": ""}
    page.evaluate("(data) => show(data)", driven(id="2", bench="two", beam=other))
    assert page.locator(".knot").count() == 1
    shown = [
        driven(
            id=name,
            bench=name,
            source=[],
            grid={"rows": 1, "columns": 3, "aspect": 1.0},
            photo="data:image/svg+xml,<svg xmlns='http://www.w3.org/2000/svg' width='9' height='9'>"
            f"<rect width='9' height='9' fill='{colour}'/></svg>",
            beam=None,
        )
        for name, colour in (("three", "red"), ("four", "blue"))
    ]
    pictures = []
    for data in shown:
        page.evaluate("(data) => show(data)", data)
        page.wait_for_timeout(200)
        pictures.append(page.locator(".photo-grid .cells").evaluate("canvas => canvas.toDataURL()"))
    assert pictures[0] != pictures[1]


def test_a_hypothesis_stopped_at_the_limit_is_not_called_finished(open_debugger) -> None:
    tree = {
        "id": "t",
        "nodes": [node(-1, "a", 3, 0, fate="dropped", rank=0, score=-0.4, stopped=True)],
        "weights": encoded(WEIGHTS[:1], "<f4"),
    }
    page = open_debugger(driven(beam=tree))
    page.locator(".knot").first.hover()
    expect(page.locator(".tree-note")).to_contain_text("stopped at the limit, rank 1")


def test_what_is_dragged_outlives_another_width(open_debugger) -> None:
    page = open_debugger(driven())
    choose(page, 0)
    page.locator(".bars .well").first.press("End")
    page.set_viewport_size({"width": 700, "height": 800})
    page.wait_for_timeout(300)
    assert page.locator(".bars output").all_inner_texts() == ["1.00", "", ""]
    expect(page.locator(".apply")).to_be_enabled()


def test_after_an_act_the_keys_stay_with_the_steps(open_debugger) -> None:
    page = open_debugger(driven())
    page.locator(".undo").focus()
    page.evaluate("(data) => show(data)", driven(id="2", at=0))
    expect(page.locator(".undo")).to_be_disabled()
    assert page.evaluate("document.activeElement.className || document.activeElement.tagName") in (
        "steps",
        "BODY",
    )


def test_a_model_that_reads_shows_its_verdict_and_takes_another_word(open_debugger) -> None:
    read = step("cat", 7, 1, alternatives=[["entailment", 0.9], ["neutral", 0.1]], ids=[7, 7])
    page = open_debugger(
        driven(
            reading=True, of="ln p (entailment)", steps=[step("a", 3, 0), read, step("x", 1, 2)], beam=None
        )
    )
    choose(page, 1)
    expect(page.locator(".say")).to_have_text("Verdict")
    assert page.locator(".alternatives button:disabled .token").all_inner_texts() == ["entailment", "neutral"]
    expect(page.locator(".symptoms")).to_be_hidden()
    expect(page.locator(".gain")).to_contain_text("ln p (entailment) −1.50")
    page.locator(".typed input").fill("dog")
    page.locator(".write").click()
    assert acts(page) == [{"do": "force", "text": "dog", "step": 1}]
