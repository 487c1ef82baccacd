"""How good a model is on a data set: the figures of README and cards come from here."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from attnviz.captions import normal, open_photos, read_captions, read_split
from attnviz.errors import InputError
from attnviz.labelled import Example, read_examples
from attnviz.lengths import Bin
from attnviz.parallel import read_pairs
from attnviz.scores import bleu, calibration_error, caption_scores, rouge
from attnviz.tasks import Captioner, Entailment, Options, Summarizer, Translator
from attnviz.tasks.writing import TextTask
from attnviz.text import sentences

CHUNK = 256

Progress = Callable[[int, int], None]


def evaluate(
    model: Translator | Captioner | Entailment | Summarizer,
    data: Path,
    limit: int | None = None,
    progress: Progress | None = None,
    split: str = "test",
    **options: Any,
) -> dict[str, Any]:
    """How good a model is on data of its task.

    A translator: cased sacrebleu on detokenised text (Post 2018), on a .tsv or .tsv.gz of source
    TAB reference. A captioner: BLEU-4 and more, see `scores.caption_scores`, on a folder laid out like
    Flickr8k. An entailment model: accuracy, and the calibration error, on premise TAB hypothesis TAB
    label. A summarizer: ROUGE, see `scores.rouge`, on text TAB headline, and that of two baselines. All
    in percent from 0 to 100, but the calibration error, from 0 to 1.

    Args:
        limit: only the first so many pairs, or photos.
        progress: called with the number of them done and of all.
        split: of a folder of photos: train, dev or test.
        options: how to decode; beam 5 unless told otherwise. None for entailment, which decodes nothing.

    Returns:
        model, metric, value, n, and what else there is to know of the figure.

    Raises:
        InputError, FormatError: the data cannot be read, or are empty.
        MissingExtraError: a package that measures is not installed.
    """
    if isinstance(model, Captioner):
        return _evaluate_captions(model, data, limit, progress, split, options)
    if isinstance(model, Entailment):
        return _evaluate_entailment(model, data, limit, progress)
    if isinstance(model, Summarizer):
        return _evaluate_headlines(model, data, limit, progress, options)
    return _evaluate_translations(model, data, limit, progress, options)


def _evaluate_translations(
    translator: Translator, data: Path, limit: int | None, progress: Progress | None, options: dict[str, Any]
) -> dict[str, Any]:
    pairs = read_pairs(data)[:limit]
    if not pairs:
        raise InputError(f"Expected sentence pairs in {data}, got none.")
    written = _written_for(translator, pairs, progress, options)
    metric = bleu()()
    score = metric.corpus_score(written, [[reference for _, reference in pairs]])
    return {
        "model": translator.name,
        "metric": "BLEU",
        "value": round(score.score, 2),
        "n": len(pairs),
        "signature": str(metric.get_signature()),
    }


def _evaluate_headlines(
    summarizer: Summarizer, data: Path, limit: int | None, progress: Progress | None, options: dict[str, Any]
) -> dict[str, Any]:
    pairs = read_pairs(data)[:limit]
    if not pairs:
        raise InputError(f"Expected texts with headlines in {data}, got none.")
    headlines = [headline for _, headline in pairs]
    scores = rouge(_written_for(summarizer, pairs, progress, options), headlines)
    return {
        "model": summarizer.name,
        "metric": "ROUGE-L",
        "value": scores["ROUGE-L"],
        "n": len(pairs),
        **scores,
        "baselines": {
            name: rouge([shorten(text) for text, _ in pairs], headlines)
            for name, shorten in BASELINES.items()
        },
    }


def first_words(text: str, count: int = 8) -> str:
    """A baseline: the first words of a text."""
    return " ".join(text.split()[:count])


def first_sentence(text: str, characters: int = 75) -> str:
    """A baseline: the first sentence, cut before the word that goes beyond so many characters."""
    spans = sentences(text, "en")
    sentence = text[slice(*spans[0])] if spans else ""
    if len(sentence) <= characters:
        return sentence
    return sentence[: characters + 1].rpartition(" ")[0] or sentence[:characters]


BASELINES: dict[str, Callable[[str], str]] = {
    "first 8 words": first_words,
    "first sentence cut to 75 characters": first_sentence,
}


def _evaluate_entailment(
    entailment: Entailment, data: Path, limit: int | None, progress: Progress | None
) -> dict[str, Any]:
    examples = read_examples(data)[:limit]
    if not examples:
        raise InputError(f"Expected labelled pairs in {data}, got none.")
    verdicts: list[dict[str, float]] = []
    for start in range(0, len(examples), CHUNK):
        verdicts += _verdicts(entailment, examples[start : start + CHUNK])
        if progress is not None:
            progress(len(verdicts), len(examples))
    said = [max(verdict, key=verdict.__getitem__) if verdict else "" for verdict in verdicts]
    right = np.array([label == one.label for label, one in zip(said, examples, strict=True)])
    chances = np.array([max(verdict.values(), default=0.0) for verdict in verdicts])
    return {
        "model": entailment.name,
        "metric": "accuracy",
        "value": round(100 * float(right.mean()), 2),
        "n": len(examples),
        "calibration_error": round(calibration_error(chances, right), 4),
    }


def _verdicts(entailment: Entailment, examples: list[Example]) -> list[dict[str, float]]:
    """The probabilities of the labels of each pair; none for one that cannot be read."""
    try:
        return [
            trace.verdict for trace in entailment.many([(one.premise, one.hypothesis) for one in examples])
        ]
    except InputError:
        if len(examples) == 1:
            return [{}]
        return [found for one in examples for found in _verdicts(entailment, [one])]


def _evaluate_captions(
    captioner: Captioner,
    folder: Path,
    limit: int | None,
    progress: Progress | None,
    split: str,
    options: dict[str, Any],
) -> dict[str, Any]:
    names = read_split(folder, split)[:limit]
    captions, photos = read_captions(folder), open_photos(folder)
    if not names:
        raise InputError(f"Expected photos in the split {split} of {folder}, got none.")
    lacking = [name for name in names if name not in photos or name not in captions]
    if lacking:
        raise InputError(f"Expected a photo and captions for {lacking[0]!r} in {folder}, found not both.")
    written: list[str] = []
    for start in range(0, len(names), CHUNK):
        batch = [photos[name] for name in names[start : start + CHUNK]]
        written += [trace.text for trace in captioner.many(batch, **options)]
        if progress is not None:
            progress(len(written), len(names))
    scores = caption_scores(written, [[normal(caption) for caption in captions[name]] for name in names])
    return {
        "model": captioner.name,
        "metric": "BLEU-4",
        "value": scores["BLEU-4"],
        "n": len(names),
        "split": split,
        **scores,
    }


def by_length(
    translator: Translator, bins: Sequence[Bin], progress: Progress | None = None, **options: Any
) -> list[dict[str, Any]]:
    """BLEU in each bin, with the 95 % interval of a bootstrap over its texts.

    Koehn (2004), "Statistical significance tests for machine translation evaluation"; 1000 samples,
    as sacrebleu draws them.

    Returns:
        for each bin words (its label), n, BLEU, low and high, in percent, and ratio, the length of
        what was written over that of the references.

    Raises:
        MissingExtraError: sacrebleu is not installed.
    """
    rows = []
    total = sum(len(one.pairs) for one in bins)
    done = 0
    for one in bins:
        written = [
            text
            for start in range(0, len(one.pairs), CHUNK)
            for text in _written(translator, [s for s, _ in one.pairs[start : start + CHUNK]], options)
        ]
        references = [[reference for _, reference in one.pairs]]
        score = bleu()().corpus_score(written, references, n_bootstrap=1000)
        rows.append(
            {
                "words": one.label,
                "n": len(one.pairs),
                "BLEU": round(score.score, 2),
                "low": round(score._mean - score._ci, 2),
                "high": round(score._mean + score._ci, 2),
                "ratio": round(score.sys_len / score.ref_len, 3),
            }
        )
        done += len(one.pairs)
        if progress is not None:
            progress(done, total)
    return rows


def _written_for(
    task: TextTask, pairs: list[tuple[str, str]], progress: Progress | None, options: dict[str, Any]
) -> list[str]:
    """What is written for the first text of each pair."""
    written: list[str] = []
    for start in range(0, len(pairs), CHUNK):
        written += _written(task, [source for source, _ in pairs[start : start + CHUNK]], options)
        if progress is not None:
            progress(len(written), len(pairs))
    return written


def _written(task: TextTask, sources: list[str], options: dict[str, Any]) -> list[str]:
    """What is written for each source; nothing for one that holds nothing to read."""
    Options(**options)
    try:
        return [trace.text for trace in task.many(sources, **options)]
    except InputError:
        if len(sources) == 1:
            return [""]
        return [text for source in sources for text in _written(task, [source], options)]
