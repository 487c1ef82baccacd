"""The page Summarize: an article in, a headline out, and the article under the heat of each of its words."""

from typing import Any

import streamlit as st

import charts
import form
import handover
import permalink
import shelf
import tables
from article import article
from article.examples import EXAMPLES
from article.payload import payload
from attnviz.errors import AttnvizError, InputError
from attnviz.trace import Trace
from attnviz.weight_matrix import matrix
from caution import caution
from player.payload import scale

LONGEST = 500_000
MODELS = {"news": "headline-news", "packages": "headline-package"}
SAID = {"news": "News articles", "packages": "Software packages"}


def main() -> None:
    """Input, then the task, then its pictures."""
    st.title("Summarize", anchor=False)
    st.caption(
        "An article in, a headline out, and where each of its words looked. The weights show where the model "
        "looked, and may have copied from; not that the headline is right."
    )
    model, text = _ask()
    options = form.decoding(
        "summary_",
        "Summarize",
        "Force a headline",
        "Where would it have looked, had it said ...",
        "The decoder is made to write these words. You see where it looked at each of them, and what it "
        "would rather have said.",
        no_repeat=True,
    )
    try:
        trace = _summarize(model, text, options)
    except AttnvizError as error:
        st.warning(str(error))
        return
    _show(trace)


def _ask() -> tuple[str, str]:
    """Which model, and the text box with its examples; both stand in the address."""
    model = st.segmented_control(
        "Trained on",
        list(MODELS),
        default="news",
        required=True,
        format_func=SAID.__getitem__,
        key="summary_model",
        bind="query-params",
        on_change=_change_example,
    )
    if "article_text" not in st.session_state:
        st.session_state.article_text = permalink.read(st.query_params) or _first_of(model)
    text = st.text_area(
        "Article",
        key="article_text",
        height=190,
        persist_state="session",
        placeholder="Paste an article, or the description of a software package",
    )
    st.pills(
        "Examples",
        list(EXAMPLES[model]),
        key="article_example",
        on_change=_take_example,
        label_visibility="collapsed",
    )
    if not permalink.write(st.query_params, text) and len(text) > permalink.LONGEST:
        st.caption(
            f"Too long for a link: the page's address holds texts of up to {permalink.LONGEST} characters."
        )
    return model, text


def _first_of(model: str) -> str:
    return next(iter(EXAMPLES[model].values()))


def _change_example() -> None:
    """An example that still stands there as it was gives way to one for the other model."""
    if any(st.session_state.article_text in texts.values() for texts in EXAMPLES.values()):
        st.session_state.article_text = _first_of(st.session_state.summary_model)
        st.session_state.summary_target = ""


def _take_example() -> None:
    if st.session_state.article_example:
        st.session_state.article_text = EXAMPLES[st.session_state.summary_model][
            st.session_state.article_example
        ]
        st.session_state.summary_target = ""
        st.session_state.article_example = None


def _summarize(model: str, text: str, options: dict[str, Any]) -> Trace:
    """The headline's trace; kept while only the view changes."""
    if len(text) > LONGEST:
        raise InputError(
            f"Expected at most {LONGEST:,} characters, got {len(text):,}; paste a part of the text."
        )
    request = (model, text, *sorted(options.items()))
    if st.session_state.get("summarized", (None,))[0] != request:
        summarizer = shelf.model(MODELS[model])
        with shelf.turn():
            trace = summarizer(text, **options)
        st.session_state.summarized = (request, trace)
    found: Trace = st.session_state.summarized[1]
    return found


def _show(trace: Trace) -> None:
    if not trace.text:
        st.warning("The model ended its headline before the first word; force one to see where it looks.")
        return
    with st.container(horizontal=True, vertical_alignment="bottom"):
        colours = st.segmented_control(
            "Colours from 0 to",
            ["1", "the largest weight"],
            default="1",
            required=True,
            key="summary_scale",
            bind="query-params",
        )
        coverage = st.toggle(
            "Coverage",
            key="summary_coverage",
            bind="query-params",
            help="The heat is the sum of the weights over all words of the headline: about 1 where a word "
            "was looked at once.",
        )
    article(payload(trace, colours == "1", coverage), key="article")
    _numbers(trace, colours == "1")
    caution(trace.model)


def _numbers(trace: Trace, whole_scale: bool) -> None:
    """The plain matrix and table, and the downloads."""
    shown = matrix(trace, "words")
    with st.expander("Matrix and numbers"):
        top, label = scale([shown], whole_scale)
        figure = charts.heat_map(shown, top, label, "dark" if st.context.theme.type == "dark" else "light")
        st.plotly_chart(figure, config=charts.download("png"), key="summary_heat_map")
        st.dataframe(tables.steps(trace, shown), hide_index=True, width="stretch")
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
        handover.link(trace, trace.model, trace.sequence.text)


main()
