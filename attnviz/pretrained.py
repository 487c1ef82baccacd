"""The catalogue: finds, checks and loads what lies in pretrained/. Nothing is ever downloaded."""

import hashlib
import json
import os
from pathlib import Path
from typing import Any

from attnviz.errors import FormatError, ModelNotFoundError

WEIGHTS, CONFIG, TOKENIZER, CARD = "weights.safetensors", "config.json", "tokenizer.json", "CARD.md"
_LIMITS = "\n## Limits\n"
FORMAT = 1
_KEYS: dict[str, type] = {"task": str, "target": str, "model": dict, "sha256": dict}
_KEYS_OF: dict[str, dict[str, type]] = {
    "translation": {"source": str, "trained_length": int},
    "captioning": {},
    "alignment": {"source": str, "trained_length": int},
    "entailment": {"source": str, "trained_length": int, "labels": list, "temperature": float},
    "summarization": {"source": str, "trained_length": int, "first_words": int, "lower": bool},
}


def places() -> list[Path]:
    """Where models are looked for, in this order."""
    named = os.environ.get("ATTNVIZ_PRETRAINED")
    checkout = Path(__file__).resolve().parent.parent / "pretrained"
    return ([Path(named)] if named else []) + [checkout, Path("pretrained").resolve()]


def catalogue() -> dict[str, Path]:
    """Every model that can be loaded by name, and its folder."""
    found: dict[str, Path] = {}
    for place in places():
        if place.is_dir():
            for folder in sorted(place.iterdir()):
                if (folder / CONFIG).is_file():
                    found.setdefault(folder.name, folder)
    return dict(sorted(found.items()))


def find(name: str) -> Path:
    """The folder of a model, by its name in the catalogue or by its path.

    Raises:
        ModelNotFoundError: there is none; the message says where it was looked for.
    """
    # os.path, since Path.is_file raises for a name that no file can have.
    if "\0" not in name and os.path.isfile(os.path.join(name, CONFIG)):
        return Path(name)
    models = catalogue()
    if name in models:
        return models[name]
    looked = ", ".join(str(place) for place in dict.fromkeys(places()))
    known = ", ".join(models) or "none"
    raise ModelNotFoundError(
        f"There is no model {_short(name)!r} by that path, nor by that name in {looked}; found: {known}. "
        "Give one of these names, a model's folder, or set ATTNVIZ_PRETRAINED."
    )


def read_config(folder: Path) -> dict[str, Any]:
    """A model's config.json.

    Raises:
        FormatError: it is damaged or of another format.
    """
    try:
        config = json.loads((folder / CONFIG).read_text(encoding="utf-8"))
        version = config["format"]
    except (OSError, ValueError, KeyError, TypeError, RecursionError) as error:
        raise FormatError(f"{folder / CONFIG} is not a model's config: {error}") from error
    if version != FORMAT:
        raise FormatError(f"{folder / CONFIG} is of format {version!r}, this attnviz reads format {FORMAT}.")
    for key, kind in (_KEYS | _KEYS_OF.get(str(config.get("task")), {})).items():
        if not isinstance(config.get(key), kind):
            raise FormatError(f"{folder / CONFIG} needs {key} as {kind.__name__}, got {config.get(key)!r}.")
    return dict(config)


def load(name: str) -> Any:
    """Loads a model by its name or path, ready to be called.

    Returns:
        the task's object: a Translator, a Captioner, an Aligner, an Entailment, a Summarizer.

    Raises:
        ModelNotFoundError: there is no such model; the message says where it was looked for.
        FormatError: its files are damaged or do not belong together.
    """
    folder = find(name)
    config = read_config(folder)
    if config["task"] not in _KEYS_OF:
        raise FormatError(f"{folder} is for the task {config['task']!r}, which this attnviz does not know.")
    _check(folder, config)
    # torch takes seconds to import: a wrong name is told before that.
    import safetensors.torch

    from attnviz.model import Config, ImageToText, TextToText
    from attnviz.reader import PairReader, ReaderConfig
    from attnviz.tasks import Aligner, Captioner, Entailment, Summarizer, Translator
    from attnviz.text import Pieces

    kinds: dict[str, tuple[type[Any], type[Any]]] = {
        "translation": (TextToText, Translator),
        "captioning": (ImageToText, Captioner),
        "alignment": (TextToText, Aligner),
        "summarization": (TextToText, Summarizer),
        "entailment": (PairReader, Entailment),
    }
    kind, task = kinds[config["task"]]
    try:
        sizes = ReaderConfig if kind is PairReader else Config
        model = kind(sizes(**config["model"]))
        weights = safetensors.torch.load_file(folder / WEIGHTS)
        model.load_state_dict({key: tensor.float() for key, tensor in weights.items()})
        pieces = Pieces.read(folder / TOKENIZER)
        if len(pieces.strings) != model.config.vocabulary:
            raise ValueError(f"{len(pieces.strings)} pieces for a vocabulary of {model.config.vocabulary}")
        return task(folder.resolve().name, model, pieces, config)
    except (RuntimeError, ValueError, KeyError, TypeError, safetensors.SafetensorError) as error:
        raise FormatError(f"The files in {folder} do not belong together: {error}") from error


def limits(name: str) -> str:
    """Where a model fails, as Markdown: the section Limits of its card, or nothing if it has none.

    Raises:
        ModelNotFoundError: there is no such model.
    """
    card = find(name) / CARD
    if not card.is_file():
        return ""
    _, _, section = card.read_text(encoding="utf-8", errors="replace").partition(_LIMITS)
    return section.partition("\n## ")[0].strip()


def _short(name: str) -> str:
    return name if len(name) <= 80 else f"{name[:80]}..."


def checksum(path: Path) -> str:
    """The SHA-256 of a file, in hexadecimal."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _check(folder: Path, config: dict[str, Any]) -> None:
    for file in (WEIGHTS, TOKENIZER):
        if not (folder / file).is_file():
            raise FormatError(f"{folder} lacks its {file}; copy the model's folder again.")
        expected = config["sha256"].get(file)
        if expected != checksum(folder / file):
            raise FormatError(f"{folder / file} is damaged: its checksum is not the one in {CONFIG}.")
