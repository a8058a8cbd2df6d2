"""Holding arguments against a schema. Pure, but for the cache of validators. Nothing is ever coerced."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from itertools import chain, islice
from typing import TYPE_CHECKING, Any, Final

from pegboard.errors import InvalidSchemaError
from pegboard.pointing import cut
from pegboard.schema.compile import compiled
from pegboard.schema.explain import worded
from pegboard.schema.plain import TOO_DEEP, flaw
from pegboard.schema.prepare import text_forms_read
from pegboard.schema.wording import MAX_PROBLEMS, got, problem, unknown
from pegboard.shortening import measured
from pegboard.tools import MISSING, JsonObject, canonical_json

if TYPE_CHECKING:
    import jsonschema_rs

MAX_ARGUMENT_DEPTH: Final = 100
"""Arrays and objects inside one another, in arguments. Deeper data crashes validators."""

_MUCH: Final = 100_000_000
"""Characters of arguments times characters of their schema, beyond which one error is told instead of five."""

_LOOKED_AT: Final = 50
"""Errors looked at for the five that are told."""


def problems(schema: JsonObject, arguments: Any, *, closed: bool = False, lossless: bool = False) -> list[str]:
    """What is wrong with ``arguments``: at most five texts of at most 160 characters, [] when nothing is.

    Each names the place (``items[2].name``), what was wanted and what came: ``n: expected integer, got string '5'``.
    Missing and unknown arguments come first. ``closed`` refuses arguments that ``properties`` does not name,
    whatever the schema says. ``lossless`` lets exact text forms pass: ``"5"`` for an integer, ``"-2.5"`` for a
    number, ``"true"`` for a boolean, any number or boolean for a string; arrays and objects stay strict.

    The schema is read-only and was checked by ``check_schema``; one that was not may be reported as a problem. Formats
    that JSON Schema 2020-12 defines are checked, others ignored. Never raises.
    """
    if not isinstance(arguments, dict):
        return [problem((), f"expected object, got {got(arguments)}")]
    found = flaw(arguments, max_depth=MAX_ARGUMENT_DEPTH)
    if found:
        path, text = found
        return [problem(path, f"nested more than {MAX_ARGUMENT_DEPTH} deep" if text == TOO_DEEP else text)]
    try:
        texts = chain(_strangers(schema, arguments, closed), _violations(schema, arguments, lossless))
        told: dict[str, None] = {}
        for text in texts:
            told[text] = None
            if len(told) == MAX_PROBLEMS:
                break
    except (InvalidSchemaError, ValueError) as error:
        return [cut(f"the tool cannot be called: {error}")]
    return sorted(told, key=_urgency)


def output_problems(schema: JsonObject, structured: Any) -> list[str]:
    """What is wrong with a result's structured content, MISSING where it has none; like ``problems``."""
    if structured is MISSING:
        return ["structured content is missing (required)"]
    return [re.sub("^arguments: ", "result: ", text) for text in problems(schema, structured)]


def _strangers(schema: JsonObject, arguments: Mapping[str, Any], closed: bool) -> Iterator[str]:
    properties = schema.get("properties", {})
    if closed and not arguments.keys() <= properties.keys():
        yield from (unknown(name, properties) for name in arguments if name not in properties)


def _violations(schema: JsonObject, arguments: dict[str, Any], lossless: bool) -> Iterator[str]:
    validator = compiled(schema)
    if validator.is_valid(arguments):
        return
    if lossless:
        arguments = text_forms_read(schema, arguments)
    errors = islice(_errors(validator, schema, arguments), _LOOKED_AT)
    for error in sorted(errors, key=lambda error: error.kind.name not in _URGENT):
        yield from worded(schema, error)


def _errors(
    validator: jsonschema_rs.Validator, schema: JsonObject, arguments: dict[str, Any]
) -> Iterator[jsonschema_rs.ValidationError]:
    """All errors; only the first where there may be so many that making them takes seconds: all are made at once."""
    if measured(arguments, _MUCH) * len(canonical_json(schema)) <= _MUCH:
        return validator.iter_errors(arguments)
    import jsonschema_rs

    try:
        validator.validate(arguments)
    except jsonschema_rs.ValidationError as error:
        return iter((error,))
    return iter(())


_URGENT: Final = ("required", "additionalProperties", "unevaluatedProperties")
"""Keywords whose errors come first: arguments with wrong names explain what else is wrong."""


def _urgency(text: str) -> int:
    return 0 if "missing (required)" in text or text.startswith("unknown argument") else 1
