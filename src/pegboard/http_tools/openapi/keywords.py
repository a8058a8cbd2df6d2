"""The words of a schema that hold no other schema, each as JSON Schema 2020-12 has it, or not at all. Pure.

Real documents give limits as texts, required as a flag and enums of another type than they declare: what is plainly
meant is taken, what means nothing is left out.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import Any, Final

from pegboard.http_tools.openapi.values import size
from pegboard.schema.meaning import type_name
from pegboard.schema.walk import TYPES
from pegboard.tools import MISSING

MAX_VALUE: Final = 5_000
"""Values inside one default, enum or constant."""

_TYPE_WORDS: Final = {
    **dict.fromkeys(("int", "int32", "int64", "long"), "integer"),
    **dict.fromkeys(("float", "double", "decimal"), "number"),
    **dict.fromkeys(("str", "text", "file", "date", "date-time", "datetime", "uuid", "binary", "email"), "string"),
    **dict.fromkeys(("bool",), "boolean"),
    **dict.fromkeys(("dict", "map", "json"), "object"),
    **dict.fromkeys(("list",), "array"),
}
"""What documents call the types."""


def type_of(value: Any) -> str | list[str] | None:
    """A ``type``: one word or several; None where it says nothing that is known."""
    words = [value] if isinstance(value, str) else value if isinstance(value, list) else []
    named = [_TYPE_WORDS.get(word.strip().lower(), word.strip().lower()) for word in words if isinstance(word, str)]
    if not named or any(name not in TYPES for name in named):  # one unknown word may let anything through
        return None
    known = list(dict.fromkeys(named))
    return known[0] if len(known) == 1 else known


def _count(value: Any) -> Any:
    number = _number(value)
    return int(number) if number is not MISSING and number >= 0 and float(number).is_integer() else MISSING


def _number(value: Any) -> Any:
    if isinstance(value, str):
        try:
            value = float(value)
        except ValueError:
            return MISSING
        value = int(value) if value.is_integer() else value
    usable = isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)
    return value if usable else MISSING


def _positive(value: Any) -> Any:
    number = _number(value)
    return number if number is not MISSING and number > 0 else MISSING


def _flag(value: Any) -> Any:
    return value if isinstance(value, bool) else MISSING


def _words(value: Any) -> Any:
    return value if isinstance(value, str) and value.strip() else MISSING


def _names(value: Any) -> Any:
    names = [name for name in value if isinstance(name, str)] if isinstance(value, list) else []
    return list(dict.fromkeys(names)) or MISSING


def _name_lists(value: Any) -> Any:
    if not isinstance(value, Mapping):
        return MISSING
    return {str(key): found for key, names in value.items() if (found := _names(names)) is not MISSING} or MISSING


def _any(value: Any) -> Any:
    return value if size(value, MAX_VALUE) <= MAX_VALUE else MISSING


def _values(value: Any) -> Any:
    return value if isinstance(value, list) and value and size(value, MAX_VALUE) <= MAX_VALUE else MISSING


@lru_cache(4096)
def is_pattern(pattern: str) -> bool:
    """Whether a text is a regular expression that the validator can hold values against."""
    from pegboard.errors import InvalidSchemaError
    from pegboard.schema.check import check_schema

    try:
        check_schema({"pattern": pattern}, what="pattern", root_object=False)
    except InvalidSchemaError:
        return False
    return True


def _pattern(value: Any) -> Any:
    return value if isinstance(value, str) and is_pattern(value) else MISSING


def _discriminator(value: Any) -> Any:
    return value if isinstance(value, Mapping) and size(value, MAX_VALUE) <= MAX_VALUE else MISSING


KEYWORDS: Final[Mapping[str, Callable[[Any], Any]]] = {
    **dict.fromkeys(("title", "description", "format", "contentEncoding", "contentMediaType"), _words),
    **dict.fromkeys(("minLength", "maxLength", "minItems", "maxItems", "minProperties", "maxProperties"), _count),
    **dict.fromkeys(("minContains", "maxContains"), _count),
    **dict.fromkeys(("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"), _number),
    **dict.fromkeys(("uniqueItems", "deprecated", "readOnly", "writeOnly"), _flag),
    "multipleOf": _positive,
    "pattern": _pattern,
    "required": _names,
    "dependentRequired": _name_lists,
    "enum": _values,
    "const": _any,
    "default": _any,
    "examples": _values,
    "discriminator": _discriminator,
}
"""Each word with what gives its value, or MISSING where it says nothing."""


def conformed(schema: dict[str, Any]) -> dict[str, Any]:
    """A schema whose enum, constant and default have the type that it declares, where a text can be read so.

    ``type: string`` beside ``enum: [1, 2]`` lets nothing through as it stands, and means the texts.
    """
    declared = schema.get("type")
    kinds = {declared} if isinstance(declared, str) else set(declared or ())
    if not kinds or kinds - {"string", "integer", "number", "boolean", "null"}:
        return schema
    found = dict(schema)
    if "enum" in found:
        found["enum"] = [_conformed(value, kinds) for value in found["enum"]]
        if not any(_fits(value, kinds) for value in found["enum"]):
            del found["enum"]
    for word in ("const", "default"):
        if word in found:
            found[word] = _conformed(found[word], kinds)
    return found


def _fits(value: Any, kinds: set[str]) -> bool:
    name = type_name(value)
    return name in kinds or (name == "integer" and "number" in kinds)


def _conformed(value: Any, kinds: set[str]) -> Any:
    if _fits(value, kinds) or isinstance(value, dict | list) or value is None:
        return value
    if "string" in kinds:
        return str(value).lower() if isinstance(value, bool) else str(value)
    if isinstance(value, str) and "boolean" in kinds and value.lower() in ("true", "false"):
        return value.lower() == "true"
    number = _number(value) if isinstance(value, str) and kinds & {"integer", "number"} else MISSING
    return value if number is MISSING else number
