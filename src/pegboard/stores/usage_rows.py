"""The statements over what was learned from use. The same for every dialect."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from math import inf
from typing import Any, Final

from sqlalchemy import bindparam, delete, exists, func, insert, select, true, update
from sqlalchemy.ext.asyncio import AsyncConnection

from pegboard.stores.tables import USAGE, USAGE_SPACES
from pegboard.texts import is_encodable
from pegboard.usage.bounds import PARTS, Part, exceeds, surplus
from pegboard.usage.rows import LAST_DAY, MOST, Lesson, Row, distinct, stronger
from pegboard.usage.store import Changes

_COLUMNS = USAGE.c
_OF_ROW: Final = (_COLUMNS.tool, _COLUMNS.term, _COLUMNS.principal, _COLUMNS.uses, _COLUMNS.day)
_KEY: Final = tuple(column.name for column in USAGE.primary_key)
_TERMS: Final = 500
"""Words of one statement: databases have bounds of their own for what one may hold."""


class UsageRows:
    """What one scope has learned, as one transaction sees and changes it. Lives as long as it."""

    def __init__(self, connection: AsyncConnection, scope: str, half_life: float) -> None:
        self._connection = connection
        self._scope = scope
        self._half_life = half_life

    async def changes(self, space: str, since: int) -> Changes:
        """What is newer than a revision; everything where something was taken away since, and for a new reader."""
        revision, begun = await self._state(space)
        if revision == since:
            return Changes((), revision, whole=False)
        whole = since < begun or since > revision or since == 0
        newer = () if whole else (_COLUMNS.changed > since,)
        return Changes(await self._rows(self._in(space), *newer), revision, whole=whole)

    async def learn(self, space: str, lessons: Sequence[Lesson], day: int) -> None:
        """Add lessons of a day to a space."""
        for (tool, by), terms in distinct(lessons).items():
            known = {row.term: row for row in await self._about(space, tool, by, terms)}
            rows = [
                known.get(term, Row(tool, term, by, 0.0, day)).used(uses, day, self._half_life)
                for term, uses in terms.items()
            ]
            await self._store(space, rows, known.keys())
            await self._bound(space, tool, by, day)

    async def put(self, space: str, rows: Sequence[Row]) -> None:
        """Take in rows; of two about the same, the stronger one stays."""
        about: dict[tuple[str, str], dict[str, Row]] = {}
        for row in rows:
            terms = about.setdefault((row.tool, row.by), {})
            terms[row.term] = stronger(terms.get(row.term), row, self._half_life)
        for (tool, by), terms in about.items():
            known = {row.term: row for row in await self._about(space, tool, by, terms)}
            taken = [stronger(known.get(term), row, self._half_life) for term, row in terms.items()]
            await self._store(space, [row for row in taken if known.get(row.term) is not row], known.keys())
            await self._bound(space, tool, by, max(row.day for row in taken))

    async def spaces(self) -> list[str]:
        """The spaces that have rows, in their order."""
        found = select(_COLUMNS.space).where(_COLUMNS.scope == self._scope).distinct().order_by(_COLUMNS.space)
        return [str(space) for (space,) in await self._connection.execute(found)]

    async def all(self, space: str) -> list[Row]:
        """Every row of a space, in order."""
        return await self._rows(self._in(space))

    async def forget(self, space: str, tool: str | None, by: str | None) -> int:
        """Forget rows of a space: all, or those of a tool or a principal."""
        chosen = [_COLUMNS.tool == tool] if tool is not None else []
        chosen += [_COLUMNS.principal == by] if by is not None else []
        gone = (await self._connection.execute(delete(USAGE).where(self._in(space), *chosen))).rowcount
        if gone:
            revision = await self._next(space)
            here = (USAGE_SPACES.c.scope == self._scope) & (USAGE_SPACES.c.space == space)
            await self._connection.execute(update(USAGE_SPACES).where(here).values(begun=revision))
        return gone

    async def sweep(self, before: int) -> None:
        """Forget rows of all spaces that were last used before a day."""
        await self._connection.execute(delete(USAGE).where(_COLUMNS.scope == self._scope, _COLUMNS.day < before))

    async def _about(self, space: str, tool: str, by: str, terms: Iterable[str]) -> list[Row]:
        found, wanted = [], list(terms)
        for start in range(0, len(wanted), _TERMS):
            words = _COLUMNS.term.in_(wanted[start : start + _TERMS])
            found += await self._rows(self._in(space), _COLUMNS.tool == tool, _COLUMNS.principal == by, words)
        return found

    async def _store(self, space: str, rows: Sequence[Row], known: Iterable[str]) -> None:
        """Write rows, of which those of ``known`` terms are there already."""
        if not rows:
            return
        revision, there = await self._next(space), set(known)
        written = [self._values(space, row) | {"changed": revision} for row in rows]
        new = [one for one in written if one["term"] not in there]
        old = [{f"b_{key}": value for key, value in one.items()} for one in written if one["term"] in there]
        if new:
            # Where somebody spoilt a row, it was left out when rows were read, and stands in the way all the same.
            await self._take_out(new)
            await self._connection.execute(insert(USAGE), new)
        if old:
            key = [column == bindparam(f"b_{column.name}") for column in USAGE.primary_key]
            values: dict[str, Any] = {name: bindparam(f"b_{name}") for name in ("uses", "day", "changed")}
            await self._connection.execute(update(USAGE).where(*key).values(values), old)

    async def _bound(self, space: str, tool: str, by: str, day: int) -> None:
        """Forget the least of what has too many rows; only those are read."""
        conditions: Mapping[Part, Any] = {"tool": _COLUMNS.tool == tool, "principal": _COLUMNS.principal == by}
        for part in PARTS:
            which = self._in(space) & conditions.get(part, true())
            count = (await self._connection.execute(select(func.count()).where(which))).scalar_one()
            if exceeds(part, int(count)):
                others = await self._about_the_same(space, by) if part == "principal" else ()
                gone = surplus(await self._rows(which), day, self._half_life, others)
                if gone:
                    await self._take_out([self._values(space, row) for row in gone])

    async def _about_the_same(self, space: str, by: str) -> list[Row]:
        """What others have done of what somebody did."""
        own = USAGE.alias()
        same = (own.c.scope == self._scope) & (own.c.space == space) & (own.c.principal == by)
        same &= (own.c.tool == _COLUMNS.tool) & (own.c.term == _COLUMNS.term)
        return await self._rows(self._in(space), _COLUMNS.principal != by, exists().where(same))

    async def _take_out(self, rows: Sequence[dict[str, Any]]) -> None:
        key = [column == bindparam(f"b_{column.name}") for column in USAGE.primary_key]
        keys = [{f"b_{name}": one[name] for name in _KEY} for one in rows]
        await self._connection.execute(delete(USAGE).where(*key), keys)

    async def _state(self, space: str) -> tuple[int, int]:
        """(revision, the one at which rows were last taken away) of a space; 0 and 0 for one that never learned."""
        here = (USAGE_SPACES.c.scope == self._scope) & (USAGE_SPACES.c.space == space)
        found = (
            await self._connection.execute(select(USAGE_SPACES.c.revision, USAGE_SPACES.c.begun).where(here))
        ).first()
        return (0, 0) if found is None else (int(found[0]), int(found[1]))

    async def _next(self, space: str) -> int:
        """The next revision of a space. Nobody else makes it: the transaction has the lock for writing."""
        revision, _ = await self._state(space)
        if revision:
            here = (USAGE_SPACES.c.scope == self._scope) & (USAGE_SPACES.c.space == space)
            await self._connection.execute(update(USAGE_SPACES).where(here).values(revision=revision + 1))
        else:
            first = {"scope": self._scope, "space": space, "revision": 1, "begun": 0}
            await self._connection.execute(insert(USAGE_SPACES), [first])
        return revision + 1

    def _in(self, space: str) -> Any:
        return (_COLUMNS.scope == self._scope) & (_COLUMNS.space == space)

    def _values(self, space: str, row: Row) -> dict[str, Any]:
        told = {"tool": row.tool, "term": row.term, "principal": row.by, "uses": row.uses, "day": row.day}
        return {"scope": self._scope, "space": space, **told}

    async def _rows(self, *conditions: Any) -> list[Row]:
        """Rows in the order of tools, words and principals; what somebody else has spoilt is left out."""
        found = await self._connection.execute(select(*_OF_ROW).where(*conditions))
        return sorted((row for one in found if (row := _row(*one)) is not None), key=lambda row: row.pair)


def _row(tool: Any, term: Any, by: Any, uses: Any, day: Any) -> Row | None:
    """The row of what is stored; None where it is none: anybody may have written to the database."""
    texts = all(isinstance(text, str) and is_encodable(text) for text in (tool, term, by))
    if not texts or type(day) is not int or not 0 <= day <= LAST_DAY:
        return None
    if type(uses) not in (int, float) or not 0 < uses < inf:
        return None
    return Row(tool, term, by, min(MOST, float(uses)), day)
