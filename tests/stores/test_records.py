"""Records as text."""

from __future__ import annotations

import json
from dataclasses import fields, replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pegboard.errors import StoreError
from pegboard.pins import PinRecord, PinState, Slot
from pegboard.stores.records import MEMBERS, VERSION, BoardRow, UnreadableError, from_text, to_text
from tests.stores.places import record

KEPT = [PinState.ACTIVE, PinState.TOMBSTONED, PinState.GONE, PinState.QUARANTINED]

texts = st.text(st.characters(), max_size=8)
values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | texts,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(texts, inner, max_size=3),
    max_leaves=8,
)
definitions = st.dictionaries(texts, values, max_size=4)


def named(name: str, definition: dict[str, Any]) -> dict[str, Any]:
    return {**definition, "name": name}


slots = st.builds(
    lambda name, told, state, digest: Slot(name=name, state=state, shown=named(name, told), digest=digest),
    texts,
    definitions,
    st.sampled_from(KEPT),
    texts,
)
records = st.builds(
    PinRecord,
    owner=st.none() | texts,
    generation=st.integers(1, 2**62),
    replacement=st.booleans(),
    always=st.lists(slots, max_size=3).map(tuple),
    slots=st.lists(slots, max_size=3).map(tuple),
    digests=st.dictionaries(texts, texts, max_size=3),
)


@given(records)
def test_a_record_comes_back_equal_with_its_keys_in_order(record: PinRecord) -> None:
    assert repr(from_text(to_text(record))) == repr(record)


def test_every_field_of_a_record_and_its_parts_is_kept() -> None:
    told = {one.name for kind in (PinRecord, Slot) for one in fields(kind)}
    assert set(MEMBERS) == told


def test_a_text_is_plain_ascii_and_names_its_version() -> None:
    text = to_text(replace(record(1, "a"), owner="\u00fcml\ud800"))
    assert text.isascii()
    assert json.loads(text)["version"] == VERSION


def test_a_definition_that_is_no_json_is_refused_before_it_is_stored() -> None:
    slot = Slot(name="a", state=PinState.ACTIVE, shown={"name": "a", "x": object()}, digest="d")
    with pytest.raises(StoreError, match="is no JSON"):
        to_text(PinRecord(generation=1, slots=(slot,)))


def spoilt(**members: Any) -> str:
    return json.dumps({**json.loads(to_text(record(1, "a"))), **members})


SLOT = {"name": "a", "state": "active", "shown": {"name": "a"}, "digest": "d"}


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", "empty"),
        (" \n", "empty"),
        ('{"pins": [', "no JSON"),
        ("[" * 100_000, "no JSON"),
        ("null", "no object"),
        ("[]", "no object"),
        ('{"pins": []}', "version is null"),
        ('{"version": 999, "pins": "x"}', "version is 999"),
        ('{"version": true}', "version is true"),
        (spoilt(pins=[]), "unknown member 'pins'"),
        (spoilt(generation=0), "generation is no whole number"),
        (spoilt(generation="1"), "generation is no whole number"),
        (spoilt(generation=True), "generation is no whole number"),
        (spoilt(owner=1), "owner is no text"),
        (spoilt(slots=None), "slots is no list"),
        (spoilt(slots=["a"]), r"slots\[0\] is no object"),
        (spoilt(slots=[{"name": "a"}]), r"slots\[0\] has no 'state'"),
        (spoilt(slots=[{**SLOT, "state": "queued"}]), r"slots\[0\]\.state is no state"),
        (spoilt(slots=[{**SLOT, "state": "flying"}]), r"slots\[0\]\.state is no state"),
        (spoilt(slots=[{**SLOT, "state": []}]), r"slots\[0\]\.state is no state"),
        (spoilt(slots=[{**SLOT, "shown": "a"}]), r"slots\[0\]\.shown is no object"),
        (spoilt(slots=[{**SLOT, "shown": {"name": "b"}}]), "of another name"),
        (spoilt(always=[{**SLOT, "kept": 1}]), "unknown member 'kept'"),
        (spoilt(digests=["a"]), "digests is no object of texts"),
        (spoilt(digests={"a": 1}), "digests is no object of texts"),
        (None, "NoneType, not text"),
        (b"{}", "bytes, not text"),
    ],
)
def test_what_is_no_record_is_told_with_its_reason(text: object, why: str) -> None:
    with pytest.raises(UnreadableError, match=why):
        from_text(text)


def test_a_record_in_the_row_of_another_board_is_no_record_of_it() -> None:
    row = BoardRow.of("board", record(3, "a", owner="alice"), 0)
    assert row.read() == record(3, "a", owner="alice")
    with pytest.raises(UnreadableError, match="another owner"):
        replace(row, owner="bob").read()
    with pytest.raises(UnreadableError, match="generation 3, its row of 4"):
        replace(row, generation=4).read()


@pytest.mark.parametrize(("generation", "later"), [(3, 4), (0, 1), (-5, 1), ("x", 1), (None, 1)])
def test_a_replacement_is_empty_and_of_a_later_generation(generation: Any, later: int) -> None:
    fresh = replace(BoardRow.of("board", record(1, "a", owner="alice"), 0), generation=generation).replacement(7)
    assert fresh.read() == PinRecord(owner="alice", generation=later, replacement=True)
    assert fresh.used == 7
