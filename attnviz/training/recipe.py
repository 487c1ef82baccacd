"""A recipe: all that it takes to train one model, read from a TOML file."""

import tomllib
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from attnviz.errors import FormatError, InputError

FOLDER = Path(__file__).parent / "recipes"


@dataclass(frozen=True, slots=True)
class Data:
    """A training set: an epoch sees `share` of it (2.5: twice and a half); words a side at most.

    held_out: the share that is never trained on, see parallel.held_out. reversed: the columns
    stand in the other order. shares_premises: the official parts of a set of labelled pairs have
    premises in common, so that only the very pairs of a test set are left out.
    """

    file: str
    share: float = 1.0
    longest: int = 60
    held_out: float = 0.0
    reversed: bool = False
    shares_premises: bool = False


@dataclass(frozen=True, slots=True)
class Variation:
    """The shares of pairs that are varied, each in its way; see training.data.vary.

    joined_words: pairs are joined as long as their sources have no more words than that.
    """

    joined: float = 0.0
    joined_words: int = 1000
    renamed: float = 0.0
    renumbered: float = 0.0
    unstopped: float = 0.0
    lowered: float = 0.0
    unaccented: float = 0.0


@dataclass(frozen=True, slots=True)
class Optimisation:
    """Adam with a linear warm-up, a level stretch and a linear cool-down to zero.

    A batch has about `batch_tokens` pieces a side of text, `batch_pairs` labelled pairs, or
    `batch_photos` photos with all their captions.
    """

    updates: int
    learning_rate: float = 1e-3
    warmup: int = 500
    cooldown: float = 0.3
    batch_tokens: int = 3000
    batch_photos: int = 64
    batch_pairs: int = 64
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
    target: str = ""
    pieces: int
    seed: int
    model: dict[str, Any]
    optimisation: Optimisation


@dataclass(frozen=True, slots=True, kw_only=True)
class TranslationRecipe(Recipe):
    """For translation.

    longest: a sentence's limit of pieces in training. development: sets whose BLEU is reported at
    each checkpoint. whole: the model reads a text as one sequence, however many sentences it has.
    mechanisms: a model is trained for each, alike in all else.
    """

    source: str
    longest: int
    data: tuple[Data, ...]
    development: tuple[str, ...]
    variation: Variation = field(default_factory=Variation)
    whole: bool = False
    mechanisms: tuple[str, ...] = ()

    def variants(self) -> list["TranslationRecipe"]:
        """The recipe of each mechanism, `NAME-MECHANISM`; or this one alone, if it names none."""
        if not self.mechanisms:
            return [self]
        return [
            replace(
                self,
                name=f"{self.name}-{mechanism}",
                model={**self.model, "mechanism": mechanism},
                mechanisms=(),
            )
            for mechanism in self.mechanisms
        ]


@dataclass(frozen=True, slots=True, kw_only=True)
class SummarizationRecipe(Recipe):
    """For headlines.

    longest: a text's limit of pieces in training. first_words: how many words of a text are read.
    shortened: the share of texts that stop early, at a word drawn anew in every epoch.
    lower: whether both sides are in small letters. Of data, `held_out` is what is developed with.
    """

    source: str
    longest: int
    first_words: int
    data: tuple[Data, ...]
    shortened: float = 0.0
    lower: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class CaptioningRecipe(Recipe):
    """For captioning.

    photos: their folder. views: how many of each are seen. refinement: a second stage, that
    rewards whole captions; see training.captioning.SelfCritical.
    """

    photos: str
    views: int = 1
    refinement: Optimisation | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class AlignmentRecipe(Recipe):
    """For aligners of both directions, `NAME-SOURCE-TARGET`.

    file: the parallel text, with one language a column. joined: the share of pairs that are joined
    with others. guidance: the weight of the loss of where to look.
    """

    languages: tuple[str, str]
    file: str
    longest: int
    joined: float
    guidance: float
    source: str = ""

    def variants(self) -> list["AlignmentRecipe"]:
        """The recipe of each direction."""
        one, other = self.languages
        return [
            replace(self, name=f"{self.name}-{source}-{target}", source=source, target=target)
            for source, target in ((one, other), (other, one))
        ]


@dataclass(frozen=True, slots=True, kw_only=True)
class EntailmentRecipe(Recipe):
    """For entailment; the vocabulary is of the pretrained pieces that occur.

    longest: a text's limit of pieces in training. test: sets of which no pair and no premise may be
    trained on. development, and what is `held_out` of the data, by premise: for choosing.
    """

    source: str
    labels: tuple[str, ...]
    longest: int
    data: tuple[Data, ...]
    development: tuple[str, ...]
    test: tuple[str, ...]
    pieces: int = 0


AnyRecipe = TranslationRecipe | SummarizationRecipe | CaptioningRecipe | AlignmentRecipe | EntailmentRecipe


def read_recipe(name: str) -> AnyRecipe:
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
        if table["task"] == "alignment":
            table["languages"] = tuple(table["languages"])
            return AlignmentRecipe(**table)
        table["data"] = tuple(Data(**row) for row in table["data"])
        if table["task"] == "summarization":
            return SummarizationRecipe(**table)
        if table["task"] == "entailment":
            lists = {name: tuple(table[name]) for name in ("labels", "development", "test")}
            return EntailmentRecipe(**{**table, **lists})
        table["development"] = tuple(table["development"])
        table["variation"] = Variation(**table.get("variation", {}))
        table["mechanisms"] = tuple(table.get("mechanisms", ()))
        return TranslationRecipe(**table)
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, KeyError, TypeError) as error:
        raise FormatError(f"{path} is not a recipe: {error}") from error
