"""Every page that shows a model's output tells where the model fails."""

from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from attnviz.pretrained import limits

MAIN = Path(__file__).parents[2] / "app" / "main.py"


@pytest.mark.parametrize(
    ("view", "model"),
    [
        ("translate", "translate-fr-en"),
        ("caption", "caption-flickr8k"),
        ("entail", "entailment"),
        ("summarize", "headline-news"),
    ],
)
def test_a_page_tells_the_limits_of_its_model(view: str, model: str) -> None:
    at = AppTest.from_file(MAIN, default_timeout=60).switch_page(f"views/{view}.py").run()
    (told,) = (one for one in at.expander if one.label == "Where this model fails")
    assert [text.value for text in told.markdown] == [limits(model)]
