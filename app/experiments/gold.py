"""Gold alignments: the links that people drew, over the weights."""

import os
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, cast

import pandas as pd
import streamlit as st

import charts
import shelf
from attnviz import measures
from attnviz.alignments import Gold, Links, read_gold, read_lines, score
from attnviz.errors import AttnvizError, InputError
from attnviz.tasks import Aligner, Translator
from attnviz.tasks.alignment import LENSES
from attnviz.weight_matrix import WeightMatrix
from experiments.figures import figures
from experiments.models import ATTENTIVE
from player.payload import scale

DATA = Path(os.environ.get("ATTNVIZ_DATA", Path(__file__).parents[3] / "shared" / "data"))
HANSARDS = DATA / "align" / "hansards_enfr"
MODELS = ("align-fr-en", "align-en-fr", *(f"lab-{mechanism}" for mechanism in ATTENTIVE))


@dataclass(frozen=True, slots=True)
class Sentences:
    """Parallel sentences in words, English and French, with gold links (English, French)."""

    english: list[list[str]]
    french: list[list[str]]
    gold: list[Gold]


def show() -> None:
    """The sentences, the model and the lens; then one sentence, worst first."""
    sentences = _sentences()
    if sentences is None:
        return
    with st.container(horizontal=True, vertical_alignment="bottom"):
        name = st.selectbox("Attention of", MODELS, key="lab_aligner", width=220, persist_state="session")
        lens = st.segmented_control(
            "Each word with the weights of",
            ["previous", "current", "next"],
            format_func=lambda lens: f"the {lens} step" if lens != "current" else "its own step",
            default="next" if name.startswith("align") else "current",
            required=True,
            key=f"lab_lens_{name.startswith('align')}",
            persist_state="session",
        )
    reads_french = not name.startswith("align-en")
    shown, gold = _aligned(sentences, name, lens, reads_french)
    links = [frozenset(measures.alignment(matrix)) for matrix in shown]
    _tell(gold, links, reads_french)
    _measured()
    _one(shown, gold, links)


def _measured() -> None:
    """The rates of both directions and of what is made of them, through each lens."""
    rates = figures()["aer"]
    names = dict.fromkeys(key.rpartition(" ")[0] for key in rates)
    with st.expander("Every model, both directions, and each lens"):
        st.dataframe(
            pd.DataFrame(
                [
                    {"links of": name, **{f"AER, {lens}": rates[f"{name} {lens}"]["AER"] for lens in LENSES}}
                    for name in names
                ]
            ),
            hide_index=True,
            width="stretch",
        )
        st.caption(
            "On the 447 gold sentences, lower is better; benchmarks/lab.py makes them anew. The aligners "
            "were taught to look with the next step, which has read the word: the other two lenses show "
            "what an offset of one does. Union, intersection and grow-diag-final are of both aligners."
        )


def _sentences() -> Sentences | None:
    """What the user brought, or the Hansards if they are there."""
    with st.expander("Your own sentences and links", expanded=not HANSARDS.is_dir()):
        st.caption(
            "Three files, a sentence a line: English words, French words, and links `i-j` (sure) or `ipj` "
            "(possible), English word first, counted from 1."
        )
        columns = st.columns(3)
        files = {
            label: column.file_uploader(label, key=f"lab_gold_{label}")
            for column, label in zip(columns, ("English", "French", "Links"), strict=True)
        }
        brought = {label: file for label, file in files.items() if file is not None}
        if len(brought) == len(files):
            st.session_state.lab_own = _take({label: file.getvalue() for label, file in brought.items()})
        elif brought:
            st.info(f"Still to come: {', '.join(label for label in files if label not in brought)}.")
        own: Sentences | None = st.session_state.get("lab_own")
        if own is not None:
            st.markdown(f"Shown are your own {len(own.gold)} sentences.")
            st.button("Forget them", on_click=_forget)
            return own
    if not HANSARDS.is_dir():
        st.info(
            "The gold sentences (HLT-NAACL 2003, Hansards) are not part of attnviz. Bring your own above, "
            "or set ATTNVIZ_DATA to a folder that holds align/hansards_enfr."
        )
        return None
    return _read(*(HANSARDS / f"test.{end}" for end in ("en", "fr", "en-fr.gold")))


def _forget() -> None:
    del st.session_state.lab_own
    for label in ("English", "French", "Links"):
        st.session_state.pop(f"lab_gold_{label}", None)


def _take(files: dict[str, bytes]) -> Sentences:
    """Reads three files that were uploaded; messages call them by their labels."""
    with TemporaryDirectory() as folder:
        for label, data in files.items():
            (Path(folder) / label).write_bytes(data)
        try:
            return _read(*(Path(folder) / label for label in ("English", "French", "Links")))
        except AttnvizError as error:
            raise InputError(str(error).replace(f"{folder}{os.sep}", "the file ")) from error


def _read(english: Path, french: Path, links: Path) -> Sentences:
    """Sentences with words on both sides; the others can't be aligned and are left out."""
    here, there = ([line.split() for line in read_lines(path)] for path in (english, french))
    if len(here) != len(there):
        raise InputError(
            f"Expected as many lines in both texts, got {len(here)} English and {len(there)} French."
        )
    gold = read_gold(links, 1, [(len(one), len(other)) for one, other in zip(here, there, strict=True)])
    kept = [row for row in zip(here, there, gold, strict=True) if row[0] and row[1]]
    if not kept:
        raise InputError("Expected sentences with words on both sides, got none.")
    return Sentences(*(list(column) for column in zip(*kept, strict=True)))


def _aligned(
    sentences: Sentences, name: str, lens: Any, reads_french: bool
) -> tuple[list[WeightMatrix], list[Gold]]:
    """Each sentence's weights, and the gold links turned to (source, target) of that model."""
    gold = sentences.gold
    pairs = list(zip(sentences.english, sentences.french, strict=True))
    if reads_french:
        pairs = [(french, english) for english, french in pairs]
        gold = [Gold(_turned(one.sure), _turned(one.possible)) for one in gold]
    request = (name, lens, pairs)
    if st.session_state.get("lab_aligned", (None,))[0] != request:
        model = shelf.model(name)
        aligner = Aligner.of(model) if isinstance(model, Translator) else model
        with shelf.turn():
            st.session_state.lab_aligned = (request, aligner.matrices(pairs, lens))
    return cast(list[WeightMatrix], st.session_state.lab_aligned[1]), gold


def _turned(links: Links) -> Links:
    return frozenset((t, s) for s, t in links)


def _tell(gold: list[Gold], links: list[Links], reads_french: bool) -> None:
    whole = score(gold, links)
    side = "English word to the French" if reads_french else "French word to the English"
    st.markdown(
        f"**AER {whole.aer:.3f}**, lower is better · precision {whole.precision:.3f} · recall "
        f"{whole.recall:.3f} · "
        f"{whole.n} sentences, each {side} word that it looked at most"
    )


def _one(shown: list[WeightMatrix], gold: list[Gold], links: list[Links]) -> None:
    """The table, worst first, and the sentence that is chosen in it."""
    rates = [score([one], [own]).aer for one, own in zip(gold, links, strict=True)]
    order = sorted(range(len(rates)), key=lambda index: -rates[index])
    table = pd.DataFrame(
        {
            "sentence": [index + 1 for index in order],
            "AER": [rates[index] for index in order],
            "sure links missed": [len(gold[index].sure - links[index]) for index in order],
            "wrong links": [len(links[index] - gold[index].possible) for index in order],
            "source": [" ".join(shown[index].source) for index in order],
            "target": [" ".join(shown[index].target) for index in order],
        }
    )
    chosen = st.dataframe(
        table,
        hide_index=True,
        height=260,
        on_select="rerun",
        selection_mode="single-row-required",
        key="lab_sentence",
        column_config={"AER": st.column_config.NumberColumn(format="%.3f")},
    )
    index = order[chosen.selection.rows[0] if chosen.selection.rows else 0]
    matrix = shown[index]
    top, label = scale([matrix], True)
    theme: charts.Theme = "dark" if st.context.theme.type == "dark" else "light"
    figure = charts.gold_links(
        matrix, gold[index].sure, gold[index].possible, links[index], top, label, theme
    )
    with st.container(width=charts.width(matrix)):
        st.plotly_chart(figure, config=charts.download("png"), key="gold_links")
    st.caption(
        "Rows: target, columns: source. Square: a link that people are sure of; ring: a possible one; dot: "
        "where the target word looked most. A row without a dot looked at the end mark, or had no such step."
    )
