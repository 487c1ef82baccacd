"""The form that asks how to decode; every setting stands in the page's address."""

from typing import Any

import streamlit as st


def decoding(prefix: str, button: str, target_label: str, placeholder: str, explained: str) -> dict[str, Any]:
    """The options for a task, as the form says.

    Args:
        prefix: of the settings' names in the address, so that pages do not share them.
        button: what the button says. target_label, placeholder, explained: of the field that forces
            a target.
    """
    with st.container(horizontal=True, vertical_alignment="bottom"):
        search = st.segmented_control(
            "Search",
            ["beam", "greedy"],
            default="beam",
            required=True,
            key=f"{prefix}search",
            bind="query-params",
        )
        size = st.number_input(
            "Beam size",
            min_value=1,
            max_value=20,
            value=5,
            key=f"{prefix}beam",
            bind="query-params",
            width=140,
            disabled=search == "greedy",
        )
        target = st.text_input(
            target_label,
            key=f"{prefix}target",
            bind="query-params",
            placeholder=placeholder,
            help=explained,
        )
        st.button(button, type="primary")
    if target and target.strip():
        return {"target": target}
    return {"search": search, "beam_size": int(size)}
