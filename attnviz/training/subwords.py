"""Learns the subwords of a recipe."""

import json
from collections.abc import Iterable

from tokenizers import Regex, Tokenizer, models, normalizers, pre_tokenizers, trainers

from attnviz.axes import END
from attnviz.text import START

# One character for one, so that offsets stay true: curly quotes, odd spaces and long dashes are
# read as the plain ones that the data hold.
_PLAIN = {"[’‘ʼ´`]": "'", "[“”„‟]": '"', "[\u00a0\u202f\u2009\u2007\t]": " ", "[‐‑‒–—]": "-", "…": "..."}

# A word, a digit or a mark, each with the space before it.
_PRETOKEN = Regex(r" ?\p{N}| ?[\p{L}\p{M}_]+| ?[^\s\p{L}\p{M}\p{N}_]|\s+")


def learn(texts: Iterable[str], size: int) -> Tokenizer:
    """Byte-pair encoding with byte fallback over words, digits and marks apart."""
    tokenizer = Tokenizer(models.BPE(byte_fallback=True))
    tokenizer.normalizer = normalizers.Sequence(
        [
            normalizers.NFC(),
            *(normalizers.Replace(Regex(odd), plain) for odd, plain in _PLAIN.items()),
            normalizers.Replace(Regex(r"\s+"), " "),
            normalizers.Strip(),
            normalizers.Prepend(" "),
        ]
    )
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence(
        [
            pre_tokenizers.Split(_PRETOKEN, "isolated"),
            pre_tokenizers.Metaspace(prepend_scheme="never"),
        ]
    )
    marks = [START, END, *(f"<0x{byte:02X}>" for byte in range(256))]
    trainer = trainers.BpeTrainer(
        vocab_size=size, special_tokens=marks, limit_alphabet=200, show_progress=False
    )
    tokenizer.train_from_iterator(texts, trainer)
    return _without_added_tokens(tokenizer)


def _without_added_tokens(tokenizer: Tokenizer) -> Tokenizer:
    """The same tokenizer, in which "</s>" or "<0x0A>" in a user's text is text like any other."""
    state = json.loads(tokenizer.to_str())
    state["added_tokens"] = []
    return Tokenizer.from_str(json.dumps(state))
