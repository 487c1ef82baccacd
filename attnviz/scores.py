"""How good what models say is: pure functions of what was said and what should have been."""

from collections import Counter
from collections.abc import Sequence
from typing import Any

import numpy as np

from attnviz.errors import MissingExtraError

BINS = 15  # of confidence


def bleu() -> Any:
    """The class sacrebleu.BLEU."""
    try:
        from sacrebleu.metrics.bleu import BLEU
    except ImportError as error:
        raise MissingExtraError(
            'Evaluation needs sacrebleu; install it with: pip install "attnviz[train]".'
        ) from error
    return BLEU


def caption_scores(written: list[str], references: list[list[str]]) -> dict[str, Any]:
    """How good captions are: BLEU-1 to 4 and CIDEr, and the share of the ten commonest captions.

    Corpus BLEU of lower-case words against all references of each photo, the length of the closest
    reference counted (Papineni et al. 2002); no smoothing. CIDEr times 100. All in percent.

    Args:
        written: a caption for each photo. references: for each photo its captions. Both as
            `captions.normal` leaves them.
    """
    score_of = bleu()
    most = max(map(len, references))
    rows = [[own[at] if at < len(own) else None for own in references] for at in range(most)]
    commonest = sum(count for _, count in Counter(written).most_common(10))
    scores = {
        f"BLEU-{order}": round(
            score_of(max_ngram_order=order, tokenize="none", smooth_method="none", force=True)
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


def rouge(written: Sequence[str], references: Sequence[str]) -> dict[str, float]:
    """ROUGE-1, ROUGE-2 and ROUGE-L as F, in percent: means over the texts, stemmed, in small letters.

    Lin (2004), sections 2 and 3.1, as the package rouge-score computes them. Empty lists give 0.

    Raises:
        MissingExtraError: rouge-score is not installed.
    """
    try:
        from rouge_score.rouge_scorer import RougeScorer
    except ImportError as error:
        raise MissingExtraError(
            'Evaluation needs rouge-score; install it with: pip install "attnviz[train]".'
        ) from error
    kinds = {"ROUGE-1": "rouge1", "ROUGE-2": "rouge2", "ROUGE-L": "rougeL"}
    scorer = RougeScorer(list(kinds.values()), use_stemmer=True)
    rows = [scorer.score(reference, text) for text, reference in zip(written, references, strict=True)]
    return {
        name: round(100 * sum(row[kind].fmeasure for row in rows) / max(1, len(rows)), 2)
        for name, kind in kinds.items()
    }


def calibration_error(chances: np.ndarray, right: np.ndarray) -> float:
    """By how much confidence and accuracy differ, from 0 to 1.

    sum_b |B_b| / n |accuracy(B_b) - confidence(B_b)|, over 15 bins of the same width; Guo et al. (2017),
    eq. 3.

    Args:
        chances: (n,), the probability of the label that was said. right: (n,), whether it was right.
    """
    bins = np.minimum((np.asarray(chances) * BINS).astype(int), BINS - 1)
    gaps = [abs(np.sum(right[bins == one]) - np.sum(chances[bins == one])) for one in np.unique(bins)]
    return float(np.sum(gaps) / max(1, len(chances)))
