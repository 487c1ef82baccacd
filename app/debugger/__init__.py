"""Takes the decoder in hand: choose its words, move its attention, and see what follows."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

from assets import Assets

ASSETS = Assets(
    Path(__file__).parent,
    shared=("decode.js", "colour.js", "playback.js", "stage.js"),
    scripts=(
        "steps.js",  # the decoding as a column of steps, beside what it was before
        "levers.js",  # one step's alternatives, and its weights to drag, mask or heat
        "grid.js",  # the same weights over a photo, in cells to click
        "changes.js",  # the weights now less the weights before
        "tree.js",  # every hypothesis of the beam
        "debugger.js",  # brings them together; the default export
    ),
)
_component = ASSETS.component()


def debugger(payload: dict[str, Any], *, key: str, on_act: Callable[[], None]) -> None:
    """Shows a session's steps, and what a person can do to them.

    Args:
        payload: what `payload.py` makes of a session. key: Streamlit's key of this instance.
        on_act: called when the person did something; st.session_state[key].act then holds what, such as
            {"do": "force", "step": 3, "token": 17}; see `bench.act`.
    """
    _component(data=payload, key=key, on_act_change=on_act)
