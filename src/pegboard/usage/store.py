"""Where what was learned from use is kept: what a store promises, and its in-memory twin."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from pegboard.pin_store import SetAside
from pegboard.usage.learned import Learned
from pegboard.usage.rows import HALF_LIFE, Lesson, Row, stronger


@dataclass(frozen=True)
class Changes:
    """What a space has that a reader does not know yet. Immutable.

    ``revision`` is where it stands now. With ``whole``, the rows are all that there are: what was known before is out
    of date.
    """

    rows: Sequence[Row]
    revision: int
    whole: bool


class UsageStore(Protocol):
    """Keeps rows by space. Process-wide, or wider: several processes may use what is behind it.

    Everything raises StoreError. What was acknowledged is kept, as far as ``pegboard.usage.bounds`` allows;
    ``pegboard.testing`` has the checks that every store passes.
    """

    @property
    def half_life(self) -> float:
        """Days after which a use counts half."""

    @property
    def where(self) -> str:
        """Where it keeps them, for messages."""

    async def changes(self, space: str, since: int) -> Changes:
        """What has changed in a space after revision ``since``; 0 for a reader that knows nothing."""
        ...

    async def learn(self, space: str, lessons: Sequence[Lesson], day: int) -> None:
        """Add lessons of a day, all or none."""
        ...

    async def everything(self) -> Mapping[str, Sequence[Row]]:
        """Every row by space, in the order of tools, words and principals."""
        ...

    async def put(self, rows: Mapping[str, Sequence[Row]]) -> None:
        """Take in rows by space, all or none. Of two about the same, that which counts more on the later day stays."""
        ...

    async def forget(self, space: str | None = None, *, tool: str | None = None, by: str | None = None) -> int:
        """Forget rows, those of a space, a tool or a principal alone where given; how many they were."""
        ...

    def moved(self) -> Sequence[SetAside]:
        """What could not be read and was put out of the way since the store was made, so that work could go on."""
        ...

    async def close(self) -> None:
        """Let go of files and connections. What is used afterwards opens again."""
        ...


class MemoryUsageStore:
    """The in-memory twin of every store of what was learned. Process-wide; forgets everything when the process ends."""

    where = "memory"

    def __init__(self, *, half_life: float = HALF_LIFE) -> None:
        self.half_life = half_life
        self._spaces: dict[str, Learned] = {}
        self._revisions: dict[str, int] = {}

    async def changes(self, space: str, since: int) -> Changes:
        """Everything, where something has changed."""
        revision = self._revisions.get(space, 0)
        if revision == since:
            return Changes((), revision, whole=False)
        return Changes(tuple(self._spaces.get(space, ())), revision, whole=True)

    async def learn(self, space: str, lessons: Sequence[Lesson], day: int) -> None:
        """Add lessons."""
        here = self._space(space)
        for lesson in lessons:
            here.learn(lesson, day)
            here.bound(lesson.tool, lesson.by, day)

    async def everything(self) -> Mapping[str, Sequence[Row]]:
        """Every row by space."""
        return {space: tuple(rows) for space, rows in sorted(self._spaces.items()) if len(rows)}

    async def put(self, rows: Mapping[str, Sequence[Row]]) -> None:
        """Take in rows."""
        for space, given in rows.items():
            here = self._space(space)
            for row in given:
                here.put(stronger(here.get(row.pair), row, self.half_life))
                here.bound(row.tool, row.by, row.day)

    async def forget(self, space: str | None = None, *, tool: str | None = None, by: str | None = None) -> int:
        """Forget rows."""
        gone = 0
        for name in [space] if space is not None else list(self._spaces):
            here = self._space(name)
            chosen = [row for row in here if tool in (None, row.tool) and by in (None, row.by)]
            for row in chosen:
                here.remove(row.pair)
            gone += len(chosen)
        return gone

    def moved(self) -> Sequence[SetAside]:
        """Nothing: there is no file."""
        return ()

    async def close(self) -> None:
        """Nothing is open."""

    def _space(self, space: str) -> Learned:
        """The space, which is about to change."""
        self._revisions[space] = self._revisions.get(space, 0) + 1
        return self._spaces.setdefault(space, Learned(self.half_life))
