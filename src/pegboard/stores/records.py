"""Records as text: one JSON object, with the version of its form. Pure.

``{"version": 1, "owner": null, "generation": 3, "always": [...], "slots": [...]}``: every field of a record under its
own name. Keys inside ``shown`` keep their order, since a listing's bytes follow it. Everything outside ASCII is
escaped, so that half a character in a definition is kept too.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import MISSING, Field, dataclass, fields
from typing import Any, Final, TypeVar

from pegboard.errors import StoreError
from pegboard.pins import PinRecord, PinState, Slot

VERSION: Final = 1
"""The form written here. A new one comes with a new schema revision, so that no older Pegboard meets it."""

_WISHES: Final = frozenset({PinState.ABSENT, PinState.QUEUED, PinState.LEAVING, PinState.RETURNING})
"""States that exist only between boundaries."""

_Row = TypeVar("_Row", PinRecord, Slot)


class UnreadableError(Exception):
    """A text is no record; the message says why."""


@dataclass(frozen=True)
class BoardRow:
    """A board as it is stored. Immutable. No type is certain: anybody may have written to the database.

    ``record`` is the text of a record, whose owner and generation stand beside it; ``used`` the second of its last use.
    """

    id: str
    owner: Any
    generation: Any
    record: Any
    used: Any

    @classmethod
    def of(cls, board_id: str, record: PinRecord, now: int) -> BoardRow:
        """The row of a record. Raises StoreError for a definition that is no JSON."""
        return cls(board_id, record.owner, record.generation, to_text(record), now)

    def read(self) -> PinRecord:
        """The record. Raises UnreadableError, also where it speaks of another board than its row."""
        record = from_text(self.record)
        if record.generation != self.generation:
            raise UnreadableError(f"it is of generation {record.generation}, its row of {self.generation!r:.40}")
        if record.owner != self.owner:
            raise UnreadableError("it is of another owner than its row")
        return record

    def replacement(self, now: int) -> BoardRow:
        """The row that takes its place when it cannot be read: empty, its owner's, of a later generation."""
        generation = self.generation if type(self.generation) is int and self.generation > 0 else 0
        return self.of(self.id, PinRecord(owner=self.owner, generation=generation + 1, replacement=True), now)


def to_text(record: PinRecord) -> str:
    """A record as text. Raises StoreError for a definition that is no JSON."""
    try:
        return json.dumps({"version": VERSION, **_plain(record)}, separators=(",", ":"))
    except (TypeError, ValueError, RecursionError) as error:
        raise StoreError(
            f"A board cannot be saved: one of its definitions is no JSON: {error}.",
            hint="Mend the tool whose definition it is.",
        ) from error


def from_text(text: object) -> PinRecord:
    """The record of a text. Raises UnreadableError."""
    told = object_of(text)
    version = told.pop("version", None)
    if version != VERSION or isinstance(version, bool):
        raise UnreadableError(f"its version is {json.dumps(version)[:40]}, and this Pegboard reads version {VERSION}")
    return _row(PinRecord, told, "the record")


def object_of(text: object) -> dict[str, Any]:
    """The JSON object that a text says. Raises UnreadableError."""
    if not isinstance(text, str):
        raise UnreadableError(f"it is {type(text).__name__}, not text")
    if not text.strip():
        raise UnreadableError("it is empty")
    try:
        told = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise UnreadableError(f"it is no JSON: {error}") from error
    if not isinstance(told, dict):
        raise UnreadableError(f"it is JSON, but a {type(told).__name__} and no object")
    return told


def _plain(row: PinRecord | Slot) -> dict[str, Any]:
    """Every field by its name, rows inside it too."""
    members = {one.name: getattr(row, one.name) for one in fields(row)}
    members |= {name: dict(members[name]) for name in _TEXTS if name in members}
    return {key: [_plain(each) for each in value] if key in _ROWS else value for key, value in members.items()}


def _row(kind: type[_Row], told: object, where: str) -> _Row:
    if not isinstance(told, dict):
        raise UnreadableError(f"{where} is no object")
    known = {one.name: one for one in fields(kind)}
    unknown = sorted(told.keys() - known.keys())
    if unknown:
        raise UnreadableError(f"{where} has an unknown member {unknown[0][:40]!r}")
    missing = [name for name, one in known.items() if _is_required(one) and name not in told]
    if missing:
        raise UnreadableError(f"{where} has no {missing[0]!r}")
    members = {name: MEMBERS[name](value, f"{where}.{name}") for name, value in told.items()}
    if "shown" in told and told["shown"].get("name") != told["name"]:
        raise UnreadableError(f"{where} shows the definition of another name")
    return kind(**members)


def _is_required(one: Field[Any]) -> bool:
    return one.default is MISSING and one.default_factory is MISSING


def _rows(kind: type[_Row]) -> Callable[[Any, str], Any]:
    def read(value: Any, where: str) -> tuple[_Row, ...]:
        if not isinstance(value, list):
            raise UnreadableError(f"{where} is no list")
        places = ((f"{where}[{place}]", each) for place, each in enumerate(value))
        return tuple(_row(kind, each, place) for place, each in places)

    return read


def _fitting(wanted: str, fits: Callable[[Any], bool]) -> Callable[[Any, str], Any]:
    def read(value: Any, where: str) -> Any:
        if not fits(value):
            raise UnreadableError(f"{where} is no {wanted}")
        return value

    return read


def _all_text(values: Iterable[Any]) -> bool:
    return all(isinstance(value, str) for value in values)


def _state(value: Any, where: str) -> PinState:
    if value not in list(PinState) or PinState(value) in _WISHES:
        raise UnreadableError(f"{where} is no state that is kept")
    return PinState(value)


MEMBERS: Final[Mapping[str, Callable[[Any, str], Any]]] = {
    "owner": _fitting("text or null", lambda value: value is None or isinstance(value, str)),
    "generation": _fitting("whole number from 1", lambda value: type(value) is int and value > 0),
    "replacement": _fitting("true or false", lambda value: isinstance(value, bool)),
    "always": _rows(Slot),
    "slots": _rows(Slot),
    "digests": _fitting("object of texts", lambda value: isinstance(value, dict) and _all_text(value.values())),
    "skills": _fitting("object of texts", lambda value: isinstance(value, dict) and _all_text(value.values())),
    "name": _fitting("text", lambda value: isinstance(value, str)),
    "state": _state,
    "digest": _fitting("text", lambda value: isinstance(value, str)),
    "shown": _fitting("object", lambda value: isinstance(value, dict)),
}
"""How each member of a record, and of what it holds, is read back."""

_ROWS: Final = frozenset({"always", "slots"})
_TEXTS: Final = ("digests", "skills")
