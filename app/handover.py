"""Hands a trace from the page that shows it over to the page Debug."""

import streamlit as st

from attnviz.trace import Trace

_OFFERS, _TAKEN = "handover_offers", "handover_taken"
_QUERY = "open"

# The fields of the page Debug that say what is decoded, for each kind of model.
FIELDS = {
    "translate": ("debug_text",),
    "lab": ("debug_text",),
    "caption": ("debug_photo",),
    "headline": ("debug_article",),
    "entailment": ("debug_premise", "debug_hypothesis"),
}


def kind(model: str) -> str:
    """The kind of a model, by the first part of its name."""
    return model.split("-")[0]


def link(trace: Trace, model: str, *source: str) -> None:
    """A link that opens the trace in the debugger.

    Not a button that switches pages: Streamlit refuses to leave a page one of whose settings stands in the
    address.

    Args:
        source: the text, the texts, or the id of the photo, that it is of.
    """
    st.session_state.setdefault(_OFFERS, {})[model] = (source, trace)
    st.page_link(
        "views/debug.py",
        label="Open in the debugger",
        icon=":material/bug_report:",
        help="Change a word, or make it look somewhere else.",
        query_params={_QUERY: model},
    )


def accept() -> None:
    """On the page Debug, before its fields are drawn: fills them with what a link has offered."""
    model = st.query_params.get(_QUERY)
    if model is None:
        return
    del st.query_params[_QUERY]
    offer = st.session_state.get(_OFFERS, {}).pop(model, None)
    if offer is None:  # an old link, or a page that was loaded anew
        return
    source, trace = offer
    st.session_state.debug_model = model
    st.session_state.update(dict(zip(FIELDS[kind(model)], source, strict=True)))
    st.session_state[_TAKEN] = ((model, *source), trace)
    st.session_state.pop("debug_bench", None)


def take(request: tuple[str, ...]) -> Trace | None:
    """The trace that was handed over for this model and source, once; None if there is none."""
    given = st.session_state.pop(_TAKEN, None)
    return given[1] if given is not None and given[0] == request else None
