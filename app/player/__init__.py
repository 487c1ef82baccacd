"""The attention player: plays a decoded text word by word, in the browser."""

from pathlib import Path
from typing import Any

from assets import Assets

ASSETS = Assets(
    Path(__file__).parent,
    scripts=(
        "decode.js",  # the payload: base64 to typed arrays, labels made printable
        "colour.js",  # the theme's colours and the ramps made from them
        "sentences.js",  # the list of sentences
        "words.js",  # a line of words as chips
        "links.js",  # the curves between the two lines of words
        "readout.js",  # the line under the words, and what a screen reader hears
        "matrix.js",  # the weight matrix with its labels and frames
        "bars.js",  # energies, weights and context of one step, on canvas
        "alternatives.js",  # what else the decoder considered
        "verdict.js",  # what a model that judges would say, word by word
        "step.js",  # the panel of the current step
        "picture.js",  # the matrix as PNG and SVG
        "playback.js",  # the clock
        "controls.js",  # play, step, slider, speed, save
        "stage.js",  # position, pointer and lock: what every view that plays has in common
        "player.js",  # brings all of it together; the default export
    ),
)
_component = ASSETS.component()


def player(payload: dict[str, Any], *, key: str) -> None:
    """Shows the sentences of one text with their attention.

    Hovering, seeking and playing happen in the browser and never rerun the script. A rerun with an unchanged
    payload does not disturb the playback.

    Args:
        payload: what `payload.py` makes of the traces; its "id" changes when anything else in it does.
        key: Streamlit's key of this instance.
    """
    _component(data=payload, key=key)
