"""The tools that skills are used through, for catalogs that no Pegboard has."""

from __future__ import annotations

import base64
from collections.abc import Awaitable, Callable
from typing import Any

from pegboard import skill_tools
from pegboard.context import Context
from pegboard.skill_source import Skills
from pegboard.skills.resources import Piece
from pegboard.skills.skill import SOURCE, Skill
from pegboard.tools import Tool, ToolResult, text_block


def skills_tool(skills: Callable[[], Skills[Skill]], instructions_of: Callable[[Skill], Awaitable[str]]) -> Tool:
    """The tool ``skills``. ``skills()`` is asked at each call for those that the caller may use."""

    async def give(arguments: dict[str, Any], context: Context) -> ToolResult:
        text = await instructions_of(skills().fetch(arguments["skill_name"]))
        return ToolResult(content=(text_block(text),))

    return skill_tools.skills_tool(give, SOURCE)


def resource_tool(
    skills: Callable[[], Skills[Skill]], resource_of: Callable[[Skill, str, int], Awaitable[ToolResult]]
) -> Tool:
    """The tool ``read_skill_resource``, likewise."""

    async def read(arguments: dict[str, Any], context: Context) -> ToolResult:
        skill = skills().fetch(arguments["skill"])
        return await resource_of(skill, arguments["path"], arguments.get("offset") or 0)

    return skill_tools.resource_tool(read, SOURCE)


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
