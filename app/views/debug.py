"""The page Debug: take the decoder in hand, change its mind, see what follows."""

from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import streamlit as st

import handover
import permalink
import photos
import shelf
from article.examples import EXAMPLES as ARTICLES
from attnviz.errors import AttnvizError
from attnviz.reading import ReadingSession
from attnviz.trace import Beam, Trace, read
from bench import Bench
from debugger import debugger
from debugger.payload import payload
from experiments.models import MECHANISMS
from pairs import EXAMPLES as PAIRS
from photos import Photo

MODELS = (
    "translate-fr-en",
    "caption-flickr8k",
    "entailment",
    "headline-news",
    "headline-package",
    *(f"lab-{mechanism}" for mechanism in MECHANISMS),
)
PHOTO_SIDE = 720
# For each field its label, its height in pixels, its name in the page's address, and what stands there first.
FIELDS = {
    "debug_text": (
        "French sentence",
        68,
        "text",
        "Les personnes âgées ont des difficultés à comprendre la technologie moderne.",
    ),
    "debug_article": ("Article", 140, "article", next(iter(ARTICLES["news"].values()))),
    "debug_premise": ("Premise", 68, "premise", PAIRS["A mistake"][0]),
    "debug_hypothesis": ("Hypothesis", 68, "hypothesis", PAIRS["A mistake"][1]),
}


def main() -> None:
    """The source, a session on it, and the debugger."""
    st.title("Debug", anchor=False)
    st.caption(
        "Why did it say that? Make it say another word, move its attention, cross out what it reads, and see "
        "what follows. The rest is decoded, or read, anew."
    )
    try:
        bench, beam, photo = _bench()
    except AttnvizError as error:
        st.warning(str(error))
        return
    debugger(payload(bench, beam, photo), key="debugger", on_act=_act)
    st.download_button(
        "Save the trace with what was done (JSON)",
        lambda: bench.session.trace.dumps("json"),
        "trace.json",
        "application/json",
        on_click="ignore",
    )
    _load(bench)


def _act() -> None:
    act = st.session_state.debugger.act
    if act and "debug_bench" in st.session_state:
        with shelf.turn():
            st.session_state.debug_bench[1].act(act)


def _bench() -> tuple[Bench, Beam | None, str | None]:
    """The bench for what is asked for; kept as long as that stays the same."""
    handover.accept()
    st.session_state.setdefault("debug_model", MODELS[0])
    name = st.selectbox("Model", MODELS, key="debug_model", width=240, persist_state="session")
    if name.startswith("caption"):
        photo = _photo()
        return *_kept((name, photo.id), photo.data), photos.small(photo.data, PHOTO_SIDE)
    texts = [_field(key) for key in handover.FIELDS[handover.kind(name)]]
    return *_kept((name, *texts), *texts), None


def _field(key: str) -> str:
    """A text that stands in the address too."""
    label, height, query, example = FIELDS[key]
    if key not in st.session_state:
        st.session_state[key] = permalink.read(st.query_params, query) or example
    text = st.text_area(label, key=key, height=height, persist_state="session")
    permalink.write(st.query_params, text, query)
    return text


def _photo() -> Photo:
    """One of the samples, or of the person's own photos of the page Caption."""
    everything = {**photos.samples(), **st.session_state.get("photos", {})}
    if st.session_state.get("debug_photo") not in everything:
        st.session_state.debug_photo = next(iter(everything))
    chosen = st.selectbox(
        "Photo",
        list(everything),
        key="debug_photo",
        format_func=lambda one: everything[one].name,
        width=240,
        persist_state="session",
    )
    return everything[chosen]


def _kept(request: tuple[str, ...], *source: str | bytes) -> tuple[Bench, Beam | None]:
    if st.session_state.get("debug_bench", (None,))[0] != request:
        st.session_state.pop("debug_bench", None)
        model = shelf.model(request[0])
        with shelf.turn():
            bench, beam = _opened(model, request, *source)
        st.session_state.debug_bench = (request, bench, beam)
    _, bench, beam = st.session_state.debug_bench
    return bench, beam


def _opened(model: Any, request: tuple[str, ...], *source: str | bytes) -> tuple[Bench, Beam | None]:
    """A bench on what the model makes of a source by itself."""
    session = model.session(*source)
    if isinstance(session, ReadingSession):
        session.run()

        def reopen(hypothesis: str) -> ReadingSession:
            reading: ReadingSession = model.session(source[0], hypothesis)
            return reading

        return Bench([session], ["as the model read it"], reopen), None
    # The trace at hand, if another page sent one; else the beam's best, as the other pages show it.
    trace = handover.take(request) or model(*source, search="beam")
    session.follow(trace.token_ids.tolist())
    forced = trace.settings.get("search") == "forced"
    beam = trace.beams[0] if len(trace.beams) == 1 else None
    return Bench([session], ["as it was forced" if forced else "as the model wrote it"]), beam


def _load(bench: Bench) -> None:
    with st.expander("Replay a saved trace"):
        file = st.file_uploader("A trace that was saved here, of the same source", ["json"], key="debug_file")
        if file is None:
            return
        if st.button("Replay"):
            try:
                session = bench.original.branch()
                session.replay(_read(file.getvalue()))
            except AttnvizError as error:
                st.warning(str(error))
                return
            bench.add(session, f"replayed {file.name}")
            st.rerun()


def _read(data: bytes) -> Trace:
    with TemporaryDirectory() as folder:
        path = Path(folder) / "trace.json"
        path.write_bytes(data)
        return read(path)


main()
