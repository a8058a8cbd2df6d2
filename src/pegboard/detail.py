"""How much is told of one entry: brief, detailed or full. Pure functions."""

from __future__ import annotations

import re
from collections.abc import Callable
from enum import StrEnum
from typing import Any, Final

from pegboard.tiers import declared_need
from pegboard.tools import Entry, Tool

_SENTENCE_END: Final = re.compile(r"(?<=[.!?。！？])(?:\s|$)|(?<=[。！？])")
_BRIEF_CHARS: Final = 200


class Detail(StrEnum):
    """How much a search answer says of each match."""

    BRIEF = "brief"
    DETAILED = "detailed"
    FULL = "full"


def first_sentence(text: str) -> str:
    """The first sentence on one line, at most 200 characters."""
    flat = " ".join(text.split())
    end = _SENTENCE_END.search(flat)
    sentence = flat[: end.start()] if end else flat
    return sentence if len(sentence) <= _BRIEF_CHARS else sentence[: _BRIEF_CHARS - 1].rstrip() + "…"


def describe(entry: Entry, detail: Detail) -> dict[str, Any]:
    """An entry at a detail level.

    brief: ``name, kind, description`` (first sentence); detailed: whole description and flat ``parameters``
    (``name, type, required, description``); full: ``inputSchema`` and ``outputSchema`` in place of the parameters.
    A skill has neither.
    """
    if detail is Detail.BRIEF:
        return {"name": entry.name, "kind": entry.kind, "description": first_sentence(entry.description)}
    told: dict[str, Any] = {"name": entry.name, "kind": entry.kind, "description": entry.description}
    if entry.kind == "skill":
        return told
    if detail is Detail.DETAILED:
        from pegboard.schema.flat import flat_parameters

        return told | {"parameters": flat_parameters(entry.input_schema)}
    told["inputSchema"] = entry.input_schema
    if isinstance(entry, Tool) and entry.output_schema is not None:
        told["outputSchema"] = entry.output_schema
    return told


def summary(entry: Entry, surface: str) -> dict[str, Any]:
    """An entry in a list: ``name, kind, description, visibility?, category?, tags?``; a skill has no visibility."""
    told = describe(entry, Detail.BRIEF)
    if isinstance(entry, Tool):
        told["visibility"] = entry.visibility_on(surface).value
    if entry.category:
        told["category"] = entry.category
    if entry.tags:
        told["tags"] = list(entry.tags)
    return told


Sees = Callable[[str], object]
"""Whether a name may be told of: what it gives is taken for true or false. ``bool`` says so of every name."""


def full(tool: Tool, surface: str, sees: Sees = bool) -> dict[str, Any]:
    """Schema and metadata of one tool; what is not set is left out, and so are related tools that are not seen."""
    optional = {
        "title": tool.title,
        "category": tool.category,
        "tags": list(tool.tags),
        "keywords": list(tool.keywords),
        "relatedTo": [name for name in tool.related_to if sees(name)],
        "annotations": tool.annotations,
        "capabilities": dict(tool.capabilities),
    }
    told = describe(tool, Detail.FULL) | {"visibility": tool.visibility_on(surface).value, "source": tool.source}
    return told | {key: value for key, value in optional.items() if value}


def explained(tool: Tool, surface: str, sees: Sees = bool) -> dict[str, Any]:
    """Everything: ``full``, and approval, cost, latency, hints, and the definition's cost in tokens."""
    from pegboard.tokens import definition_cost

    need = declared_need(tool.approval)
    optional = {
        "approval": need.tier.value if need else ("depends on the arguments" if callable(tool.approval) else None),
        "alwaysAsked": need is not None and need.override,
        "cost": tool.cost,
        "latency": tool.latency,
        "hints": dict(tool.hints),
        "timeout": tool.timeout,
    }
    told = full(tool, surface, sees) | {key: value for key, value in optional.items() if value}
    return told | {"definitionTokens": definition_cost(tool.shown)}
