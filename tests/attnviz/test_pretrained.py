"""Finding models, and refusing those that are damaged."""

import json
import shutil
from pathlib import Path

import pytest

from attnviz import catalogue, load
from attnviz.errors import FormatError, ModelNotFoundError
from attnviz.pretrained import find, limits

SHIPPED = Path(__file__).parents[2] / "pretrained" / "translate-fr-en"


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    return Path(shutil.copytree(SHIPPED, tmp_path / "translate-copy"))


def test_the_catalogue_holds_what_is_shipped() -> None:
    assert catalogue()["translate-fr-en"] == SHIPPED


def test_nothing_found_says_where_it_looked_and_what_there_is() -> None:
    with pytest.raises(ModelNotFoundError) as told:
        load("translate-xx-yy")
    message = str(told.value)
    assert str(SHIPPED.parent) in message
    assert "translate-fr-en" in message
    assert "ATTNVIZ_PRETRAINED" in message


@pytest.mark.parametrize("name", catalogue())
def test_every_card_tells_where_its_model_fails(name: str) -> None:
    card = (SHIPPED.parent / name / "CARD.md").read_text(encoding="utf-8")
    assert limits(name).startswith("- ")
    assert f"## Limits\n\n{limits(name)}" in card
    assert "##" not in limits(name)


def test_the_limits_end_where_the_next_section_starts(copy: Path) -> None:
    (copy / "CARD.md").write_text("# x\n\n## Limits\n\n- Few.\n\n## More\n", encoding="utf-8")
    assert limits(str(copy)) == "- Few."
    (copy / "CARD.md").write_text("# x\n\nNothing is known of its limits.\n", encoding="utf-8")
    assert limits(str(copy)) == ""
    (copy / "CARD.md").unlink()
    assert limits(str(copy)) == ""


def test_a_folder_can_be_named_by_path_and_by_the_environment(
    copy: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert find(str(copy)) == copy
    monkeypatch.setenv("ATTNVIZ_PRETRAINED", str(copy.parent))
    assert find("translate-copy") == copy
    assert "chien" not in load("translate-copy")("Un chien.").text
    monkeypatch.setenv("ATTNVIZ_PRETRAINED", str(copy.parent / "nowhere"))
    with pytest.raises(ModelNotFoundError, match="nowhere"):
        find("translate-copy")


@pytest.mark.parametrize("file", ["weights.safetensors", "tokenizer.json", "config.json"])
@pytest.mark.parametrize("damage", ["missing", "empty", "truncated", "noise"])
def test_damaged_files_are_refused_in_a_sentence(copy: Path, file: str, damage: str) -> None:
    path = copy / file
    raw = path.read_bytes()
    if damage == "missing" and file == "config.json":
        return  # without a config a folder is no model: see the test of what is not found
    if damage == "missing":
        path.unlink()
    else:
        path.write_bytes(
            {"empty": b"", "truncated": raw[: len(raw) // 2], "noise": b"\x80" + raw[1:]}[damage]
        )
    with pytest.raises(FormatError, match=file):
        load(str(copy))


@pytest.mark.parametrize(
    "change",
    [
        {"format": 99},
        {"task": "telepathy"},
        {"sha256": {}},
        {"model": {"vocabulary": 5}},
        {"model": {"surprise": 5}},
        {"model": 5},
    ],
)
def test_a_config_that_does_not_fit_is_refused(copy: Path, change: dict) -> None:
    config = json.loads((copy / "config.json").read_text())
    (copy / "config.json").write_text(json.dumps(config | change))
    with pytest.raises(FormatError):
        load(str(copy))
