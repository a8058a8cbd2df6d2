"""Usage learning: searches that led to a successful call add their words to the tool that was called.

    async with Pegboard([registry], usage=Usage()) as peg:
        board = await peg.open()

Nothing waits for the store but the first search of a tenant, and that not for long; lessons are written beside the
calls. What cannot be read or written is told once in the log, and searches go on with what there is.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections import OrderedDict, deque
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from pegboard.auth import Principal
from pegboard.errors import told
from pegboard.usage.learned import Learned
from pegboard.usage.rows import Lesson, day_of
from pegboard.usage.spaces import space_of
from pegboard.usage.store import MemoryUsageStore, UsageStore

if TYPE_CHECKING:
    from pegboard.search.rankers import Ranker

logger = logging.getLogger(__name__)

PATIENCE: Final = 0.5
"""Seconds that the first search of a tenant waits for what was learned before, unless told otherwise."""
REFRESH: Final = 30.0
"""Seconds after which a search has what other processes learned read, beside it."""
RETRY: Final = 30.0
"""Seconds after which a store that failed is tried again."""
WRITING: Final = 30.0
"""Seconds that one write may take, opening a database that nothing was kept in yet among them."""
_GATHER: Final = 0.05
"""Seconds for which lessons are gathered before they are written together."""
_WAITING: Final = 10_000
"""Lessons that wait to be written at most; the oldest are given up."""
_SPACES: Final = 64
"""Tenants whose lessons are in memory at most."""


@dataclass
class _Space:
    """What this process knows of one tenant's lessons. Lives as long as it is used."""

    learned: Learned
    revision: int = 0
    tried: float | None = None
    reading: asyncio.Task[None] | None = None


@dataclass(frozen=True)
class _Recall:
    """What counts for one principal on a day. Immutable; lives as long as one search."""

    learned: Learned
    by: str
    day: int

    def uses(self, terms: Sequence[str]) -> Mapping[str, Mapping[str, float]]:
        return self.learned.uses(terms, self.by, self.day)

    def used(self, tools: Iterable[str]) -> Collection[str]:
        return self.learned.used(tools, self.by, self.day)


class Usage:
    """What one process has learned from use, and what it learns. Process-wide; belongs to one event loop at a time.

    ``store`` keeps it (default: in memory). ``patience`` is how many seconds the first search of a tenant waits for it,
    at most. ``clock`` gives UNIX seconds.
    """

    def __init__(
        self,
        store: UsageStore | None = None,
        *,
        patience: float = PATIENCE,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self.store: UsageStore = MemoryUsageStore() if store is None else store
        self._patience = patience
        self._clock = clock
        self._spaces: OrderedDict[str, _Space] = OrderedDict()
        self._waiting: deque[tuple[str, Lesson]] = deque(maxlen=_WAITING)
        self._writing: asyncio.Task[None] | None = None
        self._not_before = 0.0
        self._reason = ""

    async def ranker(self, ranker: Ranker, principal: Principal | None) -> Ranker:
        """``ranker`` with what was learned in the principal's tenant, as far as it counts for the principal."""
        from pegboard.search.usage import with_usage

        name = space_of(principal)
        space = self._space(name)
        await self._known(name, space)
        return with_usage(ranker, _Recall(space.learned, _key(principal), self._today()))

    def learn(self, principal: Principal | None, tool: str, terms: tuple[str, ...], uses: float = 1.0) -> None:
        """Take in that a search for ``terms`` led the principal to a call of ``tool``. Waits for nothing.

        ``uses`` says how much of a use it was.
        """
        if not terms:
            return
        name, lesson, day = space_of(principal), Lesson(tool, terms, _key(principal), uses), self._today()
        here = self._space(name).learned
        here.learn(lesson, day)
        here.bound(tool, lesson.by, day)
        self._waiting.append((name, lesson))
        self._write()

    def status(self) -> dict[str, Any]:
        """Where it is kept, whether that works, and how many lessons wait to be written, as JSON."""
        found = {
            "where": self.store.where,
            "state": "failed" if self._reason else "ready",
            "waiting": len(self._waiting),
        }
        return found | ({"reason": self._reason} if self._reason else {})

    async def close(self) -> None:
        """Write what waits to be written, as far as the store takes it, and let go of the store."""
        tasks = (self._writing, *(one.reading for one in self._spaces.values()))
        running = [task for task in tasks if task is not None and _is_ours(task)]
        for task in running:
            task.cancel()
        if running:
            await asyncio.wait(running)
        if self._waiting:
            await self._written()
        try:
            await self.store.close()
        except Exception as error:
            self._failed("closed", error)

    def _space(self, name: str) -> _Space:
        space = self._spaces.setdefault(name, _Space(Learned(self.store.half_life)))
        self._spaces.move_to_end(name)
        while len(self._spaces) > _SPACES:
            self._spaces.popitem(last=False)
        return space

    async def _known(self, name: str, space: _Space) -> None:
        """See to it that what is known of a space is not too old; only the first search waits for that."""
        now = time.monotonic()
        first = space.tried is None
        if not first and (_is_ours(space.reading) or now - (space.tried or 0.0) < REFRESH):
            return
        space.tried = now
        space.reading = asyncio.create_task(self._read(name, space))
        if first:
            await asyncio.wait([space.reading], timeout=self._patience)

    async def _read(self, name: str, space: _Space) -> None:
        try:
            changes = await self.store.changes(name, space.revision)
        except Exception as error:
            self._failed("read", error)
            return
        if changes.whole:
            fresh = Learned(self.store.half_life)
            for row in changes.rows:
                fresh.put(row)
            for lesson in [lesson for where, lesson in self._waiting if where == name]:
                fresh.learn(lesson, self._today())
            space.learned = fresh
        else:
            for row in changes.rows:
                space.learned.put(row)
        space.revision = changes.revision
        self._worked()

    def _write(self) -> None:
        """Have what waits written, beside whatever runs."""
        if not _is_ours(self._writing) and time.monotonic() >= self._not_before:
            self._writing = asyncio.create_task(self._gathered())

    async def _gathered(self) -> None:
        await asyncio.sleep(_GATHER)
        while self._waiting and await self._written():
            pass

    async def _written(self) -> bool:
        """Write what waits; whether the store took it. What it does not take waits on."""
        batch = list(self._waiting)
        self._waiting.clear()
        try:
            await asyncio.wait_for(self._put(batch), WRITING)
        except BaseException as error:
            self._waiting = deque([*batch, *self._waiting], maxlen=_WAITING)
            if not isinstance(error, Exception):
                raise
            self._not_before = time.monotonic() + RETRY
            self._failed("written", error)
            return False
        self._worked()
        return True

    async def _put(self, batch: Sequence[tuple[str, Lesson]]) -> None:
        by_space: dict[str, list[Lesson]] = {}
        for name, lesson in batch:
            by_space.setdefault(name, []).append(lesson)
        for name, lessons in by_space.items():
            await self.store.learn(name, lessons, self._today())

    def _failed(self, what: str, error: Exception) -> None:
        """Tell that the store failed, unless that is known."""
        reason = told(error)
        if not self._reason:
            logger.warning("what was learned from use could not be %s; searches go on: %s", what, reason)
        self._reason = reason

    def _worked(self) -> None:
        if self._reason:
            logger.warning("what is learned from use is kept again in %s", self.store.where)
        self._reason = ""

    def _today(self) -> int:
        return day_of(self._clock())


def _key(principal: Principal | None) -> str:
    return "" if principal is None else principal.key


def _is_ours(task: asyncio.Task[None] | None) -> bool:
    """Whether a task runs in this event loop: those of a loop that has ended never come to their end."""
    return task is not None and not task.done() and task.get_loop() is asyncio.get_running_loop()
