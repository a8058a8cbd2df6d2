"""A schema for display: the same meaning in fewer bytes. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from pegboard.schema.document import document
from pegboard.schema.walk import REFERENCES, Pointer, Reach, at, children, pointer_steps, with_children

MAX_ENUM: Final = 20
"""Values of an enum that are shown whole; of a longer one the first ten, and how many more there are."""

_SHOWN_OF_LONG: Final = 10
_SHOWN_EXAMPLES: Final = 2
_MAX_DEPTH: Final = 100
_DEFINITIONS: Final = ("$defs", "definitions")

_ANNOTATIONS: Final = frozenset(("title", "description", "default", "examples", "deprecated", "readOnly", "writeOnly"))
"""Keywords that let every value through."""

_SILENT_ON_NULL: Final = _ANNOTATIONS | {
    *("type", "format", "pattern", "minLength", "maxLength", "contentEncoding", "contentMediaType"),
    *("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"),
    *("items", "prefixItems", "minItems", "maxItems", "uniqueItems"),
    *("properties", "required", "additionalProperties", "minProperties", "maxProperties"),
}
"""Keywords that say nothing about null, so that ``null`` may join the ``type`` beside them."""


def slim(schema: Mapping[str, Any]) -> dict[str, Any]:
    """The schema for display: it lets through the same values, except that long enums are cut.

    Left out: ``$schema``, ``$comment``, the root's title and titles that repeat a name, empty descriptions,
    ``required`` and ``examples``, ``additionalProperties`` that allow everything, definitions that nothing refers to.
    A union with null becomes a list of types. Enums longer than ``MAX_ENUM`` show ten values and
    ``"... (43 more)"``, ``examples`` two. Constraints, defaults and ``additionalProperties: false`` stay. The given
    schema is read-only and is not changed.
    """
    closing = any("unevaluatedProperties" in sub for _, sub in document(schema).every if isinstance(sub, Mapping))
    slimmed: dict[str, Any] = _Slimmer(keep_open=closing, used=_used_definitions(schema)).slim(schema, (), 0)
    return slimmed


class _Slimmer:
    """The settings of one ``slim``. Lives as long as it."""

    def __init__(self, *, keep_open: bool, used: frozenset[str] | None) -> None:
        self.keep_open = keep_open
        self.used = used

    def slim(self, schema: Any, pointer: Pointer, depth: int) -> Any:
        """One schema and everything in it."""
        if not isinstance(schema, Mapping) or depth > _MAX_DEPTH:
            return schema
        telling = {word: self._without_unused(word, value) for word, value in schema.items()}
        telling = {word: value for word, value in telling.items() if not self._is_idle(word, value, pointer)}
        shown = with_children(telling, lambda below, sub: self.slim(sub, below, depth + 1))
        _shorten(shown, "enum", MAX_ENUM, _SHOWN_OF_LONG)
        _shorten(shown, "examples", _SHOWN_EXAMPLES, _SHOWN_EXAMPLES)
        return _null_joined(_null_joined(shown, "anyOf"), "oneOf")

    def _without_unused(self, word: str, value: Any) -> Any:
        if word not in _DEFINITIONS or not isinstance(value, Mapping) or self.used is None:
            return value
        return {name: sub for name, sub in value.items() if name in self.used}

    def _is_idle(self, word: str, value: Any, pointer: Pointer) -> bool:
        match word:
            case "$schema" | "$comment":
                return True
            case "title":
                return not pointer or _repeats(value, pointer[-1])
            case "description":
                return isinstance(value, str) and not value.strip()
            case "required" | "examples" | "$defs" | "definitions":
                return not value
            case "additionalProperties":
                return (value is True or value == {}) and not self.keep_open
        return False


def _repeats(title: Any, name: str | int) -> bool:
    return _letters(str(title)) == _letters(str(name))


def _letters(text: str) -> str:
    return "".join(char for char in text.casefold() if char.isalnum())


def _shorten(shown: dict[str, Any], word: str, most: int, first: int) -> None:
    values = shown.get(word)
    if isinstance(values, list) and len(values) > most:
        shown[word] = [*values[:first], f"... ({len(values) - first} more)"]


def _null_joined(shown: dict[str, Any], word: str) -> dict[str, Any]:
    """``anyOf: [X, null]`` as X with null among its types, where that means the same."""
    branches = shown.get(word)
    if not isinstance(branches, list) or len(branches) != 2 or {"type": "null"} not in branches:
        return shown
    other = branches[0] if branches[1] == {"type": "null"} else branches[1]
    rest = {key: value for key, value in shown.items() if key != word}
    if not isinstance(other, dict) or other.keys() & rest.keys() or not other.keys() <= _SILENT_ON_NULL:
        return shown
    names = [other["type"]] if isinstance(other.get("type"), str) else other.get("type")
    if not isinstance(names, list) or "null" in names or not rest.keys() <= _ANNOTATIONS:
        return shown
    return {"type": [*names, "null"]} | rest | {key: value for key, value in other.items() if key != "type"}


def _used_definitions(root: Mapping[str, Any]) -> frozenset[str] | None:
    """The names of definitions that are referred to, directly or from one another; None when that cannot be told."""
    if not any(word in root for word in _DEFINITIONS):
        return frozenset()
    used: set[str] = set()
    waiting: list[tuple[Any, bool]] = [(root, False)]
    while waiting:
        schema, whole = waiting.pop()
        waiting.extend((child.schema, True) for child in children(schema) if whole or child.reach is not Reach.HELD)
        for word in REFERENCES:
            reference = schema.get(word) if isinstance(schema, Mapping) else None
            if reference is None or reference == "#":
                continue
            steps = pointer_steps(str(reference).removeprefix("#"))
            if not str(reference).startswith("#/") or len(steps) < 2 or steps[0] not in _DEFINITIONS:
                return None
            if steps[1] not in used:
                used.add(str(steps[1]))
                waiting.append((at(root, steps[:2]), True))
    return frozenset(used)
