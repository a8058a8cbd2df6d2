"""How many rows of what was learned are kept, and which are forgotten where there are more. Pure."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from typing import Final

from pegboard.usage.rows import LEAST, MOST, QUORUM, Pair, Row

ROWS: Final = 50_000
"""Rows of one space at most: some 10 MB in memory."""
ROWS_OF_ONE: Final = 20_000
"""Rows of one principal in a space at most; its own least are forgotten first."""
ROWS_OF_TOOL: Final = 2_000
"""Rows of one tool in a space at most."""
_ROOM: Final = 0.9
"""How much of each bound is kept where one is exceeded, so that not every lesson has to forget something."""


def faded_before(day: int, half_life: float) -> int:
    """The day before which rows have faded, whatever they were."""
    return day - math.ceil(half_life * math.log2(MOST / LEAST))


def exceeds(rows: int, of_tool: int, of_one: int) -> bool:
    """Whether there are more rows than may be kept: in all, of one tool, or of one principal."""
    return rows > ROWS or of_tool > ROWS_OF_TOOL or of_one > ROWS_OF_ONE


def surplus(rows: Sequence[Row], day: int, half_life: float) -> list[Row]:
    """The rows of a space that are to be forgotten so that it keeps within its bounds, with some room.

    What faded goes first, then what fewer than ``QUORUM`` principals have done, the least of it first: nobody can push
    out what several have taught. Each principal has its own bound within.
    """
    alive = [row for row in rows if row.on(day, half_life) >= LEAST]
    taught = Counter((row.tool, row.term) for row in alive)
    alive.sort(key=lambda row: (taught[row.tool, row.term] < QUORUM, -row.on(day, half_life), row.pair))
    kept: set[Pair] = set()
    of_tool, of_one = Counter[str](), Counter[str]()
    for row in alive:
        full = len(kept) >= ROWS * _ROOM or of_tool[row.tool] >= ROWS_OF_TOOL * _ROOM
        if not full and of_one[row.by] < ROWS_OF_ONE * _ROOM:
            kept.add(row.pair)
            of_tool[row.tool] += 1
            of_one[row.by] += 1
    return [row for row in rows if row.pair not in kept]
