"""Reads parallel text: one pair a line, source TAB target."""

import gzip
from pathlib import Path
from zlib import crc32

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


def held_out(pairs: list[Pair], share: float) -> tuple[list[Pair], list[Pair]]:
    """Splits pairs into those to train on and the `share` of them to measure on.

    A pair's side is told by a checksum of its second text, so that no text stands on both sides,
    and the split stays the same whatever else is in the file.
    """
    limit = int(share * 2**32)
    kept: list[Pair] = []
    held: list[Pair] = []
    for pair in pairs:
        (held if crc32(pair[1].encode()) < limit else kept).append(pair)
    return kept, held
