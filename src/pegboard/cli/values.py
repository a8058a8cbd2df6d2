"""Arguments for a tool, from the command line. Pure.

key=value       text, unless the tool's schema wants a number, a boolean, an object, a list or null
key:=JSON       JSON, whatever the schema says
{...}           one JSON object with all arguments, alone
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any, Final

from pegboard.schema.meaning import types
from pegboard.tools import JsonObject

_PAIR: Final = re.compile(r"(?P<key>[^=]*?)(?P<how>:=|=)(?P<value>.*)", re.DOTALL)


class ArgumentsError(ValueError):
    """What was typed cannot be understood; the message says which part and how to write it."""


def parse_arguments(words: Sequence[str], schema: JsonObject) -> dict[str, Any]:
    """The arguments that ``words`` spell for a tool of this input schema. Whether they fit it is not checked here.

    Raises ArgumentsError.
    """
    if len(words) == 1 and words[0].lstrip().startswith("{"):
        return parse_object(words[0])
    arguments: dict[str, Any] = {}
    for word in words:
        key, value = _pair(word, schema)
        if key in arguments:
            raise ArgumentsError(f"{key} is given twice. A list is written as JSON: {key}:='[1, 2]'.")
        arguments[key] = value
    return arguments


def parse_object(text: str) -> dict[str, Any]:
    """The JSON object that ``text`` holds. Raises ArgumentsError."""
    try:
        value = _json(text)
    except ValueError as error:
        raise ArgumentsError(f"The arguments are not JSON: {error}.") from None
    if not isinstance(value, dict):
        raise ArgumentsError(f"The arguments have to be a JSON object like {{}}, not {text.strip()[:40]!r}.")
    return value


def _pair(word: str, schema: JsonObject) -> tuple[str, Any]:
    found = _PAIR.fullmatch(word)
    if found is None or not found["key"]:
        raise ArgumentsError(f"{word!r} is neither key=value nor key:=JSON, nor one JSON object alone.")
    key, text = found["key"], found["value"]
    if found["how"] == ":=":
        try:
            return key, _json(text)
        except ValueError as error:
            raise ArgumentsError(f"{key}: {text!r} is not JSON: {error}. Text is written as {key}=...") from None
    properties = schema.get("properties")
    wanted = types(schema, properties.get(key) if isinstance(properties, Mapping) else None)
    return key, text if "string" in wanted else _meant(text)


def _meant(text: str) -> Any:
    """The JSON value of a text where text is not wanted. What is no JSON stays text, for the tool's check to refuse."""
    try:
        return _json(text)
    except ValueError:
        return text


def _json(text: str) -> Any:
    try:
        return json.loads(text, parse_constant=_refuse)
    except RecursionError:
        raise ValueError("it is nested too deeply") from None


def _refuse(constant: str) -> Any:
    raise ValueError(f"{constant} is not JSON")
