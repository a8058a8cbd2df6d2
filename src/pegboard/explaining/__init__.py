"""Why a tool is not seen, not found or not called: which rule, rank, budget or source stands in the way.

The truth, for those who run a board: unlike what the board's principal is told, it names what is hidden from them.
"""

from __future__ import annotations

from collections.abc import Iterable

from pegboard.board import Board
from pegboard.explaining.facts import LeftOut, facts_of
from pegboard.explaining.findings import findings
from pegboard.explaining.searching import place_of
from pegboard.explaining.values import Aspect, Explanation, Finding, Place
from pegboard.peg import Pegboard

__all__ = ["Aspect", "Explanation", "Finding", "LeftOut", "Place", "why_not"]


async def why_not(
    peg: Pegboard,
    board: Board,
    name: str,
    query: str | None = None,
    *,
    limit: int | None = None,
    left_out: Iterable[LeftOut] = (),
) -> Explanation:
    """Why ``board``, one of ``peg``'s, does not show, find or call the tool ``name``, or give the skill of this name.

    With ``query``, whether a search for it finds the tool, among ``limit`` results (default: that of the limits).
    ``left_out`` are sources that a configuration names and does not use. Raises InvalidArgumentsError for a limit that
    is not a whole number from 1.
    """
    facts = await facts_of(peg, board, name, query, limit, left_out)
    return Explanation(
        name=facts.name,
        kind=facts.entry.kind if facts.entry else "tool",
        findings=findings(facts),
        query=query,
        place=place_of(facts) if facts.visible else None,
        reading=facts.search.reading if facts.search else None,
    )
