"""`attnviz align` and `attnviz aer`: what they print, and what they say of files that do not fit."""

from pathlib import Path

import pytest

from attnviz.cli import main
from tests.attnviz.test_cli import assert_told_in_a_line

FRENCH = "nous avons une question importante .\n\nle gouvernement appuie ce projet de loi .\n"
ENGLISH = "we have an important question .\nnothing\nthe government supports this bill .\n"


@pytest.fixture
def texts(tmp_path: Path) -> list[str]:
    for name, text in (("fr", FRENCH), ("en", ENGLISH)):
        (tmp_path / name).write_text(text, encoding="utf-8")
    return [str(tmp_path / "fr"), str(tmp_path / "en")]


def test_both_directions_give_pharaoh_pairs_a_line_each(texts, capsys) -> None:
    assert main(["align", *texts]) == 0
    first, empty, last = capsys.readouterr().out.split("\n")[:3]
    assert set(first.split()) == {"0-0", "1-1", "2-2", "3-4", "4-3", "5-5"}
    assert empty == "", "a line without words on both sides keeps its place"
    assert {"1-1", "2-2"} <= set(last.split())
    assert main(["align", *texts, "--base", "1"]) == 0
    assert {"4-5", "5-4"} <= set(capsys.readouterr().out.split("\n")[0].split())


def test_the_other_order_of_languages_turns_the_pairs_round(texts, capsys) -> None:
    main(["align", *texts, "--method", "union"])
    pairs = [set(line.split()) for line in capsys.readouterr().out.splitlines()]
    main(["align", *texts[::-1], "--pair", "en-fr", "--method", "union"])
    turned = [
        {"-".join(link.split("-")[::-1]) for link in line.split()}
        for line in capsys.readouterr().out.splitlines()
    ]
    assert turned == pairs


def test_one_model_through_each_lens(texts, capsys) -> None:
    found = set()
    for lens in ("previous", "current", "next"):
        assert main(["align", *texts, "--model", "align-fr-en", "--lens", lens]) == 0
        found.add(capsys.readouterr().out)
    assert len(found) == 3
    assert main(["align", *texts, "--model", "align-fr-en"]) == 0
    assert capsys.readouterr().out in found


@pytest.mark.parametrize(
    ("options", "told"),
    [
        (["--pair", "fren"], "two languages such as fr-en"),
        (["--pair", "fr-de"], "align-fr-de"),
        (["--lens", "next"], "Expected --model with --lens"),
        (["--model", "align-fr-en", "--method", "union"], "without --model"),
        (["--model", "caption-flickr8k"], "an aligner or a translator"),
        (["--model", "lab-none"], "no attention"),
    ],
)
def test_options_that_do_not_go_together_are_told(texts, capsys, options, told) -> None:
    assert_told_in_a_line(main(["align", *texts, *options]), capsys.readouterr(), told)


def test_files_that_do_not_fit_are_told(texts, capsys, tmp_path) -> None:
    (tmp_path / "short").write_text("one\n")
    assert_told_in_a_line(main(["align", texts[0], str(tmp_path / "short")]), capsys.readouterr(), "got 3 in")
    assert_told_in_a_line(main(["align", texts[0], str(tmp_path)]), capsys.readouterr(), "cannot be read")


def write(folder: Path, **files: str) -> list[str]:
    for name, text in files.items():
        (folder / name).write_text(text, encoding="utf-8")
    return [str(folder / name) for name in files]


def test_aer_of_any_two_files(tmp_path, capsys) -> None:
    """The example of test_alignments.py, with gold from 1 and pairs from 0: AER 0.4."""
    files = write(tmp_path, gold="1-1 2-2 2p3 3p3\n", links="0-0 1-2 3-3\n")
    assert main(["aer", *files]) == 0
    assert capsys.readouterr() == ("AER 0.4000  precision 0.6667  recall 0.5000  n 1\n", "")
    files = write(tmp_path, gold="0-0 1-1 1p2 2p2\n", links="1-1 2-3 4-4\n")
    assert main(["aer", *files, "--gold-base", "0", "--base", "1"]) == 0
    assert capsys.readouterr().out.startswith("AER 0.4000")


def test_pairs_that_seem_to_count_from_1_get_a_warning(tmp_path, capsys) -> None:
    files = write(tmp_path, gold="1-1 2-2\n", links="1-1 2-2\n")
    assert main(["aer", *files]) == 0
    assert "--base 1" in capsys.readouterr().err
    assert main(["aer", *files, "--base", "1"]) == 0
    assert capsys.readouterr() == ("AER 0.0000  precision 1.0000  recall 1.0000  n 1\n", "")


@pytest.mark.parametrize(
    ("gold", "links", "told"),
    [
        ("", "", "Expected sentences in"),
        ("1-1\n1-1\n", "0-0\n", "got 2 in"),
        ("1-1\n0-1\n", "0-0\n0-0\n", "line 2: 0-1 lies outside"),
        ("1-1\n1-1\n", "0-0\nx\n", "line 2: expected links"),
    ],
)
def test_what_cannot_be_scored_is_told(tmp_path, capsys, gold, links, told) -> None:
    assert_told_in_a_line(main(["aer", *write(tmp_path, gold=gold, links=links)]), capsys.readouterr(), told)


def test_links_are_checked_against_the_sentences(tmp_path, capsys) -> None:
    files = write(tmp_path, gold="1-1\n", links="0-7\n")
    texts = write(tmp_path, source="un mot\n", target="a word\n")
    code = main(["aer", *files, "--source", texts[0], "--target", texts[1]])
    assert_told_in_a_line(code, capsys.readouterr(), "line 1: 0-7 lies outside the sentence")
    assert_told_in_a_line(main(["aer", *files, "--source", texts[0]]), capsys.readouterr(), "Expected both")
