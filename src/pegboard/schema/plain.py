"""Whether a Python value is plain JSON. Pure.

Everything that comes in (schemas, arguments) passes here before a library reads it: the libraries below read NaN as
null, and crash on data that is nested too deep.
"""

from __future__ import annotations

import math
from typing import Any, Final

Path = tuple[str | int, ...]
"""Where in a JSON value: keys and indexes from the root."""

TOO_DEEP: Final = "nested too deep"

_MAX_INT_BITS: Final = 14_000
"""Python itself reads and writes at most 4,300 decimal digits."""


def flaw(value: Any, *, max_depth: int) -> tuple[Path, str] | None:
    """The first thing in ``value`` that is not plain JSON, as (where, what); None when all of it is.

    Plain means: None, bool, int, finite float, str of whole characters, list, and dict with str keys; arrays and
    objects nested at most ``max_depth`` deep. Subclasses of these count as these.
    """
    return _flaw(value, (), max_depth)


def _flaw(value: Any, path: Path, left: int) -> tuple[Path, str] | None:
    if isinstance(value, str):
        return None if _whole(value) else (path, "text with half a character (a lone surrogate)")
    if value is None or isinstance(value, bool):
        return None
    if isinstance(value, int):
        return None if value.bit_length() <= _MAX_INT_BITS else (path, "a number of more than 4,300 digits")
    if isinstance(value, float):
        return None if math.isfinite(value) else (path, f"{_name_of(value)}, which is not a JSON number")
    if isinstance(value, dict | list):
        return _flaw_inside(value, path, left)
    return path, f"a Python {type(value).__name__}, which is not JSON"


def _flaw_inside(value: dict[Any, Any] | list[Any], path: Path, left: int) -> tuple[Path, str] | None:
    if left <= 0:
        return path, TOO_DEEP
    for key, item in value.items() if isinstance(value, dict) else enumerate(value):
        if not isinstance(key, str | int) or (isinstance(value, dict) and not isinstance(key, str)):
            return path, f"a key that is a Python {type(key).__name__}, not text"
        if isinstance(key, str) and not _whole(key):
            return path, "a key with half a character (a lone surrogate)"
        found = _flaw(item, (*path, key), left - 1)
        if found:
            return found
    return None


def _whole(text: str) -> bool:
    if text.isascii():
        return True
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def _name_of(value: float) -> str:
    return "NaN" if math.isnan(value) else "Infinity" if value > 0 else "-Infinity"
