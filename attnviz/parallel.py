"""Reads parallel text: one pair a line, source TAB target."""

from pathlib import Path
from zlib import crc32

from attnviz.tsv import rows

Pair = tuple[str, str]


def read_pairs(path: Path) -> list[Pair]:
    """The pairs of a .tsv or .tsv.gz in UTF-8.

    Raises:
        InputError: there is no such file, or it is neither.
        FormatError: it cannot be read, or a line has not two columns with text; the message gives its
            number.
    """
    return [(source, target) for _, (source, target) in rows(path, "sentence pairs", "source TAB target")]


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
