"""Questions with their right answers, from receipts: a search, and the calls of what it found. Pure.

A tool is taken as right for a search when it was called with success on the same board after the search had answered,
the search had found it, and no later search before the call had found it too. Calls that tools make themselves count
for nothing.
"""

from __future__ import annotations

import hashlib
import json
import unicodedata
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Final, NamedTuple

from pegboard.metatools import META_SOURCE
from pegboard.texts import is_encodable

_SUCCESS: Final = frozenset({"ok", "halt"})
_BY_MODEL: Final = ((), ("call_tool",))
"""The stacks of calls that a model made: directly, or through the meta-tool that calls any."""

_DIGITS: Final = 12
_LATEST: Final = 1e15
"""Seconds of the epoch: millions of years from now."""


class _Event(NamedTuple):
    """A search that has answered, or a call that begins. Immutable. ``query`` is empty for a call, of ``names[0]``."""

    moment: float
    board: str
    query: str
    names: tuple[str, ...]


@dataclass(frozen=True)
class Harvested:
    """A question and the tools that it led to. Immutable. ``boards`` says on how many boards it led to one of them."""

    question: str
    relevant: tuple[str, ...]
    boards: int

    def to_line(self) -> str:
        """The question as a line of a file of questions. Its id depends on its words alone."""
        digest = hashlib.sha256(_same(self.question).encode()).hexdigest()[:_DIGITS]
        value = {"id": f"h-{digest}", "query": self.question, "relevant": list(self.relevant)}
        return json.dumps(value, ensure_ascii=False) + "\n"


@dataclass(frozen=True)
class Harvest:
    """What receipts came to. Immutable. ``searches`` of them told what was searched for, ``calls`` were of tools."""

    questions: tuple[Harvested, ...]
    searches: int
    calls: int


def harvest(receipts: Iterable[Mapping[str, Any]], *, at_least: int = 1) -> Harvest:
    """The questions of receipts, in the order of their words, each once however it was spelled.

    A tool is taken as right only where a question led to it on ``at_least`` boards. What is no receipt is passed over.
    """
    events = sorted(event for receipt in receipts if (event := _event(receipt)) is not None)
    spellings: defaultdict[str, set[str]] = defaultdict(set)
    led: defaultdict[str, defaultdict[str, set[str]]] = defaultdict(lambda: defaultdict(set))
    latest: dict[tuple[str, str], str] = {}
    for event in events:
        for name in event.names:
            if event.query:
                latest[event.board, name] = event.query
            elif (query := latest.get((event.board, name))) is not None:
                spellings[_same(query)].add(query)
                led[_same(query)][name].add(event.board)
    searches = sum(bool(event.query) for event in events)
    found = (_harvested(min(spellings[same]), led[same], at_least) for same in sorted(led))
    return Harvest(tuple(one for one in found if one.relevant), searches, len(events) - searches)


def _harvested(question: str, led: Mapping[str, set[str]], at_least: int) -> Harvested:
    right = {name: boards for name, boards in led.items() if len(boards) >= at_least}
    return Harvested(question, tuple(sorted(right)), len(set().union(*right.values())))


def _same(query: str) -> str:
    """What the spellings of one question have in common."""
    return " ".join(unicodedata.normalize("NFKC", query).casefold().split())


def _event(receipt: Mapping[str, Any]) -> _Event | None:
    match receipt:
        case {
            "board": str(board),
            "started": int() | float() as started,
            "seconds": int() | float() as seconds,
            "outcome": str(outcome),
            "search": {"query": str(query), "found": list(found)},
        } if outcome in _SUCCESS and query.strip() and is_encodable(query) and _are_moments(started, seconds):
            names = (name for name in found if isinstance(name, str) and is_encodable(name))
            return _Event(started + seconds, board, query, tuple(names))
        case {
            "board": str(board),
            "started": int() | float() as started,
            "outcome": str(outcome),
            "tool": str(tool),
            "stack": list(stack),
        } if outcome in _SUCCESS and tuple(stack) in _BY_MODEL and receipt.get("source") != META_SOURCE:
            return _Event(started, board, "", (tool,)) if _are_moments(started) else None
    return None


def _are_moments(*seconds: float) -> bool:
    """Whether these are seconds that can be put in order; NaN is not."""
    return all(-_LATEST < one < _LATEST for one in seconds)
