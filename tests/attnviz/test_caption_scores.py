"""Figures for captions against values worked out by hand and against the published implementation."""

import gzip
import math
from pathlib import Path

import pytest
from PIL import Image
from pycocoevalcap.cider.cider import Cider

from attnviz import images
from attnviz.captions import open_photos, read_captions, read_split
from attnviz.errors import InputError
from attnviz.scores import caption_scores
from attnviz.training.reward import Bleu1, CiderD

REFERENCES = [
    ["a dog runs in the grass", "a brown dog is running"],
    ["two men sit on a bench", "two men on a bench", "men resting"],
    ["a child plays with a ball", "a boy plays"],
]
WRITTEN = ["a dog runs in the snow", "two men on a bench", "a dog runs"]


def test_bleu_by_hand() -> None:
    """Words found: 5 of 6, 5 of 5, 1 of 3 ("a"); the lengths 6, 5, 3 and the closest references 6, 5, 3."""
    scores = caption_scores(WRITTEN, REFERENCES)
    assert scores["BLEU-1"] == pytest.approx(100 * 11 / 14, abs=0.01)
    # Pairs of words: 4 of 5, 4 of 4, 0 of 2.
    assert scores["BLEU-2"] == pytest.approx(100 * math.sqrt(11 / 14 * 8 / 11), abs=0.01)
    # 3 of 4, 3 of 3, 0 of 1; 2 of 3, 2 of 2, 0 of 0.
    assert scores["BLEU-4"] == pytest.approx(100 * (11 / 14 * 8 / 11 * 6 / 8 * 4 / 5) ** 0.25, abs=0.01)
    assert scores["ten_commonest"] == 100.0


def test_short_captions_are_penalised() -> None:
    # 2 of 2 words are found, the closest reference has 5: exp(1 - 5 / 2).
    scores = caption_scores(["two men"], [["two men on a bench", "two men sit on a bench"]])
    assert scores["BLEU-1"] == pytest.approx(100 * math.exp(1 - 5 / 2), abs=0.01)


def test_the_share_of_the_commonest_captions() -> None:
    written = ["a dog"] * 5 + [
        f"{word} dogs" for word in "one two three four five six seven eight nine ten".split()
    ]
    assert caption_scores(written, [["a dog"]] * 15)["ten_commonest"] == pytest.approx(100 * 14 / 15, abs=0.1)


def test_the_reward_is_the_published_cider_d() -> None:
    score, each = Cider().compute_score(
        dict(enumerate(REFERENCES)), {at: [caption] for at, caption in enumerate(WRITTEN)}
    )
    reward = CiderD(REFERENCES)
    assert [reward(caption, at) for at, caption in enumerate(WRITTEN)] == pytest.approx(list(each))
    assert caption_scores(WRITTEN, REFERENCES)["CIDEr"] == pytest.approx(100 * score, abs=0.05)
    assert reward("", 0) == 0.0


def test_the_share_of_words_that_some_reference_has() -> None:
    bleu = Bleu1(REFERENCES)
    assert bleu("a dog runs in the snow", 0) == pytest.approx(5 / 6)
    assert bleu("a a a a a", 0) == pytest.approx(1 / 5)  # no reference has two
    assert bleu("two men", 1) == pytest.approx(1.0)  # "men resting" is as short
    assert bleu("boy", 2) == pytest.approx(math.exp(1 - 3 / 1))  # the closest reference has three words
    assert bleu("", 0) == 0.0
    for caption, own in zip(WRITTEN, REFERENCES, strict=True):
        scores = caption_scores([caption], [own])
        assert 100 * bleu(caption, REFERENCES.index(own)) == pytest.approx(scores["BLEU-1"], abs=0.01)


def folder_of(path: Path, names: list[str]) -> Path:
    (path / "images").mkdir(parents=True)
    for name in names:
        Image.new("RGB", (20, 10), (9, 9, 9)).save(path / "images" / name)
    lines = "".join(f"{name}\tA dog , {at} .\n{name}\tA cat\n" for at, name in enumerate(names))
    (path / "captions.tsv.gz").write_bytes(gzip.compress(lines.encode()))
    (path / "split_test.txt").write_text("\n".join(names))
    return path


def test_a_folder_laid_out_like_flickr8k(tmp_path: Path) -> None:
    folder = folder_of(tmp_path / "set", ["a.jpg", "b.jpg"])
    assert read_split(folder, "test") == ["a.jpg", "b.jpg"]
    assert read_captions(folder) == {"a.jpg": ["A dog , 0 .", "A cat"], "b.jpg": ["A dog , 1 .", "A cat"]}
    assert images.read(open_photos(folder)["b.jpg"]).size == (20, 10)
    for read in (
        lambda: read_split(folder, "dev"),
        lambda: read_captions(tmp_path),
        lambda: open_photos(tmp_path),
    ):
        with pytest.raises(InputError, match="Expected"):
            read()
