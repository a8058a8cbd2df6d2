"""Definitions that change after a board has shown them: what is done about it. Pure, but for the log's memory.

An upstream that changes what a tool says of itself, once the tool is in use, reaches every model that reads it. So a
board knows each definition by its digest, and the operator chooses:

    accept      the new definition is shown from the next boundary on, where the diff names it
    warn        the same, and said: in the diff's notes, in the log, in the Pegboard's status
    quarantine  the old definition stays, and calls are refused, until somebody accepts the new one
"""

from __future__ import annotations

import logging
from dataclasses import dataclass
from typing import Any, Final, Literal, cast, get_args

from pegboard.tools import JsonObject, Tool

logger = logging.getLogger(__name__)

OnDrift = Literal["accept", "warn", "quarantine"]
"""What is done about a definition that changed after a board has shown it."""

_REMEMBERED: Final = 1_000
"""Changes that a log keeps: an upstream that never stops changing shall not fill the memory."""


@dataclass(frozen=True, kw_only=True)
class Drift:
    """One definition that is no longer what a board has shown. Immutable.

    ``was`` is the definition shown, None where only its digest is still known; ``now`` is the catalog's, and ``digest``
    the digest of that. ``held`` says that it is quarantined.
    """

    name: str
    was: JsonObject | None
    now: JsonObject
    digest: str
    held: bool

    def __str__(self) -> str:
        told = f"The definition of {self.name!r} has changed since it was shown"
        return f"{told}: it is quarantined until the change is accepted." if self.held else f"{told}."


@dataclass(frozen=True, kw_only=True)
class DriftRule:
    """What one board does about changed definitions, at one moment. Immutable.

    ``accepted`` are changed definitions that somebody has accepted, as pairs of name and digest.
    """

    on_drift: OnDrift = "accept"
    accepted: frozenset[tuple[str, str]] = frozenset()

    def holds(self, tool: Tool, known: str | None) -> bool:
        """Whether a tool is quarantined on a board that knows it by the digest ``known`` (None: not at all)."""
        if self.on_drift != "quarantine" or known is None or known == tool.digest:
            return False
        return (tool.name, tool.digest) not in self.accepted


class DriftLog:
    """What has changed after boards have shown it, for ``warn`` and ``quarantine``. Process-wide."""

    def __init__(self) -> None:
        self._told: dict[str, dict[str, Any]] = {}

    def note(self, drift: Drift) -> None:
        """A board has met a changed definition: it is logged the first time."""
        told = self._told.pop(drift.name, None)
        if told is None or told["digest"] != drift.digest:
            logger.warning("%s", drift)
            told = {"name": drift.name, "digest": drift.digest, "quarantined": drift.held, "boards": 0}
        self._told[drift.name] = told | {"boards": told["boards"] + 1}
        if len(self._told) > _REMEMBERED:
            del self._told[next(iter(self._told))]

    def forget(self, name: str) -> None:
        """A change was accepted."""
        self._told.pop(name, None)

    def to_json(self) -> list[dict[str, Any]]:
        """``{name, digest, quarantined, boards}`` for each change, the oldest first; ``boards`` counts who met it."""
        return [dict(told) for told in self._told.values()]


def checked_on_drift(value: str) -> OnDrift:
    """``value`` itself when it is one of the words.

    Raises ValueError for anything else.
    """
    if value not in get_args(OnDrift):
        raise ValueError(f"on_drift is {value!r}; use one of {', '.join(get_args(OnDrift))}")
    return cast("OnDrift", value)
