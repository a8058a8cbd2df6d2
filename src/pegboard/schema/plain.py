"""Whether a Python value is plain JSON. Pure.

Everything that comes in (schemas, arguments) passes here before a library reads it: the libraries below read NaN as
null, and crash on data that is nested too deep.
"""

from __future__ import annotations

import math
from typing import Any, Final

from pegboard.pointing import Path
from pegboard.texts import is_encodable

TOO_DEEP: Final = "nested too deep"

_MAX_INT_BITS: Final = 14_000
"""Python itself reads and writes at most 4,300 decimal digits."""


def flaw(value: Any, *, max_depth: int) -> tuple[Path, str] | None:
    """The first thing in ``value`` that is not plain JSON, as (where, what); None when all of it is.

    Plain means: None, bool, int, finite float, str of whole characters, list, and dict with str keys; arrays and
    objects nested at most ``max_depth`` deep. Subclasses of these count as these.
    """
    return _flaw(value, max_depth)


_CONTAINERS: Final = (dict, list)
_FLAWLESS: Final = frozenset({bool, type(None)})


def _flaw(value: Any, left: int) -> tuple[Path, str] | None:
    if isinstance(value, _CONTAINERS):
        return _flaw_inside(value, left) if left > 0 else ((), TOO_DEEP)
    text = _flaw_of_leaf(value)
    return ((), text) if text else None


def _flaw_inside(value: dict[Any, Any] | list[Any], left: int) -> tuple[Path, str] | None:
    keyed = isinstance(value, dict)
    for key, item in value.items() if isinstance(value, dict) else enumerate(value):
        if keyed and (text := _flaw_of_key(key)):
            return (), text
        # What most values are, said in few steps: arguments may have a million of them.
        kind = type(item)
        if kind in _FLAWLESS or (kind is str and item.isascii()):
            continue
        found = _flaw(item, left - 1)
        if found:
            path, text = found
            return (key, *path), text
    return None


def _flaw_of_key(key: Any) -> str:
    if type(key) is str and key.isascii():
        return ""
    if not isinstance(key, str):
        return f"a key that is a Python {type(key).__name__}, not text"
    return "" if is_encodable(key) else "a key with half a character (a lone surrogate)"


def _flaw_of_leaf(value: Any) -> str:
    if isinstance(value, str):
        return "" if is_encodable(value) else "text with half a character (a lone surrogate)"
    if isinstance(value, int):  # bool too
        return "" if value.bit_length() <= _MAX_INT_BITS else "a number of more than 4,300 digits"
    if isinstance(value, float):
        return "" if math.isfinite(value) else f"{_name_of(value)}, which is not a JSON number"
    return "" if value is None else f"a Python {type(value).__name__}, which is not JSON"


def _name_of(value: float) -> str:
    return "NaN" if math.isnan(value) else "Infinity" if value > 0 else "-Infinity"
