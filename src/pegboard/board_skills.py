"""What one board does with skills: which it tells of, which were activated, and what they had loaded."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Final

from pegboard.keeping import Keeping
from pegboard.limits import Limits
from pegboard.pins import PinEvent
from pegboard.skill_choice import SkillChoice
from pegboard.skill_prompt import SkillsPrompt, skills_prompt
from pegboard.skill_source import Activation, SkillEntry, Skills
from pegboard.tools import Tool, ToolResult, Visibility
from pegboard.view import View

_MCP: Final = "mcp__"
"""What one client writes before the names of servers' tools."""


class BoardSkills:
    """The skills of one board. Lives as long as the board.

    ``pins`` says whether activating one loads the tools that it names. What is told at the beginning is that of the
    last boundary, so that no change of a skill alters a prompt in between; what may no longer be discovered is left
    out at once.
    """

    def __init__(self, kept: Keeping, choice: SkillChoice, limits: Limits, *, pins: bool) -> None:
        self._kept = kept
        self._choice = choice
        self._limits = limits
        self._pins = pins
        self._told: Skills[SkillEntry] | None = None

    def at_boundary(self, view: View) -> None:
        """From now on tell of the skills that there are now."""
        self._told = view.skills

    def told(self, view: View) -> Skills[SkillEntry]:
        """The skills as of the last boundary that may be discovered now."""
        return view.skills if self._told is None else self._told.subset(frozenset(view.skills.names))

    def prompt(self, view: View, finder: str | None) -> SkillsPrompt:
        """What the model is told of those that are loaded on demand."""
        limits = self._limits
        on_demand = self._choice.on_demand(self.told(view))
        return skills_prompt(on_demand, max_tokens=limits.skills_tokens, max_chars=limits.skills_chars, finder=finder)

    def in_use(self, view: View) -> tuple[str, ...]:
        """The names of those that the board begins with, then of those that were activated, in that order."""
        begun = self._choice.begun_with(self.told(view)).names
        activated = (*self._kept.record.skills, *self._kept.queue.skills)
        return tuple(dict.fromkeys((*begun, *(name for name in activated if view.skills.get(name) is not None))))

    async def instructions(self, view: View) -> dict[str, str]:
        """What those in use say, by name."""
        skills = [view.skills.fetch(name) for name in self.in_use(view) if view.skills.get(name) is not None]
        return {skill.name: await view.catalog.source_of(skill).instructions_of(skill) for skill in skills}

    async def activate(self, view: View, name: str, surface: str) -> Activation:
        """Give a skill, note that it is in use, and queue pins for its tools the first time. Raises NoSkillError."""
        skill = view.skills.fetch(name)
        instructions = await view.catalog.source_of(skill).instructions_of(skill)
        known = {**self._kept.record.skills, **self._kept.queue.skills}
        if known.get(skill.name) == skill.digest:
            return Activation(skill=skill, instructions=instructions)
        self._kept.queue.skills[skill.name] = skill.digest
        tools = tools_named(skill.allowed_tools or (), view) if self._pins else ()
        wanted = [tool.name for tool in tools if tool.visibility_on(surface) is Visibility.ON_DEMAND]
        pinned = tuple(wanted[: self._limits.load_best])
        for tool in pinned:
            self._kept.queue.put(PinEvent.PIN, tool)
        return Activation(skill=skill, instructions=instructions, pinned=pinned)

    async def read(self, view: View, name: str, path: str, offset: int) -> ToolResult:
        """A part of what lies beside a skill. Raises NoSkillError."""
        skill = view.skills.fetch(name)
        return await view.catalog.source_of(skill).resource_of(skill, path, offset)


def tools_named(allowed: Iterable[str], view: View) -> tuple[Tool, ...]:
    """The visible tools that a skill's ``allowed-tools`` name, in that order; words that name none are passed over.

    A word is a tool's name, or what its source calls it where only one visible tool is called so. What stands in
    parentheses behind it says how it is to be called, and an ``mcp__`` before it is another client's way of writing.
    """
    bare = _by_bare_name(view.tools)
    found: dict[str, Tool] = {}
    for word in allowed:
        name = word.partition("(")[0]
        tool = view.get(name) or view.get(name.removeprefix(_MCP)) or bare.get(name)
        if tool is not None:
            found[tool.name] = tool
    return tuple(found.values())


def _by_bare_name(tools: Iterable[Tool]) -> Mapping[str, Tool | None]:
    found: dict[str, Tool | None] = {}
    for tool in tools:
        found[tool.bare_name] = None if tool.bare_name in found else tool
    return found
