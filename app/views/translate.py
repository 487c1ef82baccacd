"""The page Translate: French in, English out, and every decoder step open to look at."""

from typing import Any, Literal

import streamlit as st

import charts
import form
import handover
import permalink
import shelf
import tables
from attnviz.errors import AttnvizError, InputError
from attnviz.trace import Trace
from attnviz.weight_matrix import Level, matrix
from caution import caution
from player import player
from player.payload import own_text, payload, scale

MODEL = "translate-fr-en"
LONGEST = 100_000
A_PAGE = 40
EXAMPLES = {
    "A walk": "Une vieille dame promène son petit chien blanc dans le parc pendant que les enfants jouent.",
    "Swapped order": "Il ne les lui a jamais donnés, mais elle a quand même gardé la voiture rouge.",
    "One word, many": "Je me suis rendu compte qu'il pleuvait. Ne t'inquiète pas, nous avons le temps.",
    "A paragraph": (
        "Le train est parti à 8 h 15. Malheureusement, nous sommes arrivés en retard à la gare ! "
        "Est-ce qu'il y en a un autre cet après-midi ? Sinon, nous prendrons la voiture de Marie."
    ),
    "Unknown names": "Monsieur Trzebinski a vendu 3 482 chaises à Mme Okonkwo en 1987.",
}


def main() -> None:
    """Input, then the task, then its pictures."""
    st.title("Translate", anchor=False)
    st.caption(
        "French to English. For every word: where the decoder looked, how sure it was and what else it "
        "considered. The weights show where it looked, not why it chose."
    )
    text = _ask()
    options = form.decoding(
        "",
        "Translate",
        "Force a translation",
        "What would it have looked at, had it said ...",
        "The decoder is made to write these words. You see where it looked at each of them, and what it "
        "would rather have said. For several sentences give as many.",
    )
    try:
        traces = _translate(text, options)
    except AttnvizError as error:
        st.warning(str(error))
        return
    _show(traces)


def _ask() -> str:
    """The text box with its examples; the text stands in the address too."""
    if "source_text" not in st.session_state:
        st.session_state.source_text = permalink.read(st.query_params) or next(iter(EXAMPLES.values()))
    text = st.text_area(
        "French text",
        key="source_text",
        height=110,
        persist_state="session",
        placeholder="Paste French sentences here",
    )
    st.pills("Examples", list(EXAMPLES), key="example", on_change=_take_example, label_visibility="collapsed")
    if not permalink.write(st.query_params, text) and len(text) > permalink.LONGEST:
        st.caption(
            f"Too long for a link: the page's address holds texts of up to {permalink.LONGEST} characters."
        )
    return text


def _take_example() -> None:
    if st.session_state.example:
        st.session_state.source_text = EXAMPLES[st.session_state.example]
        st.session_state.target = ""
        st.session_state.example = None


def _translate(text: str, options: dict[str, Any]) -> list[Trace]:
    """The traces of the text's sentences; kept while only the view changes."""
    if len(text) > LONGEST:
        raise InputError(
            f"Expected at most {LONGEST:,} characters, got {len(text):,}; paste a part of the text."
        )
    request = (text, *sorted(options.items()))
    if st.session_state.get("translated", (None,))[0] != request:
        translator = shelf.model(MODEL)
        bar = st.empty()

        def progress(done: int, total: int) -> None:
            if total > 40:
                bar.progress(done / total, f"Translated {done} of {total} sentences")

        with shelf.turn():
            traces = translator.sentences(text, progress=progress, **options)
        bar.empty()
        st.session_state.translated = (request, traces)
    found: list[Trace] = st.session_state.translated[1]
    return found


def _show(traces: list[Trace]) -> None:
    _tell_what_was_left_out(traces)
    shown = _choose_page(traces)
    with st.container(horizontal=True, vertical_alignment="bottom"):
        levels: list[Level] = ["words", "pieces"]
        level = st.segmented_control(
            "Show", levels, default="words", required=True, key="level", bind="query-params"
        )
        colours = st.segmented_control(
            "Colours from 0 to",
            ["1", "the largest weight"],
            default="1",
            required=True,
            key="scale",
            bind="query-params",
        )
        end = st.toggle(
            "End mark",
            key="end",
            bind="query-params",
            help="The decoder may also look at the mark that ends the source. Hidden, its weight is given as "
            "a number and never spread over the words.",
        )
    player(payload(shown, level, end, colours == "1"), key="player")
    _heat_map(shown, level, end, colours == "1")


def _tell_what_was_left_out(traces: list[Trace]) -> None:
    cut = [span for trace in traces for span in trace.unread]
    if cut:
        count = sum(stop - start for start, stop in cut)
        where = ", ".join(f"{start + 1:,} to {stop:,}" for start, stop in cut)
        whole = len(traces[0].sequence.text)
        st.warning(
            f"Left out: {count:,} of the text's {whole:,} characters were not translated ({where}); "
            "the notes at their sentences say why."
        )


def _choose_page(traces: list[Trace]) -> list[Trace]:
    """At most A_PAGE sentences at a time, so that a book does not choke the browser."""
    if len(traces) <= A_PAGE:
        return traces
    starts = list(range(0, len(traces), A_PAGE))
    start = st.selectbox(
        f"{len(traces)} sentences, {A_PAGE} at a time",
        starts,
        format_func=lambda first: f"Sentences {first + 1} to {min(first + A_PAGE, len(traces))}",
        width=320,
    )
    return traces[start : start + A_PAGE]


def _heat_map(traces: list[Trace], level: Level, end: bool, whole_scale: bool) -> None:
    """The analytical picture of one sentence, with numbers and downloads."""
    st.subheader("Heat map", anchor=False)
    with st.container(horizontal=True, vertical_alignment="bottom"):
        index = 0
        if len(traces) > 1:
            index = st.selectbox(
                "Sentence",
                range(len(traces)),
                format_func=lambda at: f"{at + 1}. {traces[at].text[:80]}",
                width=420,
            )
        formats: list[Literal["png", "svg"]] = ["png", "svg"]
        file_format = st.segmented_control(
            "Camera saves", formats, default="png", required=True, format_func=str.upper
        )
    trace = traces[index]
    shown = matrix(trace, level, end)
    top, label = scale([matrix(other, level, end) for other in traces], whole_scale)
    figure = charts.heat_map(shown, top, label, "dark" if st.context.theme.type == "dark" else "light")
    with st.container(width=charts.width(shown)):
        st.plotly_chart(figure, config=charts.download(file_format), key="heat_map")
    with st.expander("Numbers"):
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
        handover.link(trace, MODEL, own_text(trace))
    caution(MODEL)


main()
