"""Versions of tools as text: one JSON object each, with the version of its form. Pure.

``{"form": 1, "change": "edit", "at": 1767225600, "by": "ann", "restored": null, "definition": {...}}``: name and
version stand beside it.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any, Final

from pegboard.errors import StoreError
from pegboard.http_tools.versions import Change, Stored, ToolVersion, Unreadable
from pegboard.stores.records import UnreadableError, object_of

FORM: Final = 1
"""The form written here. A new one comes with a new schema revision, so that no older Pegboard meets it."""

_MEMBERS: Final[Mapping[str, tuple[str, Callable[[Any], bool]]]] = {
    "change": ("kind of change", lambda value: value in list(Change)),
    "at": ("whole number", lambda value: type(value) is int),
    "by": ("text", lambda value: isinstance(value, str)),
    "restored": ("version or null", lambda value: value is None or type(value) is int),
    "definition": ("object or null", lambda value: value is None or isinstance(value, dict)),
}
"""What each member has to be."""


def to_text(version: ToolVersion) -> str:
    """The record of a version. Raises StoreError for a definition that is no JSON."""
    told = {"form": FORM, "change": str(version.change), "at": version.at, "by": version.by}
    told |= {"restored": version.restored, "definition": version.definition}
    try:
        return json.dumps(told, separators=(",", ":"), allow_nan=False)
    except (TypeError, ValueError, RecursionError) as error:
        raise StoreError(
            f"{version.name!r} cannot be stored: its definition is no JSON: {error}.", hint="Take that out."
        ) from error


def version_of(name: Any, version: Any, record: Any, where: str) -> Stored:
    """The version that a row holds. ``where`` says where the row is."""
    try:
        return _read(name, version, record)
    except UnreadableError as error:
        number = version if type(version) is int else 0
        return Unreadable(name=str(name), version=number, where=where, reason=str(error))


def _read(name: Any, version: Any, record: Any) -> ToolVersion:
    if not isinstance(name, str) or type(version) is not int:
        raise UnreadableError("its name is no text, or its version no number")
    told = object_of(record)
    form = told.pop("form", None)
    if type(form) is not int or form != FORM:
        raise UnreadableError(f"its form is {json.dumps(form)[:40]}, and this Pegboard reads form {FORM}")
    if told.keys() != _MEMBERS.keys():
        raise UnreadableError(f"its members are {', '.join(sorted(told))[:80]}, wanted {', '.join(_MEMBERS)}")
    for member, (wanted, fits) in _MEMBERS.items():
        if not fits(told[member]):
            raise UnreadableError(f"its {member} is no {wanted}")
    if (told["definition"] is None) != (told["change"] == Change.REMOVE):
        raise UnreadableError("only a removal is without a definition")
    if told["definition"] is not None and told["definition"].get("name") != name:
        raise UnreadableError("it defines a tool of another name")
    return ToolVersion(name=name, version=version, **{**told, "change": Change(told["change"])})
