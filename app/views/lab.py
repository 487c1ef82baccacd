"""The page Lab: why attention, and which."""

from collections.abc import Callable

import streamlit as st

from attnviz.errors import AttnvizError
from experiments import compare, gold, length, steps

PARTS: dict[str, Callable[[], None]] = {
    "Mechanisms": compare.show,
    "The arithmetic": steps.show,
    "Length": length.show,
    "Gold alignments": gold.show,
}
ABOUT = {
    "Mechanisms": "Five models, French to English, trained alike: they differ only in how energies are "
    "scored, and one has no attention at all.",
    "The arithmetic": "One step of the decoder, from annotations to the next word.",
    "Length": "Without attention one vector holds the whole source: the longer the text, the more is lost.",
    "Gold alignments": "Where the weights stand beside the links that people drew.",
}


def main() -> None:
    """One part at a time."""
    st.title("Lab", anchor=False)
    part = st.segmented_control(
        "Part",
        list(PARTS),
        default="Mechanisms",
        required=True,
        key="part",
        bind="query-params",
        label_visibility="collapsed",
    )
    st.caption(ABOUT[part])
    try:
        PARTS[part]()
    except AttnvizError as error:
        st.warning(str(error))


main()
