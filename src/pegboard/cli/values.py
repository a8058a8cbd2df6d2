"""Arguments for a tool, from the command line. Pure.

key=value       text, unless the tool's schema wants a number, a boolean, an object, a list or null
key:=JSON       JSON, whatever the schema says
{...}           one JSON object with all arguments, alone
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

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


def wants(schema: Any, root: JsonObject) -> frozenset[str]:
    """The JSON types that a schema names, through local references and combinations; empty when it names none."""
    return frozenset(_types(schema, root, set()))


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
    types = wants(properties.get(key) if isinstance(properties, Mapping) else None, schema)
    return key, text if not types or "string" in types else _meant(text)


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


def _types(schema: Any, root: JsonObject, seen: set[int]) -> Iterator[str]:
    # A schema may refer to itself, and to itself twice: each part is looked at once.
    if not isinstance(schema, Mapping) or id(schema) in seen:
        return
    seen.add(id(schema))
    declared = schema.get("type")
    yield from [declared] if isinstance(declared, str) else declared if isinstance(declared, list) else []
    for value in [schema["const"]] if "const" in schema else schema.get("enum") or []:
        yield "string" if isinstance(value, str) else "other"
    for part in _parts(schema, root):
        yield from _types(part, root, seen)


def _parts(schema: JsonObject, root: JsonObject) -> Iterator[Any]:
    for combination in ("anyOf", "oneOf", "allOf"):
        yield from schema.get(combination) or []
    reference = schema.get("$ref")
    if isinstance(reference, str) and reference.startswith("#"):
        yield _at(root, reference[1:])


def _at(root: Any, pointer: str) -> Any:
    for part in pointer.split("/")[1:]:
        key = part.replace("~1", "/").replace("~0", "~")
        root = root.get(key) if isinstance(root, Mapping) else None
    return root
