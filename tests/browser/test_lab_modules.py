"""The lab's components in a real Chromium: every number that they show, worked out here from the payload."""

from functools import partial

import numpy as np
import pytest
from playwright.sync_api import Page, expect

import arithmetic
import comparison
import mathematics
from tests.browser.payloads import DARK, LIGHT, encoded, trace

# ---- the comparison

ONE = trace([[0.9, 0.1, 0.0], [0.2, 0.5, 0.3]], ["un", "chat", "noir"], ["a", "cat"])
TWO = trace(
    [[0.6, 0.2, 0.2], [0.1, 0.1, 0.8], [0.0, 1.0, 0.0]], ["un", "chat", "noir"], ["A", "black", "cat"]
)


def model(name: str, shown: dict | None, text: str) -> dict:
    return {
        "name": name,
        "formula": mathematics.ENERGY[name],
        "text": text,
        "confidence": 0.5,
        "notes": [],
        "forced": False,
        "trace": shown and {**shown, "entropy": [0.5] * len(shown["target"]), "translation": text},
        "flat": 1.39 if shown else None,
    }


def compared(**changes) -> dict:
    models = [
        model("additive", ONE, "a cat"),
        model("dot", TWO, "A black cat"),
        model("none", None, "<i>a</i>"),
    ]
    return {"id": "1", "scale": {"top": 1.0, "label": "0 to 1"}, "models": models, **changes}


@pytest.fixture
def open_comparison(open_component):
    return partial(open_component, comparison)


def point(page: Page, card: int, target: int, source: int) -> None:
    cells = page.locator(".card").nth(card).locator(".cells")
    box, shown = cells.bounding_box(), [ONE, TWO][card]
    assert box is not None
    across, down = box["width"] / len(shown["source"]), box["height"] / len(shown["target"])
    cells.hover(position={"x": (source + 0.5) * across, "y": (target + 0.5) * down})


def test_pointing_at_one_matrix_marks_the_same_words_in_all(open_comparison) -> None:
    page = open_comparison(compared())
    point(page, 0, 1, 1)
    expect(page.locator(".readout")).to_have_text("weight of cat on chat: additive 0.500 · dot 1.000")
    for card, word in ((0, "cat"), (1, "cat")):
        marked = page.locator(".card").nth(card)
        expect(marked.locator(".translation .now")).to_have_text(word)
        expect(marked.locator(".column-label")).to_have_text("chat")
    point(page, 1, 1, 2)  # "black", which the other did not write
    expect(page.locator(".readout")).to_have_text(
        "weight of black on noir: additive: not written · dot 0.800"
    )
    expect(page.locator(".card").first.locator(".row-mark")).to_be_hidden()
    expect(page.locator(".card").first.locator(".column-mark")).to_be_visible()


def test_a_click_locks_and_keys_move(open_comparison) -> None:
    page = open_comparison(compared())
    point(page, 0, 0, 0)
    page.mouse.down()
    page.mouse.up()
    page.mouse.move(1, 1)
    expect(page.locator(".readout")).to_contain_text("weight of a on un: additive 0.900 · dot 0.600 (locked")
    page.locator(".card").first.locator(".cells").press("ArrowDown")
    expect(page.locator(".readout")).to_contain_text("weight of cat on un: additive 0.200")
    page.locator(".card").first.locator(".cells").press("Escape")
    expect(page.locator(".readout")).to_contain_text("Point at a cell")


def test_without_attention_there_is_no_matrix_and_text_stays_text(open_comparison) -> None:
    page = open_comparison(compared())
    last = page.locator(".card").last
    expect(last.locator(".translation")).to_have_text("<i>a</i>")
    expect(last.locator(".nothing")).to_contain_text("looks at nothing")
    assert last.locator("canvas").count() == 0


@pytest.mark.parametrize(("theme", "width"), [(LIGHT, 360), (DARK, 1200)])
def test_nothing_is_wider_than_the_page(open_comparison, theme, width) -> None:
    page = open_comparison(compared(), theme=theme, width=width)
    assert page.evaluate("document.documentElement.scrollWidth") <= width


# ---- the arithmetic

S, T, D, A = 3, 2, 4, 4
DRAWN = np.random.default_rng(0)
KEYS, PROJECTED = DRAWN.normal(size=(S, A)), DRAWN.normal(size=(T, A))
VECTOR = DRAWN.normal(size=A)
# The second annotation is the shortest by far.
ANNOTATIONS = DRAWN.normal(size=(S, D)) * np.array([[1.0], [0.01], [1.0]])
LEARNED = 0.25
TEMPERATURES = (0.5, 1.0, 4.0)


def energies_of(mechanism: str) -> np.ndarray:
    if mechanism == "additive":
        return np.tanh(KEYS[None] + PROJECTED[:, None]) @ VECTOR
    return PROJECTED @ KEYS.T / (LEARNED if mechanism == "cosine" else 1.0)


def softmax(energies: np.ndarray) -> np.ndarray:
    powers = np.exp(energies - energies.max())
    return powers / powers.sum()


def taken_apart(mechanism: str, energies: np.ndarray | None = None) -> dict:
    words = [[["cat", 0.75], ["dog", 0.125]], [["</s>", 0.5], ["<b>", 0.25]]]
    return {
        "id": mechanism + str(energies is None),
        "source": ["un", "chat", "</s>"],
        "target": ["cat", "</s>"],
        "source_glue": [False] * S,
        "target_glue": [False] * T,
        "source_end": 2,
        "target_end": 1,
        "text": "un chat",
        "translation": "cat",
        "decoded": [{"token": "cat", "probability": 0.75}, {"token": "</s>", "probability": 0.5}],
        "mechanism": mechanism,
        "formulas": {
            "energy": mathematics.ENERGY[mechanism],
            "softmax": mathematics.SOFTMAX,
            "context": mathematics.CONTEXT,
            "state": mathematics.STATE,
            "word": mathematics.WORD,
        },
        "widths": {"annotation": D, "key": A, "state": A},
        "annotations": encoded(ANNOTATIONS, "<f4"),
        "queries": encoded(PROJECTED, "<f4"),
        "keys": encoded(KEYS, "<f4"),
        "projected": encoded(PROJECTED, "<f4"),
        "energy_vector": encoded(VECTOR, "<f4") if mechanism == "additive" else None,
        "temperature": LEARNED if mechanism == "cosine" else None,
        "energies": encoded(energies_of(mechanism) if energies is None else energies, "<f4"),
        "outcomes": [
            {"temperature": value, "states": encoded(PROJECTED * value, "<f4"), "words": words}
            for value in TEMPERATURES
        ],
    }


@pytest.fixture
def open_arithmetic(open_component):
    return partial(open_component, arithmetic)


def figure(value: float, digits: int) -> str:
    return f"{value:.{digits}f}".replace("-", "−")


@pytest.mark.parametrize("mechanism", ["additive", "bilinear", "dot", "cosine"])
def test_the_products_sum_up_to_the_energy_by_each_formula(open_arithmetic, mechanism: str) -> None:
    page = open_arithmetic(taken_apart(mechanism))
    page.locator(".targets .chip").first.click()
    for source in range(S):
        page.locator(".source .item").nth(source + 1).hover()
        energy = figure(energies_of(mechanism)[0, source], 3)
        expect(page.locator(".sum [data-number='energy']")).to_have_text(energy)
        told = page.locator(".sum b").all_inner_texts()
        if mechanism == "cosine":
            before = energies_of(mechanism)[0, source] * LEARNED
            assert told == [str(A), figure(before, 3), "0.250", energy]
        else:
            assert told == [str(A), energy]


def test_weights_lengths_and_context_at_every_temperature(open_arithmetic) -> None:
    page = open_arithmetic(taken_apart("dot"))
    page.locator(".targets .chip").nth(1).click()
    lengths = np.linalg.norm(ANNOTATIONS, axis=1)
    for at, temperature in enumerate(TEMPERATURES):
        page.locator(".temperature input").fill(str(at))
        weights = softmax(energies_of("dot")[1] / temperature)
        items = page.locator(".source .item:not(.headings):not(.total)")
        shown = [float(text.replace("<", "")) for text in items.locator(".weight b").all_inner_texts()]
        np.testing.assert_allclose(shown, weights, atol=6e-4)
        shown = [float(text) for text in items.locator(".share b").all_inner_texts()]
        np.testing.assert_allclose(shown, weights * lengths, atol=6e-3)
        total = page.locator(".source .total")
        expect(total.locator(".weight b")).to_have_text("1.000")
        expect(total.locator(".share b")).to_have_text(f"{np.linalg.norm(weights @ ANNOTATIONS):.2f}")
        figures = page.locator(".states .vector-row").nth(2).locator(".figures")
        expect(figures).to_have_text("  ".join(figure(v, 2) for v in PROJECTED[1] * temperature) + " …")
        assert page.locator(".supposed").is_visible() == (temperature != 1.0)


def test_a_high_weight_on_a_short_annotation_is_told(open_arithmetic) -> None:
    page = open_arithmetic(taken_apart("dot", np.array([[1.0, 2.0, 0.0], [0.0, 0.0, 0.0]])))
    page.locator(".targets .chip").first.click()
    expect(page.locator(".remark")).to_contain_text("“chat” has the largest weight")
    expect(page.locator(".remark")).to_contain_text("“un” adds more to the context")


def test_nearly_equal_parts_are_not_called_unequal(open_arithmetic) -> None:
    """Weights 0.33 and 0.31 on annotations of like length: neither is short, whichever adds more."""
    data = taken_apart("dot", np.log(np.array([[0.33, 0.31, 0.36], [1, 1, 1]])))
    lengths = np.array([[1.0], [1.05], [0.95]])
    unit = np.eye(3, 4)
    data["annotations"] = encoded(unit * lengths, "<f4")
    page = open_arithmetic(data)
    page.locator(".targets .chip").first.click()
    expect(page.locator(".remark")).not_to_contain_text("short")


def test_the_softmax_of_a_word_is_worked_out_in_numbers(open_arithmetic) -> None:
    page = open_arithmetic(taken_apart("dot", np.array([[1.0, 2.0, 0.0], [0.0, 0.0, 0.0]])))
    page.locator(".targets .chip").first.click()
    page.locator(".source .item").nth(1).hover()
    total = 1 + np.exp(-1) + np.exp(-2)
    expect(page.locator(".remark")).to_contain_text(
        f"exp(−1.00) = {np.exp(-1):.3f}; of {total:.3f} in all that is α = {np.exp(-1) / total:.3f}"
    )


def test_another_mechanism_keeps_step_temperature_and_lock(open_arithmetic) -> None:
    page = open_arithmetic(taken_apart("dot"))
    page.locator(".targets .chip").first.click()
    page.locator(".source .item").nth(3).click()
    page.locator(".temperature input").fill("2")
    page.evaluate("(data) => show(data)", taken_apart("cosine"))
    expect(page.locator(".targets .now")).to_have_text("cat")
    expect(page.locator(".temperature output")).to_have_text("4")
    expect(page.locator(".source .locked .word")).to_have_text("end mark")


def test_source_words_are_chosen_by_keys_and_symbols_explained(open_arithmetic) -> None:
    page = open_arithmetic(taken_apart("dot"))
    page.locator(".source .item").nth(1).focus()
    page.keyboard.press("ArrowDown")
    expect(page.locator(".source .now .word")).to_have_text("chat")
    page.keyboard.press("Enter")
    expect(page.locator(".source .locked .word")).to_have_text("chat")
    page.locator(".energy-formula [data-symbol='energy']").hover()
    expect(page.locator(".inspector")).to_contain_text("the energy: how well source piece i answers")


def test_every_symbol_has_its_number(open_arithmetic) -> None:
    for mechanism in ("additive", "bilinear", "cosine"):
        page = open_arithmetic(taken_apart(mechanism))
        page.locator(".targets .chip").nth(1).click()
        names = page.eval_on_selector_all(
            "[data-symbol]", "parts => [...new Set(parts.map(part => part.dataset.symbol))]"
        )
        assert len(names) > 8
        for name in names:
            assert page.locator(f"[data-number='{name}']").count() > 0, name
        page.locator(".energy-formula [data-symbol='energy']").hover()
        lit = page.eval_on_selector_all(".lit", "parts => parts.map(part => part.dataset.number)")
        assert lit.count("energy") == S + 2  # each source word's, the total's cell, and the one in the sum


def test_the_word_and_what_was_read_before_it(open_arithmetic) -> None:
    page = open_arithmetic(taken_apart("dot"))
    page.locator(".targets .chip").first.click()
    expect(page.locator(".chosen")).to_have_text(
        "The word before was “the start mark”. Written: “cat” with p 0.750."
    )
    page.keyboard.press("ArrowRight")
    expect(page.locator(".chosen")).to_have_text(
        "The word before was “cat”. Written: “end mark” with p 0.500."
    )
    expect(page.locator(".chances .token").nth(1)).to_have_text("<b>")


@pytest.mark.parametrize(("theme", "width"), [(LIGHT, 360), (DARK, 1200)])
def test_the_arithmetic_is_not_wider_than_the_page(open_arithmetic, theme, width) -> None:
    page = open_arithmetic(taken_apart("additive"), theme=theme, width=width)
    assert page.evaluate("document.documentElement.scrollWidth") <= width
