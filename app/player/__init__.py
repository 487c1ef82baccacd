"""The attention player: plays a decoded text word by word, in the browser.

The component is plain text files without a build step. The scripts are joined in the order below into
one module, because Streamlit takes one string; only the last one has a default export.
"""

from pathlib import Path
from typing import Any

import streamlit as st

SCRIPTS = (
    "decode.js",  # the payload: base64 to typed arrays, labels made printable
    "colour.js",  # the theme's colours and the ramps made from them
    "sentences.js",  # the list of sentences
    "words.js",  # a line of words as chips
    "links.js",  # the curves between the two lines of words
    "readout.js",  # the line under the words, and what a screen reader hears
    "matrix.js",  # the weight matrix with its labels and frames
    "bars.js",  # energies, weights and context of one step, on canvas
    "alternatives.js",  # what else the decoder considered
    "step.js",  # the panel of the current step
    "picture.js",  # the matrix as PNG and SVG
    "playback.js",  # the clock
    "controls.js",  # play, step, slider, speed, save
    "stage.js",  # position, pointer and lock: what every view that plays has in common
    "player.js",  # brings all of it together; the default export
)

_HERE = Path(__file__).parent


def script() -> str:
    """All the JavaScript of the component as one module."""
    return "\n".join(text(name) for name in SCRIPTS)


def text(name: str) -> str:
    """A file of this folder; the overlay shares some of them."""
    return (_HERE / name).read_text(encoding="utf-8")


def style() -> str:
    """The component's CSS."""
    return text("player.css")


def page() -> str:
    """The component's HTML."""
    return with_controls(text("player.html"))


def with_controls(html: str) -> str:
    """A page with the row of controls in its place."""
    return html.replace("<!-- controls -->", text("controls.html"))


_component = st.components.v2.component(
    "attnviz_player",
    html=page(),
    css=style(),
    js=script(),
)


def player(payload: dict[str, Any], *, key: str) -> None:
    """Shows the sentences of one text with their attention.

    Hovering, seeking and playing happen in the browser and never rerun the script. A rerun with an unchanged
    payload does not disturb the playback.

    Args:
        payload: what `payload.py` makes of the traces; its "id" changes when anything else in it does.
        key: Streamlit's key of this instance.
    """
    _component(data=payload, key=key)
