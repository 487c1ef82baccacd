"""Fixtures for all tests: a tiny untrained model, and the shipped ones."""

import pytest
import torch

from attnviz import load
from attnviz.model import Config, TextToText
from attnviz.search import Vocabulary
from attnviz.tasks import Captioner, Entailment, Summarizer, Translator

MECHANISMS = ("additive", "bilinear", "dot", "cosine", "none")


def tiny(
    mechanism: str = "additive",
    vocabulary: int = 12,
    seed: int = 0,
    query: str = "before",
    copying: bool = False,
) -> TextToText:
    """An untrained model whose annotations and states are 8 wide, with lively random weights."""
    torch.manual_seed(seed)
    config = Config(
        vocabulary,
        mechanism,
        embedding_width=6,
        encoder_width=4,
        attention_width=5,
        decoder_width=8,
        query=query,
        copying=copying,
    )
    model = TextToText(config).eval()
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.copy_(torch.randn_like(parameter) * 0.7)
    return model


def vocabulary(size: int = 12) -> Vocabulary:
    """Labels t0, t1, ...; 0 starts and 1 ends a target."""
    return Vocabulary([f"t{index}" for index in range(size)], start=0, end=1)


@pytest.fixture(scope="session")
def translator() -> Translator:
    """The shipped French to English model."""
    return load("translate-fr-en")


@pytest.fixture(scope="session")
def captioner() -> Captioner:
    """The shipped captioner."""
    return load("caption-flickr8k")


@pytest.fixture(scope="session")
def entailment() -> Entailment:
    """The shipped entailment model."""
    return load("entailment")


@pytest.fixture(scope="session")
def news() -> Summarizer:
    """The shipped writer of news headlines."""
    return load("headline-news")


@pytest.fixture(scope="session")
def package() -> Summarizer:
    """The shipped writer of package synopses."""
    return load("headline-package")
