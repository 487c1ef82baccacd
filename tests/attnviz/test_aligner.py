"""The aligner: its lenses, its words, and what it learns from a teacher's links."""

import random
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import attnviz
from attnviz.alignments import pharaoh
from attnviz.errors import InputError, NoAttentionError
from attnviz.tasks import Aligner, Translator, align
from attnviz.text import Pieces, bare
from attnviz.training import alignment, hansards, subwords
from attnviz.training.loop import train
from attnviz.training.recipe import AlignmentRecipe, Optimisation, read_recipe

FRENCH = "Un homme mange une pomme rouge .".split()
ENGLISH = "A man is eating a red apple .".split()
PAIR = (FRENCH, ENGLISH)


@pytest.fixture(scope="module")
def aligner(translator: Translator) -> Aligner:
    return Aligner.of(translator)


def test_its_own_step_is_the_forced_translation_s_weights(aligner: Aligner, translator: Translator) -> None:
    from attnviz.weight_matrix import matrix

    trace = translator(" ".join(FRENCH), target=" ".join(ENGLISH))
    expected = matrix(trace, "words")
    (found,) = aligner.matrices([PAIR], "current")
    assert (found.source, found.target) == (tuple(FRENCH), tuple(ENGLISH))
    np.testing.assert_allclose(found.weights, expected.weights, atol=1e-4)
    np.testing.assert_allclose(found.end_mass, expected.end_mass, atol=1e-4)


def test_the_lenses_shift_by_one_step(aligner: Aligner) -> None:
    before, own, after = (aligner.matrices([PAIR], lens)[0] for lens in ("previous", "current", "next"))
    whole = [word for word, steps in enumerate(own.rows) if len(steps) == 1]
    pairs = [(word, word + 1) for word in whole if word + 1 in whole]
    assert len(pairs) > 3
    for word, following in pairs:
        np.testing.assert_array_equal(after.weights[word], own.weights[following])
        np.testing.assert_array_equal(before.weights[following], own.weights[word])
    assert np.isnan(before.weights[0]).all(), "the first word has no step before it"
    assert not [link for link in aligner.links([PAIR], "previous")[0] if link[1] == 0]


words = st.lists(
    st.text(st.characters(exclude_categories=["Z", "C"]), min_size=1, max_size=8).filter(
        lambda word: word.split() == [word]
    ),
    min_size=1,
    max_size=8,
)


@settings(max_examples=30, deadline=None)
@given(st.lists(st.tuples(words, words), min_size=1, max_size=4), st.sampled_from(["current", "next"]))
def test_any_words_at_all_keep_their_places(aligner: Aligner, pairs, lens) -> None:
    for (source, target), shown, links in zip(
        pairs, aligner.matrices(pairs, lens), aligner.links(pairs, lens), strict=True
    ):
        assert shown.weights.shape == (len(target), len(source))
        np.testing.assert_allclose(shown.weights.sum(1) + shown.end_mass, 1, atol=1e-4)
        assert all(s < len(source) and t < len(target) for s, t in links)
        assert len({t for _, t in links}) == len(links), "one link a target word at most"


def test_a_batch_aligns_as_one_by_one(aligner: Aligner) -> None:
    pairs = [PAIR, (["Oui"], ["Yes", "."]), (FRENCH[:3], ENGLISH[:4])]
    for together, pair in zip(aligner.matrices(pairs), pairs, strict=True):
        (alone,) = aligner.matrices([pair])
        np.testing.assert_allclose(together.weights, alone.weights, atol=1e-5)


@pytest.mark.parametrize(
    ("pair", "told"),
    [
        (([], ["a"]), "Sentence 2: expected words in its source"),
        ((["a"], ["b c"]), "Sentence 2: expected words in its target"),
        ((["a"], ["é" * 2000]), "Sentence 2: expected at most 400 pieces"),
    ],
)
def test_what_cannot_be_aligned_is_told(aligner: Aligner, pair, told: str) -> None:
    with pytest.raises(InputError, match=told):
        aligner.links([PAIR, pair])
    with pytest.raises(InputError, match="previous, current or next"):
        aligner.links([PAIR], "after")


def test_a_model_without_attention_aligns_nothing(translator: Translator) -> None:
    class Blind:
        name, pieces = "blind", translator.pieces
        source_language, target_language = "fr", "en"
        model = type("Model", (), {"config": replace(translator.model.config, mechanism="none")})()

    with pytest.raises(NoAttentionError, match="blind"):
        Aligner.of(Blind())


def test_text_is_brought_to_the_form_of_the_gold_sentences() -> None:
    assert hansards.tokens("L'économie du Québec, aujourd'hui.", "fr") == (
        "le economie de le quebec , aujourd' hui .".split()
    )
    assert (
        hansards.tokens("Qu'il s'adresse aux députés!", "fr") == "que il se adresse a les deputes !".split()
    )
    assert hansards.tokens("Mr. Speaker, I don't know the government's 1,250 reasons.", "en") == (
        "mr. speaker , i do not know the government 's 1,250 reasons .".split()
    )
    assert bare("ÉCOLE Œuvre") == "ecole œuvre"


NOUNS = {"chien": "dog", "chat": "cat", "homme": "man", "lit": "bed", "mur": "wall", "pain": "bread"}
COLOURS = {"rouge": "red", "noir": "black", "vert": "green"}


def toy() -> tuple[list[list[str]], list[list[str]], list[frozenset]]:
    """The adjective changes places, and the mark at the end of some English is linked with nothing."""
    rows = [
        (
            f"le {one} {colour} voit le {other}".split(),
            f"the {COLOURS[colour]} {NOUNS[one]} sees the {NOUNS[other]} now".split(),
        )
        for one in NOUNS
        for colour in COLOURS
        for other in NOUNS
    ]
    links = frozenset({(0, 0), (2, 1), (1, 2), (3, 3), (4, 4), (5, 5)})
    return [s for s, _ in rows], [t for _, t in rows], [links] * len(rows)


def test_links_become_looks_of_the_step_that_has_read_the_word() -> None:
    sources, targets, links = toy()
    texts = [" ".join(row) for row in (*sources, *targets)]
    pieces = Pieces(subwords.learn(texts, 420))
    row = alignment.example(pieces, sources[0], targets[0], links[0])
    assert len(row.target) == 7, "all words of the toy are one piece"
    batch = alignment.collate([row], pieces)
    guide = batch.guide[0]
    assert batch.before[0, 1:].tolist() == row.target
    # Step t + 1 has read word t; the last word, linked with nothing, looks at the end mark.
    assert guide[0].sum() == 0
    assert guide[1:].argmax(1).tolist() == [0, 2, 1, 3, 4, 5, 6]
    two = alignment.join_some([row, row], 1.0, random.Random(0))[0]
    joined = alignment.collate([two], pieces).guide[0]
    assert joined[1:].argmax(1).tolist() == [0, 2, 1, 3, 4, 5, 12, 6, 8, 7, 9, 10, 11, 12]


def test_it_learns_to_align_and_what_it_ships_loads(tmp_path: Path) -> None:
    sources, targets, links = toy()
    lines = "".join(f"{' '.join(s)}\t{' '.join(t)}\n" for s, t in zip(sources, targets, strict=True))
    (tmp_path / "toy.tsv").write_text(lines)
    for name in ("forward", "backward"):  # as the teacher leaves them
        (tmp_path / f"{name}.links").write_text("".join(pharaoh(row) + "\n" for row in links))
    plan = AlignmentRecipe(
        name="toy",
        task="alignment",
        languages=("fr", "en"),
        file="toy.tsv",
        pieces=330,
        longest=40,
        joined=0.3,
        guidance=2.0,
        seed=2,
        model={
            "query": "after",
            "embedding_width": 24,
            "encoder_width": 24,
            "attention_width": 24,
            "decoder_width": 48,
        },
        optimisation=Optimisation(90, 8e-3, warmup=10, batch_tokens=300, average=0.8, check_every=90),
    )
    for variant in plan.variants():
        job = alignment.Alignment(variant, tmp_path, tmp_path)
        train(job, variant.optimisation, tmp_path / f"{variant.name}.pt", tmp_path / variant.name, print)
    there, back = (attnviz.load(str(tmp_path / f"toy-{pair}")) for pair in ("fr-en", "en-fr"))
    pairs = [*zip(sources, targets, strict=True)][:40]
    assert there.lens == "next"
    found = align(pairs, there, back, "intersection")
    right = sum(own == links[0] for own in found)
    assert right > 36
    # Capitals and accents are no hindrance: the aligner reads neither.
    assert there.links([([word.upper() for word in sources[0]], targets[0])]) == there.links([pairs[0]])


def test_the_recipe_trains_both_directions_alike() -> None:
    one, other = read_recipe("align").variants()
    assert (one.name, other.name) == ("align-fr-en", "align-en-fr")
    assert replace(one, name="", source="", target="") == replace(other, name="", source="", target="")
