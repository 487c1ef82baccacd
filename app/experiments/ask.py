"""What the lab asks for: a sentence, and how to look at it."""

import streamlit as st

import permalink
from attnviz.errors import InputError
from attnviz.weight_matrix import Level
from experiments.models import EXAMPLES, LONGEST


def sentence() -> str:
    """The text box with its examples; all parts of the lab share what is typed, and the address has it.

    Raises:
        InputError: the text is too long to be looked at in the lab.
    """
    if "lab_text" not in st.session_state:
        st.session_state.lab_text = permalink.read(st.query_params) or next(iter(EXAMPLES.values()))
    text = st.text_area(
        "French text",
        key="lab_text",
        height=80,
        persist_state="session",
        placeholder="Type a French sentence or two",
    )
    st.pills(
        "Examples", list(EXAMPLES), key="lab_example", on_change=_take_example, label_visibility="collapsed"
    )
    permalink.write(st.query_params, text)
    if len(text) > LONGEST:
        raise InputError(
            f"Expected at most {LONGEST:,} characters in the lab, got {len(text):,}; shorten it, or use "
            "the page Translate."
        )
    return text


def _take_example() -> None:
    if st.session_state.lab_example:
        st.session_state.lab_text = EXAMPLES[st.session_state.lab_example]
        st.session_state.lab_forced = ""
        st.session_state.lab_example = None


def forced() -> str | None:
    """A translation that all models are made to write, so that their rows are the same; None for none."""
    with st.expander("One translation for all", expanded=bool(st.session_state.get("lab_forced"))):
        target = st.text_input(
            "What every model is made to write",
            key="lab_forced",
            persist_state="session",
            placeholder="An old lady walks her little white dog in the park.",
            help="Forced to the same words, the models differ only in where they look.",
        )
    return target.strip() or None


def looks() -> tuple[Level, bool, bool]:
    """The level, whether the end mark is shown, and whether colours run from 0 to 1."""
    with st.container(horizontal=True, vertical_alignment="bottom"):
        levels: list[Level] = ["words", "pieces"]
        level = st.segmented_control(
            "Show", levels, default="words", required=True, key="lab_level", persist_state="session"
        )
        colours = st.segmented_control(
            "Colours from 0 to",
            ["1", "the largest weight"],
            default="1",
            required=True,
            key="lab_scale",
            persist_state="session",
        )
        end = st.toggle("End mark", key="lab_end", persist_state="session")
    return level, end, colours == "1"
