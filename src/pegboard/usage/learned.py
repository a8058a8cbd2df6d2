"""What was learned from use: words that led somebody to a tool, and how much each still counts. Pure.

A row says that asks of one principal with this word led to this tool, so and so often; it fades with time. What others
did counts for somebody only where at least ``QUORUM`` principals did it, so that nobody can teach others anything
alone; what they did themselves counts at once.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from pegboard.usage.bounds import PARTS, Part, exceeds, surplus
from pegboard.usage.rows import HALF_LIFE, LEAST, QUORUM, Lesson, Pair, Row


@dataclass
class Learned:
    """The rows of one space: of one tenant. Lives as long as what holds it; belongs to one event loop."""

    half_life: float = HALF_LIFE
    _by_term: dict[str, dict[str, dict[str, Row]]] = field(default_factory=dict)  # then by tool, and principal
    _by_tool: dict[str, dict[str, dict[str, Row]]] = field(default_factory=dict)  # then by principal, and term
    _of_tool: Counter[str] = field(default_factory=Counter)
    _of_one: Counter[str] = field(default_factory=Counter)

    _all: int = 0

    def __len__(self) -> int:
        return self._all

    def __iter__(self) -> Iterator[Row]:
        """Every row, by tool, term and principal."""
        rows = (row for tools in self._by_term.values() for ones in tools.values() for row in ones.values())
        return iter(sorted(rows, key=lambda row: row.pair))

    def get(self, pair: Pair) -> Row | None:
        """The row about something."""
        return self._by_term.get(pair.term, {}).get(pair.tool, {}).get(pair.by)

    def put(self, row: Row) -> None:
        """Add a row, or put it in the place of the one about the same."""
        ones = self._by_term.setdefault(row.term, {}).setdefault(row.tool, {})
        if row.by not in ones:
            self._of_tool[row.tool] += 1
            self._of_one[row.by] += 1
            self._all += 1
        ones[row.by] = row
        self._by_tool.setdefault(row.tool, {}).setdefault(row.by, {})[row.term] = row

    def remove(self, pair: Pair) -> None:
        """Take out the row about something; does nothing where there is none."""
        tools = self._by_term.get(pair.term, {})
        ones = tools.get(pair.tool, {})
        if ones.pop(pair.by, None) is None:
            return
        self._of_tool[pair.tool] -= 1
        self._of_one[pair.by] -= 1
        self._all -= 1
        by_one = self._by_tool[pair.tool]
        del by_one[pair.by][pair.term]
        if not by_one[pair.by]:
            del by_one[pair.by]
        if not by_one:
            del self._by_tool[pair.tool]
        if not ones:
            del tools[pair.tool]
        if not tools:
            del self._by_term[pair.term]

    def learn(self, lesson: Lesson, day: int) -> list[Row]:
        """Take in a lesson; the rows as they are now."""
        rows = []
        for term in lesson.terms:
            pair = Pair(lesson.tool, term, lesson.by)
            row = self.get(pair) or Row(*pair, uses=0.0, day=day)
            rows.append(row.used(lesson.uses, day, self.half_life))
            self.put(rows[-1])
        return rows

    def bound(self, tool: str, by: str, day: int) -> None:
        """Forget the least where there is too much, after a lesson about a tool that came of somebody.

        Only the rows of what has too many are looked at: it holds up whatever else the event loop does.
        """
        for part in PARTS:
            if exceeds(part, self._count(part, tool, by)):
                others = self._about_the_same(by) if part == "principal" else ()
                for row in surplus(self._rows(part, tool, by), day, self.half_life, others):
                    self.remove(row.pair)

    def _count(self, part: Part, tool: str, by: str) -> int:
        return {"tool": self._of_tool[tool], "principal": self._of_one[by], "space": len(self)}[part]

    def _rows(self, part: Part, tool: str, by: str) -> Iterator[Row]:
        """The rows of a tool, a principal or the space, in no order."""
        for one in (tool,) if part == "tool" else self._by_tool:
            by_one = self._by_tool[one]
            for terms in [by_one.get(by, {})] if part == "principal" else by_one.values():
                yield from terms.values()

    def _about_the_same(self, by: str) -> Iterator[Row]:
        """What others have done of what somebody did."""
        for row in self._rows("principal", "", by):
            yield from (other for one, other in self._by_term[row.term][row.tool].items() if one != by)

    def uses(self, terms: Iterable[str], by: str, day: int) -> dict[str, dict[str, float]]:
        """By term and tool, the uses that count for ``by`` on a day; what comes to nothing is left out.

        Of others each counts once at most. May be called from any thread: what is looked at is copied in one step.
        """
        found: dict[str, dict[str, float]] = {}
        for term in terms:
            counted = {
                tool: uses
                for tool, ones in list(self._by_term.get(term, {}).items())
                # Most words have led only one to a tool.
                if (by in ones or len(ones) >= QUORUM) and (uses := self._counting(ones, by, day)) >= LEAST
            }
            if counted:
                found[term] = counted
        return found

    def used(self, tools: Iterable[str], by: str, day: int) -> set[str]:
        """Those of some tools that have been used, with whatever words: by ``by``, or by ``QUORUM`` principals.

        May be called from any thread.
        """
        return {tool for tool in tools if self._is_used(tool, by, day)}

    def _is_used(self, tool: str, by: str, day: int) -> bool:
        alive = 0
        for one, rows in list(self._by_tool.get(tool, {}).items()):
            if any(row.on(day, self.half_life) >= LEAST for row in list(rows.values())):
                alive += 1
                if one == by or alive >= QUORUM:
                    return True
        return False

    def _counting(self, ones: Mapping[str, Row], by: str, day: int) -> float:
        own, others = 0.0, []
        for one, row in list(ones.items()):
            uses = row.on(day, self.half_life)
            if one == by:
                own = uses
            elif uses >= LEAST:
                others.append(min(1.0, uses))
        # In an order of their own: sums of the same numbers must come to the same wherever they were read from.
        return own + sum(sorted(others)) if len(others) + (own >= LEAST) >= QUORUM else own
