"""Which texts of an entry the default ranker searches, and how much each counts."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final, NamedTuple

from pegboard.naming import legal_name
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
_SUBSCHEMAS: Final = ("anyOf", "oneOf", "allOf")


def texts(entry: Entry) -> dict[Field, str]:
    """The text of each field of ``entry``; fields without any may be absent."""
    name, source = _name_and_source(entry)
    parameters = list(_parameters(entry.input_schema, entry.input_schema, _NESTING))
    return {
        NAME: name,
        DESCRIPTION: entry.description,
        CATEGORY: entry.category or "",
        TAGS: " ".join((*entry.tags, *entry.keywords)),
        PARAMETERS: " ".join(name for name, _ in parameters),
        PARAMETER_TEXTS: " ".join(text for _, text in parameters),
        SOURCE: source,
    }


def _name_and_source(entry: Entry) -> tuple[str, str]:
    """The name without its prefix, and the words for where it comes from: source and prefix."""
    if entry.name.endswith(entry.bare_name):
        return entry.bare_name, f"{entry.source} {entry.name.removesuffix(entry.bare_name)}"
    if entry.name in {legal_name(entry.bare_name), legal_name(entry.bare_name, entry.source)}:  # made legal
        return entry.bare_name, entry.source
    return f"{entry.bare_name} {entry.name}", entry.source


def _parameters(schema: Any, root: Any, depth: int) -> Iterator[tuple[str, str]]:
    """(name, description and choices) of every property; those of objects, arrays and local references inside too.

    Anything that is not a schema is passed over: what it says is the validator's business.
    """
    if not isinstance(schema, Mapping) or depth < 0:
        return
    schema = _resolved(schema, root)
    properties = schema.get("properties")
    for name, inner in properties.items() if isinstance(properties, Mapping) else ():
        yield str(name), _told(inner)
        yield from _parameters(inner, root, depth - 1)
    yield from _parameters(schema.get("items"), root, depth)
    for word in _SUBSCHEMAS:
        branches = schema.get(word)
        for branch in branches if isinstance(branches, list) else ():
            yield from _parameters(branch, root, depth - 1)


def _told(schema: Any) -> str:
    if not isinstance(schema, Mapping):
        return ""
    description, choices = schema.get("description"), schema.get("enum")
    said = [description] if isinstance(description, str) else []
    return " ".join(said + [choice for choice in choices or () if isinstance(choice, str)])


def _resolved(schema: Mapping[str, Any], root: Any) -> Mapping[str, Any]:
    """The definition that ``#/$defs/Name`` or ``#/definitions/Name`` means, else the schema itself."""
    reference = schema.get("$ref")
    if not isinstance(reference, str) or not reference.startswith("#/"):
        return schema
    target = root
    for step in reference[2:].split("/"):
        target = target.get(step) if isinstance(target, Mapping) else None
    return target if isinstance(target, Mapping) else schema
