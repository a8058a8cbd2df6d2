"""How much work a schema makes for one value, and whether it ends. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from pegboard.schema.document import Document
from pegboard.schema.walk import REFERENCES, Reach, Schema, children
from pegboard.tools import MISSING

MAX_STEPS: Final = 10_000
"""Subschemas that one value may be held against, when every branch and reference is followed."""

MAX_CHAIN: Final = 100
"""Subschemas of one value that may stand behind one another, each reached from the one before."""

_OPEN: Final = -1


def steps(document: Document, schema: Schema, known: dict[int, int], left: int = MAX_CHAIN) -> int | None:
    """How many subschemas one value is held against at ``schema``, itself included; counts stop above ``MAX_STEPS``.

    None when there is no end to it: the schema comes back to itself without a property or an item between, or the
    chain is longer than ``MAX_CHAIN``. ``known`` keeps the counts of one document.
    """
    if not isinstance(schema, Mapping):
        return 1
    count = known.get(id(schema))
    if count == _OPEN or left <= 0:
        return None
    if count is not None:
        return count
    known[id(schema)] = _OPEN
    total = 1
    for sub in _same_value(document, schema):
        below = steps(document, sub, known, left - 1)
        if below is None:
            return None
        total = min(total + below, MAX_STEPS + 1)
    known[id(schema)] = total
    return total


def _same_value(document: Document, schema: Mapping[str, Any]) -> Iterator[Schema]:
    yield from (child.schema for child in children(schema) if child.reach is Reach.SAME)
    for word in REFERENCES:
        target = document.resolve(schema, schema[word]) if word in schema else MISSING
        if isinstance(target, Mapping):
            yield target
