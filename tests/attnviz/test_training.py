"""Training on a toy language: it learns, it can be stopped and resumed, and what it ships loads."""

import gzip
import random
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch
from PIL import Image
from tokenizers import Tokenizer
from tokenizers.models import WordPiece
from tokenizers.normalizers import BertNormalizer
from tokenizers.pre_tokenizers import BertPreTokenizer

import attnviz
from attnviz.errors import FormatError, InputError
from attnviz.parallel import held_out, read_pairs
from attnviz.text import Pieces
from attnviz.training import data, subwords, vectors
from attnviz.training.captioning import Captioning, SelfCritical
from attnviz.training.entailment import Entailing, verdicts
from attnviz.training.loop import train
from attnviz.training.recipe import (
    FOLDER,
    CaptioningRecipe,
    Data,
    EntailmentRecipe,
    Optimisation,
    SummarizationRecipe,
    TranslationRecipe,
    Variation,
    read_recipe,
)
from attnviz.training.summarization import Summarization
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


# ---- entailment and headlines

WORDS = ["[UNK]", "[CLS]", "a", "d", "##o", "##g", "##s", "dog", "runs", "cat", "sleeps", "never", "seen"]


@pytest.fixture
def word_pieces(monkeypatch: pytest.MonkeyPatch) -> Tokenizer:
    """A small tokenizer of word pieces, with a vector for each, in the place of the pretrained one."""
    made = Tokenizer(WordPiece({word: at for at, word in enumerate(WORDS)}, unk_token="[UNK]"))
    made.normalizer, made.pre_tokenizer = BertNormalizer(lowercase=True), BertPreTokenizer()
    monkeypatch.setattr(vectors, "tokenizer", lambda: made)
    table = torch.arange(len(WORDS) * 6, dtype=torch.float32).view(-1, 6).sin()
    monkeypatch.setattr(
        vectors, "table", lambda _, pieces: table[[WORDS.index(p) if p in WORDS else 0 for p in pieces]]
    )
    return made


def test_the_pieces_that_occur_are_kept_and_all_single_letters(word_pieces: Tokenizer) -> None:
    kept = vectors.used(word_pieces, ["A dog runs", "a cat"])
    held = Pieces(kept)
    assert held.strings == ["<s>", "</s>", "[UNK]", "a", "d", "##o", "##g", "##s", "dog", "runs", "cat"]
    ids, offsets = held.encode("A dogs sleeps")
    assert [held.label(piece) for piece in ids] == ["a", "dog", "s", "[UNK]"]
    assert offsets == [(0, 1), (2, 5), (5, 6), (7, 13)]
    assert [held.is_unknown(piece) for piece in ids] == [False, False, False, True]
    assert "[UNK]" not in [held.strings[piece] for piece in held.encode("a d")[0]]


def judged(updates: int = 6) -> EntailmentRecipe:
    return EntailmentRecipe(
        name="toy",
        task="entailment",
        source="en",
        labels=("entailment", "neutral", "contradiction"),
        longest=20,
        seed=1,
        data=(Data("train.tsv", share=2.0, held_out=0.5), Data("shared.tsv", shares_premises=True)),
        development=(),
        test=("test.tsv",),
        model={"width": 8},
        optimisation=Optimisation(updates=updates, check_every=updates, batch_pairs=4),
    )


@pytest.fixture
def labelled(tmp_path: Path, word_pieces: Tokenizer) -> Path:
    assert word_pieces.get_vocab_size() == len(WORDS)
    rows = [f"{p} dog {h}\ta {h} cat\t{label}" for p in "abcdefgh" for h, label in (("runs", "neutral"),)]
    (tmp_path / "train.tsv").write_text("\n".join(rows) + "\n", encoding="utf-8")
    (tmp_path / "test.tsv").write_text("A  dog runs.\tDog.\tneutral\n", encoding="utf-8")
    shared = ["a dog runs\ta cat\tneutral", "dog\ta dog runs\tentailment", "cat\tdog\tcontradiction"]
    (tmp_path / "shared.tsv").write_text("\n".join(shared) + "\n", encoding="utf-8")
    return tmp_path


def test_what_is_measured_on_is_never_trained_on(labelled: Path) -> None:
    job = Entailing(judged(), labelled, labelled / "runs")
    train_rows, shared_rows = (rows for _, rows in job.sets)
    held = job.development["train.tsv"]
    assert not {row.premise for row in train_rows} & {row.premise for row in held}
    assert held
    assert all(row.premise != "a dog runs" for row in train_rows), "a premise of the test set"
    # Of a set whose official parts share premises only the very pair goes, also the other way round.
    assert [row.premise for row in shared_rows] == ["a dog runs", "cat"]


def test_what_is_shipped_judges_as_what_was_trained(labelled: Path) -> None:
    job = Entailing(judged(), labelled, labelled / "runs")
    batch = next(iter(job.epoch(0)))
    with torch.no_grad():
        job.model.eval()
        torch.testing.assert_close(verdicts(job.model.folded().eval(), batch), verdicts(job.model, batch))
    assert job.model.folded().embedding.weight.shape == (len(job.pieces.strings), 8)


def test_an_entailment_model_is_trained_calibrated_and_loaded(labelled: Path) -> None:
    told: list[str] = []
    job = Entailing(judged(), labelled, labelled / "runs")
    train(job, job.recipe.optimisation, labelled / "checkpoint.pt", labelled / "toy", told.append)
    model = attnviz.load(str(labelled / "toy"))
    assert model("a dog runs", "a cat").labels == job.recipe.labels
    assert any(line.startswith("development train.tsv accuracy") for line in told)
    # The temperature is the one under which the development data are likeliest.
    rows = [row for examples in job.development.values() for row in examples]

    def loss(temperature: float) -> float:
        model.temperature = temperature
        traces = model.many([(row.premise, row.hypothesis) for row in rows])
        return -sum(np.log(t.verdict[row.label]) for t, row in zip(traces, rows, strict=True)) / len(rows)

    best = model.temperature
    assert 0.1 <= best <= 10
    assert loss(best) <= min(loss(min(10, best * 1.1)), loss(max(0.1, best / 1.1))) + 1e-6
    # A run that is over writes its model again.
    train(job, job.recipe.optimisation, labelled / "checkpoint.pt", labelled / "again", told.append)
    assert (labelled / "again" / "config.json").read_text() == (labelled / "toy" / "config.json").read_text()


def test_a_summarizer_learns_to_copy(tmp_path: Path) -> None:
    names = [f"{a}{b}{c}" for a in "bdfg" for b in "aeiou" for c in "lnrst"]
    lines = [f"Then {name} won. It rained all day.\t{name} wins\n" for name in names]
    (tmp_path / "toy.tsv").write_text("".join(lines), encoding="utf-8")
    plan = SummarizationRecipe(
        name="toy",
        task="summarization",
        source="en",
        target="en",
        pieces=300,
        seed=1,
        longest=40,
        first_words=3,
        lower=True,
        shortened=0.5,
        data=(Data("toy.tsv", held_out=0.1),),
        model={
            "query": "within",
            "copying": True,
            "embedding_width": 24,
            "encoder_width": 24,
            "attention_width": 24,
            "decoder_width": 32,
        },
        optimisation=Optimisation(
            updates=250, learning_rate=1e-2, warmup=20, batch_tokens=400, check_every=250, average=0.9
        ),
    )
    told: list[str] = []
    job = Summarization(plan, tmp_path, tmp_path / "runs")
    train(job, plan.optimisation, tmp_path / "checkpoint.pt", tmp_path / "toy", told.append)
    summarizer = attnviz.load(str(tmp_path / "toy"))
    # Names that were never trained on: each text makes its own likelier than any other.
    assert len(job.development) > 5
    for text, headline in job.development:
        others = [other for _, other in job.development if other != headline]
        own, *rest = (summarizer(text, target=target).logprob for target in (headline, *others))
        assert own > max(rest)
    assert summarizer(f"Then {names[0]} won. It rained.").unread, "three words are read"
    assert told[-1].startswith("development {'ROUGE-1'")
