"""How good a model is on a data set: the figures of README and cards come from here."""

from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

from attnviz.errors import InputError, MissingExtraError
from attnviz.parallel import read_pairs
from attnviz.tasks import Options, Translator

CHUNK = 256


def evaluate(
    translator: Translator,
    data: Path,
    limit: int | None = None,
    progress: Callable[[int, int], None] | None = None,
    **options: Any,
) -> dict[str, Any]:
    """BLEU of a translator on a .tsv or .tsv.gz of source TAB reference.

    Cased sacrebleu on detokenised text (Post 2018), in percent from 0 to 100.

    Args:
        limit: only the first so many pairs.
        progress: called with the number of pairs done and of all.
        options: how to decode; beam 5 unless told otherwise.

    Returns:
        model, metric, value, n, and sacrebleu's signature.

    Raises:
        InputError, FormatError: the data cannot be read, or are empty.
        MissingExtraError: sacrebleu is not installed.
    """
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
    """How good captions are: BLEU-1 to 4 in percent, and what share is among the ten commonest.

    Corpus BLEU of lower-case words against all references of each photo, the length of the closest
    reference counted (Papineni et al. 2002); no smoothing.

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
    return scores | {"ten_commonest": round(100 * commonest / len(written), 1)}
