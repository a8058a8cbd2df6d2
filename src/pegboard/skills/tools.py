"""The two tools that skills are used through: one gives instructions, one reads what lies beside them."""

from __future__ import annotations

import base64
from collections.abc import Awaitable, Callable
from typing import Any, Final

from pegboard.context import Context
from pegboard.skill_source import Skills
from pegboard.skills.resources import Piece
from pegboard.skills.skill import SOURCE, Skill
from pegboard.tools import Approval, JsonObject, Tool, ToolResult, Visibility, text_block

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


def skills_tool(skills: Callable[[], Skills[Skill]], instructions_of: Callable[[Skill], Awaitable[str]]) -> Tool:
    """The tool ``skills``. ``skills()`` is asked at each call for those that the caller may use."""

    async def give(arguments: dict[str, Any], context: Context) -> ToolResult:
        text = await instructions_of(skills().fetch(arguments["skill_name"]))
        return ToolResult(content=(text_block(text),))

    return _tool(
        SKILLS, "Give a skill's full instructions. Use it before a job that a skill fits.", _SKILLS_SCHEMA, give
    )


def resource_tool(
    skills: Callable[[], Skills[Skill]], resource_of: Callable[[Skill, str, int], Awaitable[ToolResult]]
) -> Tool:
    """The tool ``read_skill_resource``, likewise."""

    async def read(arguments: dict[str, Any], context: Context) -> ToolResult:
        skill = skills().fetch(arguments["skill"])
        return await resource_of(skill, arguments["path"], arguments.get("offset") or 0)

    return _tool(READ_SKILL_RESOURCE, "Read a text or an image in a skill's folder.", _RESOURCE_SCHEMA, read)


def told(piece: Piece) -> ToolResult:
    """A resource as the result of a call: an image block, or a text block and where the text goes on."""
    if piece.media_type.startswith("image/"):
        data = base64.b64encode(piece.data).decode("ascii")
        return ToolResult(content=({"type": "image", "data": data, "mimeType": piece.media_type},))
    text = text_block(piece.text)
    if piece.next_offset is None:
        return ToolResult(content=(text,))
    rest = f"Shown up to byte {piece.next_offset:,} of {piece.size:,}. To go on: offset {piece.next_offset}."
    return ToolResult(content=(text, text_block(rest)))


def _tool(name: str, description: str, schema: JsonObject, handler: Any) -> Tool:
    return Tool(
        name=name,
        description=description,
        handler=handler,
        input_schema=schema,
        source=SOURCE,
        category="meta",
        visibility=Visibility.ALWAYS,
        approval=Approval.READ,
        annotations=_READ_ONLY,
    )
