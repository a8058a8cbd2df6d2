"""The catalog: an immutable snapshot of everything registered, with the index that searches it."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from functools import cached_property
from html import escape
from typing import TYPE_CHECKING, Any, Final

from pegboard.registry import Problem
from pegboard.skill_source import SkillEntry, Skills, SkillSource
from pegboard.texts import one_line
from pegboard.tools import Entry, Tool, Visibility

if TYPE_CHECKING:
    from pegboard.search.candidates import Candidates
    from pegboard.search.rankers import Ranker

_CLOSING: Final = "Call `{finder}` and say what you need: that is how a tool above becomes usable here."


class Catalog:
    """Every tool at one moment, in registration order. Immutable, shared; a turn in flight keeps the one it began with.

    ``problems`` are the tools and skills that were set aside, and why. Names of tools are unique; of several skills
    with one name, each caller has the first that it may discover. ``previous`` is the catalog of the generation
    before: what both have in common is not indexed again. ``skills`` are given with the source that brings each.
    """

    def __init__(
        self,
        tools: Iterable[Tool] = (),
        *,
        generation: int = 0,
        problems: Iterable[Problem] = (),
        ranker: Ranker | None = None,
        previous: Catalog | None = None,
        skills: Iterable[tuple[SkillEntry, SkillSource[Any]]] = (),
    ) -> None:
        self._tools = tuple(tools)
        self._by_name = {tool.name: tool for tool in self._tools}
        brought = tuple(skills)
        self.skills: Skills[SkillEntry] = Skills(skill for skill, _ in brought)
        self._bringing: dict[int, SkillSource[Any]] = {id(skill): source for skill, source in reversed(brought)}
        self._always: dict[str, tuple[Tool, ...]] = {}
        self._ranker = ranker
        self._searched = None if previous is None else previous.searched
        self.generation = generation
        self.problems = tuple(problems)

    def __len__(self) -> int:
        return len(self._tools)

    def all(self) -> tuple[Tool, ...]:
        """Every tool."""
        return self._tools

    def get(self, name: str) -> Tool | None:
        """The tool of exactly this name, or None. Joined names are looked up, never parsed."""
        return self._by_name.get(name)

    def source_of(self, skill: SkillEntry) -> SkillSource[Any]:
        """The source that brings a skill of this catalog, that very one. Raises KeyError for any other."""
        return self._bringing[id(skill)]

    def subset(self, names: Iterable[str] | str | None) -> tuple[Tool, ...]:
        """The tools of these names, in catalog order; a name that is not here is ignored."""
        wanted = name_set(names or ())
        return tuple(tool for tool in self._tools if tool.name in wanted)

    def always_on(self, surface: str) -> tuple[Tool, ...]:
        """The tools that are always visible on a surface, in catalog order."""
        if surface not in self._always:
            chosen = (tool for tool in self._tools if tool.visibility_on(surface) is Visibility.ALWAYS)
            self._always[surface] = tuple(chosen)
        return self._always[surface]

    @cached_property
    def names(self) -> frozenset[str]:
        """Every name."""
        return frozenset(self._by_name)

    @property
    def entries(self) -> tuple[Entry, ...]:
        """All tools, then all skills, those too whose name an earlier one has."""
        return (*self._tools, *self.skills.all)

    @cached_property
    def candidates(self) -> Candidates:
        """All entries as search candidates.

        Their index is built on the first search and shared by every slice.
        """
        from pegboard.search import Candidates

        before, self._searched = self._searched, None
        return Candidates.of(self.entries) if before is None else before.after(self.entries)

    @property
    def searched(self) -> Candidates | None:
        """The candidates of this catalog if they are in use, else those of the last one before it that were."""
        found: Candidates | None = self.__dict__.get("candidates")
        return self._searched if found is None else found

    def slice(self, tools: Collection[str] | None, skills: Iterable[SkillEntry] = ()) -> Candidates:
        """The search candidates of tools by name, None for all, and of these very skills.

        Statistics are taken over them alone.
        """
        chosen = set(map(id, skills))
        mask = [tools is None or name in tools for name in self._by_name]
        mask += [id(skill) in chosen for skill in self.skills.all]
        return self.candidates if all(mask) else self.candidates.only(mask)

    def search(self, query: str | None, within: Iterable[str] | str | None = None) -> list[Tool]:
        """The tools that fit ``query``, best first, only among ``within`` where given. A blank query finds none."""
        from pegboard.search import LexicalRanker, search

        pool = self.slice(None if within is None else name_set(within))
        found = search(query or "", self._ranker or LexicalRanker(), pool)
        return [self._by_name[ranked.entry.name] for ranked in found]

    def format_for_prompt(self, entries: Sequence[Tool] | None = None, *, finder: str = "find_tools") -> str:
        """The level-1 text: one line a tool, name and description only; ``""`` when there is none.

        Escaped, and without characters that nobody sees: no description can end its line, its element or the block.

        ``entries`` default to the whole catalog. The closing sentence names ``finder``, the tool that finds and loads.
        """
        chosen = self._tools if entries is None else entries
        if not chosen:
            return ""
        told = ((tool.name, escape(one_line(tool.description), quote=False)) for tool in chosen)
        lines = (f'  <tool name="{name}">{description}</tool>' for name, description in told)
        return "\n".join(["<available_tools>", *lines, "</available_tools>", "", _CLOSING.format(finder=finder)])


def name_set(names: Iterable[str] | str) -> frozenset[str]:
    """Names as a set. One text is one name, not its letters; what is no text is read as one."""
    return frozenset([names] if isinstance(names, str) else map(str, names))
