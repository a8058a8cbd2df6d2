"""How many rows of what was learned are kept, and which are forgotten where there are more. Pure."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable
from operator import itemgetter
from typing import Final, Literal

from pegboard.usage.rows import LEAST, MOST, QUORUM, Row

Part = Literal["tool", "principal", "space"]
"""What has a bound: the rows of one tool, those of one principal, and all of a space."""
PARTS: Final[tuple[Part, ...]] = ("tool", "principal", "space")
"""In the order in which they are looked at: the fewer rows, the sooner it is done, and often that is enough."""

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


def exceeds(part: Part, rows: int) -> bool:
    """Whether there are more rows of a part than may be kept."""
    return rows > {"tool": ROWS_OF_TOOL, "principal": ROWS_OF_ONE, "space": ROWS}[part]


def surplus(rows: Iterable[Row], day: int, half_life: float, others: Iterable[Row] = ()) -> list[Row]:
    """The rows that are to be forgotten so that they keep within every bound, with some room.

    What faded goes first, then what fewer than ``QUORUM`` principals have done, the least of it first: nobody can push
    out what several have taught. Each principal has its own bound within. ``others`` are rows that stay, and count
    among what principals have done.
    """
    counted = [(row, row.on(day, half_life)) for row in rows]
    taught = Counter((row.tool, row.term) for row, uses in counted if uses >= LEAST)
    taught.update((row.tool, row.term) for row in others if row.on(day, half_life) >= LEAST)
    alive = [
        (taught[row.tool, row.term] < QUORUM, -uses, row.tool, row.term, row.by, row)
        for row, uses in counted
        if uses >= LEAST
    ]
    alive.sort(key=itemgetter(0, 1, 2, 3, 4))
    gone = [row for row, uses in counted if uses < LEAST]
    kept = 0
    of_tool, of_one = Counter[str](), Counter[str]()
    for *_, row in alive:
        full = kept >= ROWS * _ROOM or of_tool[row.tool] >= ROWS_OF_TOOL * _ROOM
        if full or of_one[row.by] >= ROWS_OF_ONE * _ROOM:
            gone.append(row)
        else:
            kept += 1
            of_tool[row.tool] += 1
            of_one[row.by] += 1
    return gone
