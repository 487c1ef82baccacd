"""The bench of the page Debug: sessions that were driven, one after the other, to go back and forth in."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any
from uuid import uuid4

from attnviz.axes import END
from attnviz.decoding import DecodingSession
from attnviz.errors import AttnvizError, InputError
from attnviz.reading import ReadingSession

Act = dict[str, Any]
AnySession = DecodingSession | ReadingSession


@dataclass
class Bench:
    """What one person did to one source: a session after each act, and which of them is shown.

    acts: what was done, as sentences; the first is the beginning. reopen: for a model that reads, the
    session on another target. told: why the last act failed. name: told apart from every other bench.
    """

    sessions: list[AnySession]
    acts: list[str] = field(default_factory=lambda: ["as the model wrote it"])
    reopen: Callable[[str], ReadingSession] | None = None
    at: int = 0
    told: str = ""
    name: str = field(default_factory=lambda: uuid4().hex)

    @property
    def original(self) -> AnySession:
        """As it was before anything was done."""
        return self.sessions[0]

    @property
    def session(self) -> AnySession:
        """The one that is shown."""
        return self.sessions[self.at]

    def act(self, act: Act) -> None:
        """Does what a person asked for; what cannot be done is `told`, and changes nothing else."""
        self.told = ""
        try:
            if act.get("bench", self.name) != self.name:
                raise InputError("What you asked for was of the source before this one; do it again here.")
            self._act(act)
        except AttnvizError as error:
            self.told = str(error)

    def _act(self, act: Act) -> None:
        do = act["do"]
        if do == "go":
            self.at = max(0, min(len(self.sessions) - 1, int(act["to"])))
            return
        session, changed = self.session, self.session
        if isinstance(session, ReadingSession) and do == "force":
            changed, label = self._reworded(session, act)
        else:
            changed = session.branch()
            label = _do(changed, act)
        changed.run()
        self.add(changed, label)

    def add(self, session: AnySession, label: str) -> None:
        """Shows another session, after the one that is shown; what was undone is forgotten."""
        self.sessions[self.at + 1 :] = [session]
        self.acts[self.at + 1 :] = [label]
        self.at += 1

    def _reworded(self, session: ReadingSession, act: Act) -> tuple[ReadingSession, str]:
        """A session on the target with another word; what was done to the words before it stays."""
        if self.reopen is None or "text" not in act:
            raise InputError("Expected a word to put in the place of this one; type it.")
        step, output = _step(session, act), session.trace.output
        owner = output.owners[step]
        start, stop = output.words[owner]
        word = str(act["text"]).strip()
        other = self.reopen(output.text[:start] + word + output.text[stop:])
        other.repeat(session.actions[: output.owners.index(owner)])
        return other, f"step {step + 1}: “{word}” in the place of “{output.text[start:stop]}”"


def _step(session: AnySession, act: Act) -> int:
    step = int(act["step"])
    if not 0 <= step < len(session.steps):
        raise InputError(f"Expected a step from 0 to {len(session.steps) - 1}, got {step}.")
    return step


def _do(session: AnySession, act: Act) -> str:
    """Does one thing to a session; returns it as a sentence."""
    do = act["do"]
    if do == "follow" and isinstance(session, DecodingSession):
        session.rewind(0)
        session.follow(act["tokens"])
        ended = session.ended
        return "took another hypothesis of the beam" if ended else "went on from a node of the beam"
    step = _step(session, act)
    steps = session.steps
    place = f"step {step + 1}"
    session.rewind(step, keep=True)
    if do == "force" and isinstance(session, DecodingSession):
        if "token" in act:
            (taken,) = session.force(int(act["token"]))
            return f"{place}: {_named(taken.token)} in the place of {_named(steps[step].token)}"
        session.force(act["text"])
        return f"{place}: typed “{act['text'].strip()}”"
    if do == "attend":
        session.attend(act["weights"])
        return f"{place}: moved the weights"
    position = int(act.get("position", 0))
    if do == "mask":
        session.mask(position)
        return f"{place}: crossed out source position {position + 1} from here on"
    if do == "unmask":
        session.unmask(position)
        return f"{place}: allowed source position {position + 1} again"
    if do == "temperature":
        session.temperature(float(act["value"]))
        return f"{place}: temperature {float(act['value']):g} from here on"
    raise InputError(f"Expected something to do, got {do!r}.")


def _named(token: str) -> str:
    return "the end mark" if token == END else f"“{token}”"
