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
    """A picture as it came. id: a digest of its bytes, or a sample's name."""

    id: str
    name: str
    data: bytes
    own: bool = True


@lru_cache(maxsize=1)
def samples() -> dict[str, Photo]:
    """The pictures that come with attnviz, by id."""
    files = sorted(SAMPLES.glob("*.jpg"))
    return {file.stem: Photo(file.stem, file.stem, file.read_bytes(), own=False) for file in files}


def given(name: str, data: bytes) -> Photo:
    """A person's own picture."""
    return Photo(hashlib.sha256(data).hexdigest()[:16], name, data)


def add(photos: dict[str, Photo], photo: Photo) -> None:
    """Puts a photo last; the oldest go when there are too many."""
    photos.pop(photo.id, None)
    photos[photo.id] = photo
    while len(photos) > MOST:
        del photos[next(iter(photos))]


@lru_cache(maxsize=64)
def entry(photo: Photo) -> dict[str, Any]:
    """What the strip shows of a photo.

    Raises:
        InputError: it is no picture.
    """
    thumb = read(photo.data)
    thumb.thumbnail((_THUMB_SIDE, _THUMB_SIDE), Image.Resampling.BICUBIC)
    return {"id": photo.id, "name": photo.name, "own": photo.own, "thumb": as_url(thumb)}


def as_url(picture: Image.Image) -> str:
    """A picture as a JPEG in a data URL."""
    buffer = io.BytesIO()
    picture.save(buffer, "JPEG", quality=80)
    return "data:image/jpeg;base64," + base64.b64encode(buffer.getvalue()).decode("ascii")
