"""Evaluation against cases whose BLEU is known."""

import gzip
from pathlib import Path

import pytest

from attnviz.errors import FormatError, InputError
from attnviz.evaluation import evaluate
from attnviz.tasks import Translator

SOURCES = ["Un homme mange une pomme rouge.", "Le chien court dans le parc.", "Il pleut depuis ce matin."]


def write(path: Path, targets: list[str]) -> Path:
    lines = [f"{source}\t{target}\n" for source, target in zip(SOURCES, targets, strict=True)]
    path.write_bytes(
        gzip.compress("".join(lines).encode()) if path.suffix == ".gz" else "".join(lines).encode()
    )
    return path


@pytest.mark.parametrize("name", ["data.tsv", "data.tsv.gz"])
def test_the_model_s_own_words_score_100_and_others_none(
    translator: Translator, tmp_path: Path, name: str
) -> None:
    own = [trace.text for trace in translator.many(SOURCES)]
    told: list[tuple[int, int]] = []
    found = evaluate(translator, write(tmp_path / name, own), progress=lambda *counts: told.append(counts))
    assert {**found, "signature": ""} == {
        "model": "translate-fr-en",
        "metric": "BLEU",
        "value": 100.0,
        "n": 3,
        "signature": "",
    }
    assert told == [(3, 3)]
    other = write(tmp_path / name, ["zzz yyy xxx www vvv uuu"] * 3)
    assert evaluate(translator, other)["value"] < 10
    assert evaluate(translator, other, limit=2)["n"] == 2


def test_a_row_with_nothing_to_translate_counts_as_an_empty_translation(
    translator: Translator, tmp_path: Path
) -> None:
    own = translator(SOURCES[0]).text
    (tmp_path / "data.tsv").write_text(f"{SOURCES[0]}\t{own}\n...\tSomething was expected here.\n")
    found = evaluate(translator, tmp_path / "data.tsv")
    assert found["n"] == 2
    assert 0 < found["value"] < 100


def test_data_that_cannot_be_read_are_refused(translator: Translator, tmp_path: Path) -> None:
    for name, raw, error, words in [
        ("a.csv", b"a\tb\n", InputError, ".tsv"),
        ("a.tsv", b"", InputError, "got none"),
        ("b.tsv", b"a\tb\nonly one\n", FormatError, "line 2"),
        ("c.tsv", b"\xff\xfe\t\n", FormatError, "UTF-8"),
        ("f.tsv", b"a\tb\n\n", FormatError, "line 2: expected source TAB target, got 1 column[.]"),
        ("g.tsv", b"a\tb\n \tb\n", FormatError, "line 2: .* an empty column"),
        ("h.tsv", b"a\t\n", FormatError, "line 1: .* an empty column"),
        ("d.tsv.gz", b"not gzip", FormatError, "cannot be read"),
        ("e.tsv.gz", gzip.compress(b"a\tb\n" * 99)[:-9], FormatError, "cannot be read"),
    ]:
        (tmp_path / name).write_bytes(raw)
        with pytest.raises(error, match=words):
            evaluate(translator, tmp_path / name)
    with pytest.raises(InputError, match="check the path"):
        evaluate(translator, tmp_path / "nowhere.tsv")
