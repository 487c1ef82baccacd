"""The command: what it prints where, and with which exit code; never a traceback."""

import gzip
import io
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

import attnviz
from attnviz.cli import main
from attnviz.tasks import Translator

ROOT = Path(__file__).parents[2]
TEXT = "Un chien court."


@pytest.fixture
def loaded(translator: Translator, monkeypatch: pytest.MonkeyPatch) -> Translator:
    """The command gets the translator that is loaded already."""
    monkeypatch.setattr("attnviz.pretrained.load", lambda _name: translator)
    return translator


def feed(monkeypatch: pytest.MonkeyPatch, raw: bytes) -> None:
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(raw), encoding="utf-8"))


def outcome(arguments: list[str]) -> int:
    """The exit code, also where argparse exits."""
    try:
        return main(arguments)
    except SystemExit as left:
        return left.code if isinstance(left.code, int) else 1


def assert_told_in_a_line(code: int, captured: Any, words: str = "") -> None:
    assert code == 2
    assert captured.out == ""
    assert captured.err.startswith("attnviz: ")
    assert len(captured.err.splitlines()) == 1
    assert words in captured.err


def run(arguments: list[str], **options: Any) -> subprocess.CompletedProcess[bytes]:
    command = [sys.executable, "-m", "attnviz.cli", *arguments]
    return subprocess.run(command, capture_output=True, cwd=ROOT, check=False, timeout=60, **options)


# --- translate


@pytest.mark.parametrize("search", ["greedy", "beam", "sample"])
def test_a_text_gives_one_line(loaded: Translator, capsys: pytest.CaptureFixture[str], search: str) -> None:
    assert main(["translate", f"{TEXT}\nOui.", "--search", search, "--beam-size", "2"]) == 0
    captured = capsys.readouterr()
    expected = loaded(f"{TEXT}\nOui.", search=search, beam_size=2).text
    assert captured.out == " ".join(expected.split()) + "\n"
    assert captured.err == ""


def test_it_searches_with_a_beam_of_five(loaded: Translator, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["translate", TEXT, "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    trace = loaded(TEXT, search="beam", beam_size=5)
    assert told["settings"] == {"search": "beam", "beam_size": 5, "length_penalty": 1.0}
    assert (told["model"], told["text"]) == ("translate-fr-en", trace.text)
    assert (told["source"], told["target"]) == (trace.source, trace.target)
    assert told["logprob"] == pytest.approx(sum(told["logprobs"]))
    assert len(told["weights"]) == len(trace.target)
    for row in told["weights"]:
        assert len(row) == len(trace.source)
        assert sum(row) == pytest.approx(1, abs=1e-5)
    assert (told["notes"], told["unread"]) == ([], [])


@pytest.mark.usefixtures("loaded")
def test_a_forced_target_is_written(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["translate", TEXT, "--target", "A cat sleeps.", "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["text"] == "A cat sleeps."
    assert told["settings"] == {"search": "forced"}


@pytest.mark.usefixtures("loaded")
def test_notes_go_to_stderr(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["translate", "Un chat\x00noir \ud800", "--search", "greedy"]) == 0
    captured = capsys.readouterr()
    assert len(captured.out.splitlines()) == 1
    assert [line.startswith("attnviz: ") for line in captured.err.splitlines()] == [True, True]


@pytest.mark.parametrize("name", ["trace.json", "trace.safetensors", "trace", "un été.json", "x" * 250])
def test_what_is_saved_is_read_back(
    loaded: Translator, capsys: pytest.CaptureFixture[str], tmp_path: Path, name: str
) -> None:
    path = tmp_path / name
    assert main(["translate", TEXT, "--save", str(path), "--beam-size", "2"]) == 0
    trace = attnviz.read(path)
    assert trace == loaded(TEXT, beam_size=2)
    assert capsys.readouterr().out == trace.text + "\n"
    assert path.read_bytes().startswith(b'{"attnviz"') == (path.suffix == ".json")
    assert os.listdir(tmp_path) == [name]


@pytest.mark.usefixtures("loaded")
@pytest.mark.parametrize(
    "place", ["", ".", "..", "/", "{tmp}", "{tmp}/no/such", "{tmp}/file/x", "{tmp}/" + "x" * 300]
)
def test_where_nothing_can_be_saved_is_told(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, place: str
) -> None:
    inside = tmp_path / "inside"
    inside.mkdir()
    (inside / "file").touch()
    monkeypatch.chdir(inside)
    code = main(["translate", "Oui.", "--search", "greedy", "--save", place.format(tmp=inside)])
    assert_told_in_a_line(code, capsys.readouterr(), "written")
    assert os.listdir(inside) == ["file"]
    assert os.listdir(tmp_path) == ["inside"], "nothing half written is left behind"


@pytest.mark.usefixtures("loaded")
def test_saving_never_replaces_what_is_no_file(tmp_path: Path) -> None:
    """As root, --save /dev/null must not make a file of it."""
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    main(["translate", "Oui.", "--search", "greedy", "--save", str(pipe)])
    assert pipe.is_fifo()


@pytest.mark.usefixtures("loaded")
@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ([""], "empty"),
        ([" \n\t"], "empty"),
        (["\x00"], "empty"),
        (["😀"], "signs"),
        (["\udcff\ud800"], "signs"),
        (["Oui.", "--beam-size", "1000"], "beam size"),
        (["Oui.", "--target", ""], "target"),
        (["Oui. Non.", "--target", "Yes."], "target sentences"),
        (["Oui.", "--target", "x " * 500], "target"),
        (["-", "--save", "x.json"], "--save"),
        (["-", "--target", "Yes."], "--target"),
        (["-", "--target", ""], "--target"),
    ],
    ids=str,
)
def test_bad_input_is_told_in_a_line(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, arguments: list[str], words: str
) -> None:
    feed(monkeypatch, b"Oui.\nNon.\n")
    code = main(["translate", *arguments])
    assert_told_in_a_line(code, capsys.readouterr(), words)


@pytest.mark.parametrize("model", ["nowhere", "a\nb", "no\x00where", "\ud800", "x" * 5000])
def test_a_model_that_is_not_there_is_told_in_a_line(capsys: pytest.CaptureFixture[str], model: str) -> None:
    code = main(["translate", "Oui.", "--model", model])
    assert_told_in_a_line(code, capsys.readouterr(), "no model")


@pytest.mark.parametrize(
    "arguments",
    [
        [],
        ["fly"],
        ["translate"],
        ["translate", "Oui.", "--search", "best"],
        *[
            ["translate", "Oui.", "--beam-size", size]
            for size in ("0", "-1", "1.5", "five", "", "²", "9" * 5000)
        ],
        ["evaluate", "translate-fr-en"],
        ["evaluate", "translate-fr-en", "x.tsv", "--limit", "0"],
        ["train"],
        ["list", "more"],
    ],
    ids=lambda arguments: " ".join(arguments)[:40],
)
def test_a_command_that_is_none_shows_how_it_is_used(
    capsys: pytest.CaptureFixture[str], arguments: list[str]
) -> None:
    assert outcome(arguments) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.startswith("usage: attnviz")
    assert "Traceback" not in captured.err


# --- lines from standard input


def test_one_line_in_is_one_line_out(
    loaded: Translator, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    lines = ["Oui.", "", " \t", "Un chat. Un chien.", "Un\u2028chat", "Un\rchat", "Un chat\r", "sans fin"]
    feed(monkeypatch, "\n".join(lines).encode())
    assert main(["translate", "-", "--search", "greedy"]) == 0
    captured = capsys.readouterr()
    found = captured.out.split("\n")
    assert found.pop() == ""
    expected = [loaded(line, search="greedy").text if line.strip() else "" for line in lines]
    assert found == [" ".join(text.split()) for text in expected]
    assert captured.err == ""


@pytest.mark.usefixtures("loaded")
def test_a_line_that_cannot_be_translated_leaves_its_place(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    feed(monkeypatch, "Oui.\n😀\nNon.\n".encode())
    assert main(["translate", "-", "--search", "greedy"]) == 2
    captured = capsys.readouterr()
    first, second, third, end = captured.out.split("\n")
    assert first
    assert third
    assert (second, end) == ("", "")
    (told,) = captured.err.splitlines()
    assert told.startswith("attnviz: line 2: ")


@pytest.mark.usefixtures("loaded")
def test_json_of_lines_is_one_object_a_line(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    feed(monkeypatch, "Oui\u2028oui.\n\nNon.\n".encode())
    assert main(["translate", "-", "--json", "--search", "greedy"]) == 0
    first, second, third, end = capsys.readouterr().out.split("\n")
    assert json.loads(first)["source"].count("</s>") == 2
    assert (second, end) == ("", "")
    assert json.loads(third)["source"][-1] == "</s>"


@pytest.mark.usefixtures("loaded")
def test_bytes_that_are_no_utf8_do_no_harm(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    feed(monkeypatch, b"\xff\xfeOui\n\xff\nUn \xe9t\xe9\x00\n")
    assert main(["translate", "-", "--search", "greedy"]) == 2
    captured = capsys.readouterr()
    assert [bool(line) for line in captured.out.split("\n")] == [True, False, True, False]
    assert "line 2" in captured.err
    assert "Traceback" not in captured.err


def test_no_lines_give_none(
    loaded: Translator, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert loaded
    feed(monkeypatch, b"")
    assert main(["translate", "-"]) == 0
    assert capsys.readouterr() == ("", "")


# --- evaluate, list, train


@pytest.mark.usefixtures("loaded")
@pytest.mark.parametrize("name", ["data.tsv", "data.tsv.gz"])
def test_evaluate_ends_in_json(capsys: pytest.CaptureFixture[str], tmp_path: Path, name: str) -> None:
    raw = b"Oui.\tYes.\nUn chat.\tA cat.\nNon.\tNo.\n"
    path = tmp_path / name
    path.write_bytes(gzip.compress(raw) if name.endswith(".gz") else raw)
    assert main(["evaluate", "translate-fr-en", str(path), "--limit", "2", "--search", "greedy"]) == 0
    captured = capsys.readouterr()
    found = json.loads(captured.out.splitlines()[-1])
    assert (found["model"], found["metric"], found["n"]) == ("translate-fr-en", "BLEU", 2)
    assert 0 <= found["value"] <= 100
    assert "2/2" in captured.err


@pytest.mark.usefixtures("loaded")
@pytest.mark.parametrize(
    ("name", "raw"),
    [
        ("nowhere.tsv", None),
        ("x.csv", b"a\tb\n"),
        ("x.tsv", b""),
        ("x.tsv", b"no tab\n"),
        ("x.tsv", b"\xff\tb\n"),
        ("x.tsv.gz", b"a\tb\n"),
    ],
)
def test_data_that_cannot_be_evaluated_are_told(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, name: str, raw: bytes | None
) -> None:
    if raw is not None:
        (tmp_path / name).write_bytes(raw)
    assert main(["evaluate", "translate-fr-en", str(tmp_path / name)]) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert "attnviz: " in captured.err.splitlines()[-1]
    assert "Traceback" not in captured.err


def test_list_names_each_model(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["list"]) == 0
    rows = [line.split("\t") for line in capsys.readouterr().out.splitlines()]
    assert ["translate-fr-en", "translation fr-en", str(ROOT / "pretrained" / "translate-fr-en")] in rows


@pytest.mark.parametrize("config", ["", "[]", '{"format": 1}', '{"format": 99}', "[" * 100_000])
def test_list_survives_a_damaged_model(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path, config: str
) -> None:
    (tmp_path / "broken").mkdir()
    (tmp_path / "broken" / "config.json").write_text(config)
    monkeypatch.setenv("ATTNVIZ_PRETRAINED", str(tmp_path))
    code = main(["list"])
    captured = capsys.readouterr()
    assert code in (0, 2)
    assert "broken" in captured.err + captured.out


@pytest.mark.parametrize("raw", [None, b"", b"\xff", b"name = ", b'name = "x"\ndata = 5', b"[data]\n"])
def test_a_recipe_that_is_none_is_told_in_a_line(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, raw: bytes | None
) -> None:
    path = tmp_path / "x.toml"
    if raw is not None:
        path.write_bytes(raw)
    places = ["--runs", str(tmp_path / "runs"), "--out", str(tmp_path / "out")]
    code = main(["train", str(path), *places])
    assert_told_in_a_line(code, capsys.readouterr(), "recipe")


# --- the real command


def test_help_is_instant_because_it_imports_nothing() -> None:
    for command in ([], ["translate"], ["evaluate"], ["list"], ["train"]):
        code = (
            "import sys, attnviz.cli\n"
            "try: attnviz.cli.main(sys.argv[1:])\n"
            "except SystemExit as left: assert left.code == 0\n"
            "print({'torch', 'numpy', 'tokenizers'} & set(sys.modules))"
        )
        done = subprocess.run(
            [sys.executable, "-c", code, *command, "--help"], capture_output=True, text=True, check=True
        )
        assert done.stdout.startswith("usage: ")
        assert done.stdout.splitlines()[-1] == "set()"


def test_the_real_command_in_a_poor_locale(tmp_path: Path) -> None:
    plain = {key: value for key, value in os.environ.items() if not key.startswith(("LC_", "LANG", "PYTHON"))}
    done = run(["translate", b"Un \xff chat \xed\xa0\x80"], env=plain | {"LC_ALL": "C"})
    assert done.returncode == 0
    assert len(done.stdout.decode().splitlines()) == 1
    assert b"Traceback" not in done.stderr
    assert list(tmp_path.iterdir()) == []


def test_a_closed_standard_input_is_told() -> None:
    command = f'exec "{sys.executable}" -m attnviz.cli translate - <&-'
    done = subprocess.run(["sh", "-c", command], capture_output=True, text=True, cwd=ROOT, check=False)
    assert "Traceback" not in done.stderr
    assert done.returncode in (0, 2)


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a device that is always full")
def test_an_output_that_is_full_is_told() -> None:
    with open("/dev/full", "wb") as full:
        command = [sys.executable, "-m", "attnviz.cli", "translate", "Oui."]
        done = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, cwd=ROOT, check=False)
    assert done.returncode != 0
    assert b"Traceback" not in done.stderr


def test_a_reader_who_leaves_ends_it_in_peace() -> None:
    command = f'yes Oui. | head -n 500 | "{sys.executable}" -m attnviz.cli translate - | head -n 1'
    done = subprocess.run(["sh", "-c", command], capture_output=True, text=True, cwd=ROOT, check=False)
    assert len(done.stdout.splitlines()) == 1
    assert done.stderr == ""


@pytest.fixture
def photo(tmp_path: Path) -> Path:
    path = tmp_path / "photo.png"
    Image.new("RGB", (40, 30), (90, 120, 60)).save(path)
    return path


def test_caption_writes_a_line_a_photo(captioner, photo: Path, capsys) -> None:
    assert main(["caption", str(photo), str(photo)]) == 0
    text = captioner(photo).text
    assert capsys.readouterr().out == f"{text}\n{text}\n"


def test_caption_saves_traces_and_maps(captioner, photo: Path, tmp_path: Path, capsys) -> None:
    maps = tmp_path / "maps.png"
    assert (
        main(["caption", str(photo), "--save", "--overlay", str(maps), "--json", "--search", "greedy"]) == 0
    )
    summary = json.loads(capsys.readouterr().out)
    trace = attnviz.read(photo.with_name("photo.png.trace.safetensors"))
    assert trace == captioner(photo, search="greedy")
    assert summary["text"] == trace.text
    with Image.open(maps) as sheet:
        assert sheet.format == "PNG"


def test_caption_goes_on_after_what_is_no_photo(captioner, photo: Path, tmp_path: Path, capsys) -> None:
    bad = tmp_path / "letter.txt"
    bad.write_text("Dear Sir or Madam")
    assert main(["caption", str(bad), str(photo), str(tmp_path / "none.jpg")]) == 2
    told = capsys.readouterr()
    assert told.out == f"\n{captioner(photo).text}\n\n"
    assert [line.split(":")[0] for line in told.err.splitlines()] == ["attnviz"] * 2
    assert "Traceback" not in told.err


def test_caption_wants_one_photo_for_maps(photo: Path, tmp_path: Path, capsys) -> None:
    assert main(["caption", str(photo), str(photo), "--overlay", str(tmp_path / "maps.png")]) == 2
    assert "one PHOTO" in capsys.readouterr().err


def test_evaluate_captions_of_a_folder(photo: Path, tmp_path: Path, capsys) -> None:
    (tmp_path / "images").mkdir()
    photo.rename(tmp_path / "images" / "a.png")
    (tmp_path / "captions.tsv.gz").write_bytes(gzip.compress(b"a.png\tA dog .\na.png\tA brown dog runs .\n"))
    (tmp_path / "split_test.txt").write_text("a.png\n")
    assert main(["evaluate", "caption-flickr8k", str(tmp_path)]) == 0
    found = json.loads(capsys.readouterr().out.splitlines()[-1])
    assert (found["model"], found["metric"], found["n"]) == ("caption-flickr8k", "BLEU-4", 1)
    assert found["value"] == found["BLEU-4"]
    assert main(["evaluate", "caption-flickr8k", str(tmp_path), "--split", "dev"]) == 2
    (tmp_path / "split_test.txt").write_text("b.png\n")
    assert main(["evaluate", "caption-flickr8k", str(tmp_path)]) == 2
    assert "b.png" in capsys.readouterr().err
