from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pegboard.search.differences import moves
from tests.search.things import Thing

entries = st.lists(st.builds(Thing, st.sampled_from("abcdefgh"), st.sampled_from(("", "x"))), max_size=12)


@given(before=entries, after=entries)
def test_every_entry_is_either_where_it_was_said_to_have_been_or_new(before: list[Thing], after: list[Thing]) -> None:
    moved, fresh = moves(tuple(before), tuple(after))
    places = moved.tolist()
    assert len(places) == len(after)
    assert [entry for entry, place in zip(after, places, strict=True) if place < 0] == fresh
    assert all(before[place] == entry for entry, place in zip(after, places, strict=True) if place >= 0)
    held = [place for place in places if place >= 0]
    assert len(held) == len(set(held))


@pytest.mark.parametrize("place", [0, 1, 700, 1999])
def test_one_change_makes_one_new_entry(place: int) -> None:
    before = tuple(Thing(f"t{number}") for number in range(2000))
    changed = (*before[:place], Thing(f"t{place}", "changed"), *before[place + 1 :])
    assert [entry.name for entry in moves(before, changed)[1]] == [f"t{place}"]
    removed = (*before[:place], *before[place + 1 :])
    assert moves(before, removed)[1] == []
    assert moves(removed, before)[1] == [before[place]]


def test_entries_may_change_places() -> None:
    before = tuple(Thing(f"t{number}") for number in range(20))
    moved, fresh = moves(before, before[::-1])
    assert (moved.tolist(), fresh) == (list(range(19, -1, -1)), [])
