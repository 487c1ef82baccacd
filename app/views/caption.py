"""The page Caption: a photo in, a caption out, and where each of its words looked."""

import base64
from collections.abc import Callable
from typing import Any

import streamlit as st
from PIL import Image

import form
import handover
import photos
import shelf
import tables
from attnviz import images, measures
from attnviz.errors import AttnvizError, InputError
from attnviz.export import Overlay
from attnviz.trace import Trace
from attnviz.weight_matrix import matrix
from caution import caution
from overlay import overlay
from overlay.payload import payload
from photos import Photo
from strip import strip

MODEL = "caption-flickr8k"
FIRST = "cat"
TYPES = ["jpg", "jpeg", "png", "webp", "avif", "gif", "bmp", "tif", "tiff", "ppm"]


def main() -> None:
    """Photo, then the task, then its pictures."""
    st.title("Caption", anchor=False)
    st.caption(
        "A photo, described in words. For every word: where the decoder looked, how sure it was and what "
        "else it considered. The weights show where it looked, not why it chose. Photos are held in memory "
        "only and never written to disk."
    )
    photo = _choose()
    options = form.decoding(
        "caption_",
        "Caption",
        "Force a caption",
        "Where would it look for: a brown dog runs",
        "The decoder is made to write these words. You see where it looked at each of them, and what it "
        "would rather have said.",
    )
    try:
        upright, trace = _caption(photo, options)
        trace = _choose_hypothesis(photo, trace)
    except AttnvizError as error:
        st.warning(str(error))
        return
    _show(upright, trace)


def _choose() -> Photo:
    """The strip of samples and own photos, and the ways to add one."""
    own: dict[str, Photo] = st.session_state.setdefault("photos", {})
    if "chosen" not in st.session_state:
        asked = st.query_params.get("photo")
        st.session_state.chosen = asked if asked in photos.samples() else FIRST
    with st.container(horizontal=True):
        st.file_uploader(
            "Upload photos",
            TYPES,
            accept_multiple_files=True,
            key="uploads",
            on_change=_take_uploads,
            help="At most 20 MB and 40 megapixels each.",
        )
        if st.toggle("Camera", key="camera_on"):
            st.camera_input("Take a photo", key="camera", on_change=_take_camera)
    for refusal in st.session_state.pop("refusals", []):
        st.warning(refusal)
    everything = {**photos.samples(), **own}
    if st.session_state.chosen not in everything:
        st.session_state.chosen = FIRST
    chosen: str = st.session_state.chosen
    strip([photo.entry() for photo in everything.values()], chosen, key="strip", on_event=_take_event)
    # A link can name a sample; a person's own photo is in nobody's address.
    if everything[chosen].own:
        st.query_params.pop("photo", None)
    elif st.query_params.get("photo") != chosen:
        st.query_params["photo"] = chosen
    return everything[chosen]


def _take_uploads() -> None:
    # The uploader keeps its files: one that was removed from the strip must not come back.
    taken: set[str] = st.session_state.setdefault("taken", set())
    for file in st.session_state.uploads:
        if file.file_id not in taken:
            taken.add(file.file_id)
            _take(file.name, file.getvalue())


def _take_camera() -> None:
    if st.session_state.camera is not None:
        _take("camera", st.session_state.camera.getvalue())


def _take_event() -> None:
    """What the person did in the strip."""
    event = st.session_state.strip
    if event.get("choose"):
        st.session_state.chosen = event["choose"]
    if event.get("remove"):
        st.session_state.photos.pop(event["remove"], None)
    if event.get("pasted"):
        _take(event["pasted"]["name"], base64.b64decode(event["pasted"]["data"]))
    if event.get("refused"):
        st.session_state.setdefault("refusals", []).append(event["refused"])


def _take(name: str, data: bytes) -> None:
    """Adds a photo and shows it, or remembers why it can't be."""
    try:
        photo = photos.given(name, data)
    except InputError as error:
        st.session_state.setdefault("refusals", []).append(f"{name}: {error}")
        return
    photos.add(st.session_state.photos, photo)
    st.session_state.chosen = photo.id


def _caption(photo: Photo, options: dict[str, Any]) -> tuple[Image.Image, Trace]:
    """The photo upright, and its trace; kept while only the view changes."""
    request = (photo.id, *sorted(options.items()))
    if st.session_state.get("captioned", (None,))[0] != request:
        captioner = shelf.model(MODEL)
        upright = images.read(photo.data)
        with shelf.turn():
            trace = captioner(upright, **options)
        st.session_state.captioned = (request, upright, trace)
    _, upright, trace = st.session_state.captioned
    return upright, trace


def _choose_hypothesis(photo: Photo, trace: Trace) -> Trace:
    """Another caption of the same beam, if the person wants one."""
    if not trace.beams or len(trace.beams[0].hypotheses) < 2:
        return trace
    (beam,) = trace.beams
    captioner = shelf.model(MODEL)
    rank = st.selectbox(
        "Hypotheses of the beam, with their scores (ln p a piece)",
        range(len(beam.hypotheses)),
        format_func=lambda at: f"{captioner.written(beam, at)}   {beam.hypotheses[at][1]:.2f}",
        key=f"hypothesis {photo.id} {trace.settings}",
    )
    if not rank:
        return trace
    with shelf.turn():
        found: Trace = captioner.hypothesis(photo.data, trace, rank)
    return found


def _show(upright: Image.Image, trace: Trace) -> None:
    shown = matrix(trace, "words", end=True)
    alike = measures.alikeness(shown)
    if alike > measures.ALIKE:
        st.warning(
            f"The maps of different words are nearly the same (they share {alike:.0%} of their weight): this "
            "attention does not say where each word came from."
        )
    overlay(payload(upright, trace), key="overlay")
    with st.expander("Numbers"):
        st.dataframe(tables.steps(trace, shown), hide_index=True, width="stretch")
    _downloads(upright, trace)


def _downloads(upright: Image.Image, trace: Trace) -> None:
    st.subheader("Downloads", anchor=False)
    shown = matrix(trace, "words", end=True)
    with st.container(horizontal=True, vertical_alignment="bottom"):
        word = st.selectbox(
            "Word of the overlay",
            range(len(shown.target)),
            format_func=lambda at: f"{at + 1}. {Overlay(upright, trace).words[at]}",
            width=200,
        )
        own_scale = st.segmented_control(
            "Colours from 0 to",
            ["the caption's largest", "each word's own"],
            default="the caption's largest",
            required=True,
        )
        smooth = st.toggle("Smooth", value=True)
    drawn = Overlay(upright, trace, own_scale=own_scale == "each word's own", smooth=smooth)
    files: dict[str, tuple[Callable[[], str | bytes], str, str]] = {
        "Overlay, full size (PNG)": (lambda: drawn.word_png(word), "overlay.png", "image/png"),
        "All maps (PNG)": (drawn.sheet_png, "maps.png", "image/png"),
        "All maps (SVG)": (drawn.sheet_svg, "maps.svg", "image/svg+xml"),
        "Playback (GIF)": (lambda: drawn.animation("gif"), "playback.gif", "image/gif"),
        "Playback (WebP)": (lambda: drawn.animation("webp"), "playback.webp", "image/webp"),
        "Trace (JSON)": (lambda: trace.dumps("json"), "trace.json", "application/json"),
        "Weights (CSV)": (
            lambda: tables.weights(shown).to_csv(index=False),
            "weights.csv",
            "text/csv",
        ),
    }
    with st.container(horizontal=True, vertical_alignment="center"):
        for label, (make, name, mime) in files.items():
            st.download_button(label, make, name, mime, on_click="ignore")
        handover.link(trace, MODEL, st.session_state.chosen)
    caution(MODEL)


main()
