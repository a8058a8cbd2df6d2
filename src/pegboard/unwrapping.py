"""Reading the arguments that a model wrote for ``call_tool``. Pure functions."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from pegboard.errors import InvalidArgumentsError
from pegboard.tools import JsonObject


def unwrap(arguments: Mapping[str, Any], schema: JsonObject) -> Any:
    """The arguments meant for the tool whose input schema is ``schema``.

    Understood where it is unambiguous: an object under ``arguments``; the same as JSON text; once more nested under
    ``arguments``; or flattened beside ``name``. What cannot be understood is passed on, for the strict check to refuse.
    Raises InvalidArgumentsError when some stand under ``arguments`` and others beside it.
    """
    beside = {key: value for key, value in arguments.items() if key not in ("name", "arguments")}
    inner = _from_text(arguments.get("arguments"))
    if not inner:
        return beside or inner or {}
    if beside:
        raise InvalidArgumentsError("call_tool", [f"{next(iter(beside))}: wanted inside arguments, got it beside them"])
    known = schema.get("properties") or {}
    if isinstance(inner, Mapping) and set(inner) == {"arguments"} and "arguments" not in known:
        inner = _from_text(inner["arguments"])
    return {} if inner is None else inner


def _from_text(value: Any) -> Any:
    """A JSON object written as text, as that object; blank text as nothing; everything else as it is."""
    if not isinstance(value, str):
        return value
    try:
        parsed = json.loads(value) if value.strip() else None
    except (ValueError, RecursionError):
        return value
    return parsed if parsed is None or isinstance(parsed, dict) else value
