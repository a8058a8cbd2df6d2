"""What was learned from use as text: one JSON object a line. Pure.

    {"tenant": null, "tool": "refund", "word": "money", "principal": "p1_...", "uses": 2.0, "day": "2026-11-30"}

A word is a stem, as searches have it. A principal is told by its key, which names nobody.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from datetime import date, timedelta
from typing import Any, Final

from pegboard.errors import DefinitionError
from pegboard.texts import is_encodable
from pegboard.usage.rows import MOST, Row, dated
from pegboard.usage.spaces import space_of_tenant, tenant_of

_FIRST: Final = date(1970, 1, 1)
_LONGEST: Final = 200
"""Characters of a name, a word or a key at most."""
_PLACES: Final = 4
"""Digits behind the point of uses: nothing comes to so little that it would be told as none."""
_MOST_USES: Final = 1e9


def to_text(rows: Mapping[str, Sequence[Row]]) -> str:
    """Rows by space as lines, space by space. Equal rows give equal bytes."""
    return "".join(_line(space, row) for space in sorted(rows) for row in sorted(rows[space], key=lambda row: row.pair))


def _line(space: str, row: Row) -> str:
    told = {"tenant": tenant_of(space), "tool": row.tool, "word": row.term, "principal": row.by}
    day = (_FIRST + timedelta(days=dated(row.day))).isoformat()
    return (
        json.dumps(told | {"uses": max(round(row.uses, _PLACES), 10**-_PLACES), "day": day}, ensure_ascii=False) + "\n"
    )


def from_text(text: str, where: str, today: int) -> dict[str, list[Row]]:
    """The rows of lines, by space. A day that is yet to come counts as ``today``; blank lines count for nothing.

    Raises DefinitionError for the first line that is none, which it names as one of ``where``.
    """
    rows: dict[str, list[Row]] = {}
    for number, line in enumerate(text.split("\n"), start=1):
        if line.strip():
            space, row = _read(line, f"{where}:{number}", today)
            rows.setdefault(space, []).append(row)
    return rows


def _read(line: str, where: str, today: int) -> tuple[str, Row]:
    try:
        value = json.loads(line)
    except (ValueError, RecursionError):
        value = None
    if not isinstance(value, dict):
        raise _wrong(where, "this is no JSON object", "Give lines as pegboard usage export writes them.")
    for key, (fits, wanted) in _MEMBERS.items():
        if not fits(value.get(key)):
            got = json.dumps(value[key])[:40] if key in value else "missing"
            raise _wrong(where, f'"{key}" is {got}', f"Give {wanted}.")
    day = (date.fromisoformat(value["day"]) - _FIRST).days
    uses = min(MOST, float(value["uses"]))
    return space_of_tenant(value["tenant"]), Row(
        value["tool"], value["word"], value["principal"], uses, dated(min(day, today))
    )


def _wrong(where: str, what: str, hint: str) -> DefinitionError:
    return DefinitionError(f"{where}: {what}.", hint=hint)


def _is_text(value: Any) -> bool:
    return _is_whole(value) and len(value) <= _LONGEST


def _is_whole(value: Any) -> bool:
    return isinstance(value, str) and is_encodable(value)


def _is_filled(value: Any) -> bool:
    return _is_text(value) and value.strip() != ""


def _is_count(value: Any) -> bool:
    return type(value) in (int, float) and 0 < value <= _MOST_USES


def _is_day(value: Any) -> bool:
    try:
        return isinstance(value, str) and date.fromisoformat(value) >= _FIRST
    except ValueError:
        return False


_MEMBERS: Final[Mapping[str, tuple[Callable[[Any], bool], str]]] = {
    "tenant": (lambda value: value is None or _is_whole(value), "the tenant's name, or null"),
    "tool": (_is_filled, "the tool's name"),
    "word": (_is_filled, "a word"),
    "principal": (_is_text, 'a principal\'s key, or "" for nobody in particular'),
    "uses": (_is_count, "a number above 0"),
    "day": (_is_day, "a day such as 2026-11-30"),
}
"""What a line has, each with what it must be."""
