"""What the schemas and arguments of vectors are like, for the rules of deviation. Pure functions."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from typing import Any, Final

from pegboard.errors import InvalidSchemaError
from pegboard.schema.check import check_schema
from tests.runners.golden.vectors import Case

PLAIN: Final = frozenset({"type", "properties", "required", "items", "enum", "minItems", "maxItems", "description"})
"""The keywords that every checker of arguments heeds."""


def schemas_in(schema: Any) -> Iterator[dict[str, Any]]:
    """A schema and those of its properties and items."""
    if isinstance(schema, dict):
        yield schema
        for inner in (*(schema.get("properties") or {}).values(), schema.get("items")):
            yield from schemas_in(inner)


def has_schema(case: Case) -> bool:
    """Whether a vector holds arguments against a schema."""
    return isinstance(case.input.get("schema"), dict) and "args" in case.input


def is_no_schema(case: Case) -> bool:
    """Whether the schema of a vector is one that no tool can be registered with."""
    if not has_schema(case):
        return False
    try:
        check_schema(case.input["schema"], what="schema", root_object=False)
    except InvalidSchemaError:
        return True
    return False


def asks_for_more(case: Case) -> bool:
    """Whether a schema has a keyword beyond the plain ones, or an enum of something else than texts and numbers."""
    return has_schema(case) and any(
        not schema.keys() <= PLAIN
        or ("enum" in schema and (schema.get("type") in ("array", "object") or not schema["enum"]))
        or None in schema.get("enum", ())
        for schema in schemas_in(case.input["schema"])
    )


def leaves_types_open(case: Case) -> bool:
    """Whether a schema has a property of any type, or of several."""
    inner = islice(schemas_in(case.input["schema"]), 1, None) if has_schema(case) else ()
    return any(not isinstance(schema.get("type"), str) for schema in inner)


def has_blank_text(case: Case) -> bool:
    """Whether a required argument is a text of blanks, or an empty one."""
    required = (case.input.get("schema") or {}).get("required", ()) if has_schema(case) else ()
    values = [(case.input["args"] or {}).get(name) for name in required]
    return any(isinstance(value, str) and not value.strip(" \t\n\v\f\r\0") for value in values)


def has_null_inside(case: Case) -> bool:
    """Whether an argument that is an object holds a null, however deep."""
    return has_schema(case) and any(_nulls(value) for value in (case.input["args"] or {}).values())


def _nulls(value: Any) -> bool:
    if isinstance(value, list):
        return any(_nulls(item) for item in value)
    return isinstance(value, dict) and any(item is None or _nulls(item) for item in value.values())


def has_whole_float(case: Case) -> bool:
    """Whether an argument is a whole number that is written with a point."""
    return has_schema(case) and _whole_float(case.input["args"])


def _whole_float(value: Any) -> bool:
    if isinstance(value, (dict, list)):
        return any(_whole_float(item) for item in (value.values() if isinstance(value, dict) else value))
    return isinstance(value, float) and value.is_integer()
