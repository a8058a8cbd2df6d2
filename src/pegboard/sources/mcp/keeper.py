"""Keeping one server running: started, watched, started again after a pause."""

from __future__ import annotations

import asyncio
import logging
import random
import time
from collections.abc import Awaitable, Callable
from contextlib import AsyncExitStack
from typing import TYPE_CHECKING, Final

from pegboard.errors import UpstreamError
from pegboard.registry import SourceState
from pegboard.sources.mcp.noise import Noise
from pegboard.sources.mcp.pacing import Pacing
from pegboard.sources.mcp.spec import UpstreamSpec

if TYPE_CHECKING:
    from pegboard.sources.mcp.link import OpenLink
    from pegboard.sources.mcp.session import Connection

logger = logging.getLogger(__name__)

DEBOUNCE: Final = 0.1
"""Seconds between a server's word that its list changed and the reading of it: such words come in bursts."""

RELIST_PAUSE: Final = 10.0
"""Seconds until a changed list that could not be read is tried again."""

BETWEEN_STARTS: Final = 1.0
"""Seconds from one start to the next, however urgent it is."""

ReadList = Callable[["Connection"], Awaitable[None]]
"""Reads the list of tools, or of skills, and publishes it."""

SKILLS_SECONDS: Final = 10.0
"""Seconds that the list of skills may take on top of the start: what is wrong with it costs no tool."""


class Keeper:
    """Runs one server for as long as it is wanted. Lives as long as its upstream; used from one event loop.

    ``state`` is how it is doing; ``starts`` counts processes, or connections; ``notes`` are things worth knowing;
    ``first`` is set once the first try has become ready or failed. A server that ends is started again after a pause of
    ``Pacing``, or at once by the next ``connection`` when it had been ready.
    """

    def __init__(
        self, spec: UpstreamSpec, noise: Noise, open_link: OpenLink, read_list: ReadList, read_skills: ReadList
    ) -> None:
        self.state: SourceState = "idle"
        self.starts = 0
        self.notes: tuple[str, ...] = ()
        self.first = asyncio.Event()
        self._skills_note: tuple[str, ...] = ()
        self._spec = spec
        self._noise = noise
        self._open_link = open_link
        self._read_list = read_list
        self._read_skills = read_skills
        self._reason = ""
        self._waits_for = ""
        self._started_at = 0.0
        self._next_try = 0.0
        self._pacing = Pacing()
        self._task: asyncio.Task[None] | None = None
        self._connection: Connection | None = None
        self._settled = asyncio.Event()
        self._hurry = asyncio.Event()
        self._news = asyncio.Event()
        self._list_changed = False

    def begin(self) -> None:
        """Start in the background, unless that has been done."""
        if self._task is None:
            self.first.clear()
            self._starting()
            self._task = asyncio.create_task(self._keep(), name=f"upstream {self._spec.name}")

    async def stop(self) -> None:
        """End the session and the process; returns when both are gone."""
        task, self._task = self._task, None
        self.state = "stopped"
        self.first.set()
        self._settled.set()
        if task is not None:
            task.cancel()
            await asyncio.wait([task])

    async def connection(self) -> Connection:
        """The live session. Starts the server where that is due, and waits for it.

        Raises UpstreamError that says what is wrong, and when the next try is.
        """
        while True:
            connection = self._connection
            if connection is not None and not connection.link.ended:
                return connection
            if connection is not None:
                # It ended this very moment; the keeping task is about to see it.
                await asyncio.sleep(0.01)
                continue
            if not self._coming():
                raise self._refusal()
            await self._settled.wait()
            if self._connection is None:
                raise self._refusal()

    @property
    def next_try(self) -> float | None:
        """In how many seconds it is tried again; None unless it failed."""
        return max(self._next_try - time.monotonic(), 0.0) if self.state == "failed" else None

    def _refusal(self) -> UpstreamError:
        """The error of a call now: why it is not ready, and what happens next."""
        then = "" if self.next_try is None else f" Next try in {self.next_try:.0f} s."
        return UpstreamError(f"{self.reason()}{then}", data={"source": self._spec.name})

    def reason(self) -> str:
        """Why it is not ready; ``""`` when it is."""
        now = time.monotonic()
        if self.state == "starting":
            had = f"{now - self._started_at:.0f} of {self._spec.start_timeout:g} s"
            return f"Upstream {self._spec.name!r} has had {had} to {self._waits_for}."
        if self.state == "failed":
            return self._reason
        if self.state == "stopped":
            return f"Upstream {self._spec.name!r} is stopped."
        return ""

    def _coming(self) -> bool:
        """Whether it is starting, after having seen to it where a start is due."""
        if self.state == "idle":
            self.begin()
        elif self.state == "failed" and self._pacing.was_ready:
            self._settled.clear()
            self._hurry.set()
        return self.state == "starting" or self._hurry.is_set()

    async def _keep(self) -> None:
        while True:
            self._starting()
            try:
                async with AsyncExitStack() as stack:
                    await self._run(stack)
            except Exception as error:
                # What the session's own tasks raise comes out when the stack unwinds.
                if self.state == "failed":
                    logger.debug("upstream %r did not end cleanly", self._spec.name, exc_info=error)
                else:
                    self._failed(error, None)
            await self._rest()

    async def _run(self, stack: AsyncExitStack) -> None:
        """One process, from its start to its end."""
        try:
            connection = await self._connect(stack)
        except Exception as error:
            # Before the stack unwinds: nobody need wait until the process has been ended.
            self._failed(error, None)
            return
        await self._skills_read(connection)
        self._ready(connection)
        began = time.monotonic()
        try:
            await self._serve(connection)
        finally:
            self._connection = None
        self._failed(
            UpstreamError(f"Upstream {self._spec.name!r} {connection.link.why_ended()}."), time.monotonic() - began
        )

    async def _connect(self, stack: AsyncExitStack) -> Connection:
        """Start, shake hands and list, all within the start timeout."""
        from pegboard.sources.mcp.session import connected

        spec = self._spec
        async with asyncio.timeout(spec.start_timeout):
            link = await stack.enter_async_context(self._open_link(self._noise, self._news.set))
            self.starts += 1
            try:
                self._waits_for = "answer 'server/discover'" if spec.era == "modern" else "answer 'initialize'"
                connection = await stack.enter_async_context(connected(link, spec.era, self._on_list_changed))
                self._waits_for = "answer 'tools/list'"
                await self._list(connection)
            except Exception:
                if not link.ended:
                    raise
                # What it said last tells more than the error, which is only that it is gone.
                raise UpstreamError(
                    f"Upstream {spec.name!r} did not {self._waits_for}: it {link.why_ended()}."
                ) from None
        return connection

    async def _serve(self, connection: Connection) -> None:
        """Until the server ends: read its list again whenever it says that it changed."""
        again: asyncio.TimerHandle | None = None
        while not connection.link.ended:
            if self._list_changed:
                await asyncio.sleep(DEBOUNCE)
                if not await self._listed_again(connection) and not connection.link.ended:
                    again = asyncio.get_running_loop().call_later(RELIST_PAUSE, self._on_list_changed)
            await self._news.wait()
            self._news.clear()
        if again is not None:
            again.cancel()

    async def _listed_again(self, connection: Connection) -> bool:
        """Read a changed list; when that fails the tools stay as they were."""
        try:
            async with asyncio.timeout(self._spec.start_timeout):
                await self._list(connection)
        except Exception as error:
            logger.warning("the changed list of upstream %r could not be read: %r", self._spec.name, error)
            self.notes = (f"its changed list could not be read ({type(error).__name__}); the tools known before stay",)
            return False
        await self._skills_read(connection)
        self.notes = self._skills_note
        return True

    async def _skills_read(self, connection: Connection) -> None:
        """Read the list of skills; when that fails, those known before stay."""
        try:
            async with asyncio.timeout(SKILLS_SECONDS):
                await self._read_skills(connection)
        except Exception as error:
            logger.warning("the list of skills of upstream %r could not be read: %r", self._spec.name, error)
            self._skills_note = (f"its list of skills could not be read ({type(error).__name__})",)
        else:
            self._skills_note = ()

    async def _list(self, connection: Connection) -> None:
        # A change that is announced while the list is being read must be seen afterwards.
        self._list_changed = False
        await self._read_list(connection)

    def reread(self) -> None:
        """Read the lists again, soon: something shows that they may be old."""
        self._on_list_changed()

    def _on_list_changed(self) -> None:
        self._list_changed = True
        self._news.set()

    def _starting(self) -> None:
        self.state, self._waits_for = "starting", "start"
        self._started_at = time.monotonic()
        self._settled.clear()
        self._hurry.clear()
        self._news.clear()

    def _ready(self, connection: Connection) -> None:
        logger.info("upstream %r is ready (%s)", self._spec.name, connection.revision)
        self._connection = connection
        self.state, self.notes = "ready", self._skills_note
        self.first.set()
        self._settled.set()

    def _failed(self, error: Exception, ready_for: float | None) -> None:
        from pegboard.sources.mcp.failures import explained, trouble_in

        why, trouble = explained(self._spec, self._waits_for, error), trouble_in(error)
        if why is None:
            logger.error("upstream %r failed unexpectedly", self._spec.name, exc_info=error)
            why = f"Upstream {self._spec.name!r} failed unexpectedly with {type(error).__name__}; the log has more."
        elif (why := self._noise.hide(why)) != self._reason:
            logger.warning("%s", why)
        self._pacing.ended(ready_for)
        self.state, self._reason = "failed", why
        pause = self._pacing.pause(random.random())  # noqa: S311
        self._next_try = time.monotonic() + max(pause, trouble.retry_after if trouble else 0.0)
        self.first.set()
        self._settled.set()

    async def _rest(self) -> None:
        """Wait for the time of the next try, or for a call that may not wait for it."""
        try:
            async with asyncio.timeout(self._next_try - time.monotonic()):
                await self._hurry.wait()
        except TimeoutError:
            return
        await asyncio.sleep(self._started_at + BETWEEN_STARTS - time.monotonic())
