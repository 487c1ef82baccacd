"""Training on a toy language: it learns, it can be stopped and resumed, and what it ships loads."""

import gzip
import random
from dataclasses import replace
from pathlib import Path

import pytest
import torch
from PIL import Image

import attnviz
from attnviz.errors import FormatError, InputError
from attnviz.parallel import held_out, read_pairs
from attnviz.text import Pieces
from attnviz.training import data, subwords
from attnviz.training.captioning import Captioning, SelfCritical
from attnviz.training.loop import train
from attnviz.training.recipe import (
    FOLDER,
    CaptioningRecipe,
    Optimisation,
    TranslationRecipe,
    Variation,
    read_recipe,
)
from attnviz.training.translation import Translation

NOUNS = {"chien": "dog", "chat": "cat", "homme": "man", "lit": "bed", "mur": "wall", "pain": "bread"}
VERBS = {"voit": "sees", "mange": "eats", "prend": "takes", "pousse": "pushes"}
PAIRS = [
    (f"le {one} {verb} le {other} .", f"the {NOUNS[one]} {VERBS[verb]} the {NOUNS[other]} .")
    for one in NOUNS
    for verb in VERBS
    for other in NOUNS
]


def recipe(updates: int, **changes) -> TranslationRecipe:
    table = {
        "name": "toy",
        "task": "translation",
        "source": "fr",
        "target": "en",
        "pieces": 320,
        "longest": 40,
        "seed": 3,
        "model": {"embedding_width": 32, "encoder_width": 32, "attention_width": 32, "decoder_width": 64},
        "optimisation": Optimisation(
            updates, 4e-3, warmup=10, batch_tokens=300, label_smoothing=0.0, average=0.9, check_every=30
        ),
        "data": (data.Data("toy.tsv.gz"),),
        "development": ("toy.tsv.gz",),
    }
    return TranslationRecipe(**{**table, **changes})


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    lines = "".join(f"{source}\t{target}\n" for source, target in PAIRS)
    (tmp_path / "toy.tsv.gz").write_bytes(gzip.compress(lines.encode()))
    return tmp_path


def run(folder: Path, name: str, updates: int) -> tuple[Path, list[str]]:
    told: list[str] = []
    out = folder / name / "toy"
    plan = recipe(updates)
    run_folder = folder / name / "runs"
    job = Translation(plan, folder, run_folder)
    train(job, plan.optimisation, run_folder / "checkpoint.pt", out, told.append)
    return out, told


def test_it_learns_and_what_it_ships_translates(folder: Path) -> None:
    out, _ = run(folder, "one", 300)
    translator = attnviz.load(str(out))
    written = [trace.text for trace in translator.many([source for source, _ in PAIRS], search="greedy")]
    right = sum(text == target for text, (_, target) in zip(written, PAIRS, strict=True))
    assert right > 0.9 * len(PAIRS)


def test_a_stopped_run_goes_on_where_it_was(folder: Path) -> None:
    run(folder, "two", 30)
    out, told = run(folder, "two", 60)
    assert told[0] == "resumed at update 30"
    assert told[-1].startswith("development toy.tsv.gz BLEU ")
    saved = torch.load(folder / "two" / "runs" / "checkpoint.pt", weights_only=True)
    assert saved["state"]["update"] == 60
    assert attnviz.load(str(out))("le chien voit le chat .").text


def test_the_learning_rate_warms_up_and_cools_down() -> None:
    from attnviz.training.loop import _rate

    plan = Optimisation(100, warmup=10, cooldown=0.5)
    assert [_rate(update, plan) for update in (0, 4, 9, 40, 75, 99)] == pytest.approx(
        [0.1, 0.5, 1.0, 1.0, 0.5, 0.02]
    )


def pieces() -> Pieces:
    return Pieces(subwords.learn((text for pair in PAIRS for text in pair), 320))


def test_batches_hold_every_pair_once_shifted_by_one() -> None:
    vocabulary = pieces()
    seen = []
    for source, before, target in data.batches(PAIRS, vocabulary, 300, 40, random.Random(0)):
        assert source.shape[0] == before.shape[0] == target.shape[0]
        assert max(source.shape[1], target.shape[1]) * source.shape[0] <= 300
        for s, b, t in zip(source.tolist(), before.tolist(), target.tolist(), strict=True):
            s, b, t = ([token for token in row if token >= 0] for row in (s, b, t))
            assert b == [vocabulary.start, *t[:-1]]
            assert s[-1] == t[-1] == vocabulary.end
            seen.append((vocabulary.decode(s)[0], vocabulary.decode(t)[0]))
    assert sorted(seen) == sorted(PAIRS)


@pytest.mark.parametrize(
    ("variation", "pair", "expected"),
    [
        ({"lowered": 1.0}, ("Il A Dit.", "He Said."), ("il a dit.", "He Said.")),
        ({"unstopped": 1.0}, ("Oui.", "Yes."), ("Oui", "Yes")),
        ({"unstopped": 1.0}, ("Oui ?", "Yes?"), ("Oui ?", "Yes?")),
        ({"unaccented": 1.0}, ("Été à Noël, ça !", "Summer"), ("Ete a Noel, ca !", "Summer")),
        ({"renamed": 1.0}, ("Tom est là.", "He is here."), ("Tom est là.", "He is here.")),
        ({"renumbered": 1.0}, ("Il a 12 ans.", "He is twelve."), ("Il a 12 ans.", "He is twelve.")),
    ],
)
def test_variations(variation: dict, pair: data.Pair, expected: data.Pair) -> None:
    assert data.vary(pair, Variation(**variation), random.Random(1)) == expected


def test_a_new_name_and_number_stand_on_both_sides() -> None:
    for seed in range(30):
        chance = random.Random(seed)
        both = Variation(renamed=1.0, renumbered=1.0)
        source, target = data.vary(("Tom a 45 ans.", "Tom is 45 years old."), both, chance)
        name, number = target.split()[0], target.split()[2]
        assert source == f"{name} a {number} ans."
        assert name != "Tom"


def test_joining_keeps_order_and_loses_nothing() -> None:
    joined = data.join_some(PAIRS, Variation(joined=0.5), random.Random(0))
    assert " ".join(source for source, _ in joined) == " ".join(source for source, _ in PAIRS)
    assert " ".join(target for _, target in joined) == " ".join(target for _, target in PAIRS)
    assert len(joined) < len(PAIRS)


def test_joining_stops_at_a_number_of_words() -> None:
    variation = Variation(joined=1.0, joined_words=13)
    joined = data.join_some(PAIRS, variation, random.Random(0))
    assert " ".join(source for source, _ in joined) == " ".join(source for source, _ in PAIRS)
    assert max(len(source.split()) for source, _ in joined) == 12


def test_one_recipe_for_all_mechanisms_differs_in_nothing_else() -> None:
    variants = read_recipe("lab").variants()
    assert [variant.name for variant in variants] == [f"lab-{v.model['mechanism']}" for v in variants]
    assert {variant.model["mechanism"] for variant in variants} == {
        "additive",
        "bilinear",
        "dot",
        "cosine",
        "none",
    }
    alike = {str(replace(variant, name="", model={**variant.model, "mechanism": ""})) for variant in variants}
    assert len(alike) == 1


def test_held_out_pairs_are_never_trained_on(folder: Path) -> None:
    plan = recipe(1, data=(data.Data("toy.tsv.gz", held_out=0.3),))
    trained = data.Corpus(plan, folder).epoch(0)
    assert sorted(trained) == sorted(held_out(PAIRS, 0.3)[0])
    assert len(trained) < len(PAIRS)


def test_reversed_columns(folder: Path) -> None:
    plan = recipe(1, data=(data.Data("toy.tsv.gz", reversed=True),))
    assert sorted(data.Corpus(plan, folder).epoch(0)) == sorted((t, s) for s, t in PAIRS)


def test_recipes_that_cannot_be_used_are_refused(tmp_path: Path) -> None:
    assert read_recipe("translate-fr-en").name == "translate-fr-en"
    with pytest.raises(InputError, match="translate-fr-en"):
        read_recipe("nothing")
    for text in ("name =", "name = 'a'", "data = [{file = 'a', colour = 3}]"):
        (tmp_path / "bad.toml").write_text(text)
        with pytest.raises(FormatError, match="not a recipe"):
            read_recipe(str(tmp_path / "bad.toml"))


def test_the_phrasebook_lies_beside_its_recipe_and_holds_pairs() -> None:
    plan = read_recipe("translate-fr-en")
    (phrases,) = (part for part in plan.data if "phrases" in part.file)
    pairs = read_pairs(FOLDER / phrases.file)
    assert len(pairs) > 150
    assert len({source for source, _ in pairs}) == len(pairs)
    for source, target in pairs:
        # A sign at the end of one side stands at the end of the other.
        assert (source[-1] in ".!?,") == (target[-1] in ".!?,"), source
        assert source == source.strip()
        assert target == target.strip()


def test_a_captioner_learns_and_a_second_stage_raises_its_reward(tmp_path: Path) -> None:
    """Four kinds of photos, told apart by their colour alone; from files to a model that can be loaded."""
    data, colours = tmp_path / "data", {"red": (220, 30, 30), "green": (30, 200, 30), "blue": (30, 30, 220)}
    (data / "toy" / "images").mkdir(parents=True)
    lines, names = [], []
    for number in range(12):
        word = list(colours)[number % 3]
        names.append(f"{number}.png")
        Image.new("RGB", (24, 24), colours[word]).save(data / "toy" / "images" / names[-1])
        lines += [f"{names[-1]}\tA {word} wall .\n", f"{names[-1]}\tThe wall is {word} .\n"]
    (data / "toy" / "captions.tsv.gz").write_bytes(gzip.compress("".join(lines).encode()))
    for split in ("train", "dev"):
        (data / "toy" / f"split_{split}.txt").write_text("\n".join(names))
    sizes = {"embedding_width": 24, "encoder_width": 32, "attention_width": 16, "decoder_width": 32}
    first = Optimisation(60, 1e-2, warmup=5, batch_photos=6, label_smoothing=0.0, average=0.8, check_every=60)
    second = Optimisation(10, 1e-3, warmup=2, average=0.5, check_every=10)
    plan = CaptioningRecipe(
        name="toy",
        task="captioning",
        target="en",
        pieces=300,
        seed=1,
        model=sizes | {"gated": True},
        optimisation=first,
        photos="toy",
        refinement=second,
    )
    told: list[str] = []
    out = tmp_path / "out" / "toy"
    job = Captioning(plan, data, tmp_path / "runs", told.append)
    learned = train(job, first, tmp_path / "runs" / "checkpoint.pt", out, told.append)
    captioner = attnviz.load(str(out))
    for word, colour in colours.items():
        assert word in captioner(Image.new("RGB", (50, 30), colour)).text
    train(SelfCritical(job, learned, second), second, tmp_path / "runs" / "refined.pt", out, told.append)
    developed = [line for line in told if line.startswith("development")]
    assert len(developed) == 2
    captioner = attnviz.load(str(out))
    for word, colour in colours.items():
        assert word in captioner(Image.new("RGB", (50, 30), colour)).text
