"""Several models on one sentence, side by side: hover one matrix, and all follow."""

from pathlib import Path
from typing import Any

import streamlit as st

import player

SHARED = ("decode.js", "colour.js", "matrix.js", "playback.js", "stage.js")
SCRIPTS = (
    "card.js",  # one model: its translation, matrix and entropies
    "comparison.js",  # brings them together; the default export
)

_HERE = Path(__file__).parent


def script() -> str:
    """All the JavaScript of the component as one module."""
    return "\n".join([*map(player.text, SHARED), *map(_text, SCRIPTS)])


def style() -> str:
    """The player's style, and what the comparison adds to it."""
    return player.style() + _text("comparison.css")


def page() -> str:
    """The component's HTML."""
    return _text("comparison.html")


def _text(name: str) -> str:
    return (_HERE / name).read_text(encoding="utf-8")


_component = st.components.v2.component("attnviz_comparison", html=page(), css=style(), js=script())


def comparison(payload: dict[str, Any], *, key: str) -> None:
    """Shows what several models made of one sentence.

    Args:
        payload: what `payload.py` makes of the traces. key: Streamlit's key of this instance.
    """
    _component(data=payload, key=key)
