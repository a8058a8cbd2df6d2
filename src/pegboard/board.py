"""Boards: one conversation's pins over the shared catalog; and the Pegboard that opens them.

    peg = Pegboard([registry])
    board = await peg.open()
    result = await board.call("find_tools", {"query": "refund an order"})
    board.pin("refund")
    await board.commit()
    board.listing().items      # what the model is shown, fixed until the next commit
"""

from __future__ import annotations

import asyncio
import logging
import secrets
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

from pegboard.auth import Action, AllowAll, Policy, Principal
from pegboard.catalog import Catalog, Collisions, collision, compose
from pegboard.context import Context, ProgressSink, _no_progress
from pegboard.dispatch import Approver, Dispatcher, new_call_id
from pegboard.errors import BoardError, CollisionError, NotFoundError, StoreError, UnloadedError
from pegboard.finding import FindResult, View, find
from pegboard.limits import Limits
from pegboard.metatools import META_TOOLS, PIN_CHANGING, PROFILES
from pegboard.pins import (
    Boundary,
    MemoryPinStore,
    PinDiff,
    PinEvent,
    PinQueue,
    PinRecord,
    PinState,
    PinStore,
    at_boundary,
)
from pegboard.prefix import Listing
from pegboard.receipts import ReceiptSink
from pegboard.registry import Source, ToolRegistry, Unsubscribe
from pegboard.tools import Halt, Tool, ToolResult, Visibility

if TYPE_CHECKING:
    from pegboard.search.rankers import Ranked, Ranker

logger = logging.getLogger(__name__)

_COMMIT_TRIES: Final = 20


class Pegboard:
    """Everything one process offers: registries, sources, policy, ranker. Process-wide; opens boards.

        async with Pegboard([registry], sources=[upstream]) as peg:
            board = await peg.open()

    ``registries`` come first in the catalog, then those of the ``sources``. ``policy`` is asked wherever a principal
    is present (default: allow everything); ``store`` keeps boards (default: in memory); ``ranker`` searches (default:
    LexicalRanker). ``collisions`` says what happens to the later of two tools of one name (default: ``refuse``).
    ``profiles`` replaces which meta-tools a profile shows.

    Raises CollisionError when two of ``registries`` have a tool of one name and ``collisions`` is ``refuse``, or when a
    tool has the name of a meta-tool.
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
        self.profiles = {**PROFILES, **{name: tuple(tools) for name, tools in (profiles or {}).items()}}
        self._ranker = ranker
        self._collisions = collisions
        self._registries: list[ToolRegistry] = []
        self._sources: list[Source] = []
        self._unsubscribe: dict[int, Unsubscribe] = {}
        self._listeners: list[Callable[[], None]] = []
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
        """Start every source, side by side, in the background."""
        self._started = True
        await asyncio.gather(*(source.start() for source in self._sources))

    async def stop(self) -> None:
        """Stop every source, side by side, and wait for it. One that fails to stop is logged."""
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

    async def ready(self, timeout: float | None = None) -> tuple[str, ...]:
        """Wait until every source has brought its first listing or failed its first try, at most ``timeout`` seconds.

        Gives the names of those that have done neither.
        """
        waiting = {asyncio.ensure_future(source.ready()): source.name for source in self._sources}
        if not waiting:
            return ()
        _, pending = await asyncio.wait(waiting, timeout=timeout)
        for task in pending:
            task.cancel()
        await asyncio.gather(*pending, return_exceptions=True)
        return tuple(waiting[task] for task in waiting if task in pending)

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
                reserved=META_TOOLS,
                generation=self._generation,
                ranker=self._ranker,
            )
        return self._catalog

    def on_change(self, listener: Callable[[], None]) -> Unsubscribe:
        """Call ``listener()`` after every change of the catalog. Returns a function that stops it."""
        self._listeners.append(listener)

        def unsubscribe() -> None:
            if listener in self._listeners:
                self._listeners.remove(listener)

        return unsubscribe

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
        (default: all); ``profile`` which meta-tools it has. Raises BoardError for an id that does not exist or is
        somebody else's, StoreError when the store fails, ValueError for an unknown profile.
        """
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
            allowed=None if allowed is None else frozenset(allowed),
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
        for listener in tuple(self._listeners):
            listener()

    def _refuse_collisions(self) -> None:
        """What a developer wired wrongly is said at once; what arrives later is set aside and reported."""
        owners: dict[str, Tool] = {}
        for registry in self._registries:
            for tool in registry.tools():
                if tool.name in META_TOOLS and self._collisions != "prefix":
                    raise collision(tool, None)
                if tool.name in owners and self._collisions == "refuse":
                    raise collision(tool, owners[tool.name])
                owners[tool.name] = tool


class Board:
    """One conversation: its pins, and the listing that is fixed between boundaries. Open one with ``Pegboard.open``.

    ``pin`` and ``unpin`` only queue; ``commit`` and ``compact`` are the boundaries at which the listing may change.
    Belongs to the principal that opened it. Calls may run side by side; boundaries take turns.
    """

    def __init__(
        self,
        peg: Pegboard,
        *,
        board_id: str,
        record: PinRecord | None,
        principal: Principal | None,
        surface: str,
        context: Mapping[str, Any],
        allowed: frozenset[str] | None,
        profile: str,
    ) -> None:
        self._peg = peg
        self.id = board_id
        self.principal = principal
        self.surface = surface
        self.profile = profile
        self._values = context
        self._allowed = allowed
        self._meta = {name: META_TOOLS[name] for name in peg.profiles[profile] if name in META_TOOLS}
        self._saved = record
        self._record = record or PinRecord(owner=principal.key if principal else None)
        self._queue = PinQueue()
        self._hidden: frozenset[str] = frozenset()
        self._boundary_lock = asyncio.Lock()
        self._last_call = time.monotonic()
        self.wants_boundary = False

    async def begin(self) -> None:
        """Freeze the first listing of a board that has none. ``Pegboard.open`` has done this."""
        view = await self.view()
        if self._saved is None:
            self._record = PinRecord(
                owner=self._record.owner,
                always=at_boundary(PinRecord(), PinQueue(), {}, self._always(view)).record.always,
            )

    @property
    def limits(self) -> Limits:
        """The limits in force."""
        return self._peg.limits

    @property
    def finder(self) -> str:
        """The name of the finding tool of this board's profile."""
        return "find_tools" if "find_tools" in self._meta else "tool_search"

    @property
    def pending(self) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """(names to be added, names to be removed) at the next boundary."""
        return self._queue.pending(self._record)

    def pin(self, name: str) -> None:
        """Queue a tool to be shown from the next boundary on. A name that is not there then is dropped."""
        self._queue.put(PinEvent.PIN, name)

    def unpin(self, name: str) -> None:
        """Queue a tool to become a tombstone at the next boundary."""
        self._queue.put(PinEvent.UNPIN, name)

    def pin_state(self, name: str) -> PinState:
        """Where a name stands now, wishes included."""
        return self._queue.state(self._record, name)

    def active_set(self) -> tuple[Tool, ...]:
        """What the model may call by its own name: always-visible tools by name, then the pins in pin order.

        Fixed at the last boundary; without tombstones, and without what was hidden or has vanished since.
        """
        catalog = self._peg.catalog
        names = [shown.name for shown in self._record.always]
        names += [slot.name for slot in self._record.slots if slot.state is PinState.ACTIVE]
        found = (self._meta.get(name) or catalog.get(name) for name in names if name not in self._hidden)
        return tuple(tool for tool in found if tool is not None)

    def listing(self) -> Listing:
        """The definitions shown to the model: byte-identical between boundaries, unless a right was lost.

        Tombstones keep their place and bytes until ``compact``. What the principal may no longer discover, as of the
        last ``view``, is left out at once.
        """
        shown = (*self._record.always, *self._record.slots)
        return Listing(tuple(item.shown for item in shown if item.name not in self._hidden))

    @property
    def tombstone_tokens(self) -> int:
        """The definition cost of all tombstones."""
        from pegboard.tokens import definition_cost

        dead = (slot for slot in self._record.slots if slot.state is not PinState.ACTIVE)
        return sum(definition_cost(slot.shown) for slot in dead)

    async def view(self) -> View:
        """What the principal may discover of the catalog of this moment. A policy that fails hides everything."""
        catalog = self._peg.catalog
        names = None if self._allowed is None else frozenset(t.name for t in catalog.all() if t.name in self._allowed)
        if self.principal is not None:
            names = await self._permitted(catalog.all() if names is None else catalog.subset(names), self.principal)
        view = View(catalog, None if names is not None and len(names) == len(catalog) else names)
        self._hidden = view.hidden
        return view

    async def find(self, query: str, limit: int | None = None) -> FindResult:
        """Search what the principal may discover. ``limit`` defaults to 20 and is capped at 100.

        Raises InvalidArgumentsError for a limit that is not a whole number from 1.
        """
        return find(await self.view(), self._peg.ranker, query, limit, self.limits)

    async def recommend(self, recent_text: str, limit: int | None = None) -> list[Ranked]:
        """Tools whose keywords or tags stand in ``recent_text``, best first; none that is active already."""
        from pegboard.search import recommend

        view = await self.view()
        active = {tool.name for tool in self.active_set()}
        return recommend(recent_text, view.tools, active, limit or self.limits.recommend)

    async def prompt(self) -> str:
        """The level-1 text over the on-demand tools that the principal may discover."""
        view = await self.view()
        on_demand = [tool for tool in view.tools if tool.visibility_on(self.surface) is Visibility.ON_DEMAND]
        return view.catalog.format_for_prompt(on_demand, finder=self.finder)

    async def call(
        self,
        name: str,
        arguments: Any = None,
        *,
        context: Mapping[str, Any] | None = None,
        meta: Mapping[str, Any] | None = None,
        on_progress: ProgressSink | None = None,
        client: Any = None,
    ) -> ToolResult | Halt:
        """Call a tool by its own name, meta-tools too, listed or not; only this board's tombstones refuse.

        A call that fails gives a result with ``is_error``; only cancellation raises. ``context`` adds to the board's
        values; ``meta`` is the request's ``_meta``; ``on_progress`` is told how far it is; ``client`` says what the
        caller's connection can do.
        """
        self._last_call = time.monotonic()
        if name in PIN_CHANGING and name in self._meta:
            self.wants_boundary = True
        call = Context(
            tool=name,
            call_id=new_call_id(),
            principal=self.principal,
            board=self,
            surface=self.surface,
            values={**self._values, **(context or {})},
            meta=meta or {},
            client=client,
            on_progress=on_progress or _no_progress,
            reenter=self._reenter,
        )
        if name in self._meta:
            return await self._peg.meta_dispatcher.run(name, arguments, call, self._meta.__getitem__)
        return await self._peg.dispatcher.run(name, arguments, call, self._resolve, self._refuse_tombstone)

    async def call_any(self, name: str, arguments: Any, context: Context) -> ToolResult | Halt:
        """Call any permitted tool of the catalog, tombstones too, from inside the call of ``context``."""
        return await self._peg.dispatcher.run(name, arguments, self._nested(name, context), self._resolve)

    async def commit(self) -> PinDiff:
        """A boundary: apply what is queued and save. Raises StoreError; the queue is kept then."""
        return await self._boundary(compact=False)

    async def compact(self) -> PinDiff:
        """A boundary that also removes tombstones, which changes bytes shown before."""
        return await self._boundary(compact=True)

    async def boundary(self) -> PinDiff:
        """A commit, or a compact when tombstones cost too much or the board was idle for long (see Limits)."""
        idle = time.monotonic() - self._last_call > self.limits.compact_idle
        return await self._boundary(compact=idle or self.tombstone_tokens > self.limits.compact_tokens)

    async def stale(self) -> bool:
        """Whether always-visible tools have changed since the last boundary, so that one would change the listing."""
        fresh = at_boundary(PinRecord(), PinQueue(), {}, self._always(await self.view())).record.always
        return fresh != self._record.always

    async def close(self) -> None:
        """Forget the board in the store. Its id opens nothing from then on."""
        await self._peg.store.delete(self.id)

    async def _boundary(self, *, compact: bool) -> PinDiff:
        async with self._boundary_lock:
            self.wants_boundary = False
            for _ in range(_COMMIT_TRIES):
                queue = self._queue.copy()
                boundary = await self._prepared(queue, compact=compact)
                if await self._peg.store.save(self.id, boundary.record):
                    self._record = boundary.record
                    self._queue.settle(queue)
                    return boundary.diff
                await self._reload()
        raise StoreError(f"Board {self.id} was changed by others {_COMMIT_TRIES} times in a row.", hint="Commit again.")

    async def _prepared(self, queue: PinQueue, *, compact: bool) -> Boundary:
        view = await self.view()
        pinnable = {t.name: t for t in view.tools if t.visibility_on(self.surface) is Visibility.ON_DEMAND}
        return at_boundary(
            self._record, queue, pinnable, self._always(view), hidden=self._hidden, compact=compact
        )

    async def _reload(self) -> None:
        stored = await self._peg.store.load(self.id)
        if stored is not None and stored.owner != self._record.owner:
            raise BoardError(f"There is no board {self.id!r}.", hint="Open a new one.")
        self._record = stored or PinRecord(owner=self._record.owner)

    def _always(self, view: View) -> list[Tool]:
        shown = [tool for tool in view.tools if tool.visibility_on(self.surface) is Visibility.ALWAYS]
        return [*self._meta.values(), *shown]

    async def _permitted(self, tools: Sequence[Tool], principal: Principal) -> frozenset[str]:
        try:
            mask = await self._peg.policy.permitted(principal, Action.DISCOVER, tools)
            if len(mask) != len(tools):
                raise ValueError(f"a mask of {len(mask)} for {len(tools)} entries")
        except Exception:
            logger.exception("the policy failed: everything is hidden from %r", principal.id)
            return frozenset()
        # Only the very True counts: a policy that answers with anything else has not said yes.
        return frozenset(tool.name for tool, seen in zip(tools, mask, strict=True) if seen is True)

    def _resolve(self, name: str) -> Tool:
        tool = self._peg.catalog.get(name)
        if tool is not None and (self._allowed is None or name in self._allowed):
            return tool
        if self._record.state(name) is PinState.GONE and name not in self._hidden:
            raise UnloadedError(name, gone=True)
        raise NotFoundError(name)

    def _refuse_tombstone(self, tool: Tool) -> None:
        if self._record.state(tool.name) is PinState.TOMBSTONED:
            raise UnloadedError(tool.name)

    async def _reenter(self, name: str, arguments: Mapping[str, Any], context: Context) -> ToolResult | Halt:
        return await self.call_any(name, dict(arguments), context)

    def _nested(self, name: str, context: Context) -> Context:
        return Context(
            tool=name,
            call_id=new_call_id(),
            principal=context.principal,
            board=self,
            surface=context.surface,
            values=context.values,
            meta=context.meta,
            stack=(*context.stack, context.tool),
            client=context.client,
            on_progress=context.on_progress,
            reenter=context.reenter,
        )
