"""The parameters of a tool as a flat list, for the detail level between a name and a whole schema. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from pegboard.schema.meaning import alternatives, layers
from pegboard.schema.walk import Schema
from pegboard.schema.wording import listed
from pegboard.tools import JsonObject

_MAX_DEPTH: Final = 4


def flat_parameters(schema: JsonObject) -> list[dict[str, Any]]:
    """One ``{name, type, required, description}`` for each argument, in the order of the schema.

    ``type`` is for reading: ``string``, ``string (date-time)``, ``integer | null``, ``array of string``,
    ``'asc' | 'desc'``, ``one of 'a', 'b', ... (53)``, ``object``, ``any``. ``description`` is "" where there is none.
    References inside the schema are followed, with an end; nothing raises.
    """
    required = _required(schema)
    found: dict[str, dict[str, Any]] = {}
    for layer in _object_layers(schema):
        properties = layer.get("properties")
        for name, sub in properties.items() if isinstance(properties, Mapping) else ():
            found.setdefault(name, _parameter(schema, name, sub, name in required))
    return list(found.values())


def _object_layers(root: JsonObject) -> Iterator[Mapping[str, Any]]:
    """The objects that name arguments: those that hold in any case, then those of branches."""
    yield from layers(root, root)
    for layer in layers(root, root):
        for branches in alternatives(layer):
            for branch in branches:
                yield from layers(root, branch)


def _required(root: JsonObject) -> frozenset[str]:
    lists = (layer.get("required") for layer in layers(root, root))
    return frozenset(name for names in lists if isinstance(names, list) for name in names if isinstance(name, str))


def _parameter(root: Schema, name: str, schema: Any, required: bool) -> dict[str, Any]:
    described = (layer["description"] for layer in layers(root, schema) if isinstance(layer.get("description"), str))
    return {
        "name": name,
        "type": type_text(root, schema),
        "required": required,
        "description": " ".join(next(described, "").split()),
    }


def type_text(root: Schema, schema: Any, depth: int = _MAX_DEPTH) -> str:
    """The type of one schema in words."""
    if schema is False:
        return "nothing"
    for layer in layers(root, schema):
        text = _of_layer(root, layer, depth)
        if text:
            return text
    return "any"


def _of_layer(root: Schema, layer: Mapping[str, Any], depth: int) -> str:
    """What one object says of the type; "" when it leaves that to what it refers to."""
    if "const" in layer:
        return listed([layer["const"]])
    if isinstance(layer.get("enum"), list):
        return _choice(layer["enum"])
    declared = layer.get("type")
    if isinstance(declared, str):
        return _typed(root, layer, declared, depth)
    if isinstance(declared, list):
        return " | ".join(_typed(root, layer, name, depth) for name in declared if isinstance(name, str))
    for branches in alternatives(layer):
        texts = (type_text(root, branch, depth - 1) for branch in branches) if depth > 0 else ["any"]
        return " | ".join(sorted(dict.fromkeys(texts), key=lambda text: text == "null"))
    return "object" if "properties" in layer else ""


def _choice(values: list[Any]) -> str:
    text = listed(values)
    return (
        text.replace(", ", " | ")
        if "..." not in text and all(_is_simple(value) for value in values)
        else f"one of {text}"
    )


def _is_simple(value: Any) -> bool:
    return not isinstance(value, str) or ", " not in value


def _typed(root: Schema, layer: Mapping[str, Any], name: str, depth: int) -> str:
    if name == "array" and depth > 0 and isinstance(layer.get("items"), Mapping):
        inner = type_text(root, layer["items"], depth - 1)
        return f"array of ({inner})" if " | " in inner else f"array of {inner}"
    if name == "string" and isinstance(layer.get("format"), str):
        return f"string ({layer['format']})"
    return name
