"""The Hansards as their gold alignments write them: words apart, in small letters, no accents.

The gold sentences have their elisions and contractions expanded (l' is le, du is de le); text to
learn from is brought to the same form.
"""

import re

from attnviz.text import bare

_FRENCH = re.compile(
    r"\d+(?:[.,]\d+)*|aujourd'(?=hui)|(?:m|mm|mme|mmes|nos?|st|ste)\.(?=\s)"
    r"|[^\W\d_]+'(?=[^\W\d_])|[^\W_]+|[^\w\s]|_"
)
_ENGLISH = re.compile(
    r"\d+(?:[.,]\d+)*|(?:mr|mrs|ms|dr|hon|nos?|st)\.(?=\s)"
    r"|[^\W\d_]+n't\b|'(?:s|re|ve|ll|d|m)\b|[^\W_]+|[^\w\s]|_"
)
_CONTRACTED = {
    "au": ["a", "le"],
    "aux": ["a", "les"],
    "des": ["de", "les"],
    "du": ["de", "le"],
    "can't": ["can", "not"],
    "won't": ["will", "not"],
    "cannot": ["can", "not"],
}


def tokens(text: str, language: str) -> list[str]:
    """The words and marks of a sentence in French or English."""
    found: list[str] = []
    for word in (_FRENCH if language == "fr" else _ENGLISH).findall(bare(text)):
        if word in _CONTRACTED:
            found += _CONTRACTED[word]
        elif word.endswith("n't"):
            found += [word.removesuffix("n't"), "not"]
        elif word.endswith("'") and word != "aujourd'":
            found.append(_whole(word))
        else:
            found.append(word)
    return found


def _whole(elided: str) -> str:
    """l' -> le, qu' -> que, lorsqu' -> lorsque."""
    return elided[:-1] + "e"
