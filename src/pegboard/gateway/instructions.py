"""What the gateway tells a model about working with the board. Pure."""

from __future__ import annotations

from collections.abc import Collection
from typing import Final

from pegboard.skill_tools import SKILLS

_LINES: Final = (
    (
        "find_tools",
        "Most tools are not listed: search with find_tools before you say that something cannot be done.",
    ),
    ("tool_search", "tool_search finds tools for a need and lists the best of them from the next turn on."),
    ("get_tool", "get_tool tells a tool's full schema."),
    ("call_tool", "call_tool calls any tool by its exact name, listed or not."),
    ("load_tool", "load_tool lists a tool that you will call again; unload_tool ends that, though it stays listed."),
    (SKILLS, "A skill is found like a tool, and says how a job is done: skills gives you its instructions."),
)
"""(a meta-tool, what to say where a profile has it), in the order in which it is said."""


_BOARDS: Final = {
    "load_tool": "open_board gives you a board: load_tool keeps a tool on it, list_tools(board) shows its definition."
}
"""What is said in place of a line where a profile has boards as arguments."""


def instructions_for(meta_tools: Collection[str], *, skills: bool = False) -> str:
    """The text for a profile with these meta-tools, where ``skills`` are offered or not.

    It depends on what is wired, and on nothing that comes and goes: a client is given it once.
    """
    instead = _BOARDS if "open_board" in meta_tools else {}
    unsaid = frozenset() if skills else frozenset({SKILLS})
    said = ((name, line) for name, line in _LINES if name in meta_tools and name not in unsaid)
    return " ".join(instead.get(name, line) for name, line in said)
