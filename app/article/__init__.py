"""The article: a text with the heat of each word of its headline behind it, played in the browser.

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
        "readout.js",
        "alternatives.js",
        "picture.js",
        "playback.js",
        "controls.js",
        "stage.js",
    ),
    scripts=(
        "read.js",  # the payload made ready, and the sums that are shown of it
        "prose.js",  # the text with the heat behind its words
        "rests.js",  # the headline's words and what they rest on
        "sentences.js",  # the weight on each sentence
        "panel.js",  # the panel of the current word
        "print.js",  # the article as PNG and SVG
        "article.js",  # brings all of it together; the default export
    ),
)
_component = ASSETS.component()


def article(payload: dict[str, Any], *, key: str) -> None:
    """Shows a text with the attention of its headline.

    Everything that a person does with it happens in the browser and never reruns the script.

    Args:
        payload: what `payload.py` makes of a trace; its "id" changes when anything in it does.
        key: Streamlit's key of this instance.
    """
    _component(data=payload, key=key)
