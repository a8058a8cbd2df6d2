"""How the encoders of a ranker are doing, for whoever operates them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal, Protocol, runtime_checkable

from pegboard.errors import PegboardError

State = Literal["idle", "working", "ready", "failed", "missing"]

AS_SAID: Final = "Correct what the reason names."
IN_THE_LOG: Final = "What the error said is in the log; the option --debug shows it."


@dataclass(frozen=True, kw_only=True)
class EncoderState:
    """How an encoder is doing, as of its last use. Immutable.

    ``state``: nobody has asked it yet (``idle``); it has been at work from its first use on, or for longer than
    searches wait for it (``working``); it answered last time (``ready``), or failed to (``failed``); or it was left
    out, because something is not installed (``missing``). ``reason`` and ``mend`` say why, and what can be done, ""
    where there is nothing to say. ``error`` is what it raised.
    """

    name: str
    state: State
    reason: str = ""
    mend: str = ""
    error: BaseException | None = None

    @classmethod
    def of(cls, name: str, state: State, reason: str, error: BaseException | None) -> EncoderState:
        """The state with what an error says for itself, where it is one of ours: any other may hold what is secret."""
        if isinstance(error, PegboardError):
            return cls(name=name, state=state, reason=error.message, mend=error.hint or AS_SAID, error=error)
        mend = IN_THE_LOG if state == "failed" else ""
        return cls(name=name, state=state, reason=reason, mend=mend, error=error)

    @property
    def usable(self) -> bool:
        """Whether searches have it, as far as is known."""
        return self.state in ("idle", "ready")

    def to_json(self) -> dict[str, Any]:
        """The state as a JSON object, without members that say nothing."""
        told = {"name": self.name, "state": self.state, "reason": self.reason, "mend": self.mend}
        return {key: value for key, value in told.items() if value}


@runtime_checkable
class HasEncoders(Protocol):
    """A ranker that asks encoders. ``encoders`` tells how each is doing, the first to be asked first.

    ``look`` tells the same once each has been tried, which may take seconds; call it in a thread.
    """

    def encoders(self) -> Sequence[EncoderState]: ...
    def look(self) -> Sequence[EncoderState]: ...
