"""Where a model fails, at the foot of the page that shows what it made."""

import streamlit as st

from attnviz.pretrained import limits


def caution(model: str) -> None:
    """Folds out what the model's card says of its limits; nothing if the card is silent."""
    text = limits(model)
    if text:
        with st.expander("Where this model fails", icon=":material/report:"):
            st.markdown(text)
