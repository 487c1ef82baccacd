"""The length experiment: the curve, and a long text before both models."""

from typing import cast

import pandas as pd
import streamlit as st

import charts
import shelf
from attnviz.errors import InputError
from attnviz.trace import Trace
from experiments import thread
from experiments.figures import figures
from experiments.models import ATTENTIVE, MECHANISMS, translator

LONGEST = 3000
LONG_TEXT = (
    "Un homme en chemise bleue joue de la guitare sur scène. Deux enfants courent sur la plage avec leur "
    "chien. Une femme vend des fruits au marché pendant que son mari lit le journal. Un garçon avec une "
    "casquette rouge saute dans la piscine. Trois ouvriers réparent le toit d'une vieille maison."
)
KINDS = {
    "joined": "Everyday sentences joined to texts of each length: the same sentences in every bin, so that "
    "only the length differs.",
    "natural": "Technical prose as it is, held out of training, without near copies of training: longer "
    "texts are other texts too.",
}


def show() -> None:
    """The figures first, then the box to try."""
    _curve()
    _table()
    _try()


def _curve() -> None:
    kind = st.segmented_control(
        "Text",
        list(KINDS),
        default="joined",
        required=True,
        key="lab_kind",
        label_visibility="collapsed",
        persist_state="session",
    )
    st.plotly_chart(charts.length_curve(figures()["lengths"][kind]), key="length_curve")
    st.caption(
        f"{KINDS[kind]} Figure 2 of Bahdanau, Cho and Bengio (2015) for our own models: greedy decoding, at "
        "least 200 texts a bin, 95 % intervals by bootstrap."
    )


def _table() -> None:
    measured = figures()
    rows = []
    for mechanism in MECHANISMS:
        rates = {
            lens: measured["aer"].get(f"lab-{mechanism} {lens}") for lens in ("previous", "current", "next")
        }
        rows.append(
            {
                "mechanism": mechanism,
                "BLEU, captions": measured["quality"][mechanism]["multi30k"],
                "BLEU, everyday": measured["quality"][mechanism]["tatoeba"],
                **{f"AER, {lens}": rate and rate["AER"] for lens, rate in rates.items()},
                "speed, additive = 1": measured["speed"][mechanism],
            }
        )
    with st.expander("Quality, alignment and speed of each mechanism"):
        st.dataframe(pd.DataFrame(rows), hide_index=True, width="stretch")
        st.caption(
            "BLEU with beam 5 on the test sets of Multi30k (2016) and Tatoeba. AER, lower is better: 447 "
            "gold sentences of the Hansards, each word with the weights of the step before it, its own, or "
            "the next. Speed: greedy steps a second, measured in one run. benchmarks/lab.py makes all of "
            "them anew."
        )


def _try() -> None:
    st.subheader("Try a long text", anchor=False)
    text = st.text_area("A long French text", LONG_TEXT, key="lab_long", height=120, persist_state="session")
    mechanism = st.segmented_control(
        "With attention",
        ATTENTIVE,
        default=ATTENTIVE[0],
        required=True,
        key="lab_with",
        persist_state="session",
    )
    if len(text) > LONGEST:
        raise InputError(f"Expected at most {LONGEST:,} characters, got {len(text):,}; shorten the text.")
    with_attention, judged = _both(text, mechanism)
    reading = thread.read(judged)
    for note in dict.fromkeys((*with_attention.notes, *judged.notes)):
        st.caption(note)
    left, right = st.columns(2, gap="large")
    with left:
        st.markdown(f"**With attention** ({mechanism})")
        st.text(with_attention.text)
    with right:
        st.markdown("**Without attention**")
        st.html(thread.page(reading))
    st.caption(
        f"Without attention: {thread.verdict(reading)} The darker a word, the less likely the model with "
        "attention finds it, given the whole source and the words before it. That is one model's judgement "
        "of another, not the truth: a good paraphrase is dark too, and a quarter of people's own long "
        "translations would get the mark."
    )


def _both(text: str, mechanism: str) -> tuple[Trace, Trace]:
    """The translation with attention, and the one without as the first model would have judged it."""
    request = (text, mechanism)
    if st.session_state.get("lab_lengths", (None,))[0] != request:
        seeing = translator(mechanism)
        with shelf.turn():
            without = translator("none")(text, search="beam")
            both = (seeing(text, search="beam"), seeing(text, target=without.text or "."))
        st.session_state.lab_lengths = (request, both)
    return cast(tuple[Trace, Trace], st.session_state.lab_lengths[1])
