"""What a schema says of a value at first sight: its layers, its branches, its types. Pure; always ends."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from pegboard.schema.document import document
from pegboard.schema.walk import TYPES, Schema

_MAX_HOPS: Final = 32
"""References followed one after the other before giving up."""


def layers(root: Schema, schema: Any) -> Iterator[Mapping[str, Any]]:
    """The objects that surely apply to one value: ``schema``, what it refers to, the members of its ``allOf``."""
    waiting, hops = [schema], 0
    while waiting and hops < _MAX_HOPS:
        current, hops = waiting.pop(0), hops + 1
        if not isinstance(current, Mapping):
            continue
        yield current
        if "$ref" in current:
            waiting.append(document(root).resolve(current, current["$ref"]))
        every = current.get("allOf")
        if isinstance(every, list):
            waiting.extend(every)


def alternatives(layer: Mapping[str, Any]) -> Iterator[list[Any]]:
    """The lists of branches (``anyOf``, ``oneOf``) of one layer."""
    for word in ("anyOf", "oneOf"):
        branches = layer.get(word)
        if isinstance(branches, list) and branches:
            yield branches


def types(root: Schema, schema: Any, depth: int = 8) -> frozenset[str]:
    """The JSON types that ``schema`` lets through, as far as its ``type``, enum and branches tell.

    Names of ``TYPES``; ``number`` includes ``integer``. All seven when nothing is said.
    """
    if schema is False:
        return frozenset()
    allowed = frozenset(TYPES)
    if depth <= 0:
        return allowed
    for layer in layers(root, schema):
        allowed &= _declared(layer)
        for branches in alternatives(layer):
            allowed &= frozenset().union(*(types(root, branch, depth - 1) for branch in branches))
    return allowed


def _declared(layer: Mapping[str, Any]) -> frozenset[str]:
    declared = layer.get("type")
    named = [declared] if isinstance(declared, str) else declared if isinstance(declared, list) else TYPES
    allowed = frozenset(name for name in named if isinstance(name, str))
    if "number" in allowed:
        allowed |= {"integer"}
    values = [layer["const"]] if "const" in layer else layer.get("enum")
    return allowed & {type_name(value) for value in values} if isinstance(values, list) else allowed


def type_name(value: Any) -> str:
    """The JSON type of a plain value; ``integer`` for whole numbers, written with or without a point."""
    if isinstance(value, bool):
        return "boolean"
    if isinstance(value, int) or (isinstance(value, float) and value.is_integer()):
        return "integer"
    for python, name in ((str, "string"), (float, "number"), (list, "array"), (Mapping, "object")):
        if isinstance(value, python):
            return name
    return "null"
