"""The article's JavaScript in a real Chromium, without Streamlit: heat, sums, flags, cut, pointer and keys.

Expected colours and numbers are worked out here from the weights, never read back from the article.
"""

import io
import xml.etree.ElementTree as ElementTree
from dataclasses import replace
from functools import partial
from pathlib import Path

import numpy as np
import pytest
from PIL import Image
from playwright.sync_api import expect

import article
from article.payload import payload
from attnviz import text as texts
from attnviz.axes import Sequence
from tests.attnviz import traces
from tests.browser.mounting import set_theme, show
from tests.browser.payloads import DARK, ENDS, LIGHT, LOOKS, colour_of, headline, lightness, rgb


@pytest.fixture
def open_article(open_component):
    return partial(open_component, article)


def chip(page, index):
    return page.locator(f".chip[data-target='{index}']")


def heard(page, index):
    """A word of the article."""
    return page.locator(f".w[data-source='{index}']")


def colours(page, selector, side="backgroundColor"):
    found = page.locator(selector).evaluate_all(
        "(words, side) => words.map(word => getComputedStyle(word)[side])", side
    )
    numbers = [[float(part) for part in text[text.index("(") + 1 : -1].split(",")] for text in found]
    return [None if len(parts) == 4 and parts[3] == 0 else parts[:3] for parts in numbers]


def assert_heat(page, weights, theme=LIGHT, top=1.0, selector=".w"):
    ground = colour_of(0, theme)
    found = [ground if colour is None else colour for colour in colours(page, selector)]
    np.testing.assert_allclose(found, [colour_of(weight, theme, top) for weight in weights], atol=1.01)


def bars(page):
    """The numbers on the bars of the sentences; the last is the end mark's."""
    return [float(text) for text in page.locator(".shares .value").all_text_contents()]


def readout(page):
    return page.locator(".readout").text_content()


def away(page):
    page.mouse.move(2, 2)


# ---- heat


@pytest.mark.parametrize("theme", [LIGHT, DARK])
def test_the_heat_behind_the_words_is_the_weight(open_article, theme):
    page = open_article(headline(), theme=theme)
    for t in range(3):
        chip(page, t).hover()
        assert_heat(page, LOOKS[t], theme)
    page.mouse.move(2, 2)
    assert_heat(page, LOOKS[0], theme)
    assert page.evaluate("stateCalls") == []


@pytest.mark.parametrize("theme", [LIGHT, DARK])
def test_words_are_readable_on_every_heat(open_article, theme):
    """Over the whole scale the contrast of ink to ground is WCAG's 4.5 or more; its rounding is let pass."""
    sentences = [[[f"w{i}", i] for i in range(60)]]
    weights = np.tile(np.linspace(0, 1, 60), (3, 1))
    page = open_article(headline(sentences=sentences, weights=weights), theme=theme)

    def luminance(colour):
        l_star = lightness(np.array(colour))
        return l_star / 903.3 if l_star <= 8 else ((l_star + 16) / 116) ** 3

    inks = colours(page, ".w", "color")
    for weight, ink in zip(weights[0], inks, strict=True):
        low, high = sorted([luminance(ink), luminance(colour_of(weight, theme))])
        assert (high + 0.05) / (low + 0.05) >= 4.4


def test_colours_to_the_largest_weight_and_the_legend_says_so(open_article):
    page = open_article(headline(top=0.7))
    assert_heat(page, LOOKS[0], top=0.7)
    assert page.locator(".legend .top").text_content() == "0.70"
    assert "0 to 0.7" in page.locator(".legend .scale").text_content()


def test_a_new_theme_paints_anew(open_article):
    page = open_article(headline())
    set_theme(page, DARK)
    show(page, headline())
    assert_heat(page, LOOKS[0], DARK)


# ---- the user's own characters


def test_the_text_stands_there_as_it_was_pasted(open_article):
    page = open_article(headline(before=" ", after="\n"))
    assert page.locator(".prose").evaluate("prose => prose.textContent") == " Rovara  WON.\n\nIt rained.\n"
    expect(page.locator(".left-out")).to_be_hidden()


def test_markup_in_an_article_is_text(open_article):
    sentences = [[["<img src=x onerror=alert(1)>", 0], [" <b>", -1], *[[f"w{i}", i] for i in range(1, 6)]]]
    page = open_article(headline(sentences=sentences))
    assert heard(page, 0).text_content() == "<img src=x onerror=alert(1)>"
    assert page.locator(".prose img, .prose b").count() == 0


UNICODE = "Ünïcode e\u0301te\u0301 👩‍👩‍👧 𝔘𝔫𝔦 won.\n\n  שלום\u00a0עולם 日本 \U0001f1e7\U0001f1f7 ends "


def worded(text: str, stop: int) -> Sequence:
    """A text as an axis of one piece a word, read up to a character."""
    spans = tuple(span for span in texts.words(text, "en") if span[1] <= stop)
    tokens = (*(text[slice(*span)] for span in spans), "</s>")
    end = (spans[-1][1],) * 2
    return Sequence(text, tokens, (*spans, end), spans, (*range(len(spans)), -1))


def test_heat_lies_behind_the_right_characters_whatever_they_are(open_article):
    """JavaScript counts in other units than Python: every word must be what Python's offsets say."""
    axis = worded(UNICODE, UNICODE.index(" ends"))
    made = traces.trace(axis=axis)
    weights = np.zeros_like(made.weights)
    for t in range(len(made)):
        weights[t, (2 * t + 1) % len(axis.words)] = 1.0
    rest = (axis.words[-1][1], len(UNICODE))
    page = open_article(payload(replace(made, weights=weights, unread=(rest,)), True, False))
    words = [UNICODE[slice(*span)] for span in axis.words]
    assert page.locator(".w").evaluate_all("words => words.map(word => word.textContent)") == words
    assert (
        page.locator(".prose").evaluate("prose => prose.textContent")
        + page.locator(".unread").evaluate("rest => rest.textContent")
        == UNICODE
    )
    for t in range(2):
        chip(page, t).hover()
        hot = [word for word, colour in zip(words, colours(page, ".w"), strict=True) if colour]
        assert hot == [words[2 * t + 1]]
    assert "👩‍👩‍👧" in words
    assert "e\u0301te\u0301" in words


# ---- sums


def test_sentences_and_end_mark_make_one(open_article):
    page = open_article(headline())
    for t in range(3):
        chip(page, t).hover()
        expected = [LOOKS[t][:3].sum(), LOOKS[t][3:].sum(), ENDS[t]]
        np.testing.assert_allclose(bars(page), expected, atol=0.0006)
        assert sum(bars(page)) == pytest.approx(1, abs=0.0015)
        fill = page.locator(".shares .fill").first.evaluate(
            "bar => new DOMMatrix(getComputedStyle(bar).transform).a"
        )
        assert fill == pytest.approx(expected[0], abs=0.001)
    openings = page.locator(".shares .opening").all_text_contents()
    assert openings == ["Rovara WON.", "It rained.", "end mark"]


def test_coverage_is_the_sum_over_the_headline(open_article):
    page = open_article(headline(view="coverage"))
    assert_heat(page, LOOKS.sum(axis=0))  # 0.75 at most: the scale goes to 1
    rolled = [LOOKS[:, :3].sum() / 3, LOOKS[:, 3:].sum() / 3, sum(ENDS) / 3]
    np.testing.assert_allclose(bars(page), rolled, atol=0.0006)
    chip(page, 2).hover()
    assert_heat(page, LOOKS.sum(axis=0))
    away(page)
    assert readout(page) == (
        "All 3 words together looked most at WON 0.750, Rovara 0.720, It 0.370; the end mark got 0.440"
    )
    assert "sum" in page.locator(".legend .scale").text_content()


def test_the_scale_of_the_coverage_reaches_its_largest(open_article):
    data = headline(view="coverage", coverage=[2.5, 0.2, 0, 0.1, 0.1, 0.1])
    page = open_article(data)
    assert_heat(page, data["trace"]["coverage"], top=2.5)
    assert page.locator(".legend .top").text_content() == "2.50"


def test_the_readout_tells_the_end_mark(open_article):
    page = open_article(headline())
    assert readout(page) == "rovara looked most at Rovara 0.600, It 0.150, WON 0.100; the end mark got 0.040"
    chip(page, 1).hover()
    assert readout(page).endswith("the end mark got 0.200")


# ---- what words rest on


def test_flags_are_told_apart_without_colour_and_say_why(open_article):
    page = open_article(headline())
    assert [chip(page, t).locator(".sign").all_text_contents() for t in range(3)] == [[], ["≈"], ["?"]]
    lines = [
        chip(page, t).locator(".label").evaluate("label => getComputedStyle(label).textDecoration")
        for t in range(3)
    ]
    assert [("wavy" in line, "dotted" in line) for line in lines] == [
        (False, False),
        (False, True),
        (True, False),
    ]
    unsupported, leans = page.locator(".rests li").all_text_contents()
    assert unsupported == (
        "?sun stands nowhere in the text, and no word of it got a fifth of the weight: unsupported."
    )
    assert leans == "≈win (on WON 0.50) stands nowhere in the text, but leans on a place in it."
    rest = page.locator(".step .rest")
    assert rest.text_content() == "rovara stands in the text."
    chip(page, 2).hover()
    assert rest.text_content() == (
        "sun stands nowhere in the text, and no word of it got a fifth of the weight; "
        "most went to rained (0.18)."
    )


def test_where_the_text_was_cut_nothing_is_said_of_the_rest(open_article):
    page = open_article(headline(unread="The sun came later."))
    assert "nowhere in the part that was read" in page.locator(".rests .unsupported").text_content()


def test_without_flags_there_is_no_list(open_article):
    page = open_article(headline(support=[{"kind": "found", "weight": 0.9, "source": 0}, None, None]))
    assert page.locator(".rests li").count() == 0
    chip(page, 1).hover()
    expect(page.locator(".step .rest")).to_be_hidden()


# ---- the cut


def test_what_was_not_read_stands_after_a_mark(open_article):
    page = open_article(headline(unread="Then the <i>sun</i> came."))
    expect(page.locator(".cut")).to_have_text("the model stopped reading here")
    assert page.locator(".unread").text_content() == "Then the <i>sun</i> came."
    quiet = page.locator(".unread").evaluate("rest => getComputedStyle(rest).color")
    mixed = 0.68 * np.array([0x31, 0x33, 0x3F]) / 255 + 0.32  # 68 % ink on white
    shares = [float(part) for part in quiet.removeprefix("color(srgb ").removesuffix(")").split()]
    np.testing.assert_allclose(shares, mixed, atol=0.003)
    expect(page.locator(".unfold")).to_be_hidden()


def test_a_long_rest_is_folded_until_it_is_asked_for(open_article):
    page = open_article(headline(unread="The sun came. " * 2000))
    short = page.locator(".unread").bounding_box()["height"]
    assert short < 300
    page.locator(".unfold").click()
    assert page.locator(".unread").bounding_box()["height"] > 10 * short
    expect(page.locator(".unfold")).to_be_hidden()


# ---- pointer


def test_a_word_of_the_article_shows_which_words_looked_at_it(open_article):
    page = open_article(headline())
    heard(page, 1).hover()
    assert_heat(page, LOOKS[:, 1], selector=".chip")
    assert page.locator(".chip .figure").all_text_contents() == ["0.10", "0.50", "0.15"]
    assert readout(page) == "WON got most from win 0.500, sun 0.150, rovara 0.100"
    assert_heat(page, LOOKS[0])  # the heat stays
    away(page)
    assert colours(page, ".chip") == [None] * 3


def test_hover_previews_and_a_click_locks(open_article):
    page = open_article(headline())
    chip(page, 1).click()
    expect(page.locator(".release")).to_be_visible()
    chip(page, 2).hover()
    assert_heat(page, LOOKS[1])
    heard(page, 3).hover()
    assert readout(page) == "win looked at It with weight 0.100"
    away(page)
    assert_heat(page, LOOKS[1])
    chip(page, 1).click()
    expect(page.locator(".release")).to_be_hidden()


def test_a_word_of_the_article_locks_too(open_article):
    page = open_article(headline())
    heard(page, 4).click()
    away(page)
    assert_heat(page, LOOKS[:, 4], selector=".chip")
    chip(page, 1).hover()
    assert readout(page) == "win looked at rained with weight 0.050"
    page.locator(".release").click()
    assert colours(page, ".chip") == [None] * 3


def test_pointing_at_a_bar_underlines_its_sentence(open_article):
    page = open_article(headline())
    page.locator(".shares li").nth(1).hover()
    assert page.locator(".sentence.meant").all_text_contents() == ["It rained."]
    away(page)
    assert page.locator(".sentence.meant").count() == 0


# ---- keys and playback


def test_arrows_step_and_escape_releases(open_article):
    page = open_article(headline())
    chip(page, 0).click()
    page.keyboard.press("Escape")
    expect(page.locator(".release")).to_be_hidden()
    away(page)
    page.keyboard.press("ArrowRight")
    assert_heat(page, LOOKS[1])
    page.keyboard.press("End")
    assert page.locator(".counter").text_content() == "3 / 3"
    page.keyboard.press("Home")
    assert_heat(page, LOOKS[0])


def test_arrows_in_the_article_walk_its_words(open_article):
    page = open_article(headline())
    page.locator(".prose").focus()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowRight")
    assert_heat(page, LOOKS[:, 1], selector=".chip")
    assert page.locator(".live").text_content().startswith("WON got most from win")
    page.keyboard.press("Enter")
    expect(page.locator(".release")).to_be_visible()
    page.keyboard.press("ArrowLeft")
    assert readout(page).startswith("Rovara got most from")
    page.keyboard.press("ArrowLeft")  # the first stays
    assert readout(page).startswith("Rovara got most from")


def test_it_plays_to_the_end(open_article):
    page = open_article(headline(), motion=True)
    page.locator(".speed select").select_option("4")
    page.locator(".play").click()
    expect(page.locator(".later").last).to_have_attribute("data-target", "2")
    expect(page.locator(".counter")).to_have_text("3 / 3")
    expect(page.locator(".play span")).to_have_text("Play")
    expect(page.locator(".later")).to_have_count(0)


def test_other_looks_keep_the_place_and_another_headline_does_not(open_article):
    page = open_article(headline())
    chip(page, 2).click()
    show(page, headline(top=0.7))
    away(page)
    assert_heat(page, LOOKS[2], top=0.7)
    expect(page.locator(".release")).to_be_visible()
    show(page, headline(view="coverage"))
    assert_heat(page, LOOKS.sum(axis=0))
    show(page, headline(name="second"))
    assert_heat(page, LOOKS[0])
    expect(page.locator(".release")).to_be_hidden()


def test_the_words_are_made_once(open_article):
    """A step may change nothing but styles: that is what keeps long texts smooth."""
    page = open_article(headline())
    page.evaluate(
        """() => {
             const prose = document.getElementById("host").shadowRoot.querySelector(".prose");
             window.made = 0;
             const options = { childList: true, subtree: true, characterData: true };
             new MutationObserver((changes) => (window.made += changes.length)).observe(prose, options);
           }"""
    )
    for t in (1, 2, 0):
        chip(page, t).click()
    heard(page, 2).click()
    assert page.evaluate("made") == 0


# ---- the picture


def saved(page, kind):
    page.locator(".save summary").click()
    with page.expect_download() as download:
        page.locator(f'.formats [value="{kind}"]').click()
    return Path(download.value.path()).read_bytes()


def test_a_picture_has_every_word_over_its_heat(open_article):
    page = open_article(headline(unread="The sun came later."))
    chip(page, 1).click()
    drawn = ElementTree.fromstring(saved(page, "svg"))
    name = "{http://www.w3.org/2000/svg}"
    told = [text.text for text in drawn.iter(f"{name}text")]
    assert told[0] == "win  ·  rovara win sun"
    words = ["Rovara", "1", "WON", ".", "It", "2", "rained", "."]
    assert told[2:] == [*words, "the model stopped reading here"]
    grounds = [rgb(rect.get("fill")) for rect in drawn.iter(f"{name}rect")][-6:]
    np.testing.assert_allclose(grounds, [colour_of(weight) for weight in LOOKS[1]], atol=1.01)
    with Image.open(io.BytesIO(saved(page, "png"))) as picture:
        assert picture.size == (2 * int(drawn.get("width")), 2 * int(drawn.get("height")))


def test_a_word_over_several_lines_is_drawn_line_by_line(open_article):
    sentences = [[["x" * 400, 0], [" ", -1], *[[f"w{i}", i] for i in range(1, 6)]]]
    page = open_article(headline(sentences=sentences), width=500)
    drawn = ElementTree.fromstring(saved(page, "svg"))
    lines = [text.text for text in drawn.iter("{http://www.w3.org/2000/svg}text") if set(text.text) == {"x"}]
    assert len(lines) > 3
    assert sum(map(len, lines)) == 400


@pytest.mark.parametrize("width", [390, 800])
def test_nothing_is_wider_than_the_page(open_article, width):
    long = [[["x" * 400, 0], [" ", -1], *[[f"w{i}", i] for i in range(1, 6)]]]
    page = open_article(headline(sentences=long, unread="y" * 300), width=width)
    assert page.evaluate("document.scrollingElement.scrollWidth") <= width
    wide = page.locator(".open").evaluate("open => [open.scrollWidth, open.clientWidth]")
    assert wide[0] <= wide[1]
