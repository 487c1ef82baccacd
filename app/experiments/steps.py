"""The arithmetic: one sentence, one mechanism, every number of a step."""

import streamlit as st

import shelf
from arithmetic import arithmetic
from arithmetic.payload import LONGEST, payload
from attnviz.arithmetic import Arithmetic
from attnviz.errors import InputError
from attnviz.trace import Trace
from experiments import ask
from experiments.models import ATTENTIVE, translator


def show() -> None:
    """The sentence, the mechanism, then the path from annotations to the word."""
    text = ask.sentence()
    mechanism = st.segmented_control(
        "Mechanism", ATTENTIVE, default=ATTENTIVE[0], required=True, key="mechanism", bind="query-params"
    )
    pieces = len(translator(mechanism).pieces.encode(text)[0])
    if pieces > LONGEST:
        raise InputError(
            f"Expected at most {LONGEST} pieces for the arithmetic, got {pieces}; shorten the text."
        )
    trace, numbers = _numbers(text, mechanism)
    if len(trace) > 2 * LONGEST:
        raise InputError(
            f"The translation runs to {len(trace)} pieces, more than the arithmetic shows ({2 * LONGEST}); "
            "try another text."
        )
    for note in trace.notes:
        st.warning(note)
    st.caption(
        "Real numbers of a real model, in the pieces that it reads and writes. Point at a symbol to see "
        "what it stands for, at a source word to follow it through; a click locks it."
    )
    arithmetic(payload(trace, numbers), key="arithmetic")


def _numbers(text: str, mechanism: str) -> tuple[Trace, Arithmetic]:
    request = (text, mechanism)
    if st.session_state.get("lab_dissected", (None,))[0] != request:
        model = translator(mechanism)
        with shelf.turn():
            trace = model(text, search="beam")
            st.session_state.lab_dissected = (request, (trace, model.arithmetic(trace)))
    found: tuple[Trace, Arithmetic] = st.session_state.lab_dissected[1]
    return found
