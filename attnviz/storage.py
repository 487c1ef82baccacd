"""A header and some arrays in one file: safetensors, or plain JSON when the name ends in .json.

Neither runs code when it is read. Nothing here knows what the arrays mean.
"""

import json
import math
from pathlib import Path
from typing import Any

import numpy as np
from safetensors import SafetensorError
from safetensors.numpy import load as load_safetensors
from safetensors.numpy import save as save_safetensors

from attnviz.errors import FormatError, InputError

Arrays = dict[str, np.ndarray]

_KEY = "attnviz"
_WORDS = {"inf": math.inf, "-inf": -math.inf, "nan": math.nan}


def dumps(header: dict[str, Any], arrays: Arrays, as_json: bool) -> bytes:
    """Both without loss, as the bytes of a file."""
    if as_json:
        body = header | {"arrays": {name: _to_json(array) for name, array in arrays.items()}}
        return json.dumps({_KEY: body}, ensure_ascii=False, allow_nan=False).encode()
    contiguous = {name: np.ascontiguousarray(array) for name, array in arrays.items()}
    return save_safetensors(contiguous, metadata={_KEY: json.dumps(header, ensure_ascii=False)})


def write(path: Path, raw: bytes) -> None:
    """Writes a file whole or not at all.

    Raises:
        InputError: it cannot be written there, or something that is no file is in its place.
    """
    try:
        path = path.resolve()
        if path.exists() and not path.is_file():
            raise InputError(
                f"{path} cannot be written: it is there already and is not a file; choose another name."
            )
        beside = path.with_name(path.name + ".part")
        try:
            beside.write_bytes(raw)
            beside.replace(path)
        finally:
            beside.unlink(missing_ok=True)
    except InputError:
        raise
    except (OSError, ValueError) as error:  # ValueError: a NUL or a lone surrogate in the name
        reason = error.strerror if isinstance(error, OSError) else error
        raise InputError(f"{str(path)!r} cannot be written: {reason}; choose another name.") from error


def read(path: Path) -> tuple[dict[str, Any], Arrays]:
    """Reads a file of what `dumps` gave.

    Raises:
        FormatError: the file is missing, damaged, or not one of ours.
    """
    try:
        raw = path.read_bytes()
    except (OSError, ValueError) as error:  # ValueError: a NUL or a lone surrogate in the name
        reason = error.strerror if isinstance(error, OSError) else error
        raise FormatError(f"{str(path)!r} cannot be read: {reason}; check the path.") from error
    try:
        return _read_json(raw) if path.suffix == ".json" else _read_safetensors(raw)
    except (SafetensorError, ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise FormatError(
            f"{path} is not a trace that attnviz wrote, or it is damaged ({_short(error)}); "
            "expected safetensors, or JSON in a file whose name ends in .json."
        ) from error


def _to_json(array: np.ndarray) -> dict[str, Any]:
    flat: list[Any] = array.ravel().tolist()
    if array.dtype.kind == "f":
        flat = [number if math.isfinite(number) else str(number) for number in flat]
    return {"dtype": str(array.dtype), "shape": list(array.shape), "values": flat}


def _from_json(entry: dict[str, Any]) -> np.ndarray:
    values = [_WORDS[value] if isinstance(value, str) else value for value in entry["values"]]
    dtype = np.dtype(entry["dtype"])
    if dtype.kind not in "fiu" or any(type(value) not in (int, float) for value in values):
        raise ValueError("an array may hold numbers only")
    return np.array(values, dtype=dtype).reshape([int(size) for size in entry["shape"]])


def _read_json(raw: bytes) -> tuple[dict[str, Any], Arrays]:
    body = json.loads(raw)[_KEY]
    arrays = {str(name): _from_json(entry) for name, entry in body.pop("arrays").items()}
    return body, arrays


def _read_safetensors(raw: bytes) -> tuple[dict[str, Any], Arrays]:
    arrays = load_safetensors(raw)
    length = int.from_bytes(raw[:8], "little")
    header = json.loads(json.loads(raw[8 : 8 + length])["__metadata__"][_KEY])
    if not isinstance(header, dict):
        raise TypeError("the header is not a table")
    return header, arrays


def _short(error: Exception) -> str:
    reason = f"no entry {error}" if isinstance(error, KeyError) else str(error)
    return reason.splitlines()[0][:120] if reason else type(error).__name__
