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
    """Adam with a linear warm-up, a level stretch and a linear cool-down to zero."""

    updates: int
    learning_rate: float = 1e-3
    warmup: int = 500
    cooldown: float = 0.3
    batch_tokens: int = 3000
    label_smoothing: float = 0.1
    clip: float = 1.0
    average: float = 0.999
    check_every: int = 500


@dataclass(frozen=True, slots=True)
class Recipe:
    """What is trained, on what and how.

    pieces: the size of the vocabulary. longest: a sentence's limit of pieces in training.
    development: sets whose BLEU is reported at each checkpoint.
    """

    name: str
    task: str
    source: str
    target: str
    pieces: int
    longest: int
    seed: int
    model: dict[str, Any]
    optimisation: Optimisation
    data: tuple[Data, ...]
    development: tuple[str, ...]
    variation: Variation = field(default_factory=Variation)


def read_recipe(name: str) -> Recipe:
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
        return Recipe(
            **table
            | {
                "data": tuple(Data(**row) for row in table["data"]),
                "development": tuple(table["development"]),
                "variation": Variation(**table.get("variation", {})),
                "optimisation": Optimisation(**table["optimisation"]),
            }
        )
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, KeyError, TypeError) as error:
        raise FormatError(f"{path} is not a recipe: {error}") from error
