"""Finding one's way in a JSON Schema: which keywords hold schemas, and what those apply to. Pure.

Only keywords that hold schemas are entered, so that a property named ``title`` or a ``$ref`` inside a ``const`` or an
``examples`` is never taken for a keyword.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from enum import Enum
from typing import Any, Final, NamedTuple
from urllib.parse import unquote

from pegboard.tools import MISSING

Schema = Mapping[str, Any] | bool
Pointer = tuple[str | int, ...]

TYPES: Final = ("string", "number", "integer", "boolean", "object", "array", "null")
"""The seven names of ``type``."""


class Reach(Enum):
    """What a subschema applies to."""

    SAME = "the same value"
    INSIDE = "a part of the value"
    HELD = "nothing, until something refers to it"


class _Form(Enum):
    ONE = "a schema"
    LIST = "a list of schemas"
    MAP = "schemas by name"


_KEYWORDS: Final[dict[str, tuple[Reach, frozenset[_Form]]]] = {
    word: (reach, frozenset(forms))
    for reach, forms, words in (
        (Reach.SAME, {_Form.LIST}, "allOf anyOf oneOf"),
        (Reach.SAME, {_Form.ONE}, "not if then else"),
        (Reach.SAME, {_Form.MAP}, "dependentSchemas dependencies"),
        (Reach.INSIDE, {_Form.MAP}, "properties patternProperties"),
        (Reach.INSIDE, {_Form.ONE}, "additionalProperties unevaluatedProperties propertyNames contains"),
        (Reach.INSIDE, {_Form.ONE}, "additionalItems unevaluatedItems contentSchema"),
        (Reach.INSIDE, {_Form.LIST}, "prefixItems"),
        (Reach.INSIDE, {_Form.ONE, _Form.LIST}, "items"),
        (Reach.HELD, {_Form.MAP}, "$defs definitions"),
    )
    for word in words.split()
}

REFERENCES: Final = ("$ref", "$dynamicRef", "$recursiveRef")


class Child(NamedTuple):
    """One subschema: where it stands under its parent, what it applies to, and itself."""

    pointer: Pointer
    reach: Reach
    schema: Schema


def children(schema: Schema) -> Iterator[Child]:
    """The direct subschemas of ``schema``; what stands in a schema's place but is none is left out."""
    if not isinstance(schema, Mapping):
        return
    for word, value in schema.items():
        reach, forms = _KEYWORDS.get(word, (Reach.HELD, frozenset()))
        for pointer, sub in _parts(value, forms):
            if isinstance(sub, Mapping | bool):
                yield Child((word, *pointer), reach, sub)


def _parts(value: Any, forms: frozenset[_Form]) -> Iterator[tuple[Pointer, Any]]:
    if _Form.LIST in forms and isinstance(value, list):
        yield from (((index,), sub) for index, sub in enumerate(value))
    elif _Form.MAP in forms and isinstance(value, Mapping):
        yield from (((key,), sub) for key, sub in value.items())
    elif _Form.ONE in forms:
        yield (), value


def with_children(schema: Mapping[str, Any], change: Callable[[Pointer, Any], Any]) -> dict[str, Any]:
    """A copy of one schema object in which every direct subschema is ``change(pointer, subschema)``."""
    copy: dict[str, Any] = {}
    for word, value in schema.items():
        _, forms = _KEYWORDS.get(word, (Reach.HELD, frozenset()))
        if _Form.LIST in forms and isinstance(value, list):
            copy[word] = [change((word, index), sub) for index, sub in enumerate(value)]
        elif _Form.MAP in forms and isinstance(value, Mapping):
            copy[word] = {key: change((word, key), sub) for key, sub in value.items()}
        else:
            copy[word] = change((word,), value) if _Form.ONE in forms else value
    return copy


def pointer_steps(pointer: str) -> Pointer:
    """The steps of a JSON pointer as it stands in a reference, behind the ``#``."""
    return tuple(unquote(step).replace("~1", "/").replace("~0", "~") for step in pointer.split("/")[1:])


def at(value: Any, pointer: Pointer) -> Any:
    """What stands at ``pointer`` in a JSON value; MISSING if nothing does."""
    for step in pointer:
        if isinstance(value, Mapping) and step in value:
            value = value[step]
        elif isinstance(value, list) and str(step).isdecimal() and int(step) < len(value):
            value = value[int(step)]
        else:
            return MISSING
    return value
