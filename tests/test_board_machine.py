"""Boards under random operations, against a plain model of what the design says.

``World`` is the model: lists and dictionaries, one short function for a boundary, no table of states. After every step
each board's bytes are compared with the model's; at every boundary the diff is held against what really happened.
"""

from __future__ import annotations

import asyncio
import json
import logging
import os
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any, Final, NamedTuple, TypeVar

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)

from pegboard import Limits, MemoryPinStore, Pegboard, PinDiff, PinStore, Tool, ToolRegistry, ToolResult
from pegboard.board import Board
from pegboard.drift import OnDrift
from pegboard.errors import StoreError
from pegboard.metatools import META_TOOLS
from pegboard.pins import PinRecord
from pegboard.stores import SqlPinStore
from tests.support import ALICE, Rules, make

NAMES: Final = ("alpha", "load_more", "omega", "zeta")
"""They sort before the meta-tools, between them, and behind."""

PROFILE: Final = ("call_tool", "load_tool", "tool_search", "unload_tool")

TIMES: Final = int(os.environ.get("PEGBOARD_EXAMPLES", "1"))
"""How many times the usual examples are tried: more of them before a release, or after a change of weight."""

T = TypeVar("T")


class Definition(NamedTuple):
    """One state of a tool. Two of one ``version`` are the same definition, maybe with its keys in another order."""

    version: int
    turned: bool = False
    always: bool = False

    def shown(self, name: str) -> dict[str, Any]:
        schema = {"type": "object", "properties": {}, "title": f"Version {self.version}"}
        schema = dict(reversed(schema.items())) if self.turned else schema
        return {"name": name, "description": f"Tool {name}, number {self.version}.", "inputSchema": schema}

    def differs_in_spelling(self, other: Definition) -> bool:
        return self.version == other.version and self.turned != other.turned

    def tool(self, name: str) -> Tool:
        shown = self.shown(name)
        return make(name, shown["description"], input_schema=shown["inputSchema"], always=self.always)


@dataclass(frozen=True)
class Pin:
    """A pin of the model: its place is its place in the list. ``status`` is on, off, gone or held."""

    name: str
    definition: Definition
    status: str = "on"


@dataclass(frozen=True)
class Record:
    """What a board has shown: always-visible tools (by name, held or not) and pins. ``known`` is of the quarantine."""

    always: tuple[Pin, ...] = ()
    pins: tuple[Pin, ...] = ()
    known: dict[str, int] = field(default_factory=dict)

    @property
    def items(self) -> tuple[Pin, ...]:
        return (*self.always, *self.pins)

    @property
    def versions(self) -> dict[str, int]:
        """The version of every definition that was shown, or accepted since."""
        return {item.name: item.definition.version for item in self.items} | self.known

    def status(self, name: str) -> str:
        return next((pin.status for pin in self.pins if pin.name == name), "absent")


@dataclass
class World:
    """The model of everything outside the boards."""

    on_drift: OnDrift
    catalog: dict[str, Definition]
    last: dict[str, Definition]
    revoked: set[str] = field(default_factory=set)
    accepted: dict[str, int] = field(default_factory=dict)

    @property
    def hidden(self) -> set[str]:
        return self.revoked & self.catalog.keys()

    def visible(self, name: str) -> Definition | None:
        return None if name in self.revoked else self.catalog.get(name)

    def held(self, name: str, record: Record, accepted: dict[str, int]) -> bool:
        now, known = self.catalog.get(name), record.versions.get(name)
        if self.on_drift != "quarantine" or now is None or known in (None, now.version):
            return False
        return now.version not in (accepted.get(name), self.accepted.get(name))

    def always(self, record: Record, accepted: dict[str, int]) -> tuple[Pin, ...]:
        """What is always visible now, as it would be shown."""
        shown = {item.name: item.definition for item in record.items}
        result = [Pin(name, Definition(0)) for name in PROFILE]
        for name, now in self.catalog.items():
            if not now.always or name in self.revoked:
                continue
            if not self.held(name, record, accepted):
                same = name in shown and shown[name].version == now.version
                result.append(Pin(name, shown[name] if same else now))
            elif name in shown:
                result.append(Pin(name, shown[name], "held"))
        return tuple(sorted(result, key=lambda item: item.name))

    def boundary(self, record: Record, wishes: dict[str, str], accepted: dict[str, int], *, compact: bool) -> Record:
        """The record after a boundary: the rules of the design, one after another."""
        always = self.always(record, accepted)
        pins = []
        for pin in record.pins:
            now = self.visible(pin.name)
            if pin.name in self.hidden or (now is not None and now.always):
                continue
            wanted = wishes.get(pin.name, "unpin" if pin.status == "off" else "pin") == "pin"
            if not wanted:
                pin = replace(pin, status="off")
            elif now is None:
                pin = replace(pin, status="gone")
            elif self.held(pin.name, record, accepted):
                pin = replace(pin, status="held")
            else:
                pin = Pin(pin.name, pin.definition if now.version == pin.definition.version else now)
            if not (compact and pin.status in ("off", "gone")):
                pins.append(pin)
        had = {pin.name for pin in record.pins}
        for name, wish in wishes.items():
            now = self.visible(name)
            fits = now is not None and not now.always and not self.held(name, record, accepted)
            if wish == "pin" and name not in had and now is not None and fits:
                pins.append(Pin(name, now))
        after = Record(always, tuple(pins))
        return replace(after, known=self.remembered(record, after, accepted))

    def remembered(self, record: Record, after: Record, accepted: dict[str, int]) -> dict[str, int]:
        if self.on_drift != "quarantine":
            return {}
        known = {}
        for name, version in record.versions.items():
            now = self.visible(name)
            if now is not None and now.version in (accepted.get(name), self.accepted.get(name)):
                version = now.version
            known[name] = version
        return {name: version for name, version in known.items() if after.versions.get(name) != version}


@dataclass
class Seat:
    """A real board, and what the model knows of it."""

    board: Board
    shown: Record
    wishes: dict[str, str] = field(default_factory=dict)
    accepted: dict[str, int] = field(default_factory=dict)

    def wish(self, what: str, name: str) -> None:
        """Another wish for a name goes to the end, the same again changes nothing."""
        if self.wishes.get(name) != what:
            self.wishes.pop(name, None)
            self.wishes[name] = what

    def state(self, name: str) -> str:
        """The status with the wish on top: ``on`` when it is to be listed."""
        status, wish = self.shown.status(name), self.wishes.get(name)
        if wish == "pin":
            return status if status in ("on", "gone", "held") else "coming"
        if wish == "unpin":
            return {"on": "leaving", "absent": "absent"}.get(status, "off")
        return status


class Faulty:
    """A pin store that fails when it is told to, before or after it has saved."""

    def __init__(self, behind: PinStore) -> None:
        self.behind = behind
        self.fault: str | None = None

    async def load(self, board_id: str) -> PinRecord | None:
        return await self.behind.load(board_id)

    async def save(self, board_id: str, record: PinRecord) -> bool:
        fault, self.fault = self.fault, None
        if fault == "before":
            raise OSError("the disk is full")
        saved = await self.behind.save(board_id, record)
        if fault == "after":
            raise ConnectionResetError("the answer is lost")
        return saved

    async def delete(self, board_id: str) -> None:
        await self.behind.delete(board_id)


def text(items: tuple[Pin, ...]) -> bytes:
    shown = [META_TOOLS[i.name].shown if i.name in PROFILE else i.definition.shown(i.name) for i in items]
    return json.dumps(shown, ensure_ascii=False, separators=(",", ":")).encode()


names = st.sampled_from(NAMES)
versions = st.integers(0, 2)
mostly_on_demand = st.sampled_from([False, False, False, True])
definitions = st.builds(Definition, versions, st.booleans(), mostly_on_demand)
seats = st.integers(0, 1)


class Machine(RuleBasedStateMachine):
    """Random operations on one or two boards of one record."""

    open_store: Callable[[], PinStore] = MemoryPinStore

    def __init__(self) -> None:
        super().__init__()
        logging.disable()  # failures are made on purpose here, by the hundred
        self.runner = asyncio.Runner()
        self.store = Faulty(self.open_store())
        self.stored: Record | None = None
        self.seats: list[Seat] = []

    @initialize(
        on_drift=st.sampled_from(["quarantine", "quarantine", "accept", "warn"]),
        start=st.fixed_dictionaries(dict.fromkeys(NAMES, definitions)),
        pinned=st.permutations(NAMES),
    )
    def begin(self, on_drift: OnDrift, start: dict[str, Definition], pinned: list[str]) -> None:
        """A board with pins in some order: from here everything interesting is a few steps away."""
        self.world = World(on_drift, start, dict(start))
        self.policy = Rules()
        self.start()
        self.open(None)
        for name in pinned:
            self.pin(0, name)
        self.commit(0)

    def teardown(self) -> None:
        self.close_store()
        self.runner.close()
        logging.disable(logging.NOTSET)

    def wait(self, doing: Awaitable[T]) -> T:
        async def awaited() -> T:
            return await doing

        return self.runner.run(awaited())

    def close_store(self) -> None:
        if isinstance(self.store.behind, SqlPinStore):
            self.wait(self.store.behind.close())

    def start(self) -> None:
        """A new process over the same store; what is in memory would not outlive it."""
        if isinstance(self.store.behind, SqlPinStore):
            self.close_store()
            self.store.behind = self.open_store()
        self.registry = ToolRegistry()
        self.registry.register(*(now.tool(name) for name, now in self.world.catalog.items()))
        self.peg = Pegboard(
            [self.registry],
            policy=self.policy,
            store=self.store,
            on_drift=self.world.on_drift,
            limits=Limits(compact_tokens=1),
            profiles={"machine": PROFILE},
        )
        self.world.accepted = {}

    def open(self, board_id: str | None) -> None:
        board = self.wait(self.peg.open(ALICE, board_id, profile="machine"))
        shown = self.stored if board_id is not None else Record(self.world.always(Record(), {}))
        assert shown is not None
        self.seats.append(Seat(board, shown))

    def seat(self, number: int) -> Seat:
        return self.seats[number % len(self.seats)]

    # What happens to the catalog and to rights.

    @rule(name=names, definition=definitions)
    def register(self, name: str, definition: Definition) -> None:
        self.world.catalog[name] = self.world.last[name] = definition
        self.registry.unregister(name)
        self.registry.register(definition.tool(name))

    @rule(name=names, further=st.integers(0, 2), turned=st.booleans())
    def change(self, name: str, further: int, turned: bool) -> None:
        """Another definition than the last, unless ``further`` is 0; a tool that was removed is back with it."""
        last = self.world.last[name]
        self.register(name, Definition((last.version + further) % 3, turned, last.always))

    @rule(name=names)
    def remove(self, name: str) -> None:
        self.world.catalog.pop(name, None)
        self.registry.unregister(name)

    @rule(name=names)
    def revoke_or_grant(self, name: str) -> None:
        self.world.revoked ^= {name}
        self.policy.hidden = set(self.world.revoked)

    # What is wished.

    @rule(number=seats, name=names)
    def pin(self, number: int, name: str) -> None:
        self.seat(number).board.pin(name)
        self.seat(number).wish("pin", name)

    @rule(number=seats, name=names)
    def unpin(self, number: int, name: str) -> None:
        self.seat(number).board.unpin(name)
        self.seat(number).wish("unpin", name)

    @rule(number=seats, name=names)
    def load_tool(self, number: int, name: str) -> None:
        seat, now = self.seat(number), self.world.visible(name)
        answer = self.ask(seat, "load_tool", name=name)
        if now is None:
            assert answer == "not_found"
        elif self.world.held(name, seat.shown, seat.accepted):
            assert answer == "quarantined"
        else:
            assert answer == "ok"
            if not now.always and seat.state(name) != "on":
                seat.wish("pin", name)

    @rule(number=seats, name=names)
    def unload_tool(self, number: int, name: str) -> None:
        seat, now = self.seat(number), self.world.visible(name)
        answer = self.ask(seat, "unload_tool", name=name)
        if now is None and (seat.state(name) != "gone" or name in self.world.hidden):
            assert answer == "not_found"
            return
        assert answer == "ok"
        if seat.state(name) not in ("absent", "off"):
            seat.wish("unpin", name)

    @rule(number=seats, name=names)
    def tool_search(self, number: int, name: str) -> None:
        seat = self.seat(number)
        result = self.wait(seat.board.call("tool_search", {"query": f"number {name} tool"}))
        assert isinstance(result, ToolResult)
        for told in result.structured["loaded"]:
            now = self.world.visible(told["name"])
            assert now is not None
            assert not now.always
            assert not self.world.held(told["name"], seat.shown, seat.accepted)
            seat.wish("pin", told["name"])

    @rule(number=seats, name=names, everywhere=st.booleans())
    def accept_drift(self, number: int, name: str, everywhere: bool) -> None:
        now = self.world.catalog.get(name) if everywhere else self.world.visible(name)
        if now is None:
            return
        if everywhere:
            self.peg.accept_drift(name)
            self.world.accepted[name] = now.version
        else:
            self.seat(number).board.accept_drift(name)
            self.seat(number).accepted[name] = now.version

    # Calls.

    @rule(number=seats, name=names, through=st.booleans())
    def call(self, number: int, name: str, through: bool) -> None:
        seat = self.seat(number)
        answer = self.ask(seat, "call_tool", name=name, arguments={}) if through else self.ask(seat, name)
        if name in self.world.hidden:
            expected = "not_found"
        elif name not in self.world.catalog:
            expected = "unloaded" if any(item.name == name for item in seat.shown.items) else "not_found"
        elif self.world.held(name, seat.shown, seat.accepted):
            expected = "quarantined"
        else:
            expected = "unloaded" if seat.shown.status(name) == "off" and not through else "ok"
        assert answer == expected

    def ask(self, seat: Seat, tool: str, /, **arguments: Any) -> str:
        result = self.wait(seat.board.call(tool, arguments))
        assert isinstance(result, ToolResult)
        return str(result.structured["error"]["code"]) if result.is_error else "ok"

    # Boundaries.

    @rule(number=seats)
    def commit(self, number: int) -> None:
        seat = self.seat(number)
        self.boundary(seat, seat.board.commit, seat.wishes)

    @rule(number=seats, how=st.sampled_from(["gateway", "compact", "prune"]))
    def boundary_that_may_compact(self, number: int, how: str) -> None:
        seat = self.seat(number)
        if how == "gateway":
            dead = any(pin.status in ("off", "gone") for pin in seat.shown.pins)
            self.boundary(seat, seat.board.boundary, seat.wishes, compact=dead)
        elif how == "compact":
            self.boundary(seat, seat.board.compact, seat.wishes, compact=True)
        else:
            prune = partial(seat.board.compact, unused_since=float("inf"))
            unwished = {pin.name: "unpin" for pin in (self.stored or seat.shown).pins if pin.name not in seat.wishes}
            self.boundary(seat, prune, seat.wishes | unwished, compact=True)

    @rule(fault=st.sampled_from(["before", "after"]))
    def break_the_next_save(self, fault: str) -> None:
        self.store.fault = fault

    @rule(number=seats)
    def policy_outage(self, number: int) -> None:
        seat = self.seat(number)
        self.policy.broken = True
        diff = self.wait(seat.board.compact())
        assert diff.notes
        assert not diff.invalidations
        assert seat.board.listing().names == tuple(
            item.name for item in seat.shown.items if item.name not in {*self.world.catalog}
        )
        self.policy.broken = False

    def boundary(
        self, seat: Seat, make_it: Callable[[], Awaitable[PinDiff]], wishes: dict[str, str], *, compact: bool = False
    ) -> None:
        base = seat.shown if self.stored is None else self.stored
        # A store that is to fail does so at the first try: before that, nobody knows that the race is lost.
        lost = base is not seat.shown
        after = self.world.boundary(base, wishes, seat.accepted, compact=compact)
        fault = self.store.fault
        if fault is not None:
            with pytest.raises(StoreError):
                self.wait(make_it())
            if fault == "after" and not lost:
                self.stored = after
            return
        diff = self.wait(make_it())
        before, seat.shown, self.stored = seat.shown, after, after
        seat.wishes, seat.accepted = {}, {}
        self.check_diff(before, after, diff)
        assert self.wait(self.store.load(seat.board.id)) == seat.board._record

    def check_diff(self, before: Record, after: Record, diff: PinDiff) -> None:
        was = [pin.name for pin in before.pins if pin.status == "on"]
        now = [pin.name for pin in after.pins if pin.status == "on"]
        always = {item.name for item in after.always}
        then = {item.name: item.status for item in before.items}
        held = [i.name for i in after.items if i.status == "held" and then.get(i.name, "held") != "held"]
        assert list(diff.added) == [name for name in now if name not in was]
        assert list(diff.unchanged) == [name for name in now if name in was]
        assert list(diff.quarantined) == held
        gone = [n for n in was if n not in now and n not in self.world.hidden and n not in always and n not in held]
        assert list(diff.tombstoned) == gone
        assert sorted(diff.invalidations) == sorted(self.reasons(before, after))
        assert bool(diff.notes) == (self.world.on_drift != "accept" and bool(held or self.changed(before, after)))

    def changed(self, before: Record, after: Record) -> list[str]:
        was = {item.name: item.definition.version for item in before.items}
        return [i.name for i in after.items if i.name in was and i.definition.version != was[i.name]]

    def reasons(self, before: Record, after: Record) -> list[str]:
        """Why bytes that were shown are other bytes now: the bytes say whether, then each cause is looked for."""
        if text(after.items).startswith(text(before.items)[:-1]) and len(after.items) >= len(before.items):
            return []
        pins, always = {pin.name: pin for pin in after.pins}, {item.name for item in after.always}
        reasons = []
        left = [item for item in before.items if item.name not in self.world.hidden]
        if left != [*before.items]:
            reasons.append("permission")
        stay = [pin.name for pin in before.pins if pin in left and pin.name not in always]
        shown = {pin.name: pin.definition for pin in before.pins}
        anew = {n for n in stay if n in pins and shown[n].differs_in_spelling(pins[n].definition)}
        kept = [name for name in stay if name in pins and name not in anew]
        moved = kept != [*pins][: len(kept)]
        if moved or kept != stay:
            reasons.append("compact")
            left = [i for i in left if i.name not in stay or (i.name in kept and not moved)]
        drifted = [name for name in self.changed(before, after) if name in kept]
        reasons += [f"drift:{name}" for name in drifted]
        left = [pins[i.name] if i.name in drifted else i for i in left]
        if text(after.items[: len(left)]) != text(tuple(left)):
            reasons.append("always-changed")
        return reasons

    @rule(number=seats, name=names, further=st.integers(0, 2))
    def be_away_for_a_boundary(self, number: int, name: str, further: int) -> None:
        """A tool vanishes, and comes back as it was or otherwise: alone, these steps hardly ever meet."""
        self.remove(name)
        self.commit(number)
        self.change(name, further, False)
        self.commit(number)

    # Other boards, other processes.

    @precondition(lambda self: self.stored is not None and len(self.seats) < 2)
    @rule()
    def join(self) -> None:
        self.open(self.seats[0].board.id)

    @precondition(lambda self: self.stored is not None)
    @rule()
    def restart(self) -> None:
        board_id = self.seats[0].board.id
        self.seats = []
        self.start()
        self.open(board_id)

    # What holds after every step.

    @invariant()
    def every_board_is_as_it_should_be(self) -> None:
        for seat in self.seats:
            self.wait(seat.board.view())
            self.check_listing(seat)
            self.check_active_set(seat)
            self.check_pending(seat)

    def check_listing(self, seat: Seat) -> None:
        """What was shown at the last boundary, byte by byte, without the blocks of what is hidden."""
        visible = tuple(item for item in seat.shown.items if item.name not in self.world.hidden)
        listing = seat.board.listing()
        assert listing.bytes == text(visible)
        assert len(set(listing.names)) == len(listing.names)

    def check_active_set(self, seat: Seat) -> None:
        """Always-visible tools by name, then pins in pin order."""
        usable = [
            item.name
            for item in seat.shown.items
            if item.status == "on"
            and (item.name in PROFILE or self.world.visible(item.name) is not None)
            and not self.world.held(item.name, seat.shown, seat.accepted)
        ]
        assert [tool.name for tool in seat.board.active_set()] == usable

    def check_pending(self, seat: Seat) -> None:
        """What was wished and makes a difference."""
        differs = {name: wish for name, wish in seat.wishes.items() if seat.state(name) != seat.shown.status(name)}
        adding, removing = seat.board.pending
        assert list(adding) == [name for name, wish in differs.items() if wish == "pin"]
        assert list(removing) == [name for name, wish in differs.items() if wish == "unpin"]


STORES: Final[dict[str, Callable[[Path], Callable[[], PinStore]]]] = {
    "memory": lambda folder: MemoryPinStore,
    "sqlite": lambda folder: partial(SqlPinStore, folder / "boards.db"),
}


@pytest.mark.timeout(600 * TIMES)  # for machines that are busy, and for runs with more examples
@pytest.mark.parametrize(("store", "examples"), [("memory", 150), ("sqlite", 60)])
def test_boards_do_what_the_model_does(store: str, examples: int, tmp_path: Path) -> None:
    class Chosen(Machine):
        open_store = staticmethod(STORES[store](tmp_path))

    run_state_machine_as_test(Chosen, settings=settings(max_examples=examples * TIMES, stateful_step_count=40))
