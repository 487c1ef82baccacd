"""A bench -> what the debugger is sent: the steps now and before, what they owe to their weights, the "
"beam."""

from dataclasses import asdict
from difflib import SequenceMatcher
from typing import Any

import numpy as np

from attnviz import faithfulness
from attnviz.axes import END, Grid
from attnviz.session import DecodingSession
from attnviz.symptoms import symptoms
from attnviz.trace import Beam, Step, Trace
from attnviz.weight_matrix import matrix
from bench import Bench
from player.payload import base64_of, named


def payload(bench: Bench, beam: Beam | None, photo: str | None = None) -> dict[str, Any]:
    """The debugger's data.

    Args:
        beam: the tree of the original's beam search, if there was one.
        photo: the address of the picture that the source is, as a data URL.
    """
    session, original = bench.session, bench.original
    now, before = session.trace, original.trace
    attentive = now.has_attention
    grid = now.axis if isinstance(now.axis, Grid) else None
    return named(
        {
            "source": [] if grid else list(now.source),
            "source_end": None if grid else next(iter(now.axis.ends), None),
            "grid": grid and {"rows": grid.rows, "columns": grid.columns, "aspect": grid.width / grid.height},
            "photo": photo,
            "end": END,
            "steps": [
                {**_step(step), **_done(action), "ids": list(ids), "before": match}
                for step, action, ids, match in zip(
                    now, session.actions, session.likeliest, _matches(before, now), strict=True
                )
            ],
            "weights": base64_of(now.weights, "<f4"),
            "original_weights": base64_of(before.weights, "<f4"),
            "positions": now.weights.shape[1],
            "text": now.text,
            "original_text": before.text,
            "logprob": now.logprob,
            "original_logprob": before.logprob,
            "acts": bench.acts,
            "at": bench.at,
            "told": bench.told,
            "faith": _faith(session) if attentive else [],
            "symptoms": [asdict(symptom) for symptom in symptoms(now)] if attentive else [],
            "rows": [list(row) for row in matrix(now, "words").rows] if attentive else [],
            "beam": beam and _tree(beam),
            "notes": list(now.notes),
        }
    )


def _step(step: Step) -> dict[str, Any]:
    return {
        "token": step.token,
        "p": float(np.exp(step.logprob)),
        "alternatives": [[label, float(np.exp(logprob))] for label, logprob in step.alternatives],
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


def _faith(session: DecodingSession) -> list[dict[str, Any]]:
    """For each step how much its word owes to its weights, and that in words."""
    variations = faithfulness.vary(session)
    erasure = faithfulness.erase(session) if session.positions <= 80 else None
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
                "hardly": not flips and most < faithfulness.HARDLY,
                "told": _told(flips, most),
                "agreement": None if agreement is None or np.isnan(agreement) else float(agreement),
                "drops": None if erasure is None else erasure.drops[step].round(4).tolist(),
            }
        )
    return rows


def _told(flips: list[str], most: float) -> str:
    if flips:
        return f"With weights {', '.join(flips)} another word would have been the likeliest."
    if most < faithfulness.HARDLY:
        return (
            f"The word hardly depends on the weights: whatever was tried, its distribution moved by at most "
            f"{most:.3f} nats, and it stayed the likeliest. The picture of this step explains nothing."
        )
    return (
        f"The word stays the likeliest with other weights, though its distribution moves by {most:.2f} nats."
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
                "rank": ranks[node][0] if node in ranks else None,
                "score": ranks[node][1] if node in ranks else None,
                "best": node in best,
            }
            for node in range(len(beam))
        ],
        "weights": base64_of(beam.weights, "<f4"),
    }
