"""One sentence, all mechanisms at once."""

from typing import cast

import streamlit as st

import shelf
from attnviz.trace import Trace
from comparison import comparison
from comparison.payload import payload
from experiments import ask
from experiments.models import MECHANISMS, translator


def show() -> None:
    """The sentence, then every model's translation and matrix on one scale."""
    text = ask.sentence()
    forced = ask.forced()
    level, end, whole = ask.looks()
    traces = _traces(text, forced)
    comparison(payload(traces, level, end, whole), key="comparison")


def _traces(text: str, target: str | None) -> dict[str, Trace]:
    """What each model makes of the text; kept while only the view changes."""
    request = (text, target)
    if st.session_state.get("lab_compared", (None,))[0] != request:
        with shelf.turn():
            traces = {name: translator(name)(text, search="beam", target=target) for name in MECHANISMS}
        st.session_state.lab_compared = (request, traces)
    return cast(dict[str, Trace], st.session_state.lab_compared[1])
