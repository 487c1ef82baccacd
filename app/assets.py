"""The files of a component that runs in the browser: plain text, without a build step.

A component's folder holds <folder>.html, <folder>.css and its scripts. All of them share the player's
style, and those of the player's scripts that they name. The scripts are joined into one module, because
Streamlit takes one string; only the last one has a default export.
"""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import streamlit as st

_PLAYER = Path(__file__).parent / "player"
_CONTROLS = "<!-- controls -->"


@dataclass(frozen=True, slots=True)
class Assets:
    """scripts: of the folder, in order. shared: of the player's, which come before them."""

    folder: Path
    scripts: tuple[str, ...]
    shared: tuple[str, ...] = ()

    def script(self) -> str:
        """All the JavaScript as one module."""
        files = [*(_PLAYER / name for name in self.shared), *(self.folder / name for name in self.scripts)]
        return "\n".join(map(_text, files))

    def style(self) -> str:
        """The player's CSS and what the component adds to it."""
        files = dict.fromkeys([_PLAYER / "player.css", self.folder / f"{self.folder.name}.css"])
        return "\n".join(map(_text, files))

    def page(self) -> str:
        """The HTML, with the row of controls where it asks for it."""
        html = _text(self.folder / f"{self.folder.name}.html")
        return html.replace(_CONTROLS, _text(_PLAYER / "controls.html"))

    def component(self) -> Any:
        """Streamlit's component, to be called with its data and key."""
        return st.components.v2.component(
            f"attnviz_{self.folder.name}", html=self.page(), css=self.style(), js=self.script()
        )


def _text(file: Path) -> str:
    return file.read_text(encoding="utf-8")
