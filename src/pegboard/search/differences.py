"""What two generations have in common."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple

import numpy as np

from pegboard.search.arrays import PLACE, Array
from pegboard.tools import Entry

_CHUNK: Final = 512


class Moves(NamedTuple):
    """How one generation's entries come of those of the one before. Immutable.

    The first ``head`` and the last ``tail`` are the same. Of those between, ``middle`` has the place before, -1 for
    what is new; ``fresh`` are the new ones.
    """

    head: int
    tail: int
    middle: Array
    fresh: list[Entry]

    def carried(self, before: Array, fresh: Array) -> Array:
        """What stood beside the entries ``before``, beside those after; ``fresh`` beside the new ones."""
        between = before[self.middle] if before.size else np.zeros(self.middle.size, before.dtype)
        between[self.middle < 0] = fresh
        return np.concatenate([before[: self.head], between, before[before.size - self.tail :]])


def moves(before: tuple[Entry, ...], after: tuple[Entry, ...]) -> Moves:
    """What two generations have in common.

    Entries are the same when they are equal: then their texts are. What both begin and end with is found by the chunk,
    the rest by name.
    """
    head = _common(before, after)
    tail = _common(before[: head - 1 if head else None : -1], after[: head - 1 if head else None : -1])
    known = {before[place].name: place for place in range(head, len(before) - tail)}
    middle: list[int] = []
    fresh: list[Entry] = []
    for entry in after[head : len(after) - tail]:
        old = known.pop(entry.name, -1)
        same = old >= 0 and before[old] == entry
        middle.append(old if same else -1)
        if not same:
            fresh.append(entry)
    return Moves(head, tail, np.array(middle, PLACE), fresh)


def _common(one: Sequence[Entry], other: Sequence[Entry]) -> int:
    """How many entries both begin with. Comparing slices is fast where the entries are the same objects."""
    least, place = min(len(one), len(other)), 0
    while place < least and one[place : place + _CHUNK] == other[place : place + _CHUNK]:
        place += _CHUNK
    while place < least and one[place] == other[place]:
        place += 1
    return min(place, least)
