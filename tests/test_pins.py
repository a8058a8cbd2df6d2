"""Pins as functions over values."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pegboard.boundary import PinDiff, at_boundary, invalidations, settled_always
from pegboard.context import Context
from pegboard.drift import Drift, DriftRule
from pegboard.pin_store import MemoryPinStore
from pegboard.pins import (
    TRANSITIONS,
    PinEvent,
    PinQueue,
    PinRecord,
    PinState,
    Slot,
    step,
)
from pegboard.tools import Tool, Visibility

pytestmark = pytest.mark.anyio


async def nothing(arguments: dict[str, Any], context: Context) -> None:
    return None


def make(name: str, description: str = "", *, always: bool = False) -> Tool:
    visibility = Visibility.ALWAYS if always else Visibility.ON_DEMAND
    return Tool(name=name, description=description, handler=nothing, visibility=visibility)


TOOLS = {name: make(name) for name in "abc"}
ALWAYS = [make("z", always=True)]


class Bench:
    """A record, a queue and a catalog to try boundaries on."""

    def __init__(self) -> None:
        self.record = PinRecord()
        self.queue = PinQueue()
        self.tools = dict(TOOLS)
        self.always = list(ALWAYS)

    def pin(self, *names: str) -> Bench:
        for name in names:
            self.queue.put(PinEvent.PIN, name)
        return self

    def unpin(self, *names: str) -> Bench:
        for name in names:
            self.queue.put(PinEvent.UNPIN, name)
        return self

    def commit(self, *, compact: bool = False, hidden: Iterable[str] = ()) -> PinDiff:
        tools = {name: tool for name, tool in self.tools.items() if name not in set(hidden)}
        boundary = at_boundary(self.record, self.queue, tools, self.always, hidden=set(hidden), compact=compact)
        self.record, self.queue = boundary.record, PinQueue()
        return boundary.diff

    @property
    def active(self) -> list[str]:
        return [slot.name for slot in self.record.slots if slot.state is PinState.ACTIVE]

    @property
    def shown(self) -> list[tuple[str, str]]:
        always = [(shown.name, shown.digest) for shown in self.record.always]
        return always + [(slot.name, slot.digest) for slot in self.record.slots]


def test_every_state_has_a_row_and_every_row_leads_to_a_state() -> None:
    assert set(TRANSITIONS) == set(PinState)
    for row in TRANSITIONS.values():
        assert set(row) <= set(PinEvent)
        assert set(row.values()) <= set(PinState)


def test_pins_become_active_at_a_boundary_in_pin_order() -> None:
    bench = Bench().pin("c", "a")
    assert bench.queue.pending(bench.record) == (("c", "a"), ())
    assert bench.commit() == PinDiff(added=("c", "a"))
    assert bench.active == ["c", "a"]


def test_a_pin_and_an_unpin_cancel_each_other() -> None:
    bench = Bench().pin("a").unpin("a")
    assert bench.queue.pending(bench.record) == ((), ())
    assert bench.commit() == PinDiff()


def test_a_wish_that_changes_nothing_is_not_pending() -> None:
    bench = Bench().pin("a")
    bench.commit()
    bench.pin("a").unpin("b")
    assert bench.queue.pending(bench.record) == ((), ())
    assert bench.commit() == PinDiff(unchanged=("a",))


def test_an_unpinned_tool_keeps_its_place_and_bytes_until_compaction() -> None:
    bench = Bench().pin("a", "b")
    bench.commit()
    before = bench.shown
    assert bench.unpin("a").commit() == PinDiff(tombstoned=("a",), unchanged=("b",))
    assert bench.shown == before
    assert bench.active == ["b"]
    assert bench.commit(compact=True).invalidations == ("compact",)
    assert [name for name, _ in bench.shown] == ["z", "b"]


def test_a_compaction_without_tombstones_invalidates_nothing() -> None:
    bench = Bench().pin("a")
    bench.commit()
    assert bench.commit(compact=True).invalidations == ()


def test_a_tool_pinned_again_comes_back_in_its_old_place_with_its_old_bytes() -> None:
    bench = Bench().pin("a", "b")
    bench.commit()
    before = bench.shown
    bench.unpin("a").commit()
    assert bench.pin("a").commit() == PinDiff(added=("a",), unchanged=("b",))
    assert bench.shown == before
    assert bench.active == ["a", "b"]


def test_a_name_that_no_registry_knows_is_dropped_at_the_boundary() -> None:
    bench = Bench().pin("nowhere", "a")
    assert bench.commit() == PinDiff(added=("a",))
    bench.tools["nowhere"] = make("nowhere")
    assert bench.commit().added == ()


def test_a_tool_registered_before_the_boundary_is_pinned() -> None:
    bench = Bench().pin("late")
    bench.tools["late"] = make("late")
    assert bench.commit().added == ("late",)


def test_a_vanished_tool_becomes_a_tombstone_and_comes_back_by_itself() -> None:
    bench = Bench().pin("a", "b", "c")
    bench.commit()
    before = bench.shown
    gone = bench.tools.pop("b")
    assert bench.commit() == PinDiff(tombstoned=("b",), unchanged=("a", "c"))
    assert bench.shown == before
    assert bench.record.state("b") is PinState.GONE
    bench.tools["b"] = gone
    assert bench.commit().added == ("b",)
    assert bench.shown == before


def test_a_vanished_tool_that_was_unpinned_does_not_come_back_by_itself() -> None:
    bench = Bench().pin("a")
    bench.commit()
    gone = bench.tools.pop("a")
    bench.commit()
    bench.unpin("a").commit()
    bench.tools["a"] = gone
    assert bench.commit().added == ()


def test_a_changed_definition_is_shown_from_the_next_boundary_on_and_named() -> None:
    bench = Bench().pin("a", "b")
    bench.commit()
    bench.tools["a"] = make("a", "another text")
    assert bench.commit().invalidations == ("drift:a",)
    assert bench.record.slots[0].shown["description"] == "another text"


def test_a_tombstone_never_drifts() -> None:
    bench = Bench().pin("a")
    bench.commit()
    bench.unpin("a").commit()
    before = bench.shown
    bench.tools["a"] = make("a", "another text")
    assert bench.commit().invalidations == ()
    assert bench.shown == before


def test_a_change_among_the_always_visible_is_named() -> None:
    bench = Bench()
    bench.commit()
    bench.always.append(make("y", always=True))
    assert bench.commit().invalidations == ("always-changed",)
    assert [name for name, _ in bench.shown] == ["y", "z"]


def test_what_may_no_longer_be_discovered_leaves_the_listing_tombstones_too() -> None:
    bench = Bench().pin("a", "b")
    bench.commit()
    bench.unpin("b").commit()
    assert bench.commit(hidden=["a", "b"]).invalidations == ("permission",)
    assert [name for name, _ in bench.shown] == ["z"]


def test_a_boundary_tells_every_definition_that_changed_behind_others_that_are_new() -> None:
    bench = Bench().pin("a")
    bench.commit()
    old, new = TOOLS["a"], make("a", "another text")
    always = [make("y", always=True), *ALWAYS]
    boundary = at_boundary(bench.record, PinQueue(), {**TOOLS, "a": new}, always)
    assert boundary.drifts == (Drift(name="a", was=old.shown, now=new.shown, digest=new.digest, held=False),)
    assert boundary.diff.invalidations == ("drift:a", "always-changed")
    held = at_boundary(bench.record, PinQueue(), {**TOOLS, "a": new}, ALWAYS, rule=DriftRule(on_drift="quarantine"))
    assert held.drifts == (Drift(name="a", was=old.shown, now=new.shown, digest=new.digest, held=True),)
    assert (held.diff.quarantined, held.diff.invalidations) == (("a",), ())


def test_pins_in_another_order_were_compacted_by_somebody_and_nothing_else_has_changed() -> None:
    a, b, z = Slot.of(TOOLS["a"]), Slot.of(TOOLS["b"]), Slot.of(ALWAYS[0])
    before = PinRecord(always=(z,), slots=(a, b))
    assert invalidations(before, PinRecord(always=(z,), slots=(b, a))) == ("compact",)
    assert invalidations(before, PinRecord(always=(z,), slots=(a, b))) == ()


def test_an_always_visible_definition_that_is_spelt_in_another_order_keeps_its_bytes() -> None:
    spelt = {"description": "Sees.", "inputSchema": {"type": "object"}}
    first = ALWAYS[0].with_(definition=spelt)
    other = ALWAYS[0].with_(definition=dict(reversed(spelt.items())))
    assert first.digest == other.digest
    assert json.dumps(first.shown) != json.dumps(other.shown)
    (shown,) = settled_always(PinRecord(always=(Slot.of(first),)), [other])
    assert json.dumps(shown.shown) == json.dumps(first.shown)


def test_an_always_visible_tool_is_active_again_once_it_is_what_was_shown() -> None:
    held = replace(Slot.of(ALWAYS[0]), state=PinState.QUARANTINED)
    assert settled_always(PinRecord(always=(held,)), ALWAYS) == (Slot.of(ALWAYS[0]),)


def test_a_tool_that_becomes_always_visible_and_has_changed_is_held_back_with_nothing_to_show() -> None:
    remembered = PinRecord(digests={"z": "of another definition"})
    assert settled_always(remembered, ALWAYS, DriftRule(on_drift="quarantine")) == ()
    assert settled_always(remembered, ALWAYS) == (Slot.of(ALWAYS[0]),)


def test_what_a_record_shows_it_does_not_remember_besides() -> None:
    bench = Bench().pin("a")
    bench.commit()
    watching = DriftRule(on_drift="quarantine")
    assert at_boundary(bench.record, PinQueue(), TOOLS, ALWAYS, rule=watching).record.digests == {}
    boundary = at_boundary(bench.record, bench.unpin("a").queue, TOOLS, ALWAYS, rule=watching, compact=True)
    assert boundary.record.digests == {"a": TOOLS["a"].digest}


def test_a_record_in_the_place_of_one_that_could_not_be_read_is_an_ordinary_one_from_its_first_boundary_on() -> None:
    empty = PinRecord(generation=7, replacement=True)
    after = at_boundary(empty, PinQueue(), TOOLS, ALWAYS).record
    assert (after.generation, after.replacement, after.blank) == (8, False, False)


def test_settling_a_queue_keeps_what_was_accepted_later() -> None:
    queue = PinQueue()
    queue.accepted = {"a": "1", "b": "1"}
    done = queue.copy()
    queue.accepted |= {"b": "2", "c": "1"}
    queue.settle(done)
    assert queue.accepted == {"b": "2", "c": "1"}


def test_a_queue_keeps_the_last_wish_at_the_end() -> None:
    bench = Bench().pin("a", "b").unpin("a").pin("a")
    assert bench.queue.pending(bench.record) == (("b", "a"), ())


def test_the_same_wish_again_keeps_its_place_and_outlives_the_settling_of_the_first() -> None:
    bench = Bench().pin("c", "a")
    saved = bench.queue.copy()
    bench.pin("c")
    assert bench.queue.pending(bench.record) == (("c", "a"), ())
    bench.queue.settle(saved)
    assert "c" in bench.queue
    assert "a" not in bench.queue


def test_settling_a_queue_keeps_wishes_that_came_later() -> None:
    queue = PinQueue()
    queue.put(PinEvent.PIN, "a")
    queue.put(PinEvent.PIN, "b")
    done = queue.copy()
    queue.put(PinEvent.UNPIN, "a")
    queue.settle(done)
    assert queue.state(PinRecord(), "b") is PinState.ABSENT
    settled = at_boundary(PinRecord(), done, TOOLS, []).record
    assert queue.pending(settled) == ((), ("a",))


def test_a_name_that_a_record_gives_twice_counts_once_at_its_first_place() -> None:
    first, other = Slot.of(TOOLS["a"]), Slot.of(TOOLS["b"])
    again = replace(first, state=PinState.TOMBSTONED)
    assert PinRecord(slots=(first, other, again)).slots == (first, other)


def test_a_boundary_compacts_only_when_told_to() -> None:
    bench = Bench().pin("a")
    bench.commit()
    bench.unpin("a").commit()
    kept = at_boundary(bench.record, PinQueue(), TOOLS, ALWAYS)
    assert kept.record.slots == bench.record.slots
    assert kept.diff == PinDiff()


async def test_a_store_takes_only_the_record_that_follows() -> None:
    store = MemoryPinStore()
    first = replace(PinRecord(), generation=1)
    assert await store.load("x") is None
    assert await store.save("x", first)
    assert not await store.save("x", first)
    assert await store.save("x", replace(first, generation=2))
    assert await store.load("x") == replace(first, generation=2)


operations = st.lists(
    st.one_of(
        st.tuples(st.sampled_from(["pin", "unpin", "vanish", "return"]), st.sampled_from("abc")),
        st.just(("commit", "")),
    ),
    max_size=40,
)


@given(operations)
def test_boundaries_only_append_and_never_change_earlier_bytes(steps: list[tuple[str, str]]) -> None:
    bench = Bench()
    shown: list[tuple[str, str]] = []
    for what, name in [*steps, ("commit", "")]:
        if what == "commit":
            diff = bench.commit()
            assert not diff.invalidations
            assert bench.shown[: len(shown)] == shown
            assert not set(diff.added) & set(diff.tombstoned)
            shown = bench.shown
        elif what == "vanish":
            bench.tools.pop(name, None)
        elif what == "return":
            bench.tools[name] = TOOLS[name]
        else:
            bench.pin(name) if what == "pin" else bench.unpin(name)
            assert step(bench.record.state(name), PinEvent(what)) is bench.queue.state(bench.record, name)


def test_a_name_that_a_spoilt_store_gives_twice_is_shown_once() -> None:
    slot = Slot.of(TOOLS["a"])
    record = PinRecord(generation=1, always=(slot,), slots=(replace(slot), Slot.of(TOOLS["b"]), replace(slot)))
    assert [item.name for item in record.items] == ["a", "b"]
    assert record.always == (slot,)
