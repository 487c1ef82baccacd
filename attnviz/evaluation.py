"""How good a model is on a data set: the figures of README and cards come from here."""

from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from attnviz.captions import normal, open_photos, read_captions, read_split
from attnviz.errors import InputError, MissingExtraError
from attnviz.lengths import Bin
from attnviz.parallel import read_pairs
from attnviz.tasks import Captioner, Options, Translator

CHUNK = 256

Progress = Callable[[int, int], None]


def evaluate(
    model: Translator | Captioner,
    data: Path,
    limit: int | None = None,
    progress: Progress | None = None,
    split: str = "test",
    **options: Any,
) -> dict[str, Any]:
    """How good a model is on data of its task.

    A translator: cased sacrebleu on detokenised text (Post 2018), on a .tsv or .tsv.gz of source
    TAB reference. A captioner: BLEU-4 and more, see `caption_scores`, on a folder laid out like
    Flickr8k. All in percent from 0 to 100.

    Args:
        limit: only the first so many pairs, or photos.
        progress: called with the number of them done and of all.
        split: of a folder of photos: train, dev or test.
        options: how to decode; beam 5 unless told otherwise.

    Returns:
        model, metric, value, n, and what else there is to know of the figure.

    Raises:
        InputError, FormatError: the data cannot be read, or are empty.
        MissingExtraError: a package that measures is not installed.
    """
    if isinstance(model, Captioner):
        return _evaluate_captions(model, data, limit, progress, split, options)
    return _evaluate_translations(model, data, limit, progress, options)


def _evaluate_translations(
    translator: Translator, data: Path, limit: int | None, progress: Progress | None, options: dict[str, Any]
) -> dict[str, Any]:
    pairs = read_pairs(data)[:limit]
    if not pairs:
        raise InputError(f"Expected sentence pairs in {data}, got none.")
    written: list[str] = []
    for start in range(0, len(pairs), CHUNK):
        sources = [source for source, _ in pairs[start : start + CHUNK]]
        written += _translations(translator, sources, options)
        if progress is not None:
            progress(len(written), len(pairs))
    bleu = _bleu()()
    score = bleu.corpus_score(written, [[reference for _, reference in pairs]])
    return {
        "model": translator.name,
        "metric": "BLEU",
        "value": round(score.score, 2),
        "n": len(pairs),
        "signature": str(bleu.get_signature()),
    }


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
            for text in _translations(translator, [s for s, _ in one.pairs[start : start + CHUNK]], options)
        ]
        references = [[reference for _, reference in one.pairs]]
        score = _bleu()().corpus_score(written, references, n_bootstrap=1000)
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


def _bleu() -> Any:
    """The class sacrebleu.BLEU."""
    try:
        from sacrebleu.metrics.bleu import BLEU
    except ImportError as error:
        raise MissingExtraError(
            'Evaluation needs sacrebleu; install it with: pip install "attnviz[train]".'
        ) from error
    return BLEU


def _translations(translator: Translator, sources: list[str], options: dict[str, Any]) -> list[str]:
    """What is written for each source; nothing for one that holds nothing to translate."""
    Options(**options)
    try:
        return [trace.text for trace in translator.many(sources, **options)]
    except InputError:
        if len(sources) == 1:
            return [""]
        return [text for source in sources for text in _translations(translator, [source], options)]


def caption_scores(written: list[str], references: list[list[str]]) -> dict[str, Any]:
    """How good captions are: BLEU-1 to 4 and CIDEr, and the share of the ten commonest captions.

    Corpus BLEU of lower-case words against all references of each photo, the length of the closest
    reference counted (Papineni et al. 2002); no smoothing. CIDEr times 100. All in percent.

    Args:
        written: a caption for each photo. references: for each photo its captions. Both as
            `captions.normal` leaves them.
    """
    bleu = _bleu()
    most = max(map(len, references))
    rows = [[own[at] if at < len(own) else None for own in references] for at in range(most)]
    commonest = sum(count for _, count in Counter(written).most_common(10))
    scores = {
        f"BLEU-{order}": round(
            bleu(max_ngram_order=order, tokenize="none", smooth_method="none", force=True)
            .corpus_score(written, rows)
            .score,
            2,
        )
        for order in (1, 2, 3, 4)
    }
    scores["CIDEr"] = round(100 * _cider(written, references), 1)
    return scores | {"ten_commonest": round(100 * commonest / len(written), 1)}


def _cider(written: list[str], references: list[list[str]]) -> float:
    """CIDEr-D of Vedantam et al. (2015), from 0 to 10, with document frequencies of these references."""
    try:
        from pycocoevalcap.cider.cider import Cider
    except ImportError as error:
        raise MissingExtraError(
            'Evaluation needs pycocoevalcap; install it with: pip install "attnviz[train]".'
        ) from error
    score, _ = Cider().compute_score(
        dict(enumerate(references)), {at: [caption] for at, caption in enumerate(written)}
    )
    return float(score)
