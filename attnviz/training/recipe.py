"""A recipe: all that it takes to train one model, read from a TOML file."""

import tomllib
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from attnviz.errors import FormatError, InputError

FOLDER = Path(__file__).parent / "recipes"


@dataclass(frozen=True, slots=True)
class Data:
    """A training set: an epoch sees `share` of it (2.5: twice and a half); words a side at most."""

    file: str
    share: float = 1.0
    longest: int = 60


@dataclass(frozen=True, slots=True)
class Variation:
    """The shares of pairs that are varied, each in its way; see training.data.vary."""

    joined: float = 0.0
    renamed: float = 0.0
    renumbered: float = 0.0
    unstopped: float = 0.0
    lowered: float = 0.0
    unaccented: float = 0.0


@dataclass(frozen=True, slots=True)
class Optimisation:
    """Adam with a linear warm-up, a level stretch and a linear cool-down to zero.

    A batch has about `batch_tokens` pieces a side of text, or `batch_photos` photos with all their
    captions.
    """

    updates: int
    learning_rate: float = 1e-3
    warmup: int = 500
    cooldown: float = 0.3
    batch_tokens: int = 3000
    batch_photos: int = 64
    weight_decay: float = 0.01
    label_smoothing: float = 0.1
    clip: float = 1.0
    average: float = 0.999
    check_every: int = 500


@dataclass(frozen=True, slots=True, kw_only=True)
class Recipe:
    """What is trained and how. pieces: the size of the vocabulary."""

    name: str
    task: str
    target: str
    pieces: int
    seed: int
    model: dict[str, Any]
    optimisation: Optimisation


@dataclass(frozen=True, slots=True, kw_only=True)
class TranslationRecipe(Recipe):
    """For translation.

    longest: a sentence's limit of pieces in training. development: sets whose BLEU is reported at
    each checkpoint.
    """

    source: str
    longest: int
    data: tuple[Data, ...]
    development: tuple[str, ...]
    variation: Variation = field(default_factory=Variation)


@dataclass(frozen=True, slots=True, kw_only=True)
class CaptioningRecipe(Recipe):
    """For captioning.

    photos: their folder. views: how many of each are seen. refinement: a second stage, that
    rewards whole captions; see training.captioning.SelfCritical.
    """

    photos: str
    views: int = 1
    refinement: Optimisation | None = None


def read_recipe(name: str) -> TranslationRecipe | CaptioningRecipe:
    """Reads a recipe by its name in training/recipes/, or by the path of a .toml.

    Raises:
        InputError: there is no such recipe; the message lists those there are.
        FormatError: the file is not a recipe.
    """
    path = Path(name) if name.endswith(".toml") else FOLDER / f"{name}.toml"
    if not path.is_file():
        known = ", ".join(sorted(file.stem for file in FOLDER.glob("*.toml")))
        raise InputError(f"There is no recipe {name!r}; give one of {known}, or the path of a .toml.")
    try:
        table = tomllib.loads(path.read_text(encoding="utf-8"))
        table["optimisation"] = Optimisation(**table["optimisation"])
        if "refinement" in table:
            table["refinement"] = Optimisation(**table["refinement"])
        if table["task"] == "captioning":
            return CaptioningRecipe(**table)
        table["data"] = tuple(Data(**row) for row in table["data"])
        table["development"] = tuple(table["development"])
        table["variation"] = Variation(**table.get("variation", {}))
        return TranslationRecipe(**table)
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, KeyError, TypeError) as error:
        raise FormatError(f"{path} is not a recipe: {error}") from error
