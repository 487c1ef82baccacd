"""A photo and its trace -> what the overlay is sent."""

import base64
import hashlib
import io
import json
from typing import Any

import numpy as np
from PIL import Image

from attnviz import measures
from attnviz.trace import Trace
from attnviz.weight_matrix import matrix
from player.payload import decoded

LONGEST_SIDE = 1280


def payload(photo: Image.Image, trace: Trace) -> dict[str, Any]:
    """The overlay's data.

    Args:
        photo: upright and RGB, as the trace's grid says.
        trace: of a captioner.
    """
    grid, shown = trace.grid, matrix(trace, "words", end=True)
    corners = [grid.rectangle(cell) for cell in range(len(grid))]
    data: dict[str, Any] = {
        "photo": _as_url(photo),
        "width": grid.width,
        "height": grid.height,
        "rows": grid.rows,
        "columns": grid.columns,
        "xs": [0, *(right for _, _, right, _ in corners[: grid.columns])],
        "ys": [0, *(bottom for _, _, _, bottom in corners[:: grid.columns])],
        "words": list(shown.target),
        "target_end": next(iter(shown.target_ends), None),
        "weights": base64.b64encode(np.ascontiguousarray(shown.weights, "<f4").tobytes()).decode("ascii"),
        "largest": shown.weights.max(axis=1).tolist(),
        "top": float(shown.weights.max()),
        "probability": measures.probability(trace, shown).tolist(),
        "entropy": measures.entropy(shown).tolist(),
        "gate": measures.gate(trace, shown),
        "decoded": decoded(trace, shown),
        "forced": trace.settings.get("search") == "forced",
        "text": trace.text,
        "notes": list(trace.notes),
    }
    digest = hashlib.sha256(json.dumps(data).encode()).hexdigest()
    return {"id": digest[:16], **data}


def _as_url(photo: Image.Image) -> str:
    """The photo, no larger than a screen can show; pictures of few pixels keep every one of them."""
    scale = LONGEST_SIDE / max(photo.size)
    if scale < 1:
        size = (max(1, round(photo.width * scale)), max(1, round(photo.height * scale)))
        photo = photo.resize(size, Image.Resampling.BICUBIC, reducing_gap=3.0)
    small = photo.width * photo.height < 50_000
    buffer = io.BytesIO()
    photo.save(buffer, "PNG" if small else "JPEG", quality=85)
    kind = "png" if small else "jpeg"
    return f"data:image/{kind};base64," + base64.b64encode(buffer.getvalue()).decode("ascii")
