"""Labelled sentence pairs: premise TAB hypothesis TAB label."""

from pathlib import Path
from typing import NamedTuple

from attnviz.errors import FormatError
from attnviz.tsv import rows

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
    examples = []
    for number, row in rows(path, "labelled pairs", "premise TAB hypothesis TAB label"):
        example = Example(*row)
        if example.label not in LABELS:
            raise FormatError(
                f"{path}, line {number}: expected a label of {', '.join(LABELS)}, got {example.label[:40]!r}."
            )
        examples.append(example)
    return examples
