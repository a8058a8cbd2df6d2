"""Versions of tools that are added while Pegboard runs: what a store of them promises, and its in-memory twin."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Protocol

from pegboard.pin_store import SetAside


class Change(StrEnum):
    """What made a version."""

    ADD = "add"
    EDIT = "edit"
    REMOVE = "remove"
    RESTORE = "restore"


@dataclass(frozen=True, kw_only=True)
class ToolVersion:
    """One version of a tool. Immutable, and never changed where it is stored.

    ``version`` counts from 1 for each name, removals too. ``definition`` is what was written, in the form that files
    of definitions have, with the names of secrets only; None for a removal. ``at`` is in UNIX seconds, ``by`` says who.
    ``restored`` is the version that this one brought back.
    """

    name: str
    version: int
    change: Change
    definition: Mapping[str, Any] | None
    at: int
    by: str = ""
    restored: int | None = None

    def to_json(self) -> dict[str, Any]:
        """The version as ``--json`` shows it."""
        told = {"name": self.name, "version": self.version, "change": str(self.change), "at": self.at, "by": self.by}
        if self.restored is not None:
            told["restored"] = self.restored
        return told | {"definition": None if self.definition is None else dict(self.definition)}


@dataclass(frozen=True, kw_only=True)
class Unreadable:
    """A version that cannot be read. Immutable. It stays where it is stored: ``where`` says so, ``reason`` why."""

    name: str
    version: int
    where: str
    reason: str


Stored = ToolVersion | Unreadable


class ToolStore(Protocol):
    """Keeps versions by name. Process-wide, or wider: several processes may use what is behind it.

    Everything raises StoreError. What was acknowledged is kept.
    """

    @property
    def where(self) -> str:
        """Where it keeps them, for messages."""

    async def revision(self) -> int:
        """A number that grows with every change, in whatever process; 0 before the first."""
        ...

    async def newest(self) -> Sequence[Stored]:
        """The newest version of every tool, removals too, by name."""
        ...

    async def versions(self, name: str) -> Sequence[Stored]:
        """Every version of a tool, the oldest first; none for a name that never was."""
        ...

    async def add(self, versions: Sequence[ToolVersion]) -> str | None:
        """Store versions, all or none: each has to be the next of its name. The first name of which it is not."""
        ...

    def moved(self) -> Sequence[SetAside]:
        """What could not be read and was put out of the way since the store was made, so that work could go on."""
        ...

    async def close(self) -> None:
        """Let go of files and connections. What is used afterwards opens again."""
        ...


class MemoryToolStore:
    """The in-memory twin of every tool store. Process-wide; forgets everything when the process ends."""

    where = "memory"

    def __init__(self) -> None:
        self._versions: dict[str, list[ToolVersion]] = {}
        self._revision = 0

    async def revision(self) -> int:
        """How many versions there have been."""
        return self._revision

    async def newest(self) -> Sequence[Stored]:
        """The newest version of every tool, by name."""
        return [self._versions[name][-1] for name in sorted(self._versions)]

    async def versions(self, name: str) -> Sequence[Stored]:
        """Every version of a tool."""
        return tuple(self._versions.get(name, ()))

    async def add(self, versions: Sequence[ToolVersion]) -> str | None:
        """Store versions, all or none."""
        for one in versions:
            if len(self._versions.get(one.name, ())) != one.version - 1:
                return one.name
        for one in versions:
            self._versions.setdefault(one.name, []).append(one)
        self._revision += len(versions)
        return None

    def moved(self) -> Sequence[SetAside]:
        """Nothing: there is no file."""
        return ()

    async def close(self) -> None:
        """Nothing is open."""
