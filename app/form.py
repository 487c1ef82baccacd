"""The form that asks how to decode; every setting stands in the page's address."""

from typing import Any

import streamlit as st


def decoding(
    prefix: str,
    button: str,
    target_label: str,
    placeholder: str,
    explained: str,
    no_repeat: bool = False,
) -> dict[str, Any]:
    """The options for a task, as the form says.

    Args:
        prefix: of the settings' names in the address, so that pages do not share them.
        button: what the button says. target_label, placeholder, explained: of the field that forces
            a target.
        no_repeat: whether the form asks if the beam may repeat itself.
    """
    chosen: dict[str, Any] = {}
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
        if no_repeat:
            chosen["no_repeat"] = st.toggle(
                "No repeated trigram",
                value=True,
                key=f"{prefix}no_repeat",
                bind="query-params",
                help="The beam may not write the same three pieces in a row twice.",
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
    return {"search": search, "beam_size": int(size), **chosen}
