from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pegboard.search.differences import Moves, moves
from tests.search.things import Thing

entries = st.lists(st.builds(Thing, st.sampled_from("abcdefgh"), st.sampled_from(("", "x"))), max_size=12)


def places(found: Moves, before: list[Thing], after: list[Thing]) -> list[int]:
    """By place in ``after``, the place before, -1 for what is new."""
    moved: list[int] = found.carried(np.arange(len(before)), np.full(len(found.fresh), -1)).tolist()
    return moved


@given(before=entries, after=entries)
def test_every_entry_is_either_where_it_was_said_to_have_been_or_new(before: list[Thing], after: list[Thing]) -> None:
    found = moves(tuple(before), tuple(after))
    moved = places(found, before, after)
    assert len(moved) == len(after)
    assert [entry for entry, place in zip(after, moved, strict=True) if place < 0] == found.fresh
    assert all(before[place] == entry for entry, place in zip(after, moved, strict=True) if place >= 0)
    held = [place for place in moved if place >= 0]
    assert len(held) == len(set(held))


@pytest.mark.parametrize("place", [0, 1, 700, 1999])
def test_one_change_makes_one_new_entry(place: int) -> None:
    before = tuple(Thing(f"t{number}") for number in range(2000))
    changed = (*before[:place], Thing(f"t{place}", "changed"), *before[place + 1 :])
    assert [entry.name for entry in moves(before, changed).fresh] == [f"t{place}"]
    removed = (*before[:place], *before[place + 1 :])
    assert moves(before, removed).fresh == []
    assert moves(removed, before).fresh == [before[place]]


def test_entries_may_change_places() -> None:
    before = tuple(Thing(f"t{number}") for number in range(20))
    found = moves(before, before[::-1])
    assert (places(found, list(before), list(before)), found.fresh) == (list(range(19, -1, -1)), [])
