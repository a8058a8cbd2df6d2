"""Having a ranker make what it needs of a catalog before somebody searches, beside whatever else runs."""

from __future__ import annotations

import asyncio
import logging
import threading
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Final, Protocol, runtime_checkable

from pegboard.threads import in_thread
from pegboard.tools import Entry

if TYPE_CHECKING:
    from pegboard.catalog import Catalog

logger = logging.getLogger(__name__)

SETTLE: Final = 0.25
"""Seconds from a change of the catalog to the work: changes come in bursts, skills after tools."""


@runtime_checkable
class Prepares(Protocol):
    """A ranker that makes something of each entry, which takes long.

    ``prepare`` makes what is missing for ``candidates``, and gives up once ``until()`` is true: what was made by then
    stays. It is called in a thread, and may raise anything: a search makes it all the same.
    """

    def prepare(self, candidates: Sequence[Entry], until: Callable[[], bool], /) -> None: ...


class Preparation:
    """Has a ranker prepare for each catalog of a Pegboard, one after another. Lives as long as the Pegboard.

    ``catalog`` gives the catalog of the moment. Nothing waits for it, and nothing fails with it.
    """

    def __init__(self, ranker: Prepares, catalog: Callable[[], Catalog]) -> None:
        self._ranker = ranker
        self._catalog = catalog
        self._changed = asyncio.Event()
        self._over = threading.Event()
        self._task: asyncio.Task[None] | None = None

    def start(self) -> None:
        """Prepare for the catalog that there is, and from now on for each that comes. Needs a running event loop."""
        loop = asyncio.get_running_loop()
        if self._task is None or self._task.done() or self._task.get_loop() is not loop:
            self._let_go()
            self._changed = asyncio.Event()  # of this event loop
            self._changed.set()
            self._task = asyncio.create_task(self._run())

    def changed(self) -> None:
        """The catalog has changed: what is being made for the last one ends with the piece at hand."""
        self._over.set()
        task = self._task  # another thread may end it meanwhile
        if task is not None:
            _tell(task.get_loop(), self._changed.set)

    async def stop(self) -> None:
        """Prepare no longer. A thread at work is not waited for: it ends with the piece at hand."""
        task = self._let_go()
        if task is not None and task.get_loop() is asyncio.get_running_loop():
            await asyncio.wait([task])

    def _let_go(self) -> asyncio.Task[None] | None:
        """End the task, in whatever event loop it runs."""
        task, self._task = self._task, None
        self._over.set()
        if task is not None:
            _tell(task.get_loop(), task.cancel)
        return task

    async def _run(self) -> None:
        while True:
            await self._changed.wait()
            await asyncio.sleep(SETTLE)
            self._changed.clear()
            try:
                await self._prepare()
            except Exception:
                logger.exception("the search could not be prepared: the next one does it")

    async def _prepare(self) -> None:
        over = self._over = threading.Event()  # before the catalog: what changes it from now on ends the work
        candidates = self._catalog().candidates
        if not candidates:
            return
        try:
            await in_thread(lambda: self._ranker.prepare(candidates, over.is_set), name="pegboard-preparing")
        finally:
            over.set()


def _tell(loop: asyncio.AbstractEventLoop, what: Callable[[], object]) -> None:
    """Have it done in an event loop, of this thread or another; nothing where that has ended."""
    with suppress(RuntimeError):
        loop.call_soon_threadsafe(what)
