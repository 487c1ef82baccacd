"""Made-up traces for tests, small enough to work out by hand, or random."""

import numpy as np

from attnviz.axes import Axis, Grid, Sequence
from attnviz.trace import Beam, Trace

# "Je m'appelle Zoé" as the pieces Je | m | ' | appel | le | Zo | é | end
AXIS = Sequence(
    "Je m'appelle Zoé",
    ("Je", "m", "'", "appel", "le", "Zo", "é", "</s>"),
    ((0, 2), (3, 4), (4, 5), (5, 10), (10, 12), (13, 15), (15, 16), (16, 16)),
    ((0, 2), (3, 5), (5, 12), (13, 16)),
    (0, 1, 1, 2, 2, 3, 3, -1),
)
# "I am Zoe" as the pieces I | am | Zo | e | end
OUTPUT = Sequence(
    "I am Zoe",
    ("I", "am", "Zo", "e", "</s>"),
    ((0, 1), (2, 4), (5, 7), (7, 8), (8, 8)),
    ((0, 1), (2, 4), (5, 8)),
    (0, 1, 2, 2, -1),
)


GRID = Grid(14, 14, 300, 200)


def softmax(energies: np.ndarray) -> np.ndarray:
    exponentials = np.exp(energies - energies.max(axis=-1, keepdims=True))
    return exponentials / exponentials.sum(axis=-1, keepdims=True)


def trace(seed: int = 0, axis: Axis = AXIS, output: Sequence = OUTPUT, beams: int = 0, **rest) -> Trace:
    """A trace with random numbers whose weights are the softmax of its energies."""
    chance = np.random.default_rng(seed)
    steps, positions = len(output), len(axis)
    energies = chance.normal(0, 3, (steps, positions)).astype(np.float32)
    return Trace(
        "translation",
        "made-up",
        axis,
        output,
        chance.integers(0, 99, steps).astype(np.int32),
        -chance.random(steps).astype(np.float32),
        tuple((("a", -0.5), ("b", -1.5)) for _ in range(steps)),
        energies,
        softmax(energies.astype(np.float64)).astype(np.float32),
        chance.normal(size=(steps, 6)).astype(np.float32),
        chance.normal(size=(steps, 4)).astype(np.float32),
        beams=tuple(beam(positions, chance) for _ in range(beams)),
        **rest,
    )


def beam(positions: int, chance: np.random.Generator) -> Beam:
    return Beam(
        np.array([-1, -1, 0, 2], dtype=np.int32),
        ("I", "He", "am", "</s>"),
        np.array([5, 6, 7, 1], dtype=np.int32),
        np.array([0, 0, 1, 2], dtype=np.int32),
        chance.normal(size=4).astype(np.float32),
        chance.normal(size=4).astype(np.float32),
        softmax(chance.normal(size=(4, positions))).astype(np.float32),
        ("kept", "dropped", "kept", "finished"),
        ((3, -0.25),),
    )


def worded(words: list[str]) -> Sequence:
    """Words of one piece each; the last is the end mark."""
    text, spans, at = " ".join(words[:-1]), [], 0
    for word in words[:-1]:
        spans.append((at, at + len(word)))
        at += len(word) + 1
    owners = (*range(len(words) - 1), -1)
    return Sequence(text, tuple(words), (*spans, (len(text),) * 2), tuple(spans), owners)


def made(weights: np.ndarray, target: list[str], logprob: float) -> Trace:
    """A trace with these weights over a source of words such as "pppp", the last column its end mark."""
    steps, positions = weights.shape
    source = [chr(ord("p") + s) * 4 for s in range(positions - 1)] + ["</s>"]
    return Trace(
        "translation",
        "made-up",
        worded(source),
        worded(target),
        np.arange(steps, dtype=np.int32),
        np.full(steps, logprob, np.float32),
        tuple((("a", -0.5),) for _ in range(steps)),
        np.log(np.maximum(weights, 1e-30)).astype(np.float32),
        weights,
        np.zeros((steps, 2), np.float32),
        np.zeros((steps, 2), np.float32),
    )
