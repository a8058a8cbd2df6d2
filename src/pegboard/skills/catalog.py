"""The skills of a process: loaded from folders, told to models, loaded anew when they change."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

from pegboard.documents.problems import Level
from pegboard.listeners import Listeners, Unsubscribe
from pegboard.registry import Problem
from pegboard.skill_prompt import skills_prompt
from pegboard.skill_source import folded_names
from pegboard.skills import prompt
from pegboard.skills.discovery import real_roots
from pegboard.skills.loading import SkillSet, load
from pegboard.skills.options import MAX_FILE_BYTES, MAX_RESOURCE_FILES, MAX_SKILLS, Options
from pegboard.skills.problems import SkillProblem
from pegboard.skills.published.published import PublishedFolder, Publisher
from pegboard.skills.resource_root import is_reference, location
from pegboard.skills.resources import listed, read_resource
from pegboard.skills.roots import PathSet, RootLike
from pegboard.skills.skill import SOURCE, Skill
from pegboard.skills.tools import resource_tool, skills_tool, told
from pegboard.skills.workspace import Sandbox, Workspace, check_grants
from pegboard.threads import in_thread
from pegboard.tools import Tool, ToolResult


class SkillCatalog:
    """The skills of some folders. Lives as long as the process; what it holds is swapped whole by ``reload``.

        catalog = SkillCatalog("app/skills")
        catalog.names            # ("refund-policy", "search-orders")
        catalog.discovery_prompt()

    Each immediate child folder of a root may hold one ``SKILL.md``. A skill that cannot be loaded hides no other: it
    is in ``problems`` with its reason, and so is what was read leniently.

    ``paths`` are roots in their order of precedence; a SkillRoot adds a boundary. ``max_skills`` files (1,000), more
    are an error; ``max_file_bytes`` of one file (1,000,000); ``max_resource_files`` listed with a skill (20). ``only``
    keeps the skills of these names, None all. ``resource_root`` says where models find the folders: an absolute path,
    or ``workspace://name``, which needs ``workspace`` and ``sandbox`` and is held to them (see ``check_grants``); None
    for the same place as here. With ``strict`` a skill that is not as the format says is left out, and one that is too
    large or leads out of its root keeps the catalog from loading. ``ascii_names`` allows no other letters in names.
    ``name`` is the source's name that its skills have, which rules of a policy may name. With ``read`` False nothing
    is read, and there are no skills, before ``refresh`` or ``reload``.

    Raises ConfigError for a root that is missing, unreadable or leads out of its boundary, for more than
    ``max_skills``, for a limit that is no whole number from 1, and for a ``resource_root`` that does not hold.
    """

    def __init__(
        self,
        paths: RootLike | Iterable[RootLike] | None,
        *,
        max_skills: int = MAX_SKILLS,
        max_file_bytes: int = MAX_FILE_BYTES,
        max_resource_files: int = MAX_RESOURCE_FILES,
        only: str | Iterable[str] | None = None,
        resource_root: str | os.PathLike[str] | None = None,
        workspace: Workspace | None = None,
        sandbox: Sandbox | None = None,
        strict: bool = False,
        ascii_names: bool = False,
        name: str = SOURCE,
        read: bool = True,
    ) -> None:
        self._paths = paths if isinstance(paths, PathSet) else PathSet(paths)
        self._options = Options(
            max_skills=max_skills,
            max_file_bytes=max_file_bytes,
            max_resource_files=max_resource_files,
            only=None if only is None else folded_names(only),
            resource_root=None if resource_root is None else os.fspath(resource_root),
            strict=strict,
            ascii_names=ascii_names,
        )
        self.name = name
        self._listeners = Listeners[[]]()
        self._publisher = Publisher()
        self._workspace, self._sandbox = workspace, sandbox
        self._begun = self._shown = 0
        self._current = self._loaded() if read else SkillSet()

    def _loaded(self) -> SkillSet:
        roots = real_roots(self._paths)
        reference = self._options.resource_root
        if reference is not None and is_reference(reference):
            check_grants(reference, roots, self._workspace, self._sandbox)
        return load(roots, self._options, self.name)

    def reload(self) -> SkillSet:
        """Read everything anew, and swap when all of it is read.

        Raises ConfigError as the constructor does; what was loaded before stays then.
        """
        number = self._next_reading()
        return self._swapped(self._loaded(), number)

    async def refresh(self) -> SkillSet:
        """The same with the reading in a thread, so that it holds nothing up.

        Of readings that overlap, what the last begun one found stays.
        """
        number = self._next_reading()
        return self._swapped(await in_thread(self._loaded, name=f"skills {self.name}"), number)

    def _next_reading(self) -> int:
        self._begun += 1
        return self._begun

    def _swapped(self, fresh: SkillSet, number: int) -> SkillSet:
        if number < self._shown:
            return self._current  # what was read later is newer, though it was read faster
        self._shown = number
        changed = fresh.all != self._current.all or fresh.problems != self._current.problems
        self._current = fresh
        if changed:
            self._listeners.tell()
        return fresh

    def on_change(self, listener: Callable[[], None]) -> Unsubscribe:
        """Call ``listener()`` after every reading that brought something else. Returns a function that stops it."""
        return self._listeners.add(listener)

    @property
    def current(self) -> SkillSet:
        """What is loaded now: a value that no reload changes, for whoever needs the same skills for a while."""
        return self._current

    @property
    def problems(self) -> tuple[SkillProblem, ...]:
        """Every skill that was left out, with its reason, and every warning."""
        return self._current.problems

    def left_out(self) -> tuple[Problem, ...]:
        """Every skill that was left out otherwise than on purpose, as a Pegboard tells it."""
        left = (problem for problem in self.problems if problem.level is Level.ERROR)
        return tuple(
            Problem(source=self.name, name=one.skill or Path(one.file).parent.name, reason=str(one)) for one in left
        )

    @property
    def names(self) -> tuple[str, ...]:
        """The names in lookup order: that of the roots, and of the folders' names in each."""
        return self._current.names

    def __iter__(self) -> Iterator[Skill]:
        return iter(self._current)

    def __len__(self) -> int:
        return len(self._current)

    def fetch(self, name: str) -> Skill:
        """The skill of this name, or in the only folder of this name. Raises NoSkillError, which names all skills."""
        return self._current.fetch(name)

    def discovery_prompt(self, *, max_tokens: int | None = None, max_chars: int | None = None) -> str:
        """``<available_skills>`` with name, description and location of each, escaped; "" for no skills.

        Within ``max_tokens`` and ``max_chars`` descriptions are cut before skills are left out, and the block says so
        (default: no bound; see ``skills_prompt``).
        """
        return skills_prompt(self._current, max_tokens=max_tokens, max_chars=max_chars).text

    def format(self, skill: Skill) -> str:
        """A skill's instructions with its tools, compatibility, location, and the resources that there are now."""
        reference = self._options.resource_root
        folder = "" if reference is None else location(reference, skill.root, skill.inside) + "/"
        return prompt.formatted(skill, listed(skill, self._options.max_resource_files), folder)

    async def instructions_of(self, skill: Skill) -> str:
        """The same, with the looking in a thread."""
        return await in_thread(lambda: self.format(skill), name="skill")

    async def resource_of(self, skill: Skill, path: str, offset: int = 0) -> ToolResult:
        """A part of a text, from a byte on, or an image in a skill's folder. Raises ToolError."""
        return told(await in_thread(lambda: read_resource(skill, path, offset), name="skill resource"))

    def path_of(self, skill: Skill) -> tuple[str, ...]:
        """What the ``skill://`` address of a skill is made of: its name."""
        return (skill.name,)

    async def publish(self, skill: Skill) -> PublishedFolder:
        """A skill as other programs get it, as of now. Raises NotPublishedError."""
        return await self._publisher.publish(skill)

    def tool(self) -> Tool:
        """The tool ``skills``: gives the full instructions of a skill by its name."""
        return skills_tool(lambda: self._current, self.instructions_of)

    def resource_tool(self) -> Tool:
        """The tool ``read_skill_resource``: reads a text or an image in a skill's folder."""
        return resource_tool(lambda: self._current, self.resource_of)
