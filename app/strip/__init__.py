"""The strip of photos: choose one by its thumbnail, remove one's own, paste another from the clipboard.

A picture pasted anywhere in the page arrives here, except in a text field, where it is the field's.
"""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import streamlit as st

_HERE = Path(__file__).parent

_component = st.components.v2.component(
    "attnviz_strip",
    html=(_HERE / "strip.html").read_text(encoding="utf-8"),
    css=(_HERE / "strip.css").read_text(encoding="utf-8"),
    js=(_HERE / "strip.js").read_text(encoding="utf-8"),
)


def strip(photos: list[dict[str, Any]], chosen: str, *, key: str, on_event: Callable[[], None]) -> None:
    """Shows the photos as thumbnails.

    Args:
        photos: each with an id, a name, a thumb (data URL) and whether it may be removed ("own").
        chosen: the id of the one that is shown large.
        on_event: called when the person did something; st.session_state[key] then holds one of
            choose (an id), remove (an id), pasted ({"name", "data"}, the data in base64) or
            refused (a sentence).
    """
    _component(
        data={"photos": photos, "chosen": chosen},
        key=key,
        on_choose_change=on_event,
        on_remove_change=on_event,
        on_pasted_change=on_event,
        on_refused_change=on_event,
    )
