"""The player's JavaScript in a real Chromium, without Streamlit: a blank page mounts the module with a stub.

Expected colours, weights and labels are worked out here from the payload, never read back from the player.
"""

import base64
import os
import statistics
import xml.etree.ElementTree as ElementTree
from functools import partial
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

import player
from tests.browser.mounting import set_theme, show
from tests.browser.payloads import (
    DARK,
    LIGHT,
    SOURCE,
    TARGET,
    WEIGHTS,
    colour_of,
    diagonal,
    encoded,
    lightness,
    payload,
    ramp,
    rgb,
    small,
    trace,
)

# ---- the browser


@pytest.fixture
def open_player(open_component):
    """Opens a page that shows a payload; fails the test if the page logs an error."""
    return partial(open_component, player)


def target(page, index):
    return page.locator(f"[data-target='{index}']")


def source(page, index):
    return page.locator(f"[data-source='{index}']")


def shades(page, side):
    """The background colour of each chip of one side, with transparent read as white."""
    found = page.locator(f"[data-{side}]").evaluate_all(
        "chips => chips.map(chip => getComputedStyle(chip).backgroundColor)"
    )
    numbers = [[float(part) for part in text[text.index("(") + 1 : -1].split(",")] for text in found]
    return [[255, 255, 255] if len(parts) == 4 and parts[3] == 0 else parts[:3] for parts in numbers]


def figures(page, side):
    return page.locator(f"[data-{side}] .figure").all_text_contents()


def counter(page):
    return page.locator(".counter").text_content()


def readout(page):
    return page.locator(".readout").text_content()


def away(page):
    """Moves the pointer to where nothing reacts to it."""
    page.mouse.move(2, 2)


def cell_colour(page, t, s, trace_shape):
    """The colour in the middle of a cell of the matrix."""
    return page.locator(".cells").evaluate(
        """(canvas, [t, s, rows, columns]) => Array.from(canvas.getContext("2d").getImageData(
             Math.floor((s + 0.5) * canvas.width / columns),
             Math.floor((t + 0.5) * canvas.height / rows), 1, 1).data).slice(0, 3)""",
        [t, s, *trace_shape],
    )


def assert_shades(found, weights, theme=LIGHT, top=1.0):
    np.testing.assert_allclose(found, [colour_of(weight, theme, top) for weight in weights], atol=1.01)


# ---- words


def test_hover_over_a_target_shades_the_sources_by_its_weights(open_player):
    page = open_player(payload(small()))
    for t in range(3):
        target(page, t).hover()
        assert_shades(shades(page, "source"), WEIGHTS[t])
        assert figures(page, "source") == [f"{weight:.2f}" if weight >= 0.05 else "" for weight in WEIGHTS[t]]
        assert shades(page, "target") == [[255, 255, 255]] * 3
    assert page.evaluate("stateCalls") == []


def test_hover_over_a_source_shades_the_targets_by_their_weight_on_it(open_player):
    page = open_player(payload(small()))
    for s in range(4):
        source(page, s).hover()
        assert_shades(shades(page, "target"), WEIGHTS[:, s])
        assert figures(page, "target") == [
            f"{weight:.2f}" if weight >= 0.05 else "" for weight in WEIGHTS[:, s]
        ]
        assert shades(page, "source") == [[255, 255, 255]] * 4


def test_leaving_the_words_brings_the_step_back(open_player):
    page = open_player(payload(small()))
    target(page, 2).hover()
    away(page)
    assert_shades(shades(page, "source"), WEIGHTS[0])
    assert counter(page) == "1 / 3"


def test_weights_above_the_top_of_the_scale_clip(open_player):
    page = open_player(payload(small(), top=0.5))
    assert_shades(shades(page, "source"), WEIGHTS[0], top=0.5)
    assert page.locator(".legend").text_content().replace("\n", "") == "00.5colour: 0 to 0.5"


def test_a_click_locks_until_it_is_clicked_again(open_player):
    page = open_player(payload(small()))
    target(page, 1).click()
    assert page.locator(".release").is_visible()
    target(page, 2).hover()
    source(page, 0).hover()
    assert_shades(shades(page, "source"), WEIGHTS[1])
    assert readout(page) == "runs looked at le with weight 0.030"
    target(page, 1).click()
    assert page.locator(".release").is_hidden()
    away(page)
    target(page, 2).hover()
    assert_shades(shades(page, "source"), WEIGHTS[2])


@pytest.mark.parametrize("release", ["Escape", "button", "play", "arrow"])
@pytest.mark.parametrize("locked", ["target", "source", "cell"])
def test_every_lock_can_be_released(open_player, release, locked):
    page = open_player(payload(small()))
    {"target": target(page, 1), "source": source(page, 1), "cell": page.locator(".cells")}[locked].click()
    away(page)
    assert page.locator(".release").is_visible()
    if release == "Escape":
        page.keyboard.press("Escape")
    elif release == "button":
        page.locator(".release").click()
    elif release == "play":
        page.locator(".play").click()
    else:
        page.locator(".forward").focus()
        page.keyboard.press("Home")
    assert page.locator(".release").is_hidden()


def test_a_locked_source_stays_while_the_pointer_wanders(open_player):
    page = open_player(payload(small()))
    source(page, 3).click()
    target(page, 1).hover()
    assert_shades(shades(page, "target"), WEIGHTS[:, 3])
    assert readout(page) == "runs looked at court with weight 0.600"


def test_labels_are_text_and_what_cannot_be_seen_is_made_visible(open_player):
    labels = ["<script>window.hacked = 1</script>", "\n", "a\tb", "<img src=x onerror='window.hacked=1'>"]
    page = open_player(payload(trace(WEIGHTS, labels, ["\u202eabc", "  ", "می\u200cخواهم"])))
    shown = page.locator("[data-source] .label").all_text_contents()
    assert shown == [labels[0], "⏎", "a⇥b", labels[3]]
    assert page.locator("[data-target] .label").all_text_contents() == ["U+202Eabc", "␣␣", "می\u200cخواهم"]
    assert page.evaluate("window.hacked") is None
    assert page.locator(".player script, .player img").count() == 0


def test_the_end_mark_is_not_a_users_own_text(open_player):
    source_words = ["</s>", "chien", "noir", "</s>"]
    page = open_player(payload(trace(WEIGHTS, source_words, TARGET, source_end=3)))
    assert page.locator("[data-source] .label").all_text_contents() == ["</s>", "chien", "noir", "end mark"]
    assert page.locator("[data-source].end").count() == 1
    assert page.locator(".end-mass").is_hidden()


def test_the_mass_on_a_hidden_end_mark_is_a_number_of_its_own(open_player):
    page = open_player(payload(trace(WEIGHTS * 0.75, SOURCE, TARGET, end_mass=[0.25, 0.0, 0.125])))
    assert " ".join(page.locator(".end-mass").text_content().split()) == "end mark 0.25"
    assert_shades(shades(page, "source"), WEIGHTS[0] * 0.75)
    target(page, 2).hover()
    assert page.locator(".end-mass b").text_content() == "0.13"


def test_glued_pieces_touch_and_words_do_not(open_player):
    page = open_player(payload(small(source_glue=[False, False, True, False])))
    boxes = [source(page, s).bounding_box() for s in range(4)]
    gaps = [right["x"] - (left["x"] + left["width"]) for left, right in pairwise(boxes)]
    assert gaps[1] <= 0
    assert gaps[0] > 3
    assert gaps[2] > 3


def test_a_line_from_right_to_left_reads_from_right_to_left(open_player):
    page = open_player(payload(trace(WEIGHTS, ["رجل", "عجوز", "يقرأ", "كتاب"], TARGET)))
    assert source(page, 0).bounding_box()["x"] > source(page, 3).bounding_box()["x"]
    assert target(page, 0).bounding_box()["x"] < target(page, 2).bounding_box()["x"]
    target(page, 1).hover()
    assert_shades(shades(page, "source"), WEIGHTS[1])


# ---- matrix


@pytest.mark.parametrize("theme", [LIGHT, DARK], ids=["light", "dark"])
def test_every_cell_of_the_matrix_has_the_colour_of_its_weight(open_player, theme):
    page = open_player(payload(small()), theme=theme)
    for t in range(3):
        for s in range(4):
            np.testing.assert_allclose(
                cell_colour(page, t, s, WEIGHTS.shape), colour_of(WEIGHTS[t, s], theme), atol=1.01
            )


@pytest.mark.parametrize("theme", [LIGHT, DARK], ids=["light", "dark"])
def test_the_ramp_is_even_in_lightness(theme):
    steps = np.diff([lightness(colour) for colour in ramp(theme)])
    assert np.all(steps < 0) or np.all(steps > 0)
    assert np.abs(steps).max() < 1.6 * np.abs(steps).mean()


def test_a_change_of_theme_repaints_and_leaves_the_step(open_player):
    page = open_player(payload(small()))
    target(page, 1).click()
    set_theme(page, DARK)
    show(page, payload(small()))
    np.testing.assert_allclose(cell_colour(page, 1, 3, WEIGHTS.shape), colour_of(0.6, DARK), atol=1.01)
    found = page.locator("[data-source='3']").evaluate("chip => getComputedStyle(chip).backgroundColor")
    np.testing.assert_allclose(
        [float(part) for part in found[4:-1].split(",")], colour_of(0.6, DARK), atol=1.01
    )
    assert counter(page) == "2 / 3"
    assert page.locator(".release").is_visible()


def test_the_pointer_reads_one_cell(open_player):
    page = open_player(payload(small()))
    box = page.locator(".cells").bounding_box()
    for t, s in [(0, 3), (2, 1), (1, 2)]:
        page.mouse.move(box["x"] + (s + 0.5) * box["width"] / 4, box["y"] + (t + 0.5) * box["height"] / 3)
        assert readout(page) == f"{TARGET[t]} looked at {SOURCE[s]} with weight {WEIGHTS[t, s]:.3f}"
        assert page.locator(".row-label").text_content() == TARGET[t]
        assert page.locator(".column-label").text_content() == SOURCE[s]
        assert_shades(shades(page, "source"), WEIGHTS[t])


def test_a_single_cell(open_player):
    page = open_player(payload(trace([[1.0]], ["oui"], ["yes"])))
    np.testing.assert_allclose(cell_colour(page, 0, 0, (1, 1)), rgb("#004280"), atol=1.01)
    assert counter(page) == "1 / 1"
    assert page.locator(".share").text_content() == "one position only"
    page.locator(".speed select").select_option("4")
    page.locator(".play").click()
    page.wait_for_function(
        "document.getElementById('host').shadowRoot.querySelector('.play').textContent.trim() === 'Play'"
    )
    assert counter(page) == "1 / 1"


# ---- the current step


def test_the_panel_gives_the_numbers_of_the_step(open_player):
    page = open_player(payload(small(probability=[0.5, 0.93, 0.1])))
    target(page, 1).hover()
    step = page.locator(".step")
    assert step.locator(".word").text_content() == "runs"
    assert step.locator(".probability").text_content() == "0.930"
    entropy = -(WEIGHTS[1] * np.log(WEIGHTS[1])).sum()
    assert step.locator(".entropy").text_content() == f"{entropy:.2f} nats"
    assert step.locator(".share").text_content() == f"{entropy / np.log(4):.0%} of log 4".replace("%", " %")
    assert step.locator(".alternative").all_text_contents() == ["runs0.500", "other0.250"]
    assert step.locator(".alternative.chosen .token").all_text_contents() == ["runs"]


def test_a_label_of_several_pieces_has_a_group_for_each(open_player):
    one = {"token": "do", "probability": 0.8, "alternatives": [["do", 0.8], ["ca", 0.1]]}
    forced = {"token": "gs", "probability": 0.01, "alternatives": [["g", 0.9]]}
    page = open_player(payload(small(decoded=[[one, forced], [one], [one]])))
    assert page.locator(".group .piece").all_text_contents() == ["do", "gs"]
    assert page.locator(".alternative.chosen").all_text_contents() == ["do0.800", "gs0.010"]


def test_missing_energies_are_said_in_words(open_player):
    nothing = encoded(np.full(WEIGHTS.shape, np.nan), "<f4")
    page = open_player(payload(small(energies=nothing, energies_note="This model has no energies.")))
    assert page.locator(".note").text_content() == "This model has no energies."
    assert page.locator(".note").is_visible()
    assert page.locator("canvas.energies").is_hidden()
    source(page, 1).hover()
    assert page.locator(".probe").text_content() == "chien: weight 0.200"


def test_a_masked_source_is_said_to_be_masked(open_player):
    page = open_player(payload(trace([[0.5, 0.5, 0.0]], ["a", "b", "pad"], ["x"])))
    source(page, 2).hover()
    assert page.locator(".probe").text_content() == "pad: masked (energy −∞), weight 0.000"
    assert page.locator(".note").is_hidden()
    source(page, 0).hover()
    assert page.locator(".probe").text_content() == f"a: energy −{-np.log(0.5):.3f}, weight 0.500"


def test_the_context_is_one_pixel_a_unit_and_has_values(open_player):
    page = open_player(payload(small()))
    context = page.locator("canvas.context")
    assert context.evaluate("canvas => [canvas.width, canvas.height]") == [3, 1]
    assert page.locator(".context-part .width").text_content() == "3 units, blue −2.00 to orange 2.00"
    box = context.bounding_box()
    context.hover(position={"x": box["width"] * 0.1, "y": 5})
    assert page.locator(".unit").text_content() == "unit 1: −2.000"
    context.hover(position={"x": box["width"] * 0.9, "y": 5})
    assert page.locator(".unit").text_content() == "unit 3: 2.000"


def test_notes_and_a_forced_translation_are_shown(open_player):
    page = open_player(payload(small(notes=["“chien” was cut.", "<b>bold</b>"], forced=True)))
    assert page.locator(".notes li").all_text_contents() == ["“chien” was cut.", "<b>bold</b>"]
    assert page.locator(".badge").text_content() == "forced: you chose this translation"
    page = open_player(payload(small()))
    assert page.locator(".badge").is_hidden()


def test_a_screen_reader_hears_the_step(open_player):
    page = open_player(payload(small(probability=[0.5, 0.93, 0.1])))
    page.locator(".cells").focus()
    page.keyboard.press("ArrowRight")
    assert (
        page.locator(".live").text_content()
        == "step 2 of 3: runs, probability 0.93, looked most at court 0.60"
    )
    assert page.locator(".cells").get_attribute("role") == "img"
    assert (
        page.locator(".cells").get_attribute("aria-label")
        == "Attention weights of 3 target words (rows) over 4 source words (columns)"
    )


# ---- moving


def test_keys_move_the_step(open_player):
    page = open_player(payload(small()))
    page.locator(".cells").focus()
    seen = []
    for key in ["ArrowRight", "ArrowRight", "ArrowRight", "ArrowLeft", "Home", "End", "ArrowUp"]:
        page.keyboard.press(key)
        seen.append(counter(page)[0])
    assert seen == ["2", "3", "3", "2", "1", "3", "2"]
    assert_shades(shades(page, "source"), WEIGHTS[1])


def test_keys_walk_along_the_words(open_player):
    page = open_player(payload(small()))
    target(page, 0).focus()
    page.keyboard.press("ArrowRight")
    assert target(page, 1).evaluate("chip => chip === chip.getRootNode().activeElement")
    source(page, 0).focus()
    page.keyboard.press("ArrowRight")
    assert source(page, 1).evaluate("chip => chip === chip.getRootNode().activeElement")
    assert_shades(shades(page, "target"), WEIGHTS[:, 1])
    page.keyboard.press("Enter")
    assert page.locator(".release").is_visible()


def test_a_source_word_reached_by_key_is_previewed(open_player):
    page = open_player(payload(small()))
    page.keyboard.press("Tab")
    assert source(page, 0).evaluate("chip => chip === chip.getRootNode().activeElement")
    assert_shades(shades(page, "target"), WEIGHTS[:, 0])


def test_a_drag_that_ends_where_it_began_lets_go_of_the_slider(open_player):
    page = open_player(payload(small()))
    page.locator(".seek").evaluate("seek => { seek.value = 0; seek.dispatchEvent(new Event('input')); }")
    page.locator(".seek").dispatch_event("pointerup")
    page.locator(".forward").click()
    assert page.locator(".seek").input_value() == "1"
    assert page.locator("[data-target].later").count() == 0


def test_space_plays_and_pauses_but_not_from_a_button(open_player):
    page = open_player(payload(diagonal(9)))
    page.locator(".cells").focus()
    page.keyboard.press("Space")
    assert page.locator(".play").text_content().strip() == "Pause"
    page.keyboard.press("Space")
    assert page.locator(".play").text_content().strip() == "Play"
    page.locator(".forward").focus()
    before = counter(page)
    page.keyboard.press("Space")
    assert page.locator(".play").text_content().strip() == "Play"
    assert counter(page) != before


def drag_slider(page, value):
    page.locator(".seek").evaluate(
        "(seek, value) => { seek.value = value; seek.dispatchEvent(new Event('input')); }", value
    )


def test_the_slider_blends_two_steps_and_comes_to_rest_on_one(open_player):
    page = open_player(payload(small()), motion=True)
    drag_slider(page, 1.25)
    page.wait_for_timeout(400)  # the chips' colours glide
    assert_shades(shades(page, "source"), 0.75 * WEIGHTS[1] + 0.25 * WEIGHTS[2])
    assert counter(page) == "2 / 3"
    page.locator(".seek").evaluate("seek => seek.dispatchEvent(new Event('change'))")
    page.wait_for_timeout(400)
    assert_shades(shades(page, "source"), WEIGHTS[1])
    assert figures(page, "source") == ["", "0.07", "0.30", "0.60"]


def test_without_motion_the_slider_jumps_from_step_to_step(open_player):
    page = open_player(payload(small()))
    drag_slider(page, 1.25)
    assert_shades(shades(page, "source"), WEIGHTS[1])


def test_a_resting_pointer_does_not_move_the_step(open_player):
    page = open_player(payload(small()))
    box = target(page, 2).bounding_box()
    page.mouse.move(box["x"] + 5, box["y"] + 5)
    page.keyboard.press("Escape")
    show(page, payload(small(), name="second"))  # new chips come to lie under the pointer
    page.wait_for_timeout(300)
    assert counter(page) == "1 / 3"
    assert_shades(shades(page, "source"), WEIGHTS[0])
    page.mouse.move(box["x"] + 8, box["y"] + 6)
    assert_shades(shades(page, "source"), WEIGHTS[2])


def wait_for_end(page):
    page.wait_for_function(
        "document.getElementById('host').shadowRoot.querySelector('.play').textContent.trim() === 'Play'",
        timeout=30000,
    )


def test_playback_dims_what_is_not_decoded_and_runs_on_into_the_next_sentence(open_player):
    second = trace(WEIGHTS[:2], ["ein", "hund", "läuft", "weg"], ["a", "dog"])
    page = open_player(payload(small(), second), motion=True)
    page.locator(".speed select").select_option("4")
    page.locator(".play").click()
    assert page.locator("[data-target].later").count() == 2
    page.wait_for_function(
        "document.getElementById('host').shadowRoot.querySelector('.place').textContent === 'Sentence 2 of 2'"
    )
    assert page.locator(".play").text_content().strip() == "Pause"
    assert page.locator(".play").evaluate("button => button === button.getRootNode().activeElement")
    wait_for_end(page)
    assert counter(page) == "2 / 2"
    assert page.locator(".word").text_content() == "dog"
    assert page.locator("[data-target].later").count() == 0
    assert page.evaluate("stateCalls") == []


def test_a_rerun_with_the_same_payload_does_not_disturb_the_playback(open_player):
    page = open_player(payload(diagonal(9)))
    page.locator(".play").click()
    show(page, payload(diagonal(9)))
    assert page.locator(".play").text_content().strip() == "Pause"
    show(page, payload(small(), name="second"))
    assert page.locator(".play").text_content().strip() == "Play"
    assert counter(page) == "1 / 3"


def test_new_data_of_the_same_shape_replaces_everything(open_player):
    page = open_player(payload(small(probability=[0.5, 0.5, 0.5])))
    words = ["der", "hund", "läuft", "weg"]
    show(
        page,
        payload(trace(WEIGHTS[:, ::-1], words, ["a", "b", "c"], probability=[0.25, 0.5, 0.5]), name="second"),
    )
    assert readout(page) == "a looked most at weg 0.700, läuft 0.200, hund 0.080"
    assert page.locator(".probability").text_content() == "0.250"
    assert page.locator(".seek").get_attribute("aria-valuetext") == "step 1 of 3: a"
    assert page.locator(".live").text_content().startswith("step 1 of 3: a, probability 0.25")
    assert_shades(shades(page, "source"), WEIGHTS[0, ::-1])
    assert figures(page, "source") == ["", "0.08", "0.20", "0.70"]
    np.testing.assert_allclose(cell_colour(page, 1, 0, WEIGHTS.shape), colour_of(0.6), atol=1.01)


def test_unmounting_stops_the_clock(open_player):
    page = open_player(payload(diagonal(9)))
    page.locator(".play").click()
    page.evaluate("unmount()")
    frames = page.evaluate("window.__attnvizFrames.length")
    page.wait_for_timeout(200)
    assert page.evaluate("window.__attnvizFrames.length") == frames


# ---- many sentences, long sentences, narrow pages


def test_three_hundred_sentences(open_player):
    traces = [trace(WEIGHTS, [f"{word}{i}" for word in SOURCE], TARGET) for i in range(300)]
    page = open_player(payload(*traces))
    assert page.locator(".sentences > li").count() == 300
    assert page.locator(".chip").count() == 7
    page.locator(".pair").nth(210).click()
    assert page.locator(".place").text_content() == "Sentence 211 of 300"
    assert page.locator("[data-source] .label").all_text_contents() == [f"{word}210" for word in SOURCE]
    box = page.locator(".text-part").bounding_box()
    assert box["y"] >= 0
    assert box["y"] + box["height"] <= 900  # of the viewport
    page.locator(".pair").nth(211).focus()
    page.keyboard.press("Enter")
    assert page.locator(".place").text_content() == "Sentence 212 of 300"


def test_three_hundred_words_a_side(open_player):
    data = payload(diagonal(300), top=0.5)
    weights = np.frombuffer(base64.b64decode(data["traces"][0]["weights"]), "<u2").reshape(300, 300) / 65535
    page = open_player(data)
    assert page.locator("[data-target]").count() == 100
    assert page.locator("[data-source]").count() == 100
    page.locator(".cells").focus()
    page.keyboard.press("End")
    assert target(page, 299).is_visible()
    assert source(page, int(weights[299].argmax())).is_visible()
    first = int(page.locator("[data-source]").first.get_attribute("data-source"))
    assert_shades(shades(page, "source"), weights[299, first : first + 100], top=0.5)
    np.testing.assert_allclose(
        cell_colour(page, 150, 150, weights.shape), colour_of(weights[150, 150], top=0.5), atol=1.01
    )
    np.testing.assert_allclose(
        cell_colour(page, 20, 200, weights.shape), colour_of(weights[20, 200], top=0.5), atol=1.01
    )


@pytest.mark.parametrize("size", [(3, 4), (60, 60), (300, 300)], ids=str)
def test_nothing_overflows_a_narrow_page(open_player, size):
    page = open_player(payload(small() if size == (3, 4) else diagonal(*size)), width=375)
    assert page.evaluate("document.documentElement.scrollWidth") <= 375
    panels = [page.locator(name).bounding_box() for name in (".matrix", ".step")]
    assert panels[1]["y"] > panels[0]["y"] + panels[0]["height"]


def frame_rate(page, seconds):
    page.locator(".speed select").select_option("4")
    page.locator(".play").click()
    page.wait_for_timeout(seconds * 1000)
    intervals = page.evaluate("window.__attnvizFrames")
    return 1000 / statistics.mean(intervals[5:])


def test_sixty_by_sixty_plays_smoothly(open_player):
    """The aim is 55 frames a second; a machine that does other work as well is allowed to miss a few."""
    page = open_player(payload(diagonal(60)), motion=True)
    page.wait_for_timeout(300)
    rate = frame_rate(page, 4)
    print(f"60x60: {rate:.1f} frames a second")
    assert rate >= float(os.environ.get("ATTNVIZ_FRAME_RATE", 45))


# ---- pictures


def saved(page, form):
    page.locator(".save summary").click()
    with page.expect_download() as download:
        page.locator(f".formats [value={form}]").click()
    assert download.value.suggested_filename == f"attention.{form}"
    return Path(download.value.path()).read_bytes()


SVG = "{http://www.w3.org/2000/svg}"


def test_the_svg_has_the_labels_and_the_cells_in_order(open_player):
    labels = ["le", '<chien> & "co"', "noir", "\x01"]
    page = open_player(payload(trace(WEIGHTS, labels, TARGET)))
    svg = ElementTree.fromstring(saved(page, "svg"))

    def texts(name):
        found = [text for text in svg.iter(SVG + "text") if text.get("class") == name]
        return [(float(text.get("x")), float(text.get("y")), text.text) for text in found]

    assert [text for _, _, text in sorted(texts("source"))] == ["le", '<chien> & "co"', "noir", "U+0001"]
    assert [text for _, _, text in sorted(texts("target"), key=lambda place: place[1])] == TARGET
    assert {text for _, _, text in texts("legend")} == {"0", "1", "Weight, colour from 0 to 1"}

    cells = {rect.get("data-cell"): rect for rect in svg.iter(SVG + "rect") if rect.get("data-cell")}
    assert len(cells) == 12
    xs = sorted({float(rect.get("x")) for rect in cells.values()})
    ys = sorted({float(rect.get("y")) for rect in cells.values()})
    for t in range(3):
        for s in range(4):
            rect = cells[f"{t},{s}"]
            assert (float(rect.get("x")), float(rect.get("y"))) == (xs[s], ys[t])
            np.testing.assert_allclose(rgb(rect.get("fill")), colour_of(WEIGHTS[t, s]), atol=1.01)


@pytest.mark.parametrize("theme", [LIGHT, DARK], ids=["light", "dark"])
def test_the_png_is_twice_the_svg_and_opens(open_player, theme):
    page = open_player(payload(small()), theme=theme)
    svg = ElementTree.fromstring(saved(page, "svg"))
    png = base64.b64encode(saved(page, "png")).decode()
    width, height, corner = page.evaluate(
        """async (data) => {
             const image = new Image();
             image.src = "data:image/png;base64," + data;
             await image.decode();
             const canvas = document.createElement("canvas");
             Object.assign(canvas, { width: image.width, height: image.height });
             const pen = canvas.getContext("2d");
             pen.drawImage(image, 0, 0);
             return [image.width, image.height, Array.from(pen.getImageData(1, 1, 1, 1).data).slice(0, 3)];
           }""",
        png,
    )
    assert [width, height] == [2 * int(svg.get("width")), 2 * int(svg.get("height"))]
    assert corner == rgb(theme["background-color"])


def test_nothing_is_left_on_window(open_player):
    page = open_player(payload(small()))
    known = {"stateCalls", "triggers", "build", "show", "ready", "unmount", "__attnvizFrames"}
    before = page.evaluate(
        """() => { const frame = document.createElement("iframe"); document.body.append(frame);
                   const clean = new Set(Object.getOwnPropertyNames(frame.contentWindow)); frame.remove();
                   return Object.getOwnPropertyNames(window).filter((name) => !clean.has(name)); }"""
    )
    assert set(before) <= known | {"TEMPORARY", "PERSISTENT", "addEventListener", "0", "host", "theme"}


# ---- a model that judges


VERDICTS = [[0.7, 0.2, 0.1], [0.3, 0.6, 0.1], [0.05, 0.15, 0.8]]


@pytest.fixture
def judged():
    """The small trace as that of a model that judges its target: nothing was written."""
    verdict = {"labels": ["entailment", "neutral", "contradiction"], "rows": VERDICTS}
    return payload(small(verdict=verdict, sides=["Premise", "Hypothesis"], decoded=[]))


def chances(page):
    rows = page.locator(".verdict .chances li").all_inner_texts()
    return [row.split() for row in rows]


def test_the_verdict_moves_word_by_word_and_nothing_is_said_to_be_written(open_player, judged):
    page = open_player(judged)
    for step, row in enumerate(VERDICTS):
        target(page, step).click()
        labels = ["entailment", "neutral", "contradiction"]
        assert chances(page) == [[label, f"{p:.3f}"] for label, p in zip(labels, row, strict=True)]
        chosen = page.locator(".verdict .chosen .token").inner_text()
        assert chosen == labels[int(np.argmax(row))]
        target(page, step).click()
    assert page.locator(".source-side").inner_text() == "Premise"
    assert page.locator(".target-side").inner_text() == "Hypothesis"
    assert page.locator(".sides").inner_text() == "rows: hypothesis, columns: premise"
    assert not page.locator(".alternatives-part").is_visible()
    assert not page.locator(".probability-part").is_visible()


def test_the_course_of_the_verdict_is_drawn_to_scale(open_player, judged):
    """300 x 72 units with 4 and 3 at the edges: x over the words, y from 1 at the top to 0."""
    page = open_player(judged)
    lines = page.locator(".verdict .course polyline").evaluate_all(
        "all => all.map(l => l.getAttribute('points'))"
    )
    assert len(lines) == 3
    for label, line in enumerate(lines):
        points = [[float(part) for part in point.split(",")] for point in line.split()]
        expected = [[4 + step / 2 * 292, 3 + (1 - row[label]) * 66] for step, row in enumerate(VERDICTS)]
        np.testing.assert_allclose(points, expected, atol=1e-6)
    dashes = page.locator(".verdict .course polyline").evaluate_all(
        "all => all.map(l => l.getAttribute('stroke-dasharray'))"
    )
    assert len(set(dashes)) == 3, "told apart without colour"


def test_a_model_that_writes_has_no_verdict(open_player):
    page = open_player(payload(small()))
    assert not page.locator(".verdict").is_visible()
    assert page.locator(".alternatives-part").is_visible()
    assert page.locator(".target-side").inner_text() == "Translation"
