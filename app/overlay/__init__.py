"""The overlay: a photo under the map of each word of its caption, played in the browser.

Built like the player, and from the same parts where they mean the same.
"""

from pathlib import Path
from typing import Any

from assets import Assets

ASSETS = Assets(
    Path(__file__).parent,
    shared=(
        "decode.js",
        "colour.js",
        "words.js",
        "alternatives.js",
        "playback.js",
        "controls.js",
        "stage.js",
    ),
    scripts=(
        "heat.js",  # weights as colours over the photo
        "box.js",  # a box on the photo and the weight inside it
        "series.js",  # gate and box over the words
        "panel.js",  # the panel of the current word
        "maps.js",  # the small maps of all words
        "caption.js",  # brings all of it together; the default export
    ),
)
_component = ASSETS.component()


def overlay(payload: dict[str, Any], *, key: str) -> None:
    """Shows a photo with the attention of its caption.

    Everything that a person does with it happens in the browser and never reruns the script.

    Args:
        payload: what `payload.py` makes of photo and trace; its "id" changes when anything in it does.
        key: Streamlit's key of this instance.
    """
    _component(data=payload, key=key)
