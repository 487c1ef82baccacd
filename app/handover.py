"""Hands a trace from the page that shows it over to the page Debug."""

import streamlit as st

from attnviz.trace import Trace

_KEY = "debug_handover"


def button(trace: Trace, model: str, source: str) -> None:
    """A button that opens the trace in the debugger.

    Args:
        source: the sentence, or the id of the photo, that it is of.
    """
    if st.button("Open in the debugger", help="Make it say another word, or look somewhere else."):
        st.session_state.debug_model = model
        st.session_state["debug_photo" if model.startswith("caption") else "debug_text"] = source
        st.session_state[_KEY] = ((model, source), trace)
        st.session_state.pop("debug_bench", None)
        st.switch_page("views/debug.py")


def take(request: tuple[str, str]) -> Trace | None:
    """The trace that was handed over for this model and source, once; None if there is none."""
    given = st.session_state.pop(_KEY, None)
    return given[1] if given is not None and given[0] == request else None
