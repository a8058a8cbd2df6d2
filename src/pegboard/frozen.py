"""JSON values that nobody else can change: frozen, or copied. Pure functions."""

from __future__ import annotations

from collections.abc import Mapping
from math import isfinite
from types import MappingProxyType
from typing import Any, Final

MAX_DEPTH: Final = 64
"""How deep values may be nested: far beyond what anybody writes, and a value that contains itself is deeper."""


def frozen(value: Any, *, depth: int = MAX_DEPTH) -> Any:
    """A copy of a JSON value that cannot be changed: objects as read-only mappings, lists as tuples.

    Raises TypeError for what JSON does not have, NaN and infinities too, and for what is nested too deeply; the
    message says where it stands.
    """
    if value is None or isinstance(value, str | bool | int):
        return value
    if isinstance(value, float) and isfinite(value):
        return value
    if not isinstance(value, Mapping | list | tuple):
        raise TypeError(f"holds {value!r:.40}, which JSON does not have")
    if not depth:
        raise TypeError(f"is nested more than {MAX_DEPTH} deep")
    if not isinstance(value, Mapping):
        return tuple(frozen(item, depth=depth - 1) for item in value)
    for key in value:
        if not isinstance(key, str):
            raise TypeError(f"has the key {key!r:.40}, which is no text")
    return MappingProxyType({key: frozen(item, depth=depth - 1) for key, item in value.items()})


def thawed(value: Any) -> Any:
    """A copy of a JSON value that can be changed: objects as dicts, lists as lists; what JSON does not have stays."""
    if isinstance(value, Mapping):
        return {key: thawed(item) for key, item in value.items()}
    return [thawed(item) for item in value] if isinstance(value, list | tuple) else value
