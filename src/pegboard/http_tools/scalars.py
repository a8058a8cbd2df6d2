"""Reading scalars of a definition a little freely: forms and stores turn them into texts. Pure."""

from __future__ import annotations

import json
import math
import re
from typing import Any, Final

from pegboard.documents.problems import KeyPath, shown
from pegboard.http_tools.mistakes import Mistakes

_FLAGS: Final = {"true": True, "1": True, "false": False, "0": False, "": False}
_SECONDS: Final = re.compile(r"(?:0|[1-9][0-9]{0,6})(?:\.[0-9]{1,6})?")


def text_of(value: Any, path: KeyPath, mistakes: Mistakes) -> str:
    """A text; a number or boolean in its text form, null as the empty text."""
    if value is None:
        return ""
    if isinstance(value, (str, bool, int, float)):
        return plain(value)
    mistakes.wanted(path, "text", value)
    return ""


def plain(value: str | float) -> str:
    """The text form of a scalar: ``true``, ``5``, ``1.5``; a text as it is."""
    return value if isinstance(value, str) else json.dumps(value)


def flag(value: Any, path: KeyPath, mistakes: Mistakes, default: bool = False) -> bool:
    """True or false, also as text; ``default`` for null."""
    if value is None:
        return default
    if isinstance(value, bool):
        return value
    if isinstance(value, str) and value.strip().lower() in _FLAGS:
        return _FLAGS[value.strip().lower()]
    mistakes.wrong(path, f"wanted true or false, got {shown(value)}.")
    return default


def seconds(value: Any, path: KeyPath, mistakes: Mistakes) -> float | None:
    """A number of seconds above 0, also as plain text; None for null."""
    if value is None:
        return None
    number = float(value) if isinstance(value, str) and _SECONDS.fullmatch(value) else value
    if isinstance(number, bool) or not isinstance(number, (int, float)) or not 0 < number < math.inf:
        mistakes.wrong(path, f"wanted a number of seconds above 0, got {shown(value)}.")
        return None
    return int(number) if float(number).is_integer() else float(number)
