"""The words of problems: places, values and names, shortened. Pure."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from typing import Any, Final

from pegboard.pointing import MAX_CHARS, cut, place, quoted
from pegboard.schema.names import nearest

MAX_PROBLEMS: Final = 5
"""Problems told at once."""

_VALUE_CHARS: Final = 40
_LISTED: Final = 6


def problem(path: Iterable[str | int], text: str) -> str:
    """One problem: the place, then the text, at most ``MAX_CHARS`` long."""
    return cut(f"{place(path) or 'arguments'}: {text}")


def unknown(name: str, names: Iterable[str] | None, path: Sequence[str | int] = ()) -> str:
    """The problem of an argument, or below the root a property, that nobody asked for. ``names``: None for untold."""
    known = list(names or ())
    what = f"unknown {'property' if path else 'argument'} {quoted(name)}"
    meant = nearest(name, known)
    if meant is not None:
        text = f"{what}; did you mean {quoted(meant)}?"
    elif known:
        text = f"{what}; known: {listed(known)}"
    else:
        text = what if names is None else f"{what}; none are taken here"
    return problem(path, text) if path else cut(text)


def got(value: Any) -> str:
    """A value with its type, shortened: ``string 'blue'``, ``integer 5``, ``array of 3``."""
    if isinstance(value, str):
        return f"string {shown(value)}"
    if isinstance(value, bool):
        return f"boolean {shown(value)}"
    if isinstance(value, int):
        return f"integer {shown(value)}"
    if isinstance(value, float):
        return f"number {shown(value)}"
    if isinstance(value, list):
        return f"array of {len(value)}"
    return "null" if value is None else "object"


def shown(value: Any) -> str:
    """A value as it is written, at most 40 characters of it."""
    if isinstance(value, str):
        return quoted(value)
    return cut(json.dumps(value, ensure_ascii=False), _VALUE_CHARS)


def listed(values: Sequence[Any], first: Any = None) -> str:
    """The values as a list, a long one shortened with its count: ``'a', 'b', ... (53)``. ``first`` is put in front."""
    ordered = [first, *(value for value in values if value != first)] if first is not None else list(values)
    text = ", ".join(shown(value) for value in ordered[:_LISTED])
    if len(ordered) <= _LISTED and len(text) <= MAX_CHARS // 2:
        return text
    while len(text) > MAX_CHARS // 2 and ", " in text:
        text = text.rpartition(", ")[0]
    return f"{text}, ... ({len(ordered)})"
