"""The parameters of a definition: JSON Schema that people write, or a list with one line a parameter. Pure.

By hand a safe subset of JSON Schema is written, whose every word is shown to models by all providers. Imported schemas
are held against JSON Schema itself instead.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Final

from pegboard.documents.problems import KeyPath, shown
from pegboard.errors import InvalidSchemaError
from pegboard.http_tools.mistakes import Mistakes
from pegboard.http_tools.scalars import flag, text_of
from pegboard.schema.check import check_schema
from pegboard.schema.names import nearest

SCALARS: Final = ("string", "number", "integer", "boolean")
TYPES: Final = (*SCALARS, "object", "array")
SHORT_TYPES: Final = (*SCALARS, *(f"array:{name}" for name in SCALARS))
SHORT_KEYS: Final = frozenset({"name", "type", "description", "required"})

NAME: Final = re.compile(r"[a-z][a-z0-9_]*")
_NAME_HINT: Final = "A parameter's name is a-z, 0-9 and _, and begins with a letter; its name in the request is free."
_FORM_HINT: Final = (
    'Write JSON Schema, {"type": "object", "properties": {...}}, or a list of {"name": ..., "type": ...}.'
)

UNSAFE: Final = frozenset(
    {"$ref", "$defs", "definitions", "$dynamicRef", "$recursiveRef", "allOf", "anyOf", "oneOf", "not", "if", "then"}
    | {"else", "patternProperties", "propertyNames", "unevaluatedProperties", "unevaluatedItems", "dependentSchemas"}
    | {"dependencies", "dependentRequired", "contains", "prefixItems", "additionalItems"}
)
"""Words of JSON Schema that some provider shows in no form."""


def parameters_of(value: Any, path: KeyPath, mistakes: Mistakes, *, full: bool = False) -> dict[str, Any]:
    """The JSON Schema of a definition's arguments; None and empty ones mean no parameters."""
    if value is None or value in ({}, []):
        return {"type": "object", "properties": {}, "required": []}
    if isinstance(value, list):
        return _listed(value, path, mistakes)
    if not isinstance(value, Mapping):
        mistakes.wrong(path, f"wanted JSON Schema or a list of parameters, got {shown(value)}.", _FORM_HINT)
        return {"type": "object", "properties": {}, "required": []}
    schema = dict(value)
    declared = schema.setdefault("type", "object")
    if declared != "object":
        mistakes.wrong((*path, "type"), f'arguments are an object, so this is "object", not {shown(declared)}.')
    schema.setdefault("properties", {})
    schema.setdefault("required", [])
    before = len(mistakes.all)
    if not full:
        _check_object(schema, path, mistakes)
        _check_names(schema["properties"], path, mistakes)
    if len(mistakes.all) == before:
        _check_whole(schema, path, mistakes)
    return schema


def _check_whole(schema: dict[str, Any], path: KeyPath, mistakes: Mistakes) -> None:
    """Hold it against JSON Schema: what is a keyword's own business is checked nowhere else."""
    try:
        check_schema(schema, what="schema")
    except InvalidSchemaError as error:
        mistakes.wrong((*path, *str(error.data["at"]).split("/")), error.message, error.hint)


def _check_names(properties: Any, path: KeyPath, mistakes: Mistakes) -> None:
    for name in properties if isinstance(properties, Mapping) else ():
        if not NAME.fullmatch(str(name)):
            mistakes.wrong((*path, "properties", name), f"{name!r} cannot be a parameter's name.", _NAME_HINT)


def _check(schema: Any, path: KeyPath, mistakes: Mistakes) -> None:
    """One schema below the top."""
    if not isinstance(schema, Mapping):
        mistakes.wrong(path, f"wanted a JSON Schema object, got {shown(schema)}.", 'Write {"type": "string"}.')
        return
    unsafe = [word for word in schema if word in UNSAFE]
    if unsafe:
        _unsafe(unsafe, path, mistakes)
        return
    declared = schema.get("type")
    if declared is None:
        mistakes.wrong(path, "'type' is missing.", f"Use one of: {', '.join(TYPES)}.")
    elif declared not in TYPES:
        close = nearest(declared, TYPES) if isinstance(declared, str) else None
        hint = f"Use {close!r}." if close else f"Use one of: {', '.join(TYPES)}."
        mistakes.wrong((*path, "type"), f"{_json(declared)} is not a type here.", hint)
    if "enum" in schema and (not isinstance(schema["enum"], list) or not schema["enum"]):
        mistakes.wrong((*path, "enum"), "'enum' is a list with at least one value.")
    if declared == "object":
        _check_object(schema, path, mistakes)
    elif declared == "array":
        _check_array(schema, path, mistakes)
    elif isinstance(schema.get("required"), bool):
        mistakes.wrong((*path, "required"), "'required' is a list of names.", "It stands beside 'properties'.")


def _check_object(schema: Mapping[str, Any], path: KeyPath, mistakes: Mistakes) -> None:
    unsafe = [word for word in schema if word in UNSAFE]
    if unsafe:
        _unsafe(unsafe, path, mistakes)
        return
    properties, required = schema.get("properties", {}), schema.get("required", [])
    if not isinstance(properties, Mapping):
        mistakes.wrong((*path, "properties"), f"'properties' is an object, not {shown(properties)}.")
        return
    if not isinstance(required, list) or not all(isinstance(name, str) for name in required):
        mistakes.wrong((*path, "required"), f"'required' is a list of names, not {shown(required)}.")
    else:
        unknown = [name for name in required if name not in properties]
        if unknown:
            told = ", ".join(unknown)
            mistakes.wrong((*path, "required"), f"'required' names what is no property: {told}.")
    for name, member in properties.items():
        _check(member, (*path, "properties", name), mistakes)


def _check_array(schema: Mapping[str, Any], path: KeyPath, mistakes: Mistakes) -> None:
    if "items" not in schema:
        mistakes.wrong(path, "an array needs 'items'.", 'For texts: "items": {"type": "string"}.')
    else:
        _check(schema["items"], (*path, "items"), mistakes)


def _unsafe(words: list[str], path: KeyPath, mistakes: Mistakes) -> None:
    told = ", ".join(words)
    mistakes.wrong((*path, words[0]), f"{told} cannot be used here.", f"The types are {', '.join(TYPES)}, and enum.")


def _listed(items: list[Any], path: KeyPath, mistakes: Mistakes) -> dict[str, Any]:
    """The schema of a list with one parameter a line."""
    properties: dict[str, Any] = {}
    required: list[str] = []
    for place, item in enumerate(items):
        here = (*path, place)
        if not isinstance(item, Mapping):
            mistakes.wrong(here, f"wanted an object, got {shown(item)}.", 'Write {"name": "city", "type": "string"}.')
            continue
        name = item.get("name")
        if not isinstance(name, str) or not NAME.fullmatch(name):
            mistakes.wrong((*here, "name"), f"{shown(name)} cannot be a parameter's name.", _NAME_HINT)
            continue
        if name in properties:
            mistakes.wrong((*here, "name"), f"the parameter {name!r} is given twice.", "Remove one of the two.")
        for key in item.keys() - SHORT_KEYS:
            hint = "Write the parameters as JSON Schema where they need more."
            mistakes.odd((*here, key), f"{key!r} of the parameter {name!r} is left out.", hint)
        properties[name] = _short(name, item, here, mistakes)
        if flag(item.get("required", True), (*here, "required"), mistakes):
            required.append(name)
    return {"type": "object", "properties": properties, "required": required}


def _short(name: str, item: Mapping[str, Any], path: KeyPath, mistakes: Mistakes) -> dict[str, Any]:
    declared = item.get("type") or "string"
    if declared == "array":
        hint = f"For a list of scalars write {', '.join(SHORT_TYPES[4:])}; for a list of objects, JSON Schema."
        mistakes.wrong((*path, "type"), f"{name!r} is an array of what? {_json(declared)} says it of nothing.", hint)
    elif declared not in SHORT_TYPES:
        hint = f"Use one of: {', '.join(SHORT_TYPES)}."
        mistakes.wrong((*path, "type"), f"{name!r} has the type {_json(declared)}, which is not known here.", hint)
    outer, colon, inner = str(declared).partition(":")
    schema: dict[str, Any] = {"type": outer, "items": {"type": inner}} if colon else {"type": outer}
    described = text_of(item.get("description"), (*path, "description"), mistakes)
    return {**schema, "description": described} if described else schema


def _json(value: Any) -> str:
    import json

    return json.dumps(value, default=str)[:60]
