"""What two generations have in common."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np

from pegboard.search.segment import PLACE, Array
from pegboard.tools import Entry

_CHUNK: Final = 512


def moves(before: tuple[Entry, ...], after: tuple[Entry, ...]) -> tuple[Array, list[Entry]]:
    """(by place in ``after``, the place that its entry had in ``before`` or -1; the entries that have none).

    Entries are the same when they are equal: then their texts are. What both begin and end with is found by the chunk,
    the rest by name.
    """
    head = _common(before, after)
    tail = _common(before[: head - 1 if head else None : -1], after[: head - 1 if head else None : -1])
    moved = np.full(len(after), -1, PLACE)
    moved[:head] = np.arange(head)
    moved[len(after) - tail :] = np.arange(len(before) - tail, len(before))
    known = {before[place].name: place for place in range(head, len(before) - tail)}
    fresh: list[Entry] = []
    for place in range(head, len(after) - tail):
        entry = after[place]
        old = known.pop(entry.name, -1)
        if old >= 0 and before[old] == entry:
            moved[place] = old
        else:
            fresh.append(entry)
    return moved, fresh


def _common(one: Sequence[Entry], other: Sequence[Entry]) -> int:
    """How many entries both begin with. Comparing slices is fast where the entries are the same objects."""
    least, place = min(len(one), len(other)), 0
    while place < least and one[place : place + _CHUNK] == other[place : place + _CHUNK]:
        place += _CHUNK
    while place < least and one[place] == other[place]:
        place += 1
    return min(place, least)
