"""What the gateway tells a model about working with the board. Pure."""

from __future__ import annotations

from collections.abc import Collection
from typing import Final

_LINES: Final = (
    (
        "find_tools",
        "Most tools are not listed: search with find_tools before you say that something cannot be done.",
    ),
    ("tool_search", "tool_search finds tools for a need and lists the best of them from the next turn on."),
    ("get_tool", "get_tool tells a tool's full schema."),
    ("call_tool", "call_tool calls any tool by its exact name, listed or not."),
    ("load_tool", "load_tool lists a tool that you will call again; unload_tool takes it off the list."),
    ("skills", "skills gives the full instructions of a skill that a search has found: read them before such a task."),
    ("open_board", "open_board gives you a board of your own; name it in later calls to keep tools loaded on it."),
)
"""(a meta-tool, what to say where a profile has it), in the order in which it is said."""


def instructions_for(meta_tools: Collection[str]) -> str:
    """The text for a profile with these meta-tools."""
    return " ".join(line for name, line in _LINES if name in meta_tools)
