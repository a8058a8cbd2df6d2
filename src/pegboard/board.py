"""Boards: one conversation's pins over the shared catalog.

peg = Pegboard([registry])
board = await peg.open()
result = await board.call("find_tools", {"query": "refund an order"})
board.pin("refund")
await board.commit()
board.listing().items      # what the model is shown, fixed until the next commit
"""

from __future__ import annotations

import logging
import time
from collections.abc import Collection, Iterable, Mapping
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any, Final

from pegboard.auth import Principal
from pegboard.board_calls import BoardCalls
from pegboard.board_skills import BoardSkills
from pegboard.board_tools import meta_tools
from pegboard.boundary import Boundary, PinDiff, at_boundary, settled_always
from pegboard.context import Context, ProgressSink
from pegboard.drift import Drift
from pegboard.errors import MetaToolError, NotFoundError, SkillNameError
from pegboard.finding import FindResult, Searches, find_beside, missing_notes
from pegboard.keeping import GuardedStore, Keeping
from pegboard.last_used import LastUsed
from pegboard.limits import Limits
from pegboard.pins import PinEvent, PinQueue, PinRecord, PinState, Slot
from pegboard.prefix import Listing
from pegboard.quarantine import Quarantine
from pegboard.skill_choice import SkillChoice
from pegboard.skill_tools import SKILL_TOOLS, SKILLS
from pegboard.tools import Halt, JsonObject, Tool, ToolResult, Visibility
from pegboard.turn import Turn, run_all
from pegboard.usage.board import BoardLessons
from pegboard.usage.leads import Leads
from pegboard.view import Sight, View

if TYPE_CHECKING:
    from pegboard.peg import Pegboard
    from pegboard.search.ranking import Ranked

logger = logging.getLogger(__name__)

_PUT_OFF: Final = PinDiff(notes=("The policy failed: what was queued is kept for the next boundary.",))


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
        store: GuardedStore,
        record: PinRecord | None,
        principal: Principal | None,
        surface: str,
        context: Mapping[str, Any],
        allowed: frozenset[str] | None,
        profile: str,
        skills: SkillChoice,
        leads: Leads | None = None,
    ) -> None:
        self._peg = peg
        self.id = board_id
        self.principal = principal
        self.surface = surface
        self.profile = profile
        self._values = context
        self._allowed = allowed
        self._meta = self._own_tools(peg.profiles[profile])
        self._sight = Sight(peg, principal, None if allowed is None else allowed | self._meta.keys(), skills)
        self._kept = Keeping(store, board_id, record or PinRecord(owner=principal.key if principal else None))
        self._skills = BoardSkills(
            self._kept,
            skills,
            self.view,
            peg.limits,
            finder=self.finder if SKILLS in self._meta else None,
            surface=surface,
            pins=peg.pin_skill_tools and "load_tool" in self._meta and "open_board" not in self._meta,
        )
        self._quarantine = Quarantine(self._kept, peg.on_drift, peg.accepted, self._meta)
        self._last_used = LastUsed()
        self._searches = Searches()
        self._lessons = BoardLessons(peg.usage, principal, Leads() if leads is None else leads, peg.limits)
        self._calls = BoardCalls(
            self,
            peg,
            meta=self._meta,
            kept=self._kept,
            sight=self._sight,
            quarantine=self._quarantine,
            lessons=self._lessons,
        )

    async def begin(self) -> None:
        """Freeze the first listing of a board that has none. ``Pegboard.open`` has done this."""
        view = await self.view()
        if self._record.blank:
            self._kept.record = replace(self._record, always=self._standing(view))
        self._skills.at_boundary(view)

    @property
    def limits(self) -> Limits:
        """The limits in force."""
        return self._peg.limits

    @property
    def finder(self) -> str:
        """The name of the finding tool of this board's profile."""
        return next((name for name in ("find_tools", "tool_search") if name in self._meta), "find_tools")

    @property
    def allowed(self) -> frozenset[str] | None:
        """The names that the board was opened for; None for all."""
        return self._allowed

    @property
    def skills(self) -> BoardSkills:
        """What the board does with skills: those a prompt tells of, those that are in use, and what they say."""
        return self._skills

    @property
    def meta_names(self) -> Collection[str]:
        """The names of the meta-tools that this board has."""
        return self._meta.keys()

    @property
    def pending(self) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """(names to be added, names to be removed) at the next boundary."""
        return self._queue.pending(self._record)

    @property
    def unsaved(self) -> bool:
        """Whether something was queued since the last boundary: pins and unpins, or skills that were activated."""
        return self.pending != ((), ()) or bool(self._queue.skills)

    def pin(self, name: str) -> None:
        """Queue a tool to be shown from the next boundary on. A name that is not there then is dropped."""
        self._queue.put(PinEvent.PIN, name)

    def unpin(self, name: str) -> None:
        """Queue a tool to become a tombstone at the next boundary."""
        self._queue.put(PinEvent.UNPIN, name)

    def pin_state(self, name: str) -> PinState:
        """Where a name stands now, wishes included."""
        return self._queue.state(self._record, name)

    def mark_used(self, name: str) -> None:
        """Note that a tool is used now. Calls through the board note themselves, those from inside others do not."""
        self._last_used.note(name)

    def used_since(self, moment: float) -> tuple[str, ...]:
        """The tools used at ``moment`` or later, the latest last; ``moment`` is in seconds, as ``time.time()`` gives.

        Not kept between processes.
        """
        return self._last_used.since(moment)

    async def drifted(self) -> tuple[Drift, ...]:
        """The definitions that the principal may discover and that are not what this board has shown of them."""
        return self._quarantine.drifts(await self.view())

    def accept_drift(self, name: str, digest: str | None = None) -> None:
        """Accept a changed definition on this board: it may be called at once, and is shown from the next boundary on.

        ``digest`` says which one was looked at, as ``drifted`` tells it (default: the catalog's of this moment): a
        later change is not accepted with it. Raises NotFoundError when there is no such tool.
        """
        tool = self._peg.catalog.get(name)
        if tool is None or self.hides(name):
            raise NotFoundError(name, self.finder)
        self._queue.accepted[name] = digest or tool.digest

    def hides(self, name: str) -> bool:
        """Whether this name must not show: as of the last view it may not be discovered, or the board is for others."""
        return self._sight.hides(name)

    def active_set(self) -> tuple[Tool, ...]:
        """What the model may call by its own name: always-visible tools by name, then the pins in pin order.

        Fixed at the last boundary; without tombstones, and without what was hidden or has vanished since.
        """
        active = (slot.name for slot in self._visible() if slot.state is PinState.ACTIVE)
        found = (self._meta.get(name) or self._peg.catalog.get(name) for name in active)
        return tuple(tool for tool in found if tool is not None and not self._quarantine.holds(tool))

    def listing(self) -> Listing:
        """The definitions shown to the model: byte-identical between boundaries, unless a right was lost.

        Tombstones keep their place and bytes until ``compact``. What the principal may not discover, as of the last
        ``view``, is left out at once; when the right is back before the next boundary, so are the same bytes.
        """
        return Listing(tuple(slot.shown for slot in self._visible()))

    async def standing_listing(self) -> Listing:
        """The listing with what is always visible as of now, and the pins as of the last boundary."""
        standing = self._standing(await self.view())
        names = {slot.name for slot in standing}
        pins = (slot for slot in self._record.slots if slot.name not in names and not self.hides(slot.name))
        return Listing(tuple(slot.shown for slot in (*standing, *pins)))

    def pinned(self) -> tuple[JsonObject, ...]:
        """The part of the listing behind the always-visible tools: pins in pin order, tombstones in their places."""
        return tuple(slot.shown for slot in self._record.slots if not self.hides(slot.name))

    async def other(self, board_id: str | None) -> Board:
        """Another board like this one: that of an id, or a new one. Raises BoardError for an unknown id."""
        return await self._peg.open(
            self.principal,
            board_id,
            surface=self.surface,
            context=self._values,
            allowed=self._allowed,
            profile=self.profile,
            skills=self._skills.choice,
        )

    @property
    def tombstone_tokens(self) -> int:
        """The definition cost of all tombstones."""
        from pegboard.tokens import definition_cost

        return sum(definition_cost(slot.shown) for slot in self._record.slots if slot.is_tombstone)

    async def view(self) -> View:
        """What the principal may discover of the catalog of this moment. A policy that fails hides everything."""
        return self._quarantine.of(await self._sight.look())

    async def find(self, query: str, limit: int | None = None) -> FindResult:
        """Search what the principal may discover. ``limit`` defaults to 20 and is capped at 100 (see Limits).

        The notes name the sources whose tools could not be searched.

        Raises InvalidArgumentsError for a query that is no text, and for a limit that is not a whole number from 1.
        """
        ranker = await self._peg.ranker_for(self.principal)
        view = await self.view()
        found = await find_beside(self._skills.searched(view), ranker, query, limit, self.limits)
        self._lessons.searched(query, found)
        fruitless = self._searches.ended(found, query, view.catalog.generation)
        return replace(found, fruitless=fruitless, notes=(*found.notes, *self.missing_notes(view), *view.notes))

    def missing_notes(self, view: View) -> tuple[str, ...]:
        """What an answer about all tools says of the sources whose tools are not there."""
        return missing_notes(self._peg.missing(view), named=self.principal is None)

    async def missing(self, name: str) -> NotFoundError:
        """What is answered to the name of no tool, or of none that the principal may discover."""
        if name in self._meta:
            return MetaToolError(name)
        given: object = name  # models write other things too
        is_skill = self._skills.given and isinstance(given, str) and await self._sight.skill(given) is not None
        return SkillNameError(name) if is_skill else NotFoundError(name, self.finder)

    async def recommend(self, recent_text: str, limit: int | None = None) -> list[Ranked]:
        """Tools whose keywords or tags stand in ``recent_text``, best first; none that is active already.

        ``limit`` defaults to 5 (see Limits); 0 or less gives none.
        """
        from pegboard.search import recommend

        view = await self.view()
        active = {tool.name for tool in self.active_set()}
        return recommend(recent_text, view.tools, active, self.limits.recommend if limit is None else limit)

    async def prompt(self) -> str:
        """The level-1 text over the on-demand tools and the skills that the principal may discover."""
        view = await self.view()
        on_demand = [tool for tool in view.tools if tool.visibility_on(self.surface) is Visibility.ON_DEMAND]
        tools = view.catalog.format_for_prompt(on_demand, finder=self.finder)
        return "\n\n".join(filter(None, (tools, self._skills.prompt_in(view).text)))

    async def call(
        self,
        name: str,
        arguments: Any = None,
        *,
        context: Mapping[str, Any] | None = None,
        meta: Mapping[str, Any] | None = None,
        on_progress: ProgressSink | None = None,
        client: Any = None,
        call_id: str | None = None,
    ) -> ToolResult | Halt:
        """Call a tool by its own name, meta-tools too, listed or not; only this board's tombstones refuse.

        A call that fails gives a result with ``is_error``; only cancellation raises. ``context`` adds to the board's
        values; ``meta`` is the request's ``_meta``; ``on_progress`` is told how far it is; ``client`` says what the
        caller's connection can do. ``call_id`` is the id that receipts, logs and the handler know it by: a provider's
        own, where there is one, so that a call which is made again can be told (default: a new one).
        """
        begun = self._calls.begun(name, self._peg.catalog, context, call_id)
        return await self._calls.run(replace(begun, meta=meta or {}, client=client, on_progress=on_progress), arguments)

    async def call_all(
        self,
        calls: Iterable[tuple[str, Any] | tuple[str, Any, str | None]],
        *,
        context: Mapping[str, Any] | None = None,
        sequential: bool = False,
    ) -> Turn:
        """Call every tool of one model message, side by side; then tell whether one of them ends the turn.

        ``calls`` are names, each with its arguments and, where it has one, its id; the same may come several times.
        Every call gets its result, also when another fails or halts. ``context`` adds to the board's values;
        ``sequential`` has each wait for the one before. All find the definitions that there are now, whatever changes
        meanwhile.
        """
        catalog = self._peg.catalog
        asked = [(name, arguments, *call_id, None)[:3] for name, arguments, *call_id in calls]

        async def called(name: str, arguments: Any, call_id: str | None) -> ToolResult | Halt:
            return await self._calls.run(self._calls.begun(name, catalog, context, call_id), arguments)

        return await run_all([partial(called, *one) for one in asked], sequential=sequential)

    async def call_any(self, name: str, arguments: Any, context: Context) -> ToolResult | Halt:
        """Call any permitted tool of the catalog, tombstones too, in place of the call of ``context``: under its id."""
        return await self._calls.run_any(name, arguments, context)

    async def commit(self) -> PinDiff:
        """A boundary: apply what is queued and save. Raises StoreError; the queue is kept then."""
        return await self._boundary(compact=False)

    async def compact(self, *, unused_since: float | None = None) -> PinDiff:
        """A boundary that also removes tombstones, which changes bytes shown before.

        Pins that have not been used since the moment ``unused_since`` (in seconds, as ``time.time()`` gives) are
        unpinned and removed with them; a pin counts as used when it is pinned, and when the board is opened.
        """
        return await self._boundary(compact=True, unused_since=unused_since)

    async def boundary(self) -> PinDiff:
        """A commit, or a compact when tombstones cost too much or the board was idle for long (see Limits)."""
        idle = time.monotonic() - self._calls.last > self.limits.compact_idle
        compact = idle or self.tombstone_tokens > self.limits.compact_tokens
        patience = self.limits.compact_unused if compact else None
        return await self._boundary(compact=compact, unused_since=None if patience is None else time.time() - patience)

    async def stale(self) -> bool:
        """Whether always-visible tools have changed since the last boundary, so that one would change the listing."""
        standing = self._standing(await self.view())
        return [(s.name, s.digest) for s in standing] != [(s.name, s.digest) for s in self._record.always]

    async def close(self) -> None:
        """Forget the board in the store, after the boundary that is being made. Its id opens nothing from then on."""
        await self._kept.close()

    @property
    def _record(self) -> PinRecord:
        return self._kept.record

    @property
    def _queue(self) -> PinQueue:
        return self._kept.queue

    async def _boundary(self, *, compact: bool, unused_since: float | None = None) -> PinDiff:
        views: list[View] = []

        async def prepared(base: PinRecord, queue: PinQueue) -> Boundary | None:
            view = await self.view()
            if view.unsure:
                return None
            views.append(view)
            if unused_since is not None:
                queue = self._last_used.pruning(base, queue, unused_since)
            tools = view.catalog.subset(view.catalog.names - view.hidden)
            return at_boundary(
                base,
                queue,
                {tool.name: tool for tool in tools if tool.visibility_on(self.surface) is Visibility.ON_DEMAND},
                self._always(view),
                hidden=self._sight.hidden(view, base, self._record),
                compact=compact,
                rule=self._quarantine.rule(queue),
                shown=self._record,
            )

        boundary = await self._kept.boundary(prepared)
        if boundary is None:
            active = (slot.name for slot in self._record.slots if slot.state is PinState.ACTIVE)
            return replace(_PUT_OFF, unchanged=tuple(active))
        self._last_used.pinned(boundary.diff.added)
        if self._peg.on_drift != "accept":
            for drift in boundary.drifts:
                self._peg.drifts.note(drift)
        self._skills.at_boundary(views[-1])
        self._peg.boundary_made(self.id)
        return boundary.diff

    @property
    def context_values(self) -> dict[str, Any]:
        """What the context of every call on this board holds, less what a call adds: the map's values, then its own."""
        return {**self._peg.context.held(self.principal), **self._values}

    def _own_tools(self, names: Collection[str]) -> dict[str, Tool]:
        """The meta-tools of a profile, without those in whose place somebody has registered a catalog's own."""
        found = meta_tools(names)
        return {
            name: tool for name, tool in found.items() if name not in SKILL_TOOLS or not self._peg.catalog.get(name)
        }

    def _visible(self) -> list[Slot]:
        return [slot for slot in self._record.items if not self.hides(slot.name)]

    def _always(self, view: View) -> list[Tool]:
        shown = [tool for tool in view.catalog.always_on(self.surface) if view.seen(tool.name) is not None]
        own = (tool for name, tool in self._meta.items() if name not in SKILL_TOOLS or view.skills)
        return [*own, *shown]

    def _standing(self, view: View) -> tuple[Slot, ...]:
        return settled_always(self._record, self._always(view), self._quarantine.rule())
