"""Charts, tables and links: their numbers and their labels."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

import permalink
import tables
from attnviz import matrix
from attnviz.axes import Sequence
from charts import download, heat_map
from player.payload import scale
from tests.attnviz import traces


def test_the_heat_map_has_targets_downwards_and_sources_across() -> None:
    shown = matrix(traces.trace())
    figure = heat_map(shown, 1.0, "0 to 1", "light")
    (cells,) = figure.data
    np.testing.assert_array_equal(cells.z, shown.weights)
    assert figure.layout.xaxis.ticktext == shown.source
    assert figure.layout.yaxis.ticktext == shown.target
    assert figure.layout.yaxis.autorange == "reversed"
    assert list(cells.customdata[2][1]) == ["Zoe", "m'"]
    assert (cells.zmin, cells.zmax) == (0.0, 1.0)
    assert "0 to 1" in cells.colorbar.title.text


def test_labels_of_a_heat_map_are_text_and_may_repeat() -> None:
    axis = Sequence("<b> <b>", ("<b>", "<b>", "</s>"), ((0, 3), (4, 7), (7, 7)), ((0, 3), (4, 7)), (0, 1, -1))
    figure = heat_map(matrix(traces.trace(axis=axis), "words", end=True), 1.0, "0 to 1", "dark")
    assert figure.layout.xaxis.ticktext == ("&lt;b&gt;", "&lt;b&gt;", "<i>end mark</i>")
    assert figure.layout.xaxis.tickvals == (0, 1, 2)


def test_the_camera_saves_what_is_asked_for() -> None:
    assert download("svg")["toImageButtonOptions"]["format"] == "svg"


def test_the_scale_says_what_it_is() -> None:
    shown = [matrix(traces.trace()), matrix(traces.trace(5))]
    top = max(float(one.weights.max()) for one in shown)
    assert scale(shown, whole=True) == (1.0, "0 to 1")
    assert scale(shown, whole=False) == (top, f"0 to the largest weight ({top:.2f})")


def test_the_table_of_weights_names_every_cell() -> None:
    shown = matrix(traces.trace())
    table = tables.weights(shown)
    assert len(table) == shown.weights.size
    row = table[(table.step == 1) & (table.position == 3)].iloc[0]
    assert (row.target, row.source) == ("am", "Zoé")
    assert row.weight == shown.weights[1, 3]
    steps = tables.steps(traces.trace(), shown)
    assert steps["on"].tolist() == [shown.source[index] for index in shown.weights.argmax(axis=1)]


@given(st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=2000))
def test_a_text_comes_back_from_the_address_whole_or_is_not_there(text: str) -> None:
    query: dict[str, str] = {"text": "older", "level": "words"}
    fits = permalink.write(query, text)
    assert fits == (len(text) <= permalink.LONGEST)
    assert permalink.read(query) == (text if fits else None)
    assert query["level"] == "words"


def test_a_long_text_in_an_address_is_read_whole() -> None:
    """Cut, a part of it would be left out and nobody told."""
    text = "x" * (permalink.LONGEST + 1000)
    assert permalink.read({"text": text}) == text
