"""The bench of the page Debug: sessions that were driven, one after the other, to go back and forth in."""

from dataclasses import dataclass, field
from typing import Any

from attnviz.errors import AttnvizError, InputError
from attnviz.session import DecodingSession

Act = dict[str, Any]


@dataclass
class Bench:
    """What one person did to one source: a session after each act, and which of them is shown.

    acts: what was done, as sentences; the first is the beginning. told: why the last act failed.
    """

    sessions: list[DecodingSession]
    acts: list[str] = field(default_factory=lambda: ["as the model wrote it"])
    at: int = 0
    told: str = ""

    @property
    def original(self) -> DecodingSession:
        """As it was before anything was done."""
        return self.sessions[0]

    @property
    def session(self) -> DecodingSession:
        """The one that is shown."""
        return self.sessions[self.at]

    def act(self, act: Act) -> None:
        """Does what a person asked for; what cannot be done is `told`, and changes nothing else."""
        self.told = ""
        try:
            self._act(act)
        except AttnvizError as error:
            self.told = str(error)

    def _act(self, act: Act) -> None:
        do = act["do"]
        if do == "go":
            self.at = max(0, min(len(self.sessions) - 1, int(act["to"])))
            return
        session = self.session.branch()
        label = _do(session, act)
        session.run()
        self.add(session, label)

    def add(self, session: DecodingSession, label: str) -> None:
        """Shows another session, after the one that is shown; what was undone is forgotten."""
        self.sessions[self.at + 1 :] = [session]
        self.acts[self.at + 1 :] = [label]
        self.at += 1


def _do(session: DecodingSession, act: Act) -> str:
    """Does one thing to a session; returns it as a sentence."""
    do = act["do"]
    if do == "follow":
        session.rewind(0)
        session.follow(act["tokens"])
        return "took another hypothesis of the beam"
    step = int(act["step"])
    steps = session.steps
    if not 0 <= step < len(steps):
        raise InputError(f"Expected a step from 0 to {len(steps) - 1}, got {step}.")
    place = f"step {step + 1}"
    session.rewind(step, keep=True)
    if do == "force":
        if "token" in act:
            (taken,) = session.force(int(act["token"]))
            return f"{place}: “{taken.token}” in the place of “{steps[step].token}”"
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
