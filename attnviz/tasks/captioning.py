"""Captioning: a photo -> Trace over the cells of a grid."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

import torch
from PIL import Image

from attnviz import images
from attnviz import search as searches
from attnviz.attention import Memory
from attnviz.axes import Grid
from attnviz.captions import normal
from attnviz.decoding import DecodingSession
from attnviz.errors import InputError
from attnviz.images import Source
from attnviz.model import ImageToText
from attnviz.search import Steps
from attnviz.tasks.decoding import Options, Writer, decode, gather
from attnviz.text import Pieces
from attnviz.trace import Beam, Step, Trace

LONGEST = 60
BATCH = 32
SIDE = 14  # cells a side of the grid


class Captioner:
    """Writes a caption for a photo and shows at each word where it looked.

    captioner(photo) gives a Trace whose axis is a Grid over the photo as a person sees it, turned
    upright. A photo is a path, the bytes of a file, or a PIL image; see `images.read` for what can
    be read. Captions are lower-case words without signs, as in training.
    """

    def __init__(self, name: str, model: ImageToText, pieces: Pieces, config: dict[str, Any]) -> None:
        self.name = name
        self.model = model.eval().requires_grad_(False)
        self.pieces = pieces
        self.writer = Writer(pieces, config["target"])

    def __call__(self, photo: Source, **options: Any) -> Trace:
        """Captions a photo.

        Args:
            photo: a path, the bytes of a file, or a PIL image.
            options: the fields of Options: search, beam_size, target, ...

        Raises:
            InputError: the photo cannot be read, or an option is wrong; the message says why.
        """
        return self.many([photo], **options)[0]

    def many(self, photos: Sequence[Source], **options: Any) -> list[Trace]:
        """One trace a photo, decoded in batches; the same as one by one."""
        if not isinstance(photos, (list, tuple)):
            raise InputError(f"Expected a list of photos, got {type(photos).__name__}; wrap one in [ ].")
        chosen = Options(**options)
        # Drawing in a batch would use the generator in another order than one by one.
        size = 1 if chosen.search == "sample" else BATCH
        traces: list[Trace] = []
        for start in range(0, len(photos), size):
            read = [images.read(photo) for photo in photos[start : start + size]]
            traces += self._traces(read, chosen)
        return traces

    def steps(self, photo: Source, **options: Any) -> Iterator[Step]:
        """Yields each step as soon as it is decoded (for the beam: once the search is over)."""
        chosen = Options(**options)
        memory = self.encode([images.read(photo)])
        for row in self._search(memory, chosen):
            yield from filter(None, row)

    def session(self, photo: Source) -> DecodingSession:
        """A caption for a person to drive; words are read as lower-case words without signs.

        Raises:
            InputError: the photo cannot be read.
        """
        read = images.read(photo)

        def spell(before: list[int], text: str) -> list[int]:
            return self.writer.spell(before, normal(text))

        def collect(steps: list[Step], settings: dict[str, Any]) -> Trace:
            return self._trace(read, steps, settings)

        return DecodingSession(
            self.model, self.encode([read]), self.writer.vocabulary, spell, collect, LONGEST
        )

    def hypothesis(self, photo: Source, trace: Trace, rank: int) -> Trace:
        """The whole trace of another caption that the beam search of a trace found.

        Args:
            photo: the one that the trace is of. rank: from 0, the best.

        Raises:
            InputError: the trace has no beam, or no hypothesis of that rank.
        """
        if not trace.beams:
            raise InputError('Expected a trace of a beam search, got one without a beam; use search="beam".')
        (beam,) = trace.beams
        if not 0 <= rank < len(beam.hypotheses):
            raise InputError(
                f"Expected a rank from 0 to {len(beam.hypotheses) - 1}, got {rank}; "
                "the beam holds no other finished caption."
            )
        ids = beam.token_ids[beam.path(beam.hypotheses[rank][0])].tolist()
        read = images.read(photo)
        decoding = searches.forced(self.model, self.encode([read]), self.writer.vocabulary, [ids])
        (steps,), _ = gather(decoding, 1)
        found = self._trace(read, steps, {}, beam)
        return replace(found, settings={**trace.settings, "hypothesis": rank})

    def written(self, beam: Beam, rank: int) -> str:
        """The text of a beam's hypothesis."""
        return self.writer.output(beam.token_ids[beam.path(beam.hypotheses[rank][0])].tolist()).text

    def texts(self, memory: Memory, **options: Any) -> list[str]:
        """The captions alone of the photos that a memory holds."""
        rows, _ = gather(self._search(memory, Options(**options)), len(memory.annotations))
        return [self.writer.output([step.token_id for step in row]).text for row in rows]

    @torch.inference_mode()
    def encode(self, photos: list[Image.Image]) -> Memory:
        """The memory of upright RGB photos."""
        return self.model.encode(torch.stack([images.to_pixels(photo) for photo in photos]))

    def _search(self, memory: Memory, options: Options) -> Iterator[Steps]:
        count = len(memory.annotations)
        target = self._target(options)
        targets = [] if target is None else [target] * count
        return decode(self.model, memory, self.writer.vocabulary, [LONGEST] * count, options, targets)

    def _target(self, options: Options) -> list[int] | None:
        if options.target is None:
            return None
        words = normal(options.target)
        if not words:
            raise InputError("Expected a caption to force, got no word; type what it should say.")
        ids = [*self.pieces.encode(words)[0], self.pieces.end]
        if len(ids) > LONGEST:
            raise InputError(
                f"Expected a caption of at most {LONGEST} pieces to force, got {len(ids)}; shorten it."
            )
        return ids

    def _traces(self, photos: list[Image.Image], options: Options) -> list[Trace]:
        rows, beams = gather(self._search(self.encode(photos), options), len(photos))
        return [
            self._trace(photo, steps, options.as_settings(), beam, _reading_notes(options))
            for photo, steps, beam in zip(photos, rows, beams, strict=True)
        ]

    def _trace(
        self,
        photo: Image.Image,
        steps: list[Step],
        settings: dict[str, Any],
        beam: Beam | None = None,
        notes: tuple[str, ...] = (),
    ) -> Trace:
        if steps[-1].token_id != self.pieces.end:
            notes += (f"The caption was stopped after {len(steps)} pieces without an end mark.",)
        return Trace.collect(
            steps,
            Grid(SIDE, SIDE, *photo.size),
            self.writer.output([step.token_id for step in steps]),
            "captioning",
            self.name,
            settings=settings,
            notes=notes,
            beams=() if beam is None else (beam,),
        )


def _reading_notes(options: Options) -> tuple[str, ...]:
    if options.target is None or normal(options.target) == options.target.strip():
        return ()
    return ("The forced caption was read as lower-case words without signs, as in training.",)
