"""Comparing JSON values. Pure functions."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


def as_list(value: Any) -> list[Any]:
    """A list as it is, anything else as the only member of one."""
    return list(value) if isinstance(value, (list, tuple)) else [value]


def has(whole: Any, part: Any) -> bool:
    """Whether ``whole`` has at least what ``part`` has: members of objects may be more, all else is equal."""
    if isinstance(part, Mapping):
        return isinstance(whole, Mapping) and all(key in whole and has(whole[key], part[key]) for key in part)
    if isinstance(part, list):
        return (
            isinstance(whole, (list, tuple))
            and len(whole) == len(part)
            and all(has(one, other) for one, other in zip(whole, part, strict=True))
        )
    return bool(whole == part) and isinstance(whole, bool) == isinstance(part, bool)


def holds(whole: Any, part: Any) -> bool:
    """Whether ``has`` is true of ``whole`` or of anything inside it."""
    if has(whole, part):
        return True
    inside = whole.values() if isinstance(whole, Mapping) else whole if isinstance(whole, (list, tuple)) else ()
    return any(holds(member, part) for member in inside)
