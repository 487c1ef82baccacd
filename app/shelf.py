"""What all visitors share: the loaded models, and a limit on how many decode at once."""

import threading
from typing import Any

import streamlit as st

# Two cores decode two texts at their best; a third waits its turn.
_turns = threading.BoundedSemaphore(2)


@st.cache_resource(show_spinner="Loading the model ...", max_entries=8)
def model(name: str) -> Any:
    """The pretrained model of that name, loaded once for everyone.

    Raises:
        AttnvizError: there is none, or its files are damaged.
    """
    import attnviz

    return attnviz.load(name)


def turn() -> threading.BoundedSemaphore:
    """To be held while decoding: `with shelf.turn(): ...`."""
    return _turns
