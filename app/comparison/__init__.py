"""Several models on one sentence, side by side: hover one matrix, and all follow."""

from pathlib import Path
from typing import Any

from assets import Assets

ASSETS = Assets(
    Path(__file__).parent,
    shared=("decode.js", "colour.js", "matrix.js", "playback.js", "stage.js"),
    scripts=(
        "card.js",  # one model: its translation, matrix and entropies
        "comparison.js",  # brings them together; the default export
    ),
)
_component = ASSETS.component()


def comparison(payload: dict[str, Any], *, key: str) -> None:
    """Shows what several models made of one sentence.

    Args:
        payload: what `payload.py` makes of the traces. key: Streamlit's key of this instance.
    """
    _component(data=payload, key=key)
