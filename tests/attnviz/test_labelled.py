"""Labelled pairs from files."""

import gzip
from pathlib import Path

import pytest

from attnviz.errors import FormatError, InputError
from attnviz.labelled import Example, read_examples

LINE = "A dog runs.\tAn animal moves.\tentailment\n"


@pytest.mark.parametrize("name", ["pairs.tsv", "pairs.tsv.gz"])
def test_pairs_are_read(tmp_path: Path, name: str) -> None:
    raw = (LINE * 2).encode()
    (tmp_path / name).write_bytes(gzip.compress(raw) if name.endswith(".gz") else raw)
    assert read_examples(tmp_path / name) == [Example("A dog runs.", "An animal moves.", "entailment")] * 2


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("A\tB\n", "premise TAB hypothesis TAB label, got 2 columns"),
        ("A\tB\tmaybe\n", "a label of entailment, neutral, contradiction, got 'maybe'"),
        ("A\tB\tneutral\tC\n", "premise TAB hypothesis TAB label, got 4 columns"),
        ("A\t \tneutral\n", "premise TAB hypothesis TAB label, got an empty column"),
        ("\n", "premise TAB hypothesis TAB label, got 1 column"),
    ],
)
def test_what_is_no_example_is_told_with_its_line(tmp_path: Path, line: str, told: str) -> None:
    (tmp_path / "pairs.tsv").write_text(LINE + line, encoding="utf-8")
    with pytest.raises(FormatError, match=f"line 2: expected {told}"):
        read_examples(tmp_path / "pairs.tsv")


def test_what_is_no_file_or_no_text_is_told(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="labelled pairs"):
        read_examples(tmp_path / "none.tsv")
    (tmp_path / "pairs.tsv.gz").write_bytes(b"not gzip")
    with pytest.raises(FormatError, match="cannot be read"):
        read_examples(tmp_path / "pairs.tsv.gz")
