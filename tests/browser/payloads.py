"""Themes, made-up payloads for the player, and the colours that they must give, from their definition."""

import base64

import numpy as np

BLUES = [
    "#e4f5ff",
    "#c7ebff",
    "#a6dcff",
    "#83c9ff",
    "#60b4ff",
    "#3d9df3",
    "#1c83e1",
    "#0068c9",
    "#0054a3",
    "#004280",
]
LIGHT = {
    "background-color": "#ffffff",
    "secondary-background-color": "#f0f2f6",
    "text-color": "#31333f",
    "primary-color": "#c8374a",
    "border-color": "#d6d6d9",
    "font": "sans-serif",
    "chart-sequential-colors": ",".join(BLUES),
}
DARK = LIGHT | {
    "background-color": "#0e1117",
    "text-color": "#fafafa",
    "chart-sequential-colors": ",".join(reversed(BLUES)),
}

# ---- payloads


def encoded(array, dtype):
    return base64.b64encode(np.asarray(array).astype(dtype).tobytes()).decode()


def trace(weights, source=None, target=None, **changes):
    """A trace with these weights (targets x sources) and the energies that a softmax turns into them."""
    weights = np.asarray(weights, dtype=float)
    targets, sources = weights.shape
    source = source or [f"s{s}" for s in range(sources)]
    target = target or [f"t{t}" for t in range(targets)]
    safe = np.where(weights > 0, weights, 1.0)
    return {
        "source": source,
        "target": target,
        "source_glue": [False] * sources,
        "target_glue": [False] * targets,
        "source_end": None,
        "target_end": None,
        "weights": encoded(np.round(weights * 65535), "<u2"),
        "energies": encoded(np.where(weights > 0, np.log(safe), -np.inf), "<f4"),
        "energies_note": None,
        "contexts": encoded(np.tile([-127, 0, 127], (targets, 1)), np.int8),
        "context_width": 3,
        "context_scale": 2.0,
        "end_mass": None,
        "probability": [0.5] * targets,
        "entropy": list(-(weights * np.log(safe)).sum(axis=1)),
        "decoded": [
            [{"token": word, "probability": 0.5, "alternatives": [[word, 0.5], ["other", 0.25]]}]
            for word in target
        ],
        "forced": False,
        "text": " ".join(source),
        "translation": " ".join(target),
        "notes": [],
    } | changes


def payload(*traces, top=1.0, name="first"):
    return {
        "id": name,
        "level": "words",
        "scale": {"top": top, "label": f"0 to {top:g}"},
        "traces": list(traces),
    }


# Three targets over four sources, not symmetric in any way.
WEIGHTS = np.array([[0.70, 0.20, 0.08, 0.02], [0.03, 0.07, 0.30, 0.60], [0.10, 0.55, 0.25, 0.10]])
SOURCE = ["le", "chien", "noir", "court"]
TARGET = ["the", "runs", "dog"]


def small(**changes):
    return trace(WEIGHTS, SOURCE, TARGET, **changes)


def diagonal(targets, sources=None):
    sources = sources or targets
    rng = np.random.default_rng(0)
    energies = rng.normal(size=(targets, sources))
    energies[np.arange(targets), np.arange(targets) * sources // targets] += 6
    weights = np.exp(energies)
    return trace(weights / weights.sum(axis=1, keepdims=True))


# ---- the expected colours, from their definition


def rgb(text):
    return [int(text[i : i + 2], 16) for i in (1, 3, 5)]


def lightness(colour):
    """CIE L* of an sRGB colour."""
    part = np.asarray(colour) / 255
    linear = np.where(part <= 0.04045, part / 12.92, ((part + 0.055) / 1.055) ** 2.4)
    y = linear @ [0.2126, 0.7152, 0.0722]
    return 903.3 * y if y <= 0.008856 else 116 * np.cbrt(y) - 16


def ramp(theme):
    """256 colours from the background on, evenly spaced in lightness along the theme's sequential ones."""
    stops = [rgb(theme["background-color"]), *map(rgb, theme["chart-sequential-colors"].split(","))]
    away = [abs(lightness(stop) - lightness(stops[0])) for stop in stops]
    assert away == sorted(away)
    goals = np.linspace(0, away[-1], 256)
    return np.stack([np.interp(goals, away, [stop[i] for stop in stops]) for i in range(3)], axis=1)


def colour_of(weight, theme=LIGHT, top=1.0):
    return ramp(theme)[round(min(1.0, weight / top) * 255)]


# ---- a headline over an article

# Three words over six, in two sentences; what is left of each row is the end mark's.
LOOKS = np.array(
    [
        [0.60, 0.10, 0.05, 0.15, 0.04, 0.02],
        [0.02, 0.50, 0.08, 0.10, 0.05, 0.05],
        [0.10, 0.15, 0.15, 0.12, 0.18, 0.10],
    ]
)
ENDS = [0.04, 0.20, 0.20]
ARTICLE = [
    [["Rovara", 0], ["  ", -1], ["WON", 1], [".", 2], ["\n\n", -1]],
    [["It", 3], [" ", -1], ["rained", 4], [".", 5]],
]


def headline(name="first", view="word", top=1.0, sentences=ARTICLE, weights=LOOKS, **changes):
    """The article's payload: "rovara win sun", found, leaning on "WON", and unsupported."""
    words = [text for parts in sentences for text, word in parts if word >= 0]
    told = trace(
        weights,
        words,
        ["rovara", "win", "sun"],
        end_mass=ENDS,
        sentences=sentences,
        before="",
        after="",
        unread="",
        coverage=list(weights.sum(axis=0)),
        support=[
            {"kind": "found", "weight": 0.6, "source": 0},
            {"kind": "leans", "weight": 0.5, "source": 1},
            {"kind": "unsupported", "weight": 0.18, "source": 4},
        ],
    )
    return {
        "id": f"{name} {view} {top}",
        "headline": name,
        "view": view,
        "scale": {"top": top, "label": f"0 to {top:g}"},
        "trace": told | changes,
    }
