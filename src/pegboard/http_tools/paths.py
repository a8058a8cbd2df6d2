"""Paths into JSON: ``data.items`` goes through objects by their keys, ``$.data.items[0].id`` is JSONPath. Pure."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Final

from pegboard.tools import MISSING

if TYPE_CHECKING:
    from jsonpath import JSONPath

_DOTTED: Final = re.compile(r"[^.\s\[\]$][^.\s\[\]]*(?:\.[^.\s\[\]]+)*")


def flaw_of(path: str) -> str:
    """What keeps a text from being a path; empty when nothing does."""
    if path.startswith("$"):
        from jsonpath import JSONPathError

        try:
            _compiled(path)
        except JSONPathError as error:
            return f"no JSONPath as RFC 9535 has it: {str(error).splitlines()[0][:100]}"
        return ""
    return "" if _DOTTED.fullmatch(path) else "keys joined by single dots are wanted"


def at_path(path: str, value: Any) -> Any:
    """What stands at a path; MISSING where there is nothing.

    JSONPath that can name one place only gives what stands there, any other the list of all that it finds.
    """
    if path.startswith("$"):
        query = _compiled(path)
        found = query.findall(value) if isinstance(value, (dict, list)) else []
        if query.singular_query():
            return found[0] if found else MISSING
        return found
    for key in path.split("."):
        if not isinstance(value, dict) or key not in value:
            return MISSING
        value = value[key]
    return value


@lru_cache(256)
def _compiled(path: str) -> JSONPath:
    from jsonpath import JSONPathEnvironment
    from jsonpath.path import CompoundJSONPath

    found = JSONPathEnvironment(strict=True).compile(path)
    assert not isinstance(found, CompoundJSONPath)  # strict: RFC 9535 has no unions of paths
    return found
