"""attnviz entail, attnviz summarize, and evaluate for both."""

import gzip
import io
import json
from pathlib import Path

import pytest

import attnviz
from attnviz import pretrained
from attnviz.cli import main
from attnviz.tasks import Entailment, Summarizer
from tests.attnviz.test_cli import assert_told_in_a_line
from tests.attnviz.test_entailment import PAIRS, PREMISE
from tests.attnviz.test_summarizer import ARTICLE


@pytest.fixture(autouse=True)
def _loaded(monkeypatch: pytest.MonkeyPatch, entailment: Entailment, news: Summarizer) -> None:
    """The shipped models, loaded once for all tests."""
    models = {"entailment": entailment, "headline-news": news}
    monkeypatch.setattr(pretrained, "load", models.__getitem__)


def test_a_verdict_is_a_line_the_likeliest_first(
    entailment: Entailment, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["entail", PREMISE, PAIRS[0][0]]) == 0
    parts = capsys.readouterr().out.split()
    verdict = entailment(PREMISE, PAIRS[0][0]).verdict
    assert parts[::2] == sorted(verdict, key=verdict.__getitem__, reverse=True)
    assert [float(part) for part in parts[1::2]] == [
        pytest.approx(verdict[label], abs=6e-4) for label in parts[::2]
    ]


def test_json_tells_every_word(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    path = tmp_path / "trace.json"
    assert main(["entail", PREMISE, PAIRS[0][0], "--json", "--save", str(path)]) == 0
    told, trace = json.loads(capsys.readouterr().out), attnviz.read(path)
    assert told["labels"] == list(trace.labels)
    assert told["verdicts"] == trace.verdicts.tolist()
    assert told["verdict"] == trace.verdict
    assert told["weights"] == trace.weights.tolist()


def test_an_empty_side_is_told(capsys: pytest.CaptureFixture[str]) -> None:
    assert_told_in_a_line(main(["entail", PREMISE, " "]), capsys.readouterr(), "hypothesis")


@pytest.mark.parametrize("piped", [True, False])
def test_a_text_gives_a_headline(
    news: Summarizer,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
    piped: bool,
) -> None:
    path, name = tmp_path / "article.txt", "-"
    if piped:
        monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(ARTICLE.encode())))
    else:
        path.write_text(ARTICLE, encoding="utf-8")
        name = str(path)
    assert main(["summarize", name, "--beam-size", "2", "--no-repeat"]) == 0
    assert capsys.readouterr().out == news(ARTICLE, beam_size=2, no_repeat=True).text + "\n"


def test_what_is_no_file_is_told(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    assert_told_in_a_line(
        main(["summarize", str(tmp_path / "none.txt")]), capsys.readouterr(), "cannot be read"
    )
    assert_told_in_a_line(main(["summarize", str(tmp_path)]), capsys.readouterr(), "cannot be read")
    (tmp_path / "empty.txt").write_text("", encoding="utf-8")
    assert_told_in_a_line(main(["summarize", str(tmp_path / "empty.txt")]), capsys.readouterr(), "nothing to")


def test_what_was_not_read_is_noted(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    (tmp_path / "long.txt").write_text(ARTICLE * 9, encoding="utf-8")
    assert main(["summarize", str(tmp_path / "long.txt"), "--search", "greedy"]) == 0
    assert "were left out" in capsys.readouterr().err


def write(path: Path, rows: list[tuple[str, ...]]) -> str:
    path.write_bytes(gzip.compress("".join("\t".join(row) + "\n" for row in rows).encode()))
    return str(path)


def test_accuracy_is_the_share_that_is_right(
    entailment: Entailment, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    said = [
        max(verdict, key=verdict.__getitem__)
        for verdict in (trace.verdict for trace in entailment.many([(PREMISE, h) for h, _ in PAIRS]))
    ]
    wrong = {"entailment": "neutral", "neutral": "contradiction", "contradiction": "entailment"}
    rows = [(PREMISE, pair[0], label) for pair, label in zip(PAIRS, said, strict=True)]
    rows = [
        *rows,
        (PREMISE, PAIRS[0][0], wrong[said[0]]),
        ("...", "Nothing to read.", "neutral"),
        (PREMISE, "...", "neutral"),
    ]
    assert main(["evaluate", "entailment", write(tmp_path / "pairs.tsv.gz", rows)]) == 0
    found = json.loads(capsys.readouterr().out)
    assert (found["metric"], found["n"], found["value"]) == ("accuracy", 8, 62.5)
    assert 0 <= found["calibration_error"] <= 1


def test_rouge_of_its_own_headlines_is_100_and_of_others_less(
    news: Summarizer, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    own = news(ARTICLE).text
    assert main(["evaluate", "headline-news", write(tmp_path / "own.tsv.gz", [(ARTICLE, own)])]) == 0
    found = json.loads(capsys.readouterr().out)
    assert (found["metric"], found["value"], found["n"]) == ("ROUGE-L", 100.0, 1)
    eight = " ".join(ARTICLE.split()[:8])
    rows = [(ARTICLE, eight), ("...", "zebra")]
    assert main(["evaluate", "headline-news", write(tmp_path / "other.tsv.gz", rows)]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["value"] < 50
    assert found["baselines"]["first 8 words"]["ROUGE-L"] == 50.0
    assert found["baselines"]["first sentence cut to 75 characters"]["ROUGE-L"] < 50.0


def test_data_of_another_task_are_told(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    data = write(tmp_path / "two.tsv.gz", [("a", "b")])
    assert main(["evaluate", "entailment", data]) == 2
    assert "line 1: expected premise TAB hypothesis TAB label" in capsys.readouterr().err
