"""Pins: which on-demand tools a board shows, as a table of states and a queue of wishes. Pure.

A name on a board is in one of these states. ``pin`` and ``unpin`` are wishes; ``commit`` and ``compact`` are
boundaries; ``vanish``, ``drift`` and ``return`` are found at a boundary, when the catalog has lost a pinned tool, has
another definition of it that may not be shown, or has it as it should be.

    ABSENT       not on the board
    QUEUED       will be shown from the next boundary on
    ACTIVE       shown, callable
    LEAVING      shown and callable until the next boundary
    TOMBSTONED   its bytes stay in the listing, a call is refused; compact() removes it
    RETURNING    a tombstone that will be active again, in its old place, with its old bytes
    GONE         a tombstone because the catalog lost the tool; active again when the tool is back
    QUARANTINED  its bytes stay, a call is refused: the tool's definition is no longer the one that was shown

A record (what is stored) holds only ACTIVE, TOMBSTONED, GONE and QUARANTINED slots. The queue holds the last wish for a
name; the state between boundaries is one step of the table from the slot's state. So a queue can be put on top of any
record, which is what a commit that lost a race does.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cached_property
from typing import Final

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
    QUARANTINED = "quarantined"


class PinEvent(StrEnum):
    """What can happen to a name."""

    PIN = "pin"
    UNPIN = "unpin"
    COMMIT = "commit"
    COMPACT = "compact"
    VANISH = "vanish"
    DRIFT = "drift"
    RETURN = "return"


_S, _E = PinState, PinEvent

TRANSITIONS: Final[Mapping[PinState, Mapping[PinEvent, PinState]]] = {
    # An event that a row does not name leaves the state as it is.
    _S.ABSENT: {_E.PIN: _S.QUEUED},
    _S.QUEUED: {_E.UNPIN: _S.ABSENT, _E.COMMIT: _S.ACTIVE, _E.VANISH: _S.ABSENT, _E.DRIFT: _S.ABSENT},
    _S.ACTIVE: {_E.UNPIN: _S.LEAVING, _E.VANISH: _S.GONE, _E.DRIFT: _S.QUARANTINED},
    _S.LEAVING: {_E.PIN: _S.ACTIVE, _E.COMMIT: _S.TOMBSTONED},
    _S.TOMBSTONED: {_E.PIN: _S.RETURNING, _E.COMPACT: _S.ABSENT},
    _S.RETURNING: {_E.UNPIN: _S.TOMBSTONED, _E.COMMIT: _S.ACTIVE, _E.VANISH: _S.GONE, _E.DRIFT: _S.QUARANTINED},
    _S.GONE: {_E.UNPIN: _S.TOMBSTONED, _E.COMPACT: _S.ABSENT, _E.RETURN: _S.ACTIVE, _E.DRIFT: _S.QUARANTINED},
    _S.QUARANTINED: {_E.UNPIN: _S.TOMBSTONED, _E.VANISH: _S.GONE, _E.RETURN: _S.ACTIVE},
}


def step(state: PinState, event: PinEvent) -> PinState:
    """The state after one event."""
    return TRANSITIONS[state].get(event, state)


@dataclass(frozen=True, kw_only=True)
class Slot:
    """One shown definition, in its place. Immutable. ``state`` is active, tombstoned, gone or quarantined.

    ``shown`` is the definition as the listing shows it, kept so that a vanished tool renders the same after a restart.
    """

    name: str
    state: PinState
    shown: JsonObject
    digest: str

    @classmethod
    def of(cls, tool: Tool) -> Slot:
        """An active slot that shows a tool as it is now."""
        return cls(name=tool.name, state=PinState.ACTIVE, shown=tool.shown, digest=tool.digest)

    @property
    def is_tombstone(self) -> bool:
        """Whether it only keeps its place, until ``compact`` removes it."""
        return step(self.state, PinEvent.COMPACT) is PinState.ABSENT


@dataclass(frozen=True, kw_only=True)
class PinRecord:
    """What a board keeps between boundaries, and a store between processes. Immutable.

    ``generation`` counts saves, 0 for a board that never saved. ``always`` are the always-visible definitions shown,
    by name, each active or quarantined; ``slots`` the pins in pin order. ``owner`` is the key of the principal it
    belongs to, None for trusted local use. ``digests`` are kept where changed definitions are quarantined: by name,
    those that were shown once and are no longer, or that were accepted and are not shown yet. ``replacement`` is
    true of the empty record that a store puts in the place of one it could not read. ``skills`` are those that were
    activated, in that order: digests by name.
    """

    owner: str | None = None
    generation: int = 0
    replacement: bool = False
    always: tuple[Slot, ...] = ()
    slots: tuple[Slot, ...] = ()
    digests: Mapping[str, str] = field(default_factory=dict)
    skills: Mapping[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        # A name that a spoilt store gives twice would be shown twice, which providers refuse: its first slot counts.
        first = {slot.name: slot for slot in (*reversed(self.slots), *reversed(self.always))}
        if len(first) < len(self.always) + len(self.slots):
            for rows in ("always", "slots"):
                once = tuple(slot for slot in getattr(self, rows) if first[slot.name] is slot)
                object.__setattr__(self, rows, once)

    @property
    def blank(self) -> bool:
        """Whether nothing of it was ever shown: the board begins with what is always visible now."""
        return self.replacement or not self.generation

    @cached_property
    def items(self) -> tuple[Slot, ...]:
        """All that is shown, in order: what is always visible, then the pins."""
        return (*self.always, *self.slots)

    @cached_property
    def known(self) -> Mapping[str, str]:
        """The digest of each definition that this board has shown, or that was accepted on it, by name."""
        return {**{slot.name: slot.digest for slot in self.items}, **self.digests}

    def slot(self, name: str) -> Slot | None:
        """The pin of that name, if it has one."""
        return next((slot for slot in self.slots if slot.name == name), None)

    def state(self, name: str) -> PinState:
        """The state of a name as of the last boundary."""
        slot = self.slot(name)
        return slot.state if slot else PinState.ABSENT


@dataclass(frozen=True, eq=False)
class _Wish:
    """The last wish for a name. Immutable. No two are equal, so that one made anew is told from one that is done."""

    event: PinEvent


class PinQueue:
    """The wishes since the last boundary: for each name, the last one. Belongs to one board.

    ``accepted`` are the changed definitions that somebody has accepted since, ``skills`` those that were activated:
    digests by name.
    """

    def __init__(self) -> None:
        self._wishes: dict[str, _Wish] = {}
        self.accepted: dict[str, str] = {}
        self.skills: dict[str, str] = {}

    def __contains__(self, name: str) -> bool:
        return name in self._wishes

    def put(self, event: PinEvent, name: str) -> None:
        """Queue a pin or an unpin. The same wish again keeps its place; another one for that name goes to the end."""
        if name in self._wishes and self._wishes[name].event is not event:
            del self._wishes[name]
        self._wishes[name] = _Wish(event)

    def step(self, state: PinState, name: str) -> PinState:
        """The state after the wish for a name, if there is one."""
        return step(state, self._wishes[name].event) if name in self._wishes else state

    def state(self, record: PinRecord, name: str) -> PinState:
        """Where a name stands now: its state in the record, and what is wished on top."""
        return self.step(record.state(name), name)

    def pending(self, record: PinRecord) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """(names to add, names to remove) at the next boundary, in the order they were wished."""
        changing = [
            (name, wish.event)
            for name, wish in self._wishes.items()
            if self.state(record, name) is not record.state(name)
        ]
        adding = tuple(name for name, event in changing if event is PinEvent.PIN)
        return adding, tuple(name for name, event in changing if event is PinEvent.UNPIN)

    def copy(self) -> PinQueue:
        """The same wishes in a queue of their own."""
        twin = PinQueue()
        twin._wishes = dict(self._wishes)
        twin.accepted = dict(self.accepted)
        twin.skills = dict(self.skills)
        return twin

    def settle(self, done: PinQueue) -> None:
        """Drop the wishes that ``done`` held and that are still the last for their name."""
        self._wishes = {n: wish for n, wish in self._wishes.items() if done._wishes.get(n) is not wish}
        self.accepted = {n: digest for n, digest in self.accepted.items() if done.accepted.get(n) != digest}
        self.skills = {n: digest for n, digest in self.skills.items() if done.skills.get(n) != digest}
