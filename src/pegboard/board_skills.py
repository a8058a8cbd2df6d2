"""What one board does with skills: which it tells of, which were activated, and what they had loaded."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from pegboard.auth import Principal
from pegboard.errors import CallError, NoSkillError
from pegboard.keeping import Keeping
from pegboard.limits import Limits
from pegboard.pins import PinEvent
from pegboard.skill_choice import SkillChoice
from pegboard.skill_prompt import SkillsPrompt, skills_prompt
from pegboard.skill_source import Activation, BringsSkills, SkillEntry, Skills, folded
from pegboard.tools import Tool, ToolResult, Visibility
from pegboard.view import View, discoverable

if TYPE_CHECKING:
    from pegboard.peg import Pegboard

_MCP: Final = "mcp__"
"""What one client writes before the names of servers' tools."""


Look = Callable[[], Awaitable[View]]
"""Gives what a principal may discover now."""


class BoardSkills:
    """The skills of one board. Lives as long as the board.

    ``choice`` says which it was opened for. ``look`` gives what its principal may discover now. ``finder`` is the tool
    that finds skills, None where the board has no meta-tool that gives them. ``pins`` says whether activating one
    loads the tools that it names.
    """

    def __init__(
        self,
        kept: Keeping,
        choice: SkillChoice,
        look: Look,
        limits: Limits,
        *,
        finder: str | None,
        surface: str,
        pins: bool,
    ) -> None:
        self.choice = choice
        self._kept = kept
        self._look = look
        self._limits = limits
        self._finder = finder
        self._surface = surface
        self._pins = pins
        self._told: Skills[SkillEntry] | None = None

    async def prompt(self) -> SkillsPrompt:
        """``<available_skills>``, without those that the board begins with, within ``skills_tokens`` and
        ``skills_chars`` (see Limits).

        As of the last boundary, so that no change of a skill alters it in between; what may no longer be discovered is
        left out at once.
        """
        return self.prompt_in(await self._look())

    async def instructions(self) -> dict[str, str]:
        """What the skills in use say, by name: those that the board begins with, then those that were activated.

        For the beginning of a conversation, and for after its host has shortened it. In the place of a skill that
        cannot be given now, as of a server that is away, stands why.
        """
        view = await self._look()
        begun = self.choice.begun_with(self._told_in(view)).names
        names = dict.fromkeys((*begun, *self._kept.record.skills, *self._kept.queue.skills))
        skills = [skill for name in names if (skill := view.skills.get(name)) is not None]
        return {skill.name: await _given_or_why(view, skill) for skill in skills}

    async def activate(self, name: str) -> Activation:
        """Give a skill's instructions, and note that it is in use: a store keeps that from the next boundary on.

        The first time, and again when the skill has changed, pins are queued for the tools that its ``allowed-tools``
        name and the principal may discover, at most ``load_best`` (see Limits). Raises NoSkillError.
        """
        view = await self._look()
        skill = view.skills.fetch(name)
        instructions = await view.catalog.source_of(skill).instructions_of(skill)
        queue = self._kept.queue
        if {**self._kept.record.skills, **queue.skills}.get(skill.name) == skill.digest:
            return Activation(skill=skill, instructions=instructions)
        queue.skills[skill.name] = skill.digest
        tools = tools_named(skill.allowed_tools or (), view) if self._pins else ()
        wanted = [tool.name for tool in tools if tool.visibility_on(self._surface) is Visibility.ON_DEMAND]
        pinned = tuple(wanted[: self._limits.load_best])
        for tool in pinned:
            queue.put(PinEvent.PIN, tool)
        return Activation(skill=skill, instructions=instructions, pinned=pinned)

    async def read(self, name: str, path: str, offset: int = 0) -> ToolResult:
        """A part of a text, from a byte on, or an image in a skill's folder. Raises NoSkillError and ToolError."""
        view = await self._look()
        skill = view.skills.fetch(name)
        return await view.catalog.source_of(skill).resource_of(skill, path, offset)

    @property
    def given(self) -> bool:
        """Whether the board has a meta-tool that gives skills."""
        return self._finder is not None

    def searched(self, view: View) -> View:
        """What a search looks at: what nothing here could read is not found either."""
        return view if self.given else replace(view, skills=Skills())

    def prompt_in(self, view: View) -> SkillsPrompt:
        """The prompt for a view."""
        limits = self._limits
        on_demand = self.choice.on_demand(self._told_in(view))
        return skills_prompt(
            on_demand, max_tokens=limits.skills_tokens, max_chars=limits.skills_chars, finder=self._finder
        )

    def at_boundary(self, view: View) -> None:
        """From now on tell of the skills that there are now."""
        self._told = view.skills

    def _told_in(self, view: View) -> Skills[SkillEntry]:
        """The skills as of the last boundary that may be discovered now, each by where it is: what is told of one
        must not be told to whoever has another of its name by now.
        """
        if self._told is None:
            return view.skills
        known = {(skill.name, skill.source, skill.path) for skill in view.skills.all}
        return Skills(skill for skill in self._told if (skill.name, skill.source, skill.path) in known)


async def choice_of(
    peg: Pegboard, principal: Principal | None, asked: SkillChoice | Iterable[str] | None
) -> SkillChoice:
    """The choice that names mean, all of which a skill has that the principal may discover.

    As long as a source of skills is not ready, or while the policy fails, nobody can know that. Raises TypeError for
    what is no list of names, and NoSkillError for a name of no skill.
    """
    if asked is None or isinstance(asked, SkillChoice):
        return asked or SkillChoice()
    if isinstance(asked, str) or not isinstance(asked, Iterable):
        raise TypeError(f"skills is {asked!r:.100}; give the names of skills in a list, or a SkillChoice")
    names = tuple(asked)
    known = await discoverable(peg.policy, principal, peg.skills)
    bringing = (source.status().state for source in peg.sources if isinstance(source, BringsSkills))
    if known is not None and all(state == "ready" for state in bringing):
        for name in names:
            _refuse_unknown(name, known)
    return SkillChoice(names)


def _refuse_unknown(name: str, known: Skills[SkillEntry]) -> None:
    if folded(str(name).strip()) not in known.names:
        from pegboard.schema.names import nearest

        raise NoSkillError(name, known.names, close=nearest(name, known.names))


async def _given_or_why(view: View, skill: SkillEntry) -> str:
    """What a skill says, or why it cannot be given: one that is away must not take the others along."""
    try:
        return await view.catalog.source_of(skill).instructions_of(skill)
    except CallError as error:
        return f"The skill {skill.name} cannot be given now: {error}"


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
