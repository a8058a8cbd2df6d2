"""The Pegboard: what one process offers, and where boards are opened."""

from __future__ import annotations

import asyncio
import logging
import secrets
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from pegboard.auth import AllowAll, Policy, Principal
from pegboard.board import Board
from pegboard.board_tools import BOARD_TOOLS, META_NAMES
from pegboard.catalog import Catalog, Collisions, collision, compose, name_set
from pegboard.dispatch import Approver, Dispatcher
from pegboard.errors import BoardError, CollisionError, DefinitionError
from pegboard.limits import Limits
from pegboard.listeners import Listeners, Unsubscribe
from pegboard.metatools import PROFILES
from pegboard.pins import MemoryPinStore, PinStore
from pegboard.receipts import ReceiptSink
from pegboard.registry import Source, SourceStatus, ToolRegistry

if TYPE_CHECKING:
    from pegboard.search.rankers import Ranker

logger = logging.getLogger(__name__)


class Pegboard:
    """Everything one process offers: registries, sources, policy, ranker. Process-wide; opens boards.

        async with Pegboard([registry], sources=[upstream]) as peg:
            board = await peg.open()

    ``registries`` come first in the catalog, then those of the ``sources``. ``policy`` is asked wherever a principal
    is present (default: allow everything); ``store`` keeps boards (default: in memory); ``ranker`` searches (default:
    LexicalRanker). ``collisions`` says what happens to the later of two tools of one name (default: ``refuse``).
    ``profiles`` replaces which meta-tools a profile shows.

    Raises DefinitionError for a profile that names what is no meta-tool, and CollisionError when two of ``registries``
    have a tool of one name and ``collisions`` is ``refuse``, or when a tool has the name of a meta-tool.
    """

    def __init__(
        self,
        registries: Iterable[ToolRegistry] = (),
        *,
        sources: Iterable[Source] = (),
        policy: Policy | None = None,
        approver: Approver | None = None,
        store: PinStore | None = None,
        ranker: Ranker | None = None,
        limits: Limits | None = None,
        collisions: Collisions = "refuse",
        profiles: Mapping[str, Sequence[str]] | None = None,
        receipts: ReceiptSink | None = None,
    ) -> None:
        self.limits = limits or Limits()
        self.policy = policy or AllowAll()
        self.store = store or MemoryPinStore()
        self.profiles = {**PROFILES, **_checked_profiles(profiles or {})}
        self.profiles.setdefault("boards", (*self.profiles["modern"], *BOARD_TOOLS))
        self._ranker = ranker
        self._collisions = collisions
        self._registries: list[ToolRegistry] = []
        self._sources: list[Source] = []
        self._unsubscribe: dict[int, Unsubscribe] = {}
        self._listeners = Listeners[[]]()
        self._boundary_listeners = Listeners[[str]]()
        self._catalog: Catalog | None = None
        self._generation = 0
        self._started = False
        self.dispatcher = Dispatcher(policy=self.policy, limits=self.limits, approver=approver, sink=receipts)
        # What a meta-tool does is authorized by what it touches, not by its own name.
        self.meta_dispatcher = Dispatcher(policy=AllowAll(), limits=self.limits, sink=receipts)
        for registry in registries:
            self._attach(registry)
        self._refuse_collisions()
        for source in sources:
            self._add(source)

    async def __aenter__(self) -> Pegboard:
        await self.start()
        return self

    async def __aexit__(self, *error: object) -> None:
        await self.stop()

    async def start(self) -> None:
        """Start every source, side by side, in the background. Does nothing when they have been started."""
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
        """Stop every source, side by side, and wait for it. One that fails is logged. Does nothing before ``start``."""
        if not self._started:
            return
        self._started = False
        ended = await asyncio.gather(*(source.stop() for source in self._sources), return_exceptions=True)
        for source, error in zip(self._sources, ended, strict=True):
            if isinstance(error, Exception):
                logger.error("source %r did not stop cleanly", source.name, exc_info=error)

    async def add_source(self, source: Source) -> None:
        """Add a source, and start it when the others have been started."""
        self._add(source)
        if self._started:
            await source.start()

    async def remove_source(self, name: str) -> None:
        """Stop a source and take its tools out of the catalog. Does nothing when there is none of that name."""
        for source in [source for source in self._sources if source.name == name]:
            self._sources.remove(source)
            self._detach(source.registry)
            await source.stop()

    async def replace_source(self, source: Source, *, patience: float = 30.0) -> None:
        """Put a source in the place of the one of its name, then stop that one; add it where there is none.

        The old one serves until the new one is ready or has failed its first try, at most ``patience`` seconds
        (default: an upstream's own start timeout), so that its tools do not vanish in between.
        """
        old = next((other for other in self._sources if other.name == source.name), None)
        if old is None:
            await self.add_source(source)
            return
        begun = self._started
        if begun:
            await _begin(source, patience)
        self._sources[self._sources.index(old)] = source
        self._unsubscribe.pop(id(old.registry))()
        self._registries[self._registries.index(old.registry)] = source.registry
        self._unsubscribe[id(source.registry)] = source.registry.on_change(self._changed)
        self._changed()
        await old.stop()
        if begun and not self._started:
            await source.stop()

    async def ready(
        self,
        timeout: float | None = None,
        *,
        sources: Iterable[Source] | None = None,
        enough: Callable[[], bool] = lambda: False,
    ) -> tuple[str, ...]:
        """Wait until every source has brought its first listing or failed its first try, at most ``timeout`` seconds.

        Gives the names of those that have done neither. ``sources`` are those to wait for (default: all), and
        ``enough()``, asked after every change of the catalog, ends the waiting for all of them.
        """
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

    def missing(self) -> tuple[SourceStatus, ...]:
        """The sources that have no tools in the catalog because they are not ready: idle, starting or failed."""
        states = (source.status() for source in self._sources)
        return tuple(state for state in states if state.state in ("idle", "starting", "failed") and not state.tools)

    @property
    def sources(self) -> tuple[Source, ...]:
        """The sources, in order."""
        return tuple(self._sources)

    @property
    def ranker(self) -> Ranker:
        """The ranker in force."""
        if self._ranker is None:
            from pegboard.search import LexicalRanker

            self._ranker = LexicalRanker()
        return self._ranker

    @property
    def catalog(self) -> Catalog:
        """The catalog of this moment. A new one, of the next generation, after every change of a registry."""
        if self._catalog is None:
            self._generation += 1
            self._catalog = compose(
                self._registries,
                collisions=self._collisions,
                reserved=META_NAMES,
                generation=self._generation,
                ranker=self._ranker,
            )
        return self._catalog

    def on_change(self, listener: Callable[[], None]) -> Unsubscribe:
        """Call ``listener()`` after every change of the catalog. Returns a function that stops it."""
        return self._listeners.add(listener)

    def on_boundary(self, listener: Callable[[str], None]) -> Unsubscribe:
        """Call ``listener(board_id)`` after every boundary of a board. Returns a function that stops it."""
        return self._boundary_listeners.add(listener)

    def boundary_made(self, board_id: str) -> None:
        """A board says that it has made a boundary."""
        self._boundary_listeners.tell(board_id)

    def status(self) -> dict[str, Any]:
        """How every source is doing and what was set aside, as a JSON object."""
        sources = []
        for source in self._sources:
            state = source.status()
            told = {"name": state.name, "kind": state.kind, "state": state.state, "tools": state.tools}
            optional = {"reason": state.reason, "starts": state.starts, "notes": list(state.notes)}
            sources.append(told | {key: value for key, value in optional.items() if value})
        problems = [{"source": p.source, "name": p.name, "reason": p.reason} for p in self.catalog.problems]
        return {
            "generation": self.catalog.generation,
            "tools": len(self.catalog),
            "sources": sources,
            "set_aside": problems,
        }

    async def open(
        self,
        principal: Principal | None = None,
        board_id: str | None = None,
        *,
        surface: str = "python",
        context: Mapping[str, Any] | None = None,
        allowed: Iterable[str] | None = None,
        profile: str = "python",
    ) -> Board:
        """Open a board: a new one, or that of ``board_id`` as it was at its last boundary.

        ``context`` holds values for every call of this board; ``allowed`` the names of the tools it may show and call
        (default: all; empty: none; unknown names are ignored); ``profile`` which meta-tools it has. Raises BoardError
        for an id that does not exist or is somebody else's, StoreError when the store fails, ValueError for an unknown
        profile, TypeError for an ``allowed`` that cannot be a list of names.
        """
        if allowed is not None and not isinstance(allowed, Iterable):
            raise TypeError(f"allowed is {allowed!r}; give the names of tools, [] for none of them, or None for all")
        if profile not in self.profiles:
            raise ValueError(f"unknown profile {profile!r}; there are {', '.join(sorted(self.profiles))}")
        owner = principal.key if principal else None
        record = None
        if board_id is not None:
            record = await self.store.load(board_id)
            if record is None or record.owner != owner:
                raise BoardError(f"There is no board {board_id!r}.", hint="Open a new one.")
        board = Board(
            self,
            board_id=board_id or secrets.token_urlsafe(24),
            record=record,
            principal=principal,
            surface=surface,
            context=dict(context or {}),
            allowed=None if allowed is None else name_set(allowed),
            profile=profile,
        )
        await board.begin()
        return board

    def _add(self, source: Source) -> None:
        if any(other.name == source.name for other in self._sources):
            raise CollisionError(f"Two sources are named {source.name!r}.", hint="Rename one of them.")
        self._sources.append(source)
        self._attach(source.registry)

    def _attach(self, registry: ToolRegistry) -> None:
        self._registries.append(registry)
        self._unsubscribe[id(registry)] = registry.on_change(self._changed)
        self._changed()

    def _detach(self, registry: ToolRegistry) -> None:
        self._registries.remove(registry)
        self._unsubscribe.pop(id(registry))()
        self._changed()

    def _changed(self) -> None:
        self._catalog = None
        self._listeners.tell()

    def _refuse_collisions(self) -> None:
        """What a developer wired wrongly is said at once; what arrives later is set aside and reported."""
        owners: dict[str, str] = {}
        for registry in self._registries:
            for name, source in registry.names().items():
                if name in META_NAMES and self._collisions != "prefix":
                    raise collision(name, source, None)
                if name in owners and self._collisions == "refuse":
                    raise collision(name, source, owners[name])
                owners.setdefault(name, source)


async def _until_ready(source: Source) -> None:
    try:
        await source.ready()
    except Exception:
        logger.exception("waiting for source %r failed", source.name)


async def _begin(source: Source, patience: float) -> None:
    """Start a source and wait for it. Nobody else has it yet: when this is cut short it is stopped again."""
    try:
        await source.start()
        with suppress(TimeoutError):
            await asyncio.wait_for(source.ready(), patience)
    except BaseException:
        await source.stop()
        raise


def _checked_profiles(profiles: Mapping[str, Sequence[str]]) -> dict[str, tuple[str, ...]]:
    for profile, names in profiles.items():
        for name in names:
            if name not in META_NAMES:
                from pegboard.schema import nearest

                close = nearest(name, META_NAMES)
                hint = f"Did you mean {close!r}?" if close else f"There are {', '.join(sorted(META_NAMES))}."
                raise DefinitionError(f"Profile {profile!r} names {name!r}, which is no meta-tool.", hint=hint)
    return {profile: tuple(names) for profile, names in profiles.items()}
