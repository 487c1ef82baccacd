"""The text in the page's address; the settings are there already, bound by their widgets."""

from collections.abc import MutableMapping

LONGEST = 1500
_KEY = "text"


def read(query: MutableMapping[str, str]) -> str | None:
    """The text that the address asks for; None if it asks for none."""
    return query.get(_KEY) or None


def write(query: MutableMapping[str, str], text: str) -> bool:
    """Puts the text into the address; returns whether it fits (a longer one is left out)."""
    if 0 < len(text) <= LONGEST:
        if query.get(_KEY) != text:
            query[_KEY] = text
        return True
    if _KEY in query:
        del query[_KEY]
    return False
