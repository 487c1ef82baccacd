"""The arithmetic of one decoder step, with its real numbers."""

from pathlib import Path
from typing import Any

import streamlit as st

import player

SHARED = ("decode.js", "colour.js", "words.js", "playback.js", "controls.js", "stage.js")
SCRIPTS = (
    "numbers.js",  # the payload as typed arrays, and what is worked out from it
    "strip.js",  # a vector as a strip of colours, with its numbers
    "source.js",  # a row for each source word, from its annotation to its share of the context
    "arithmetic.js",  # brings them together; the default export
)

_HERE = Path(__file__).parent


def script() -> str:
    """All the JavaScript of the component as one module."""
    return "\n".join([*map(player.text, SHARED), *map(_text, SCRIPTS)])


def style() -> str:
    """The player's style, and what the arithmetic adds to it."""
    return player.style() + _text("arithmetic.css")


def page() -> str:
    """The component's HTML."""
    return player.with_controls(_text("arithmetic.html"))


def _text(name: str) -> str:
    return (_HERE / name).read_text(encoding="utf-8")


_component = st.components.v2.component("attnviz_arithmetic", html=page(), css=style(), js=script())


def arithmetic(payload: dict[str, Any], *, key: str) -> None:
    """Shows how the weights of a step come about, and what comes of them.

    Args:
        payload: what `payload.py` makes of a trace. key: Streamlit's key of this instance.
    """
    _component(data=payload, key=key)
