"""The page Entail: does a sentence follow from another, word by word?"""

import streamlit as st

import charts
import handover
import permalink
import rewording
import shelf
import tables
from attnviz.errors import AttnvizError, InputError
from attnviz.text import words
from attnviz.trace import Trace
from attnviz.weight_matrix import Level, matrix
from caution import caution
from pairs import EXAMPLES
from player import player
from player.payload import payload, scale

MODEL = "entailment"
LONGEST = 200_000
_SAID = {
    "entailment": "The hypothesis follows from the premise",
    "neutral": "The premise leaves it open",
    "contradiction": "The premise contradicts the hypothesis",
}


def main() -> None:
    """Both texts, then the verdict, then its pictures."""
    st.title("Entail", anchor=False)
    st.caption(
        "Does the hypothesis follow from the premise? It is read word by word, and each word looks back at "
        "the premise. The weights show where it looked, not why the verdict fell."
    )
    premise, hypothesis = _ask()
    _change(premise, hypothesis)
    try:
        trace = _entail(premise, hypothesis)
    except AttnvizError as error:
        st.warning(str(error))
        return
    _tell(trace)
    _show(trace)


def _ask() -> tuple[str, str]:
    """The two boxes with their examples; the texts stand in the address too."""
    for side, text in zip(("premise", "hypothesis"), next(iter(EXAMPLES.values())), strict=True):
        if f"{side}_text" not in st.session_state:
            st.session_state[f"{side}_text"] = permalink.read(st.query_params, side) or text
    given = []
    for side, column in zip(("premise", "hypothesis"), st.columns(2), strict=True):
        text = column.text_area(
            side.capitalize(), key=f"{side}_text", height=92, persist_state="session", placeholder=f"A {side}"
        )
        permalink.write(st.query_params, text, side)
        given.append(text)
    st.pills(
        "Examples", list(EXAMPLES), key="pair_example", on_change=_take_example, label_visibility="collapsed"
    )
    return given[0], given[1]


def _take_example() -> None:
    if st.session_state.pair_example:
        premise, hypothesis = EXAMPLES[st.session_state.pair_example]
        st.session_state.update(premise_text=premise, hypothesis_text=hypothesis, pair_example=None)
        st.session_state.pop("pair_before", None)


def _change(premise: str, hypothesis: str) -> None:
    """One click makes another pair; what the old one gave is kept beside it."""
    with st.container(horizontal=True, vertical_alignment="bottom"):
        st.button("Judge", type="primary")
        st.button(
            "Swap", on_click=_reword, args=(hypothesis, premise), help="Premise and hypothesis change places."
        )
        st.button("Negate", on_click=_negate, help="Puts a “not” into the hypothesis, or takes it out.")
        spans = [span for span in words(hypothesis, "en") if any(map(str.isalnum, hypothesis[slice(*span)]))]
        if not hypothesis.strip() or not spans:
            return
        at = st.selectbox(
            "Replace a word of the hypothesis",
            range(len(spans)),
            format_func=lambda index: f"{index + 1}. {hypothesis[slice(*spans[index])]}",
            width=260,
        )
        at = min(at or 0, len(spans) - 1)
        other = st.text_input("by", key="other_word", width=180, placeholder="another word")
        st.button("Replace", on_click=_replace, args=(spans[at], other), disabled=not other.strip())


def _negate() -> None:
    _reword(st.session_state.premise_text, rewording.negate(st.session_state.hypothesis_text))


def _replace(span: tuple[int, int], word: str) -> None:
    changed = rewording.replace_word(st.session_state.hypothesis_text, *span, word)
    _reword(st.session_state.premise_text, changed)
    st.session_state.other_word = ""


def _reword(premise: str, hypothesis: str) -> None:
    st.session_state.pair_before = st.session_state.get("entailed")
    st.session_state.update(premise_text=premise, hypothesis_text=hypothesis)


def _entail(premise: str, hypothesis: str) -> Trace:
    """The trace of the pair; kept while only the view changes."""
    if max(len(premise), len(hypothesis)) > LONGEST:
        raise InputError(
            f"Expected at most {LONGEST:,} characters a side, got {max(len(premise), len(hypothesis)):,}; "
            "paste a part of the text."
        )
    request = (premise, hypothesis)
    if st.session_state.get("entailed", (None,))[0] != request:
        entailment = shelf.model(MODEL)
        with shelf.turn():
            trace = entailment(premise, hypothesis)
        st.session_state.entailed = (request, trace)
    found: Trace = st.session_state.entailed[1]
    return found


def _tell(trace: Trace) -> None:
    """The verdict in words and numbers, beside that of the pair before if it was changed by a click."""
    verdict = trace.verdict
    best = max(verdict, key=verdict.__getitem__)
    st.subheader(f"{_SAID[best]}, p {verdict[best]:.2f}", anchor=False)
    before = st.session_state.get("pair_before")
    if before is not None and before[0] == (trace.sequence.text, trace.text):
        before = None
    with st.container(horizontal=True):
        for label, chance in verdict.items():
            st.metric(
                label,
                f"{chance:.2f}",
                None if before is None else f"{chance - before[1].verdict[label]:+.2f}",
                delta_color="off",
                border=True,
                width=170,
            )
    if before is not None:
        (premise, hypothesis), _ = before
        st.text(f"Changes against the pair before.\nPremise: {premise}\nHypothesis: {hypothesis}")
    if trace.unread:
        count = sum(stop - start for start, stop in trace.unread)
        st.warning(
            f"Left out: {count:,} of the premise's {len(trace.sequence.text):,} characters were not read."
        )


def _show(trace: Trace) -> None:
    with st.container(horizontal=True, vertical_alignment="bottom"):
        levels: list[Level] = ["words", "pieces"]
        level = st.segmented_control(
            "Show", levels, default="words", required=True, key="pair_level", bind="query-params"
        )
        colours = st.segmented_control(
            "Colours from 0 to",
            ["1", "the largest weight"],
            default="1",
            required=True,
            key="pair_scale",
            bind="query-params",
        )
    player(payload([trace], level, True, colours == "1"), key="pair_player")
    shown = matrix(trace, level)
    with st.expander("Heat map and numbers"):
        top, label = scale([shown], colours == "1")
        figure = charts.heat_map(shown, top, label, "dark" if st.context.theme.type == "dark" else "light")
        st.plotly_chart(figure, config=charts.download("png"), key="pair_heat_map")
        st.dataframe(tables.weights(shown), hide_index=True, width="stretch")
    with st.container(horizontal=True, vertical_alignment="center"):
        st.download_button(
            "Trace (JSON)",
            lambda: trace.dumps("json"),
            "trace.json",
            "application/json",
            on_click="ignore",
        )
        st.download_button(
            "Weights (CSV)",
            lambda: tables.weights(shown).to_csv(index=False),
            "weights.csv",
            "text/csv",
            on_click="ignore",
        )
        handover.link(trace, MODEL, trace.sequence.text, trace.text)
    caution(MODEL)


main()
