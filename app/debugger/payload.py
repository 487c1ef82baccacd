"""A bench -> what the debugger is sent: the steps now and before, what they owe to the weights, the tree."""

from dataclasses import asdict
from difflib import SequenceMatcher
from typing import Any

import numpy as np

from attnviz import faithfulness
from attnviz.axes import END, Grid
from attnviz.interference import Action
from attnviz.reading import ReadingSession
from attnviz.symptoms import symptoms
from attnviz.trace import Beam, Step, Trace
from attnviz.weight_matrix import matrix
from bench import AnySession, Bench
from player.payload import base64_of, named


def payload(bench: Bench, beam: Beam | None, photo: str | None = None) -> dict[str, Any]:
    """The debugger's data.

    Args:
        beam: the tree of the original's beam search, if there was one.
        photo: the address of the picture that the source is, as a data URL.
    """
    session, original = bench.session, bench.original
    now, before = session.trace, original.trace
    attentive, reading = now.has_attention, bool(now.labels)
    changed = [_by_hand(action) for action in session.actions]
    grid = now.axis if isinstance(now.axis, Grid) else None
    return named(
        {
            "bench": bench.name,
            "reading": reading,
            "source": [] if grid else list(now.source),
            "source_end": None if grid else next(iter(now.axis.ends), None),
            "grid": grid and {"rows": grid.rows, "columns": grid.columns, "aspect": grid.width / grid.height},
            "photo": photo,
            "end": END,
            "steps": [
                {**_step(step, now.labels), **_done(action), "ids": ids, "before": match}
                for step, action, ids, match in zip(
                    now, session.actions, _ids(session), _matches(before, now), strict=True
                )
            ],
            "weights": base64_of(now.weights, "<f4"),
            "original_weights": base64_of(before.weights, "<f4"),
            "positions": now.weights.shape[1],
            "text": _said(now) if reading else now.text,
            "original_text": _said(before) if reading else before.text,
            "logprob": _logprob(now, before),
            "original_logprob": _logprob(before, before),
            "of": f"ln p ({_label(before)})" if reading else "ln p",
            "changed": any(changed),
            "acts": bench.acts,
            "at": bench.at,
            "told": bench.told,
            "faith": _faith(session, changed, "label" if reading else "word") if attentive else [],
            "symptoms": _symptoms(session) if attentive and not reading else [],
            "rows": [list(row) for row in matrix(now, "words").rows] if attentive else [],
            "beam": beam and named(_tree(beam)),
            "notes": list(now.notes),
        }
    )


def _by_hand(action: Action) -> bool:
    """Whether a person changed where the step looked."""
    return action.weights is not None or bool(action.masked) or action.temperature != 1.0


def _ids(session: AnySession) -> list[list[int]]:
    """For each step the tokens of its alternatives; its own throughout where nothing else can be taken."""
    if isinstance(session, ReadingSession):
        return [[step.token_id] * len(step.verdict) for step in session.steps]
    return [list(ids) for ids in session.likeliest]


def _label(trace: Trace) -> str:
    return trace.labels[int(trace.verdicts[-1].argmax())]


def _said(trace: Trace) -> str:
    """The verdict of a model that reads, and of what."""
    return f"{_label(trace)} {trace.verdict[_label(trace)]:.2f}: {trace.text}"


def _logprob(trace: Trace, original: Trace) -> float:
    """ln p of what was written; for a model that reads, of the label that was the likeliest at first."""
    if not trace.labels:
        return trace.logprob
    return float(trace.verdicts[-1][trace.labels.index(_label(original))])


def _symptoms(session: AnySession) -> list[dict[str, Any]]:
    crossed = frozenset(place for action in session.actions for place in action.masked)
    return [asdict(symptom) for symptom in symptoms(session.trace, ignored=crossed)]


def _step(step: Step, labels: tuple[str, ...]) -> dict[str, Any]:
    """A step with what else was thought of; for a model that reads, what it would have said after it."""
    thought = list(zip(labels, step.verdict, strict=True)) if labels else list(step.alternatives)
    return {
        "token": step.token,
        "p": float(np.exp(max(step.verdict) if labels else step.logprob)),
        "alternatives": [[label, float(np.exp(logprob))] for label, logprob in thought],
        "id": step.token_id,
    }


def _done(action: Any) -> dict[str, Any]:
    return {
        "forced": action.forced,
        "attended": action.weights is not None,
        "masked": sorted(action.masked),
        "temperature": action.temperature,
    }


def _matches(before: Trace, now: Trace) -> list[int | None]:
    """For each step the step of the original that wrote the same; None for a new one."""
    matches: list[int | None] = [None] * len(now)
    blocks = SequenceMatcher(None, before.token_ids.tolist(), now.token_ids.tolist(), autojunk=False)
    for old, new, size in blocks.get_matching_blocks():
        for at in range(size):
            matches[new + at] = old + at
    return matches


def _faith(session: AnySession, changed: list[bool], what: str) -> list[dict[str, Any]]:
    """For each step how much its word or label owes to its weights, and that in words."""
    variations = faithfulness.vary(session)
    # Erasing is tried on the plain decoding: it says nothing of one whose attention was changed.
    tried = session.positions <= MOST_ERASED and not any(changed)
    erasure = faithfulness.erase(session) if tried else None
    rows = []
    for step in range(len(session.steps)):
        kls = {one.name: float(one.kl[step]) for one in variations}
        flips = [one.name for one in variations if one.flipped[step]]
        most = max(kls.values())
        agreement = None if erasure is None else erasure.agreement[step]
        rows.append(
            {
                "kl": kls,
                "flips": flips,
                "hardly": not changed[step] and not flips and most < faithfulness.HARDLY,
                "told": _BY_HAND if changed[step] else _told(flips, most, what),
                "agreement": None if agreement is None or np.isnan(agreement) else float(agreement),
                "drops": None if erasure is None else erasure.drops[step].round(4).tolist(),
            }
        )
    return rows


MOST_ERASED = 80  # source positions: each is a decoding of its own
_BY_HAND = "Where this step looks was changed by hand: whether it depends on that is not judged."


def _told(flips: list[str], most: float, what: str) -> str:
    if flips:
        return f"With weights {', '.join(flips)} another {what} would have been the likeliest."
    if most < faithfulness.HARDLY:
        return (
            f"The likeliest {what} hardly depends on the weights: whatever was tried, the distribution moved "
            f"by at most {most:.3f} nats, and it stayed the likeliest. The picture of this step explains "
            "nothing."
        )
    return (
        f"The likeliest {what} stays the same with other weights, though its distribution moves by "
        f"{most:.2f} nats."
    )


def _tree(beam: Beam) -> dict[str, Any]:
    ranks = {node: (rank, score) for rank, (node, score) in enumerate(beam.hypotheses)}
    best = set(beam.path(beam.hypotheses[0][0]))
    return {
        "nodes": [
            {
                "parent": int(beam.parents[node]),
                "token": beam.tokens[node],
                "id": int(beam.token_ids[node]),
                "step": int(beam.positions[node]),
                "p": float(np.exp(beam.logprobs[node])),
                "total": float(beam.totals[node]),
                "fate": beam.fates[node],
                "stopped": node in ranks and beam.fates[node] != "finished",
                "rank": ranks[node][0] if node in ranks else None,
                "score": ranks[node][1] if node in ranks else None,
                "best": node in best,
            }
            for node in range(len(beam))
        ],
        "weights": base64_of(beam.weights, "<f4"),
    }
