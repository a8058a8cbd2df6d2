"""Telling matches within a token budget: detail falls before results are dropped, and the answer says so."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from pegboard.detail import Detail, describe

if TYPE_CHECKING:
    from pegboard.search.ranking import Ranked

_LOWER: Final = {Detail.FULL: Detail.DETAILED, Detail.DETAILED: Detail.BRIEF}


@dataclass(frozen=True, kw_only=True)
class Told:
    """Matches as JSON objects, best first, and what had to give. Immutable."""

    items: tuple[dict[str, Any], ...]
    notes: tuple[str, ...]


def within_budget(matches: Sequence[Ranked], wanted: Detail, budget: int) -> Told:
    """As many matches as fit ``budget`` tokens, each as detailed as the room allows, the best first.

    All are told in brief; where even that is too much the last are dropped, never the first. What room is left
    raises the detail from the best match down, up to ``wanted``.
    """
    items = [_told(match, Detail.BRIEF) for match in matches]
    costs = [_cost(item) for item in items]
    while len(items) > 1 and sum(costs) > budget:
        items.pop()
        costs.pop()
    room = budget - sum(costs)
    lowered = 0
    for index, match in enumerate(matches[: len(items)]):
        detail, items[index], spent = _richest(match, wanted, items[index], costs[index], room)
        room -= spent
        lowered += detail is not wanted
    notes = []
    if lowered:
        notes.append(f"{lowered} of {len(items)} in less detail to fit {budget} tokens; get_tool tells the rest")
    if len(items) < len(matches):
        notes.append(f"{len(matches) - len(items)} more left out to fit {budget} tokens; ask more narrowly")
    return Told(items=tuple(items), notes=tuple(notes))


def _richest(
    match: Ranked, wanted: Detail, brief: dict[str, Any], cost: int, room: int
) -> tuple[Detail, dict[str, Any], int]:
    """(detail, item, tokens beyond the brief form): the most detailed form that fits."""
    detail = wanted
    while detail is not Detail.BRIEF:
        item = _told(match, detail)
        more = _cost(item) - cost
        if more <= room:
            return detail, item, more
        detail = _LOWER[detail]
    return detail, brief, 0


def _told(match: Ranked, detail: Detail) -> dict[str, Any]:
    return describe(match.entry, detail) | {"score": round(match.score, 4), "reason": match.reason}


def _cost(item: dict[str, Any]) -> int:
    from pegboard.tokens import count_tokens

    return count_tokens(json.dumps(item, ensure_ascii=False, separators=(",", ":")))
