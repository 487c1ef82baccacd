"""Labelled sentence pairs: premise TAB hypothesis TAB label."""

import gzip
from pathlib import Path
from typing import NamedTuple

from attnviz.errors import FormatError, InputError

LABELS = ("entailment", "neutral", "contradiction")


class Example(NamedTuple):
    """A premise, a hypothesis, and what the premise says of it: one of LABELS."""

    premise: str
    hypothesis: str
    label: str


def read_examples(path: Path) -> list[Example]:
    """The examples of a .tsv or .tsv.gz in UTF-8.

    Raises:
        InputError: there is no such file, or it is neither.
        FormatError: it cannot be read, or a line is not an example; the message gives its number.
    """
    if not path.is_file() or not path.name.endswith((".tsv", ".tsv.gz")):
        raise InputError(f"Expected a .tsv or .tsv.gz of labelled pairs, got {path}; check the path.")
    examples = []
    try:
        with (gzip.open if path.name.endswith(".gz") else open)(path, "rt", encoding="utf-8") as lines:
            for number, line in enumerate(lines, 1):
                columns = line.rstrip("\r\n").split("\t")
                if len(columns) != 3 or columns[2] not in LABELS:
                    raise FormatError(
                        f"{path}, line {number}: expected premise TAB hypothesis TAB label, one of "
                        f"{', '.join(LABELS)}, got {len(columns)} columns and {columns[-1][:40]!r}."
                    )
                examples.append(Example(*columns))
    except (OSError, EOFError, UnicodeDecodeError) as error:
        raise FormatError(f"{path} cannot be read as UTF-8 text: {error}") from error
    return examples
