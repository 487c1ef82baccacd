"""The texts in the page's address; the settings are there already, bound by their widgets."""

from collections.abc import MutableMapping

LONGEST = 1500


def read(query: MutableMapping[str, str], name: str = "text") -> str | None:
    """The text of that name that the address asks for; None if it asks for none."""
    return query.get(name) or None


def write(query: MutableMapping[str, str], text: str, name: str = "text") -> bool:
    """Puts a text into the address; returns whether it fits (a longer one is left out)."""
    if 0 < len(text) <= LONGEST:
        if query.get(name) != text:
            query[name] = text
        return True
    if name in query:
        del query[name]
    return False
