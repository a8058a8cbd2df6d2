"""Which texts of an entry the default ranker searches, and how much each counts."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, NamedTuple

from pegboard.naming import legal_name
from pegboard.schema.walk import at, pointer_steps
from pegboard.tools import Entry


class Field(NamedTuple):
    """A searched field: the word for it in reasons, its weight, and its bit among a term's marks."""

    word: str
    weight: float
    mark: int


NAME: Final = Field("name", 2.0, 1)
DESCRIPTION: Final = Field("description", 1.0, 2)
CATEGORY: Final = Field("category", 1.0, 4)
TAGS: Final = Field("tags", 1.0, 8)
PARAMETERS: Final = Field("parameters", 1.0, 16)
PARAMETER_TEXTS: Final = Field("parameter descriptions", 0.5, 32)
# Low, because a prefix that hundreds of tools share must not push aside the few that fit the need.
SOURCE: Final = Field("source", 0.2, 64)

FIELDS: Final = (NAME, DESCRIPTION, CATEGORY, TAGS, PARAMETERS, PARAMETER_TEXTS, SOURCE)

_NESTING: Final = 2  # levels of properties below the top that are searched
_ARRAYS: Final = 4  # levels of arrays: one of arrays of itself has no end
_MOST: Final = 1000  # properties: one whose many properties refer back to it would unfold to millions
_SCHEMAS: Final = 4000  # that are looked into, for the same reason
_SUBSCHEMAS: Final = ("anyOf", "oneOf", "allOf")
_DEEPER: Final = frozenset(("$ref", "properties", "items", *_SUBSCHEMAS))


def texts(entry: Entry) -> dict[Field, str]:
    """The text of each field of ``entry``."""
    return dict(zip(FIELDS, map(" ".join, field_texts(entry)), strict=True))


def field_texts(entry: Entry) -> tuple[tuple[str, ...], ...]:
    """The texts of each field of ``entry`` in the order of ``FIELDS``."""
    name, source = _name_and_source(entry)
    found = _Parameters(entry.input_schema)
    category = (entry.category,) if entry.category else ()
    tags = (*entry.tags, *entry.keywords)
    return (name,), (entry.description,), category, tags, tuple(found.names), tuple(found.told), (source,)


def _name_and_source(entry: Entry) -> tuple[str, str]:
    """The name without its prefix, and the words for where it comes from: source and prefix."""
    if entry.name.endswith(entry.bare_name):
        return entry.bare_name, f"{entry.source} {entry.name.removesuffix(entry.bare_name)}"
    if entry.name in {legal_name(entry.bare_name), legal_name(entry.bare_name, entry.source)}:  # made legal
        return entry.bare_name, entry.source
    return f"{entry.bare_name} {entry.name}", entry.source


class _Parameters:
    """The names, and the descriptions and choices, of a schema's properties. Lives as long as its reading.

    Those of objects, arrays and local references inside too. Anything that is not a schema is passed over: what it
    says is the validator's business.
    """

    def __init__(self, root: Any) -> None:
        self.names: list[str] = []
        self.told: list[str] = []
        self._root = root
        self._left = _SCHEMAS
        self._read(root, _NESTING, _ARRAYS)

    def _read(self, schema: Any, depth: int, arrays: int) -> None:
        self._left -= 1
        if depth < 0 or arrays < 0 or self._left < 0 or not _is_object(schema):
            return
        if "$ref" in schema:
            schema = _resolved(schema, self._root)
        properties = schema.get("properties")
        for name, inner in properties.items() if _is_object(properties) else ():
            if len(self.names) == _MOST:
                return
            self.names.append(str(name))
            if _is_object(inner):
                _tell(inner, self.told)
                if _DEEPER.isdisjoint(inner):  # as of most: to go there would find nothing, in many times the time
                    self._left -= 1
                else:
                    self._read(inner, depth - 1, arrays)
        if "items" in schema:
            self._read(schema["items"], depth, arrays - 1)
        for word in _SUBSCHEMAS:
            branches = schema.get(word)
            for branch in branches if isinstance(branches, list) else ():
                self._read(branch, depth - 1, arrays)


def _is_object(value: Any) -> bool:
    return type(value) is dict or isinstance(value, Mapping)


def _tell(schema: Mapping[str, Any], told: list[str]) -> None:
    description, choices = schema.get("description"), schema.get("enum")
    if isinstance(description, str):
        told.append(description)
    if isinstance(choices, list | tuple):
        told.extend(choice for choice in choices if isinstance(choice, str))


def _resolved(schema: Mapping[str, Any], root: Any) -> Mapping[str, Any]:
    """The definition that ``#/$defs/Name`` or ``#/definitions/Name`` means, else the schema itself."""
    reference = schema.get("$ref")
    if not isinstance(reference, str) or not reference.startswith("#/"):
        return schema
    target = at(root, pointer_steps(reference[1:]))
    return target if isinstance(target, Mapping) else schema
