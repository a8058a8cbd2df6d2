"""Tools made from what vectors say of them."""

from __future__ import annotations

import copy
from typing import Any

from pegboard.context import Context
from pegboard.tools import Tool, Visibility

FIELDS = {
    "description": ("description", str),
    "category": ("category", str),
    "tags": ("tags", tuple),
    "keywords": ("keywords", tuple),
    "relatedTo": ("related_to", tuple),
    "hints": ("hints", dict),
    "authorization": ("authorization", dict),
    "capabilities": ("capabilities", dict),
    "cost": ("cost", str),
    "latency": ("latency", str),
    "visibility": ("visibility", Visibility),
    "inputJsonSchema": ("input_schema", dict),
}
"""A vector's word for a field, ours, and its type."""


async def answers_nothing(arguments: dict[str, Any], context: Context) -> None:
    """The handler of a tool that is only listed."""


def tool(told: dict[str, Any], **more: Any) -> Tool:
    """The tool that a vector describes, unknown fields left out. Raises what Tool raises."""
    fields = {
        ours: make(copy.deepcopy(told[theirs]))
        for theirs, (ours, make) in FIELDS.items()
        if told.get(theirs) is not None
    }
    return Tool(**{"name": told["name"], "description": "", "handler": answers_nothing} | fields | more)
