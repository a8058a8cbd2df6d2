"""A schema with what its references mean. Pure; nothing outside the schema is ever looked at."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Any, Final
from urllib.parse import urljoin

from pegboard.schema.walk import REFERENCES, Pointer, Schema, at, children, pointer_steps
from pegboard.tools import MISSING

MAX_SUBSCHEMAS: Final = 10_000
"""Schemas inside one schema, itself included."""

_CACHED: Final = 1024


class Identity:
    """A value as a key that equals only itself, for caches over read-only schemas. Lives as long as its cache entry."""

    __slots__ = ("value",)

    def __init__(self, value: Any) -> None:
        self.value = value

    def __hash__(self) -> int:
        return id(self.value)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Identity) and other.value is self.value


class Document:
    """A schema with everything in it and what its references mean. Read-only; lives in a cache beside its schema.

    ``every`` lists (place, subschema) of all that stands in the schema or is referred to, the root first;
    ``complete`` is False when there are more than ``MAX_SUBSCHEMAS`` and the list was cut.
    """

    def __init__(self, root: Schema) -> None:
        self.root = root
        self.every: list[tuple[Pointer, Schema]] = []
        self.complete = True
        self._id_word = "id" if "draft-04" in str(_get(root, "$schema")) else "$id"
        self._bases: dict[int, str] = {}
        self._resources: dict[str, Schema] = {"": root}
        self._anchors: dict[tuple[str, str], Schema] = {}
        self._collect((), root, "")
        for pointer, schema in self.every:  # grows while it is walked
            for word in REFERENCES:
                target = self.resolve(schema, _get(schema, word))
                if target is not MISSING and id(target) not in self._bases:
                    self._collect((*pointer, word), target, self._bases[id(schema)])

    def resolve(self, schema: Any, reference: object) -> Any:
        """What ``reference``, standing in ``schema``, points at; MISSING if nothing, or if it leaves the document."""
        if not isinstance(reference, str):
            return MISSING
        base = self._bases.get(id(schema), "")
        address, _, fragment = _joined(base, reference).partition("#")
        resource = self._resources.get(address, MISSING)
        if fragment and not fragment.startswith("/"):
            return self._anchors.get((address, fragment), MISSING)
        target = at(resource, pointer_steps(fragment)) if fragment else resource
        return target if isinstance(target, Mapping | bool) else MISSING

    def _collect(self, pointer: Pointer, schema: Schema, base: str) -> None:
        waiting = [(pointer, schema, base)]
        while waiting and self.complete:
            pointer, schema, base = waiting.pop()
            if isinstance(schema, Mapping):
                if id(schema) in self._bases:
                    continue
                base = self._register(schema, base)
            self.every.append((pointer, schema))
            self.complete = len(self.every) <= MAX_SUBSCHEMAS
            waiting.extend((pointer + child.pointer, child.schema, base) for child in reversed(list(children(schema))))

    def _register(self, schema: Mapping[str, Any], base: str) -> str:
        own = schema.get(self._id_word)
        if isinstance(own, str) and not own.startswith("#"):
            base = _joined(base, own).partition("#")[0]
            self._resources.setdefault(base, schema)
        self._bases[id(schema)] = base
        for anchor in (schema.get("$anchor"), schema.get("$dynamicAnchor"), str(own)[1:] if own else None):
            if isinstance(anchor, str):
                self._anchors.setdefault((base, anchor), schema)
        return base


@lru_cache(_CACHED)
def _document(key: Identity) -> Document:
    return Document(key.value)


def document(root: Schema) -> Document:
    """The Document of a schema, from the cache where possible. Schemas are read-only."""
    return _document(Identity(root))


def _get(schema: Any, key: str) -> Any:
    return schema.get(key) if isinstance(schema, Mapping) else None


def _joined(base: str, reference: str) -> str:
    try:
        return urljoin(base, reference)
    except ValueError:
        return reference
