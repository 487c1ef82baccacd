"""Reads parallel text: one pair a line, source TAB target."""

import gzip
from pathlib import Path

from attnviz.errors import FormatError, InputError

Pair = tuple[str, str]


def read_pairs(path: Path) -> list[Pair]:
    """The pairs of a .tsv or .tsv.gz in UTF-8.

    Raises:
        InputError: there is no such file, or it is neither.
        FormatError: it cannot be read, or a line has not two columns; the message gives its number.
    """
    if not path.is_file() or not path.name.endswith((".tsv", ".tsv.gz")):
        raise InputError(f"Expected a .tsv or .tsv.gz of sentence pairs, got {path}; check the path.")
    pairs = []
    try:
        with (gzip.open if path.name.endswith(".gz") else open)(path, "rt", encoding="utf-8") as lines:
            for number, line in enumerate(lines, 1):
                columns = line.rstrip("\r\n").split("\t")
                if len(columns) != 2:
                    raise FormatError(
                        f"{path}, line {number}: expected source TAB target, got {len(columns)} columns."
                    )
                pairs.append((columns[0], columns[1]))
    except (OSError, EOFError, UnicodeDecodeError) as error:
        raise FormatError(f"{path} cannot be read as UTF-8 text: {error}") from error
    return pairs
