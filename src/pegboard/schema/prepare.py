"""What is done to arguments before and for the check: never more than reading a value as what it says. Pure."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping
from functools import lru_cache
from typing import Any, Final

from pegboard.schema.document import Identity
from pegboard.schema.meaning import alternatives, layers, type_name, types
from pegboard.schema.walk import Schema
from pegboard.tools import JsonObject, canonical_json

_MAX_DEPTH: Final = 100
_CACHED: Final = 1024
_INTEGER: Final = re.compile(r"-?[0-9]{1,4000}")
_NUMBER: Final = re.compile(r"-?[0-9]{1,4000}(\.[0-9]+)?")

Leaf = Callable[[Any, frozenset[str]], Any]
"""What becomes of a value that is neither array nor object, given the JSON types that its schema lets through."""


def prepared(schema: JsonObject, arguments: dict[str, Any]) -> dict[str, Any]:
    """The arguments as they are checked and handed on; a new dict, parts that need no change are shared.

    ``null`` for an argument that is neither required nor nullable means "not given": it is left out. A whole number
    written with a point (3.0) becomes an int where the schema wants an integer, at any depth that can be told from
    the schema alone; where it wants a number it stays a float. Nothing else changes; nothing raises.
    """
    ready = {name: value for name, value in arguments.items() if value is not None or _takes_null(schema, name)}
    if not _speaks_of_integers(Identity(schema)) or not _has_whole_float(ready, 0):
        return ready
    mapped: dict[str, Any] = _mapped(schema, schema, ready, _whole, 0)
    return mapped


@lru_cache(_CACHED)
def _speaks_of_integers(schema: Identity) -> bool:
    return b'"integer"' in canonical_json(schema.value)


def text_forms_read(schema: JsonObject, arguments: dict[str, Any]) -> dict[str, Any]:
    """The arguments with exact text forms read as what they say, for a lossless check."""
    read: dict[str, Any] = _mapped(schema, schema, arguments, _read, 0)
    return read


def _takes_null(schema: JsonObject, name: str) -> bool:
    required = any(name in layer.get("required", ()) for layer in layers(schema, schema))
    return required or all("null" in types(schema, sub) for sub in _of_key(schema, schema, name, {}))


_CONTAINERS: Final = (dict, list)
_NO_FLOATS: Final = frozenset({str, int, bool, type(None)})


def _has_whole_float(value: Any, depth: int) -> bool:
    if isinstance(value, _CONTAINERS) and depth <= _MAX_DEPTH:
        for item in value.values() if isinstance(value, dict) else value:
            if type(item) not in _NO_FLOATS and _has_whole_float(item, depth + 1):
                return True
        return False
    return isinstance(value, float) and value.is_integer()


def _whole(value: Any, allowed: frozenset[str]) -> Any:
    whole = isinstance(value, float) and value.is_integer() and "integer" in allowed and "number" not in allowed
    return int(value) if whole else value


def _read(value: Any, allowed: frozenset[str]) -> Any:
    if isinstance(value, str) and "string" not in allowed:
        return _read_text(value, allowed)
    if allowed == {"string"} and isinstance(value, bool | int | float):
        return json.dumps(value)
    return value


def _read_text(text: str, allowed: frozenset[str]) -> Any:
    if "integer" in allowed and _INTEGER.fullmatch(text):
        return int(text)
    if "number" in allowed and _NUMBER.fullmatch(text):
        return float(text)
    if "boolean" in allowed and text in ("true", "false"):
        return text == "true"
    return text


def _mapped(root: Schema, schema: Any, value: Any, leaf: Leaf, depth: int) -> Any:
    """``value`` with ``leaf`` applied wherever ``schema`` says what belongs there."""
    if depth > _MAX_DEPTH or not isinstance(schema, Mapping):
        return value
    if isinstance(value, dict):
        return {key: _folded(root, _of_key(root, schema, key, value), item, leaf, depth) for key, item in value.items()}
    if isinstance(value, list):
        return [
            _folded(root, _of_index(root, schema, index, value), item, leaf, depth) for index, item in enumerate(value)
        ]
    return leaf(value, types(root, schema))


def _folded(root: Schema, schemas: Iterator[Any], value: Any, leaf: Leaf, depth: int) -> Any:
    for schema in schemas:
        value = _mapped(root, schema, value, leaf, depth + 1)
    return value


def _of_key(root: Schema, schema: Any, key: str, value: Any) -> Iterator[Any]:
    """The schemas of one property."""
    for layer in _open_layers(root, schema, value):
        properties = layer.get("properties")
        if isinstance(properties, Mapping) and key in properties:
            yield properties[key]
        elif isinstance(layer.get("additionalProperties"), Mapping) and "patternProperties" not in layer:
            yield layer["additionalProperties"]


def _of_index(root: Schema, schema: Any, index: int, value: Any) -> Iterator[Any]:
    """The schemas of one item."""
    for layer in _open_layers(root, schema, value):
        first, rest = layer.get("prefixItems"), layer.get("items")
        if isinstance(rest, list):
            first, rest = rest, layer.get("additionalItems")
        listed = first if isinstance(first, list) else []
        yield listed[index] if index < len(listed) else rest


def _open_layers(root: Schema, schema: Any, value: Any) -> Iterator[Mapping[str, Any]]:
    """The layers that surely apply to an array or object, with the one branch that can where there is only one."""
    for layer in layers(root, schema):
        yield layer
        for branches in alternatives(layer):
            able = [branch for branch in branches if type_name(value) in types(root, branch)]
            if len(able) == 1:
                yield from layers(root, able[0])
