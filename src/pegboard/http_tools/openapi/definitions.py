"""The schema of one tool, with all that its references refer to inside it. Pure."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from typing import Any, Final

from pegboard.http_tools.openapi.schemas import ANNOTATIONS, Converted, Schemas
from pegboard.http_tools.openapi.values import Unusable
from pegboard.schema.walk import pointer_steps, with_children

MAX_DEFINITIONS: Final = 2_000
"""Types that one tool's arguments may be made of."""

_MAX_INLINED: Final = 12
"""Types written out inside one another. Deeper ones stay references, so that no schema nests too deep."""

_OTHER: Final = re.compile(r"[^A-Za-z0-9_.-]+")


def self_contained(properties: Mapping[str, Converted], schemas: Schemas) -> tuple[dict[str, Any], dict[str, Any]]:
    """The schemas of arguments, and the ``$defs`` that their references refer to.

    A type that is referred to once is written out where it is; what is not referred to is left out. Raises Unusable.
    """
    assembly = _Assembly(list(properties.values()), schemas)
    shown = {name: assembly.written(one.schema, 0) for name, one in properties.items()}
    return shown, assembly.definitions()


class _Assembly:
    """One tool's schema being put together. Lives as long as one ``self_contained``."""

    def __init__(self, roots: list[Converted], schemas: Schemas) -> None:
        self.used: dict[str, Converted] = {}
        self.counts: Counter[str] = Counter()
        self._collect(roots, schemas)
        self.names = _names(self.used)
        self.kept: dict[str, Any] = {}
        self.wanted: list[str] = []

    def _collect(self, roots: list[Converted], schemas: Schemas) -> None:
        waiting = list(roots)
        for one in waiting:  # grows while it is walked
            self.counts.update(one.targets)
            for reference in one.targets:
                if reference not in self.used:
                    if len(self.used) >= MAX_DEFINITIONS:
                        raise Unusable(f"its arguments are made of more than {MAX_DEFINITIONS:,} types")
                    self.used[reference] = schemas.target(reference)
                    waiting.append(self.used[reference])

    def written(self, schema: Any, inlined: int) -> Any:
        """A schema with references into ``$defs``, or with what they refer to in their place."""
        if not isinstance(schema, dict):
            return schema
        reference = schema.get("$ref")
        beside = {word: value for word, value in schema.items() if word != "$ref"}
        beside = with_children(beside, lambda _, sub: self.written(sub, inlined))
        if reference is None:
            return beside
        if self.counts[reference] > 1 or inlined >= _MAX_INLINED:
            if reference not in self.kept:
                self.kept[reference] = None
                self.wanted.append(reference)
            return {"$ref": f"#/$defs/{self.names[reference]}", **beside}
        return _joined(self.written(self.used[reference].schema, inlined + 1), beside)

    def definitions(self) -> dict[str, Any]:
        """What the references so far refer to, by name."""
        for reference in self.wanted:  # grows while it is walked
            self.kept[reference] = self.written(self.used[reference].schema, 0)
        return {self.names[reference]: schema for reference, schema in self.kept.items()}


def _joined(schema: Any, beside: dict[str, Any]) -> Any:
    """What a reference referred to, with what stood beside the reference."""
    if not beside:
        return schema
    if schema is True:
        return beside
    if isinstance(schema, dict) and beside.keys() <= ANNOTATIONS:
        return {**schema, **beside}
    return {**beside, "allOf": [schema, *beside.get("allOf", ())]}


def _names(references: Mapping[str, Any]) -> dict[str, str]:
    """A short name for each reference: the last step of its path, with a number where that is not the only one."""
    names: dict[str, str] = {}
    taken: set[str] = set()
    for reference in references:
        steps = pointer_steps(reference[1:]) or ("document",)
        stem = _OTHER.sub("_", str(steps[-1])).strip("_")[:64] or "type"
        name = next(name for number in range(1, MAX_DEFINITIONS + 2) if (name := _numbered(stem, number)) not in taken)
        taken.add(name)
        names[reference] = name
    return names


def _numbered(stem: str, number: int) -> str:
    return stem if number == 1 else f"{stem}_{number}"
