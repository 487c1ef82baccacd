"""The page Debug: take the decoder in hand, change its mind, see what follows."""

from pathlib import Path
from tempfile import TemporaryDirectory

import streamlit as st

import handover
import permalink
import photos
import shelf
from attnviz.errors import AttnvizError
from attnviz.trace import Beam, Trace, read
from bench import Bench
from debugger import debugger
from debugger.payload import payload
from experiments.models import MECHANISMS
from photos import Photo

MODELS = ("translate-fr-en", "caption-flickr8k", *(f"lab-{mechanism}" for mechanism in MECHANISMS))
PHOTO_SIDE = 720
EXAMPLE = "Les personnes âgées ont des difficultés à comprendre la technologie moderne."


def main() -> None:
    """The source, a session on it, and the debugger."""
    st.title("Debug", anchor=False)
    st.caption(
        "Why did it say that? Make it say another word, move its attention, cross out what it reads, and see "
        "what follows. The rest is decoded again greedily."
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
    st.session_state.setdefault("debug_model", MODELS[0])
    name = st.selectbox("Model", MODELS, key="debug_model", width=240, persist_state="session")
    if name.startswith("caption"):
        photo = _photo()
        return *_kept((name, photo.id), photo.data), photos.small(photo.data, PHOTO_SIDE)
    if "debug_text" not in st.session_state:
        st.session_state.debug_text = permalink.read(st.query_params) or EXAMPLE
    text = st.text_area("French sentence", key="debug_text", height=68, persist_state="session")
    permalink.write(st.query_params, text)
    return *_kept((name, text), text), None


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


def _kept(request: tuple[str, str], source: str | bytes) -> tuple[Bench, Beam | None]:
    if st.session_state.get("debug_bench", (None,))[0] != request:
        model = shelf.model(request[0])
        with shelf.turn():
            session = model.session(source)
            # The trace at hand, if another page sent one; else the beam's best, as the other pages show it.
            trace = handover.take(request) or model(source, search="beam")
            session.follow(trace.token_ids.tolist())
        beam = trace.beams[0] if len(trace.beams) == 1 else None
        st.session_state.debug_bench = (request, Bench([session]), beam)
    _, bench, beam = st.session_state.debug_bench
    return bench, beam


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
