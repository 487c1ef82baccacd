"""Reads tables of text: a row a line, columns between TABs, nothing quoted."""

import gzip
from collections.abc import Iterator
from pathlib import Path

from attnviz.errors import FormatError, InputError


def rows(path: Path, content: str, columns: str) -> Iterator[tuple[int, list[str]]]:
    """The rows of a .tsv or .tsv.gz in UTF-8, with the numbers of their lines from 1.

    Args:
        content: what the file should hold, for messages. columns: the names of the columns with TAB
            between them, likewise; every row has as many.

    Raises:
        InputError: there is no such file, or it is neither.
        FormatError: it cannot be read, or a row has more or fewer columns, or an empty one; the message
            gives its line.
    """
    if not path.is_file() or not path.name.endswith((".tsv", ".tsv.gz")):
        raise InputError(f"Expected a .tsv or .tsv.gz of {content}, got {path}; check the path.")
    count = len(columns.split(" TAB "))
    try:
        with (gzip.open if path.name.endswith(".gz") else open)(path, "rt", encoding="utf-8") as lines:
            for number, line in enumerate(lines, 1):
                row = line.rstrip("\r\n").split("\t")
                if len(row) != count:
                    got = f"{len(row)} column" + "s" * (len(row) != 1)
                    raise FormatError(f"{path}, line {number}: expected {columns}, got {got}.")
                if not all(map(str.strip, row)):
                    raise FormatError(
                        f"{path}, line {number}: expected {columns}, got an empty column; "
                        "fill it or leave the line out."
                    )
                yield number, row
    except (OSError, EOFError, UnicodeDecodeError) as error:
        raise FormatError(f"{path} cannot be read as UTF-8 text: {error}") from error
