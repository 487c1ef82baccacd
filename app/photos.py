"""The photos of one session: the samples and what the person gave, in memory only."""

import base64
import hashlib
import io
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

from PIL import Image

from attnviz.images import read

SAMPLES = Path(__file__).parent / "samples"
MOST = 12  # of one's own photos; the oldest go first
_THUMB_SIDE = 160


@dataclass(frozen=True, slots=True)
class Photo:
    """A picture as it came.

    id: a digest of its bytes, or a sample's name. thumb: a small one of it, as a data URL.
    """

    id: str
    name: str
    data: bytes
    thumb: str
    own: bool

    def entry(self) -> dict[str, Any]:
        """What the strip shows of it."""
        return {"id": self.id, "name": self.name, "own": self.own, "thumb": self.thumb}


@lru_cache(maxsize=1)
def samples() -> dict[str, Photo]:
    """The pictures that come with attnviz, by id."""
    found = {}
    for file in sorted(SAMPLES.glob("*.jpg")):
        data = file.read_bytes()
        found[file.stem] = Photo(file.stem, file.stem, data, _thumb(data), own=False)
    return found


def given(name: str, data: bytes) -> Photo:
    """A person's own picture.

    Raises:
        InputError: it is none.
    """
    return Photo(hashlib.sha256(data).hexdigest()[:16], name, data, _thumb(data), own=True)


def add(photos: dict[str, Photo], photo: Photo) -> None:
    """Puts a photo last; the oldest go when there are too many."""
    photos.pop(photo.id, None)
    photos[photo.id] = photo
    while len(photos) > MOST:
        del photos[next(iter(photos))]


def _thumb(data: bytes) -> str:
    return small(data, _THUMB_SIDE)


def small(data: bytes, side: int) -> str:
    """The upright picture with no side longer than that, as a data URL."""
    picture = read(data)
    picture.thumbnail((side, side), Image.Resampling.BICUBIC)
    buffer = io.BytesIO()
    picture.save(buffer, "JPEG", quality=80)
    return "data:image/jpeg;base64," + base64.b64encode(buffer.getvalue()).decode("ascii")
