"""The sources of a Pegboard: how they start, come and go, are replaced, waited for and stopped."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Iterable
from contextlib import suppress
from typing import Any, Protocol

from pegboard.errors import CollisionError
from pegboard.listeners import Listeners, Unsubscribe
from pegboard.registry import Source, SourceStatus, ToolRegistry
from pegboard.skill_source import BringsSkills, SkillSource

logger = logging.getLogger(__name__)


class _Changing(Protocol):
    """What tells of its changes."""

    def on_change(self, listener: Callable[[], None], /) -> Unsubscribe: ...


class SourceSet:
    """The registries and skills of one Pegboard, those of its sources among them. Lives as long as it.

    All are in the order of the catalog. Changes take turns: one that waits for a new source holds up the next.
    """

    def __init__(self) -> None:
        self._registries: list[ToolRegistry] = []
        self._sources: list[Source] = []
        self._skills: list[SkillSource[Any]] = []
        self._unsubscribe: dict[int, Unsubscribe] = {}
        self._listeners = Listeners[[]]()
        self._started = False
        self._turn = asyncio.Lock()

    @property
    def all(self) -> tuple[Source, ...]:
        """The sources, in order."""
        return tuple(self._sources)

    @property
    def registries(self) -> tuple[ToolRegistry, ...]:
        """Every registry, in order."""
        return tuple(self._registries)

    @property
    def skills(self) -> tuple[SkillSource[Any], ...]:
        """Everything that brings skills, in order."""
        return tuple(self._skills)

    def on_change(self, listener: Callable[[], None]) -> Unsubscribe:
        """Call ``listener()`` after every change of a registry or of skills, and when one comes or goes."""
        return self._listeners.add(listener)

    def attach(self, registry: ToolRegistry) -> None:
        """Take in a registry that no source owns."""
        self._registries.append(registry)
        self._hear(registry)
        self._listeners.tell()

    def attach_skills(self, skills: SkillSource[Any]) -> None:
        """Take in skills that no source owns."""
        self._skills.append(skills)
        self._hear(skills)
        self._listeners.tell()

    def include(self, source: Source) -> None:
        """Take in a source without starting it. Raises CollisionError when there is one of its name."""
        if self._named(source.name) is not None:
            raise CollisionError(f"Two sources are named {source.name!r}.", hint="Rename one of them.")
        self._sources.append(source)
        if isinstance(source, BringsSkills):
            self.attach_skills(source.skills)
        self.attach(source.registry)

    async def start(self) -> None:
        """See ``Pegboard.start``."""
        if self._started:
            return
        self._started = True
        try:
            await asyncio.gather(*(source.start() for source in self._sources))
        except BaseException:
            # Whoever is cancelled here never enters the block whose end would stop them.
            await self.stop()
            raise

    async def stop(self) -> None:
        """See ``Pegboard.stop``."""
        if self._started:
            self._started = False
            await _stop(*self._sources)

    async def add(self, source: Source) -> None:
        """See ``Pegboard.add_source``."""
        async with self._turn:
            await self._added(source)

    async def remove(self, name: str) -> None:
        """See ``Pegboard.remove_source``."""
        async with self._turn:
            source = self._named(name)
            if source is None:
                return
            self._sources.remove(source)
            self._registries.remove(source.registry)
            self._forget(source.registry)
            if isinstance(source, BringsSkills):
                self._skills.remove(source.skills)
                self._forget(source.skills)
            self._listeners.tell()
            await _stop(source)

    async def replace(self, source: Source, patience: float) -> None:
        """See ``Pegboard.replace_source``."""
        async with self._turn:
            old = self._named(source.name)
            if old is None:
                await self._added(source)
                return
            begun = self._started
            if begun:
                await _begin(source, patience)
            self._swap(old, source)
            await _stop(old)
            if begun and not self._started:
                await _stop(source)

    async def ready(
        self, timeout: float | None, sources: Iterable[Source] | None, enough: Callable[[], bool]
    ) -> tuple[str, ...]:
        """See ``Pegboard.ready``."""
        news = asyncio.Event()
        unsubscribe = self.on_change(news.set)
        waiting = {
            asyncio.create_task(_until_ready(source)): source.name
            for source in (self._sources if sources is None else sources)
        }
        for task in waiting:
            task.add_done_callback(lambda _: news.set())
        try:
            async with asyncio.timeout(timeout):
                while not enough() and not all(task.done() for task in waiting):
                    await news.wait()
                    news.clear()
        except TimeoutError:
            pass
        finally:
            unsubscribe()
            late = [task for task in waiting if not task.done()]
            for task in late:
                task.cancel()
            await asyncio.gather(*late, return_exceptions=True)
        return () if enough() else tuple(waiting[task] for task in late)

    def away(self) -> tuple[SourceStatus, ...]:
        """The sources that are not ready: idle, starting or failed."""
        states = (source.status() for source in self._sources)
        return tuple(state for state in states if state.state in ("idle", "starting", "failed"))

    async def _added(self, source: Source) -> None:
        self.include(source)
        if self._started:
            await source.start()

    def _named(self, name: str) -> Source | None:
        return next((source for source in self._sources if source.name == name), None)

    def _hear(self, changing: _Changing) -> None:
        self._unsubscribe[id(changing)] = changing.on_change(self._listeners.tell)

    def _forget(self, changing: _Changing) -> None:
        self._unsubscribe.pop(id(changing))()

    def _swap(self, old: Source, new: Source) -> None:
        self._sources[self._sources.index(old)] = new
        self._forget(old.registry)
        self._registries[self._registries.index(old.registry)] = new.registry
        self._hear(new.registry)
        self._swap_skills(old, new)
        self._listeners.tell()

    def _swap_skills(self, old: Source, new: Source) -> None:
        place = len(self._skills)
        if isinstance(old, BringsSkills):
            place = self._skills.index(old.skills)
            self._forget(self._skills.pop(place))
        if isinstance(new, BringsSkills):
            self._skills.insert(place, new.skills)
            self._hear(new.skills)


async def _stop(*sources: Source) -> None:
    """Stop them side by side, and wait for it. One that fails is logged."""
    ended = await asyncio.gather(*(source.stop() for source in sources), return_exceptions=True)
    for source, error in zip(sources, ended, strict=True):
        if isinstance(error, Exception):
            logger.error("source %r did not stop cleanly", source.name, exc_info=error)


async def _begin(source: Source, patience: float) -> None:
    """Start a source and wait for it. Nobody else has it yet: when this is cut short it is stopped again."""
    try:
        await source.start()
        with suppress(TimeoutError):
            await asyncio.wait_for(source.ready(), patience)
    except BaseException:
        await source.stop()
        raise


async def _until_ready(source: Source) -> None:
    try:
        await source.ready()
    except Exception:
        logger.exception("waiting for source %r failed", source.name)
