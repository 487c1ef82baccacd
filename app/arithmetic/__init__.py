"""The arithmetic of one decoder step, with its real numbers."""

from pathlib import Path
from typing import Any

from assets import Assets

ASSETS = Assets(
    Path(__file__).parent,
    shared=("decode.js", "colour.js", "words.js", "playback.js", "controls.js", "stage.js"),
    scripts=(
        "numbers.js",  # the payload as typed arrays, and what is worked out from it
        "strip.js",  # a vector as a strip of colours, with its numbers
        "source.js",  # a row for each source word, from its annotation to its share of the context
        "arithmetic.js",  # brings them together; the default export
    ),
)
_component = ASSETS.component()


def arithmetic(payload: dict[str, Any], *, key: str) -> None:
    """Shows how the weights of a step come about, and what comes of them.

    Args:
        payload: what `payload.py` makes of a trace. key: Streamlit's key of this instance.
    """
    _component(data=payload, key=key)
