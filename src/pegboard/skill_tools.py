"""The meta-tools that skills are used through: one gives instructions, one reads what lies beside them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from pegboard.context import BoardHandle, Context
from pegboard.metatools import META_SOURCE
from pegboard.tools import Approval, Handler, JsonObject, Tool, ToolResult, Visibility, text_block

SKILLS: Final = "skills"
READ_SKILL_RESOURCE: Final = "read_skill_resource"

_READ_ONLY: Final[JsonObject] = {"readOnlyHint": True, "idempotentHint": True, "openWorldHint": False}

_SKILLS_SCHEMA: Final[JsonObject] = {
    "type": "object",
    "properties": {
        "skill_name": {"type": "string", "description": "Exact name of one skill, and nothing else."},
    },
    "required": ["skill_name"],
    "additionalProperties": False,
}

_RESOURCE_SCHEMA: Final[JsonObject] = {
    "type": "object",
    "properties": {
        "skill": {"type": "string", "description": "Exact name of the skill."},
        "path": {"type": "string", "description": "Path inside the skill's folder, such as references/x.md."},
        "offset": {"type": "integer", "minimum": 0, "description": "From the last answer, to go on in a long text."},
    },
    "required": ["skill", "path"],
    "additionalProperties": False,
}


def skills_tool(handler: Handler, source: str) -> Tool:
    """The tool ``skills``, answered by a handler."""
    about = "Give a skill's full instructions. Use it before a job that a skill fits."
    return _tool(SKILLS, about, _SKILLS_SCHEMA, handler, source)


def resource_tool(handler: Handler, source: str) -> Tool:
    """The tool ``read_skill_resource``, likewise."""
    return _tool(READ_SKILL_RESOURCE, "Read a text or an image in a skill's folder.", _RESOURCE_SCHEMA, handler, source)


def _tool(name: str, description: str, schema: JsonObject, handler: Handler, source: str) -> Tool:
    return Tool(
        name=name,
        description=description,
        handler=handler,
        input_schema=schema,
        source=source,
        category="meta",
        visibility=Visibility.ALWAYS,
        approval=Approval.READ,
        annotations=_READ_ONLY,
    )


async def _give(arguments: dict[str, Any], context: Context) -> ToolResult:
    given = await _board(context).skills.activate(arguments["skill_name"])
    note = (f"Listed from the next turn on, for this skill: {', '.join(given.pinned)}.",) if given.pinned else ()
    return ToolResult(content=tuple(map(text_block, (given.instructions, *note))))


async def _read(arguments: dict[str, Any], context: Context) -> ToolResult:
    path, offset = arguments["path"], arguments.get("offset") or 0
    return await _board(context).skills.read(arguments["skill"], path, offset)


def _board(context: Context) -> BoardHandle:
    if context.board is None:
        raise RuntimeError("meta-tools are called through a board")
    return context.board


SKILL_TOOLS: Final[Mapping[str, Tool]] = {
    tool.name: tool for tool in (skills_tool(_give, META_SOURCE), resource_tool(_read, META_SOURCE))
}
"""Both by name. A board shows them where its principal may discover a skill; no other tool has these names then."""
