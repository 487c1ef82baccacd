"""Weight matrices as Plotly figures."""

from html import escape
from typing import Any, Literal

import plotly.graph_objects as go

from attnviz.alignments import Links
from attnviz.lengths import LONG
from attnviz.weight_matrix import WeightMatrix

Theme = Literal["light", "dark"]

# One hue from the page's background to its strongest ink: lightness alone carries the value, so
# that the colour-blind and a black-and-white printer lose nothing.
_SCALES: dict[Theme, list[str]] = {
    "light": ["#fdfdfb", "#d6e6f4", "#9dc6e2", "#5a9bcc", "#2470b0", "#0b4a8a", "#082c5a"],
    "dark": ["#14181e", "#16324f", "#1b5286", "#3478ba", "#66a3de", "#a3cdf3", "#e3f2ff"],
}
_CELL, _LABELS_FIT, _LONGEST_LABEL = 26, 80, 24


def heat_map(shown: WeightMatrix, top: float, scale_label: str, theme: Theme) -> go.Figure:
    """The matrix with its labels: target words downwards, source words across, as they are read.

    Args:
        top: the weight at the top of the colour scale; `scale_label` says what that is.
    """
    rows, columns = shown.weights.shape
    # Plotly reads labels as HTML: what the user typed must stay text.
    source = _as_text(shown.source, shown.source_ends)
    target = _as_text(shown.target, shown.target_ends)
    figure = go.Figure(
        go.Heatmap(
            z=shown.weights,
            zmin=0.0,
            zmax=top,
            colorscale=_SCALES[theme],
            xgap=1 if columns <= _LABELS_FIT else 0,
            ygap=1 if rows <= _LABELS_FIT else 0,
            customdata=[[(t, s) for s in source] for t in target],
            hovertemplate="<b>%{customdata[0]}</b> looked at <b>%{customdata[1]}</b><br>"
            "weight %{z:.4f}<extra></extra>",
            colorbar={"title": {"text": f"weight, {scale_label}", "side": "right"}, "thickness": 12},
        )
    )
    figure.update_xaxes(side="top", tickangle=-50, constrain="domain", **_ticks(source))
    figure.update_yaxes(autorange="reversed", **_ticks(target))
    labels = 7 * min(_LONGEST_LABEL, max(map(len, shown.source), default=1))
    figure.update_layout(
        height=min(1000, 110 + labels + _CELL * max(rows, 3)),
        # The top leaves room for the slanted labels and, above them, for Plotly's own buttons.
        margin={"l": 10, "r": 10, "t": 45 + labels, "b": 10},
    )
    return figure


# Told apart by dash and marker too. Okabe and Ito (2008), a palette for the colour-blind.
_LINES = {
    "additive": ("#0072b2", "solid", "circle"),
    "bilinear": ("#009e73", "dash", "square"),
    "dot": ("#cc79a7", "dot", "diamond"),
    "cosine": ("#e69f00", "dashdot", "triangle-up"),
    "none": ("#d55e00", "solid", "x"),
}


def length_curve(rows: dict[str, list[dict[str, Any]]]) -> go.Figure:
    """BLEU against the length of the source, a line a mechanism, with 95 % intervals.

    Args:
        rows: for each mechanism what `evaluation.by_length` returns.
    """
    figure = go.Figure()
    for name, bins in rows.items():
        colour, dash, marker = _LINES[name]
        bleu = [one["BLEU"] for one in bins]
        figure.add_scatter(
            x=[_bounds(one["words"]) for one in bins],
            y=bleu,
            name="no attention" if name == "none" else name,
            mode="lines+markers",
            line={"color": colour, "dash": dash, "width": 3 if name == "none" else 2},
            marker={"symbol": marker, "size": 8},
            error_y={
                "type": "data",
                "symmetric": False,
                "array": [one["high"] - value for one, value in zip(bins, bleu, strict=True)],
                "arrayminus": [value - one["low"] for one, value in zip(bins, bleu, strict=True)],
                "thickness": 1,
                "width": 3,
            },
            customdata=[(one["low"], one["high"], one["n"]) for one in bins],
            hovertemplate="%{x} words: BLEU %{y:.1f} [%{customdata[0]:.1f}, %{customdata[1]:.1f}], "
            "n %{customdata[2]}",
        )
    figure.update_xaxes(title="words in the source", type="category")
    figure.update_yaxes(title="BLEU", rangemode="tozero")
    figure.update_layout(
        height=420,
        hovermode="closest",
        legend={"orientation": "h", "y": -0.22, "yanchor": "top", "x": 0},
        margin={"l": 10, "r": 10, "t": 20, "b": 10},
    )
    return figure


def _bounds(words: str) -> str:
    """A bin's label as a person reads it."""
    low, high = words.split("-")
    return f"{low} and more" if int(high) >= LONG else f"{low} to {high}"


def gold_links(
    shown: WeightMatrix, sure: Links, possible: Links, found: Links, top: float, label: str, theme: Theme
) -> go.Figure:
    """The matrix with people's links over it, all as (source, target): a square is sure, a ring possible.

    A dot is a link that the weights say.
    """
    figure = heat_map(shown, top, label, theme)
    ink = "#b35300" if theme == "light" else "#ffb066"
    for name, links, symbol, size, wide in (
        ("sure", sure, "square-open", 19, 2.5),
        ("possible", possible - sure, "circle-open", 14, 1.5),
        ("found", found, "circle", 6, 0),
    ):
        figure.add_scatter(
            x=[s for s, _ in sorted(links)],
            y=[t for _, t in sorted(links)],
            name=name,
            mode="markers",
            marker={"symbol": symbol, "size": size, "color": ink, "line": {"width": wide, "color": ink}},
            hoverinfo="skip",
        )
    figure.update_layout(legend={"orientation": "h", "y": -0.02, "yanchor": "top", "x": 0})
    figure.update_layout(height=figure.layout.height + 40)
    return figure


def width(shown: WeightMatrix) -> int:
    """How wide the figure needs to be, in pixels, for cells that are easy to point at."""
    return min(1200, 260 + int(1.6 * _CELL) * max(6, shown.weights.shape[1]))


def download(file_format: Literal["png", "svg"]) -> dict[str, object]:
    """Plotly's own settings: its camera button saves the figure as it stands, zoom included."""
    return {
        "displayModeBar": True,
        "displaylogo": False,
        "toImageButtonOptions": {"format": file_format, "filename": "attention", "scale": 2},
    }


def _as_text(labels: tuple[str, ...], ends: tuple[int, ...]) -> list[str]:
    """Labels that Plotly shows as they are, cut where they would crowd out the picture."""
    cut = [label if len(label) <= _LONGEST_LABEL else label[: _LONGEST_LABEL - 1] + "…" for label in labels]
    return [
        "<i>end mark</i>" if index in ends else escape(label, quote=False) for index, label in enumerate(cut)
    ]


def _ticks(labels: list[str]) -> dict[str, object]:
    """Every label at its own index (labels may repeat); none where they would overlap."""
    every = range(0, len(labels), max(1, -(-len(labels) // _LABELS_FIT)))
    return {
        "tickvals": list(every),
        "ticktext": [labels[index] for index in every],
        "showgrid": False,
        "zeroline": False,
    }
