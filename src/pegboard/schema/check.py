"""Whether a schema may be used for a tool. A list of checks, each cheap enough to come before the next."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any, Final

from pegboard.errors import InvalidSchemaError
from pegboard.pointing import cut
from pegboard.schema.compile import build, dialect, meta_validator, without_dialect
from pegboard.schema.document import MAX_SUBSCHEMAS, Document
from pegboard.schema.loops import MAX_CHAIN, MAX_STEPS, steps
from pegboard.schema.names import nearest
from pegboard.schema.plain import TOO_DEEP, flaw
from pegboard.schema.walk import REFERENCES, TYPES, Pointer, at
from pegboard.tools import MISSING, canonical_json

MAX_BYTES: Final = 512 * 1024
"""Bytes of a schema's canonical JSON. The largest of 1,995 published tools has 26 thousand."""

MAX_DEPTH: Final = 100
"""Arrays and objects inside one another in a schema. The validator's own limit is 255."""


class _Flaw(Exception):
    """Why a schema cannot be used. Lives inside one check."""

    def __init__(self, pointer: Pointer, text: str, hint: str = "") -> None:
        super().__init__(text)
        self.pointer = pointer
        self.text = text
        self.hint = hint


def check_schema(schema: Any, *, what: str, root_object: bool = True) -> None:
    """Refuse a schema that cannot be used; ``what`` names it in the message, as in ``input schema of 'search'``.

    Accepted is JSON Schema 2020-12, or the draft that ``$schema`` names (04, 06, 07, 2019-09), whose root says
    ``"type": "object"`` (unless ``root_object`` is False), of at most ``MAX_BYTES``, ``MAX_DEPTH``,
    ``MAX_SUBSCHEMAS``, ``MAX_CHAIN`` and ``MAX_STEPS``. References must stay inside the schema and point at
    something. A schema may refer to itself through properties and items, as trees do, not without them.

    Raises InvalidSchemaError with the place in ``data["at"]`` (keys and indexes joined by ``/``) and the fix as its
    hint. Never fetches anything.
    """
    try:
        _check_values(schema)
        _check_root(schema, root_object)
        _check_keywords(schema)
        _check_sizes(schema)
        _check_references(schema)
    except _Flaw as found:
        place = "/".join(str(step) for step in found.pointer)
        text = f"at {place}: {found.text}" if place else found.text
        raise InvalidSchemaError(f"The {what} cannot be used: {text}.", hint=found.hint, data={"at": place}) from None


def _check_values(schema: Any) -> None:
    found = flaw(schema, max_depth=MAX_DEPTH)
    if found is None:
        return
    pointer, text = found
    if text == TOO_DEEP:
        raise _Flaw((), f"it is nested more than {MAX_DEPTH} deep", "Flatten it, or use $defs and $ref.")
    raise _Flaw(pointer, text, "A schema is plain JSON.")


def _check_root(schema: Any, root_object: bool) -> None:
    if isinstance(schema, bool) and not root_object:
        return
    if not isinstance(schema, dict):
        raise _Flaw((), f"it is {_brief(schema)}, not an object", 'Write {"type": "object", "properties": {...}}.')
    if dialect(schema) is None:
        raise _Flaw(
            ("$schema",),
            f"{_brief(schema['$schema'])} is not a dialect known here",
            "Leave it out for draft 2020-12, or name 2019-09, 07, 06 or 04.",
        )
    if root_object and schema.get("type") != "object":
        said = f"its root has the type {_brief(schema['type'])}" if "type" in schema else "its root has no type"
        raise _Flaw((), said, 'Arguments are an object: the root needs "type": "object".')


def _check_keywords(schema: Any) -> None:
    """Hold the schema against the meta-schema of its draft."""
    for error in meta_validator(dialect(schema) or "").iter_errors(without_dialect(schema)):
        pointer = tuple(error.instance_path)
        value = at(schema, pointer)
        text, hint = next((found for rule in _RULES if (found := rule(pointer, value))), ("", ""))
        raise _Flaw(pointer, text or f"it is not valid: {cut(error.message)}", hint)


_Rule = Callable[[Pointer, Any], tuple[str, str] | None]
"""What is wrong with the value at a place, and how to mend it; None where the rule has nothing to say."""


def _misplaced(pointer: Pointer, value: Any) -> tuple[str, str] | None:
    if _is_keyword(pointer) or isinstance(value, Mapping | bool):
        return None
    holder, last = pointer[-2:]
    if isinstance(value, list):
        return f"{_brief(value)} is not a schema", f"Under {holder!r} stand schemas by name; move {last!r} beside it."
    return f"{_brief(value)} is not a schema", 'A schema is an object such as {"type": "string"}, or true, or false.'


def _no_type(pointer: Pointer, value: Any) -> tuple[str, str] | None:
    if pointer[-1:] != ("type",):
        return None
    meant = None
    if isinstance(value, str):
        meant = _TYPE_WORDS.get(value.lower()) or nearest(value, TYPES)
    hint = f'Write "{meant}".' if meant else f"The types are {', '.join(TYPES)}; leave it out for any value."
    return f"{_brief(value)} is not a JSON type", hint


def _required_flag(pointer: Pointer, value: Any) -> tuple[str, str] | None:
    if pointer[-1:] != ("required",) or not isinstance(value, bool):
        return None
    return "it is a list of names", "List the required names beside 'properties', in the object that holds them."


def _items_list(pointer: Pointer, value: Any) -> tuple[str, str] | None:
    if pointer[-1:] != ("items",) or not isinstance(value, list):
        return None
    return "a list of schemas is called prefixItems", 'Rename it, or name draft 07 in "$schema".'


def _limit_flag(pointer: Pointer, value: Any) -> tuple[str, str] | None:
    if pointer[-1:] not in (("exclusiveMinimum",), ("exclusiveMaximum",)) or not isinstance(value, bool):
        return None
    return "it is a number", f"Write the limit itself as {pointer[-1]!r}."


def _not_a_pattern(pointer: Pointer, value: Any) -> tuple[str, str] | None:
    if pointer[-1:] != ("pattern",) or not isinstance(value, str):
        return None
    return f"{_brief(value)} is not a regular expression", "JSON Schema uses the syntax of ECMA-262."


_RULES: Final[tuple[_Rule, ...]] = (_misplaced, _no_type, _required_flag, _items_list, _limit_flag, _not_a_pattern)

_HOLDERS: Final = ("properties", "patternProperties", "$defs", "definitions")

_TYPE_WORDS: Final = {
    "int": "integer",
    "long": "integer",
    "float": "number",
    "double": "number",
    "decimal": "number",
    "str": "string",
    "text": "string",
    "bool": "boolean",
    "dict": "object",
    "map": "object",
    "list": "array",
    "tuple": "array",
    "none": "null",
    "nil": "null",
}
"""What languages call the types."""


def _is_keyword(pointer: Pointer) -> bool:
    """Whether the last step is a keyword, not a name given by the schema's author."""
    named = False
    for step in pointer[:-1]:
        named = not named and step in _HOLDERS
    return not named


def _check_sizes(schema: Any) -> None:
    size = len(canonical_json(schema))
    if size > MAX_BYTES:
        raise _Flaw((), f"it has {size:,} bytes, more than {MAX_BYTES:,}", "Shorten its descriptions and enums.")


def _check_references(schema: Any) -> None:
    document = Document(schema)
    if not document.complete:
        raise _Flaw((), f"it holds more than {MAX_SUBSCHEMAS:,} schemas", "Split the tool, or share parts with $ref.")
    _check_compiles(schema, document)
    weights: dict[int, int] = {}
    for pointer, sub in document.every:
        count = steps(document, sub, weights)
        if count is None:
            raise _Flaw(
                pointer,
                f"it refers to itself without a property or an item between, or through more than {MAX_CHAIN} schemas",
                "Refer from properties or items; drop a reference that leads back.",
            )
        if count > MAX_STEPS:
            raise _Flaw(pointer, f"it branches into more than {MAX_STEPS:,} alternatives", "Nest fewer of them.")


def _check_compiles(schema: Any, document: Document) -> None:
    import jsonschema_rs

    try:
        build(schema)
    except jsonschema_rs.ValidationError as error:
        pointer = tuple(error.instance_path)
        raise _bad_reference(document) or _Flaw(pointer, f"it is not valid: {cut(error.message)}") from None
    except ValueError as error:
        raise _Flaw((), f"it cannot be compiled: {cut(str(error))}") from None


def _bad_reference(document: Document) -> _Flaw | None:
    """The reference that keeps a schema from compiling, with its place."""
    references = (
        (pointer, word, schema, schema[word])
        for pointer, schema in document.every
        if isinstance(schema, Mapping)
        for word in REFERENCES
        if word in schema
    )
    for pointer, word, schema, target in references:
        if document.resolve(schema, target) is not MISSING:
            continue
        if isinstance(target, str) and target.startswith("#"):
            return _Flaw((*pointer, word), f"there is no {_brief(target)}", "Point it at a schema in $defs.")
        return _Flaw(
            (*pointer, word),
            f"{_brief(target)} lies outside the schema, and references are never fetched",
            "Copy what it names into $defs, and refer to that.",
        )
    return None


def _brief(value: Any) -> str:
    return cut(json.dumps(value, ensure_ascii=False, default=lambda other: f"a Python {type(other).__name__}"), 60)
