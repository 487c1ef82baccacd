"""Small changes to an English sentence: negate it, or put another word in a word's place."""

import re

_AUXILIARY = r"(?:is|are|was|were|am|can|could|will|would|should|must|may|might|has|have|had|does|do|did)"
_CONTRACTED = {"can't": "can", "won't": "will", "shan't": "shall"}
_UNTRUE = "It is not true that "
# At the start of a sentence, both ways.
_QUANTIFIED = {"no": "some", "nobody": "somebody", "nothing": "something", "no one": "someone"}
_OPPOSITE = {**_QUANTIFIED, **{other: word for word, other in _QUANTIFIED.items()}}


def negate(text: str) -> str:
    """A sentence that says the opposite, as far as a simple rule goes.

    No and nobody at its start become some and somebody, and back; a "not" or "n't" after an auxiliary
    verb goes; else one is put after the first auxiliary; a sentence without any is said not to be true.
    What was negated by one of the rules is given back by the next call, but for "n't".
    """
    if text.startswith(_UNTRUE):
        rest = text[len(_UNTRUE) :]
        return rest[:1].upper() + rest[1:]
    start = re.match(rf"({'|'.join(sorted(_OPPOSITE, key=len, reverse=True))})\b", text, re.IGNORECASE)
    if start:
        return _cased(_OPPOSITE[start[1].lower()], start[1]) + text[start.end() :]
    contracted = re.search(r"\b\w+n['’]t\b", text)
    if contracted:
        plain = contracted[0].replace("’", "'")
        bare = _CONTRACTED.get(plain.lower(), plain[:-3])
        return text[: contracted.start()] + _cased(bare, plain) + text[contracted.end() :]
    negated = re.search(rf"\b({_AUXILIARY}) not\b", text, re.IGNORECASE)
    if negated:
        return text[: negated.end(1)] + text[negated.end() :]
    plain_verb = re.search(rf"\b{_AUXILIARY}\b", text, re.IGNORECASE)
    if plain_verb:
        return f"{text[: plain_verb.end()]} not{text[plain_verb.end() :]}"
    first, *others = text.split(" ", 1)
    # A name or an abbreviation keeps its capitals; "A" and "The" do not.
    lowered = first.lower() if first.lower() in ("a", "an", "the", "some", "two", "three") else first
    return _UNTRUE + " ".join([lowered, *others])


def replace_word(text: str, start: int, stop: int, word: str) -> str:
    """A text with another word in the place of the characters from start to stop."""
    return text[:start] + word.strip() + text[stop:]


def _cased(word: str, like: str) -> str:
    return word[:1].upper() + word[1:] if like[:1].isupper() else word
