"""How good a model is on a data set: the figures of README and cards come from here."""

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
    try:
        from sacrebleu.metrics.bleu import BLEU
    except ImportError as error:
        raise MissingExtraError(
            'Evaluation needs sacrebleu; install it with: pip install "attnviz[train]".'
        ) from error
    pairs = read_pairs(data)[:limit]
    if not pairs:
        raise InputError(f"Expected sentence pairs in {data}, got none.")
    written: list[str] = []
    for start in range(0, len(pairs), CHUNK):
        sources = [source for source, _ in pairs[start : start + CHUNK]]
        written += _translations(translator, sources, options)
        if progress is not None:
            progress(len(written), len(pairs))
    bleu = BLEU()
    score = bleu.corpus_score(written, [[reference for _, reference in pairs]])
    return {
        "model": translator.name,
        "metric": "BLEU",
        "value": round(score.score, 2),
        "n": len(pairs),
        "signature": str(bleu.get_signature()),
    }


def _translations(translator: Translator, sources: list[str], options: dict[str, Any]) -> list[str]:
    """What is written for each source; nothing for one that holds nothing to translate."""
    Options(**options)
    try:
        return [trace.text for trace in translator.many(sources, **options)]
    except InputError:
        if len(sources) == 1:
            return [""]
        return [text for source in sources for text in _translations(translator, [source], options)]
