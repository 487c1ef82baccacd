"""Photos and captions for training, and the features of the photos, extracted once.

A folder is laid out like Flickr8k: images.tar (or a folder images/), captions.tsv.gz of file TAB
caption, and split_train.txt, split_dev.txt, split_test.txt of file names.
"""

import random
from collections.abc import Callable
from pathlib import Path

import numpy as np
import torch
from PIL import Image

from attnviz.captions import open_photos
from attnviz.efficientnet import MIDDLE_CHANNELS, TOP_CHANNELS, EfficientNetLite0
from attnviz.images import read, to_pixels

MIDDLE_SHAPE = (MIDDLE_CHANNELS, 14, 14)
TOP_SHAPE = (TOP_CHANNELS, 7, 7)
_BATCH = 32

Report = Callable[[str], None]
Features = tuple[np.ndarray, np.ndarray]


def features(
    network: EfficientNetLite0, folder: Path, names: list[str], views: int, cache: Path, report: Report
) -> Features:
    """The maps of each view of each photo, float16: (N, views, 112, 14, 14), (N, views, 1280, 7, 7).

    View 0 is the photo as it is, view 1 its mirror image, and every other a random part of it
    (from 0.7 of its sides on), mirrored when its number is odd. They are computed once and read
    from `cache` after; a stopped run goes on where it was.
    """
    cache.mkdir(parents=True, exist_ok=True)
    done_file = cache / "done.txt"
    done = int(done_file.read_text()) if done_file.exists() else 0
    shapes = [(len(names), views, *shape) for shape in (MIDDLE_SHAPE, TOP_SHAPE)]
    middle, top = (
        np.lib.format.open_memmap(cache / file, "r+" if done else "w+", np.float16, shape)
        for file, shape in zip(("middle.npy", "top.npy"), shapes, strict=True)
    )
    photos = open_photos(folder)
    for start in range(done, len(names), _BATCH):
        batch = names[start : start + _BATCH]
        for view in range(views):
            pixels = torch.stack([to_pixels(seen(read(photos[name]), name, view)) for name in batch])
            rows = slice(start, start + len(batch))
            middle[rows, view], top[rows, view] = (part.half().numpy() for part in network(pixels))
        done_file.write_text(str(start + len(batch)))
        if start % (10 * _BATCH) == 0:
            report(f"features of {start + len(batch)} of {len(names)} photos")
    return middle, top


def seen(photo: Image.Image, name: str, view: int) -> Image.Image:
    """A view of a photo; the same one for the same name and number."""
    if view > 1:
        chance = random.Random(f"{name} {view}")
        width, height = (side * chance.uniform(0.7, 1.0) for side in photo.size)
        left, upper = chance.uniform(0, photo.width - width), chance.uniform(0, photo.height - height)
        box = (left, upper, left + width, upper + height)
        photo = photo.resize(photo.size, Image.Resampling.BICUBIC, box)
    return photo.transpose(Image.Transpose.FLIP_LEFT_RIGHT) if view % 2 else photo
