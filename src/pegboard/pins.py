"""Pins: which on-demand tools a board shows, as a table of states and functions over values. No I/O.

A name on a board is in one of these states. The first four of a row are what the caller may do or see between
boundaries; ``commit`` and ``compact`` are boundaries; ``vanish`` and ``return`` are found at a boundary, when the
catalog has lost a pinned tool or has it again.

    ABSENT      not on the board
    QUEUED      will be shown from the next boundary on
    ACTIVE      shown, callable
    LEAVING     shown and callable until the next boundary
    TOMBSTONED  its bytes stay in the listing, a call is refused; compact() removes it
    RETURNING   a tombstone that will be active again, in its old place, with its old bytes
    GONE        a tombstone because the catalog lost the tool; active again when the tool is back

A record (what is stored) holds only ACTIVE, TOMBSTONED and GONE slots. The queue holds the last wish for a name; the
state between boundaries is one step of the table from the slot's state. So a queue can be put on top of any record,
which is what a commit that lost a race does.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Final, Protocol

from pegboard.tools import JsonObject, Tool


class PinState(StrEnum):
    """Where a name stands on a board."""

    ABSENT = "absent"
    QUEUED = "queued"
    ACTIVE = "active"
    LEAVING = "queued-for-removal"
    TOMBSTONED = "tombstoned"
    RETURNING = "queued-to-return"
    GONE = "gone"


class PinEvent(StrEnum):
    """What can happen to a name."""

    PIN = "pin"
    UNPIN = "unpin"
    COMMIT = "commit"
    COMPACT = "compact"
    VANISH = "vanish"
    RETURN = "return"


_S, _E = PinState, PinEvent

TRANSITIONS: Final[Mapping[PinState, Mapping[PinEvent, PinState]]] = {
    # An event that a row does not name leaves the state as it is.
    _S.ABSENT: {_E.PIN: _S.QUEUED},
    _S.QUEUED: {_E.UNPIN: _S.ABSENT, _E.COMMIT: _S.ACTIVE, _E.VANISH: _S.ABSENT},
    _S.ACTIVE: {_E.UNPIN: _S.LEAVING, _E.VANISH: _S.GONE},
    _S.LEAVING: {_E.PIN: _S.ACTIVE, _E.COMMIT: _S.TOMBSTONED, _E.VANISH: _S.TOMBSTONED},
    _S.TOMBSTONED: {_E.PIN: _S.RETURNING, _E.COMPACT: _S.ABSENT},
    _S.RETURNING: {_E.UNPIN: _S.TOMBSTONED, _E.COMMIT: _S.ACTIVE, _E.VANISH: _S.GONE},
    _S.GONE: {_E.UNPIN: _S.TOMBSTONED, _E.COMPACT: _S.ABSENT, _E.RETURN: _S.ACTIVE},
}


def step(state: PinState, event: PinEvent) -> PinState:
    """The state after one event."""
    return TRANSITIONS[state].get(event, state)


@dataclass(frozen=True, kw_only=True)
class Slot:
    """One pinned definition, in its place. Immutable. ``state`` is active, tombstoned or gone.

    ``shown`` is the definition as the listing shows it, kept so that a vanished tool renders the same after a restart.
    """

    name: str
    state: PinState
    shown: JsonObject
    digest: str


@dataclass(frozen=True, kw_only=True)
class Shown:
    """One always-visible definition of a frozen listing. Immutable."""

    name: str
    shown: JsonObject
    digest: str


@dataclass(frozen=True, kw_only=True)
class PinRecord:
    """What a board keeps between boundaries, and a store between processes. Immutable.

    ``generation`` counts saves, 0 for a board that never saved. ``always`` are the always-visible definitions shown,
    by name; ``slots`` the pins in pin order. ``owner`` is the key of the principal it belongs to, None for trusted
    local use.
    """

    owner: str | None = None
    generation: int = 0
    always: tuple[Shown, ...] = ()
    slots: tuple[Slot, ...] = ()

    def __post_init__(self) -> None:
        # A name that a spoilt store gives twice would be shown twice, which providers refuse: its first slot counts.
        places = {slot.name: slot for slot in reversed(self.slots)}
        if len(places) < len(self.slots):
            object.__setattr__(self, "slots", tuple(slot for slot in self.slots if places[slot.name] is slot))

    def slot(self, name: str) -> Slot | None:
        """The slot of that name, if it has one."""
        return next((slot for slot in self.slots if slot.name == name), None)

    def state(self, name: str) -> PinState:
        """The state of a name as of the last boundary."""
        slot = self.slot(name)
        return slot.state if slot else PinState.ABSENT


@dataclass(frozen=True, kw_only=True)
class PinDiff:
    """What a boundary did, as names in pin order. Immutable.

    ``invalidations`` names every reason for which bytes shown before have changed (empty: the listing only grew, or
    stayed): ``compact``, ``drift:NAME``, ``always-changed``, ``permission``.
    """

    added: tuple[str, ...] = ()
    tombstoned: tuple[str, ...] = ()
    unchanged: tuple[str, ...] = ()
    invalidations: tuple[str, ...] = ()


class PinQueue:
    """The wishes since the last boundary: for each name, the last one. Belongs to one board."""

    def __init__(self) -> None:
        self._wishes: dict[str, PinEvent] = {}

    def put(self, event: PinEvent, name: str) -> None:
        """Queue a pin or an unpin; it takes the place of an earlier wish for that name, at the end."""
        self._wishes.pop(name, None)
        self._wishes[name] = event

    def state(self, record: PinRecord, name: str) -> PinState:
        """Where a name stands now: its state in the record, and what is wished on top."""
        base = record.state(name)
        return step(base, self._wishes[name]) if name in self._wishes else base

    def pending(self, record: PinRecord) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """(names to add, names to remove) at the next boundary, in the order they were wished."""
        states = {name: self.state(record, name) for name in self._wishes}
        adding = tuple(n for n, s in states.items() if s in (PinState.QUEUED, PinState.RETURNING))
        return adding, tuple(n for n, s in states.items() if s is PinState.LEAVING)

    def copy(self) -> PinQueue:
        """The same wishes in a queue of their own."""
        twin = PinQueue()
        twin._wishes = dict(self._wishes)
        return twin

    def settle(self, done: PinQueue) -> None:
        """Drop the wishes that ``done`` held and that are still the last for their name."""
        self._wishes = {n: e for n, e in self._wishes.items() if done._wishes.get(n) is not e}


@dataclass(frozen=True, kw_only=True)
class Boundary:
    """The outcome of a boundary: the record to save and what changed. Immutable."""

    record: PinRecord
    diff: PinDiff


def at_boundary(
    record: PinRecord,
    queue: PinQueue,
    tools: Mapping[str, Tool],
    always: Iterable[Tool],
    *,
    hidden: Container[str] = (),
    compact: bool = False,
) -> Boundary:
    """Apply the queue to the record.

    ``tools`` are those the board may show by pinning, by name; ``always`` the always-visible ones; ``hidden`` the names
    the principal may not discover. Slots keep their places and new pins come last, so that the listing only grows but
    for the invalidations that the diff names.
    """
    reasons: list[str] = []
    allowed = [slot for slot in record.slots if slot.name not in hidden]
    if len(allowed) != len(record.slots):
        reasons.append("permission")
    slots = [_settled(slot, queue, tools, reasons) for slot in allowed]
    if compact:
        kept = [slot for slot in slots if step(slot.state, PinEvent.COMPACT) is not PinState.ABSENT]
        if len(kept) != len(slots):
            reasons.append("compact")
        slots = kept
    slots += _newcomers(record, queue, tools)
    shown = shown_always(always)
    if shown != record.always and (record.generation or record.always):
        reasons.append("always-changed")
    after = replace(record, generation=record.generation + 1, always=shown, slots=tuple(slots))
    return Boundary(record=after, diff=_diff(record, after, reasons))


def shown_always(tools: Iterable[Tool]) -> tuple[Shown, ...]:
    """The always-visible definitions as a listing shows them: by name."""
    ordered = sorted(tools, key=lambda tool: tool.name)
    return tuple(Shown(name=tool.name, shown=tool.shown, digest=tool.digest) for tool in ordered)


def _settled(slot: Slot, queue: PinQueue, tools: Mapping[str, Tool], reasons: list[str]) -> Slot:
    """A slot after its wish, the catalog's news and the commit."""
    tool = tools.get(slot.name)
    state = queue.state(PinRecord(slots=(slot,)), slot.name)
    state = step(state, PinEvent.VANISH if tool is None else PinEvent.RETURN)
    state = step(state, PinEvent.COMMIT)
    if state is PinState.ACTIVE and tool is not None and tool.digest != slot.digest:
        reasons.append(f"drift:{slot.name}")
        return replace(slot, state=state, shown=tool.shown, digest=tool.digest)
    return replace(slot, state=state)


def _newcomers(record: PinRecord, queue: PinQueue, tools: Mapping[str, Tool]) -> list[Slot]:
    adding, _ = queue.pending(record)
    new = [tools[name] for name in adding if name in tools and record.slot(name) is None]
    return [Slot(name=t.name, state=PinState.ACTIVE, shown=t.shown, digest=t.digest) for t in new]


def _diff(before: PinRecord, after: PinRecord, reasons: list[str]) -> PinDiff:
    was = {slot.name for slot in before.slots if slot.state is PinState.ACTIVE}
    now = [slot.name for slot in after.slots if slot.state is PinState.ACTIVE]
    return PinDiff(
        added=tuple(name for name in now if name not in was),
        tombstoned=tuple(slot.name for slot in before.slots if slot.name in was and slot.name not in now),
        unchanged=tuple(name for name in now if name in was),
        invalidations=tuple(reasons),
    )


class PinStore(Protocol):
    """Keeps records by board id. Process-wide.

    ``load`` gives None for a board that never saved. ``save`` is a compare-and-swap: it stores ``record`` only when
    the stored generation is ``record.generation - 1`` and answers whether it did. Both raise StoreError.
    """

    async def load(self, board_id: str) -> PinRecord | None: ...

    async def save(self, board_id: str, record: PinRecord) -> bool: ...

    async def delete(self, board_id: str) -> None: ...


class MemoryPinStore:
    """The in-memory twin of every pin store. Process-wide; forgets everything when the process ends."""

    def __init__(self) -> None:
        self._records: dict[str, PinRecord] = {}

    async def load(self, board_id: str) -> PinRecord | None:
        """The record, or None for a board that never saved."""
        return self._records.get(board_id)

    async def save(self, board_id: str, record: PinRecord) -> bool:
        """Store ``record`` if it follows the one that is stored."""
        stored = self._records.get(board_id)
        if (stored.generation if stored else 0) != record.generation - 1:
            return False
        self._records[board_id] = record
        return True

    async def delete(self, board_id: str) -> None:
        """Forget a board."""
        self._records.pop(board_id, None)
