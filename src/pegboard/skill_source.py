"""Skills as the core sees them: what one of them tells, where they come from, and those of one moment by name."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Generic, Protocol, TypeVar, runtime_checkable

from pegboard.errors import DefinitionError, NoSkillError
from pegboard.listeners import Unsubscribe
from pegboard.registry import Problem
from pegboard.tools import Entry, ToolResult


class SkillEntry(Entry, Protocol):
    """What the core sees of a skill. Immutable, shared by the whole process.

    ``kind`` is ``"skill"``. ``source`` names the source that brings it. ``aliases`` are names that it answers to
    besides its own, where no other skill has them. ``path`` is where it is for whoever reads the prompt. ``digest`` is
    the sha-256 (hex) of its file. ``allowed_tools`` informs and grants nothing; None where nothing is said of tools.
    """

    @property
    def aliases(self) -> Collection[str]: ...
    @property
    def path(self) -> str: ...
    @property
    def digest(self) -> str: ...
    @property
    def allowed_tools(self) -> tuple[str, ...] | None: ...


S = TypeVar("S", bound=SkillEntry)
S_co = TypeVar("S_co", bound=SkillEntry, covariant=True)


def folded(name: str) -> str:
    """The one spelling of a skill's name: composed, compatible forms replaced (NFKC), no blanks around it."""
    return name if name.isascii() else unicodedata.normalize("NFKC", name.strip())


def folded_names(names: str | Iterable[str]) -> frozenset[str]:
    """Names that somebody chose, one or many, in their one spelling."""
    return frozenset(folded(str(name).strip()) for name in ([names] if isinstance(names, str) else names))


class Skills(Generic[S_co]):
    """The skills of one moment, in lookup order. Immutable, shared.

    Of several with one name the first is the one that has it. The others are in ``all`` alone: one of them has the
    name for whoever may not discover those before it.
    """

    def __init__(self, skills: Iterable[S_co] = ()) -> None:
        self._all = tuple(skills)
        found: dict[str, S_co] = {}
        for skill in self._all:
            found.setdefault(skill.name, skill)
        self._skills: Mapping[str, S_co] = found

    @property
    def all(self) -> tuple[S_co, ...]:
        """Every skill, those too whose name an earlier one has."""
        return self._all

    @property
    def names(self) -> tuple[str, ...]:
        """The names in lookup order."""
        return tuple(self._skills)

    def __iter__(self) -> Iterator[S_co]:
        return iter(self._skills.values())

    def __len__(self) -> int:
        return len(self._skills)

    @cached_property
    def _by_alias(self) -> Mapping[str, str | None]:
        """The name of the only skill with an alias; None where there are several."""
        found: dict[str, str | None] = {}
        for skill in self:
            for alias in map(folded, skill.aliases):
                found[alias] = None if alias in found else skill.name
        return found

    def get(self, name: str) -> S_co | None:
        """The skill of this name, or the only one with this alias; None where there is none."""
        wanted = folded(name)
        known = wanted if wanted in self._skills else self._by_alias.get(wanted)
        return None if known is None else self._skills[known]

    def fetch(self, name: str) -> S_co:
        """The same. Raises NoSkillError, which names the skills that there are."""
        found = self.get(name)
        if found is None:
            raise NoSkillError(name, self.names)
        return found

    def subset(self, names: Collection[str]) -> Skills[S_co]:
        """Only the skills of these names, in lookup order; unknown names are passed over."""
        return Skills(skill for skill in self._all if skill.name in names)

    def answering(self, name: str) -> Skills[S_co]:
        """Only the skills that have this name or alias."""
        wanted = folded(name)
        return Skills(skill for skill in self._all if wanted in (skill.name, *map(folded, skill.aliases)))


@runtime_checkable
class SkillSource(Protocol[S]):
    """Something that brings skills. Process-wide; used from one event loop."""

    @property
    def name(self) -> str:
        """What ``source`` of its skills says; rules of a policy may name it."""

    @property
    def current(self) -> Skills[S]:
        """The skills of this moment."""

    def left_out(self) -> Sequence[Problem]:
        """Every skill that was left out, and why."""

    def on_change(self, listener: Callable[[], None]) -> Unsubscribe:
        """Call ``listener()`` after every change of the skills. Returns a function that stops it."""

    async def instructions_of(self, skill: S) -> str:
        """What a model gets that asks for a skill. Raises CallError."""

    async def resource_of(self, skill: S, path: str, offset: int = 0) -> ToolResult:
        """A part of a file in a skill's folder, from a byte on. Raises CallError with a message for the model."""


@dataclass(frozen=True, kw_only=True)
class Activation:
    """A skill that a board was given. Immutable. ``pinned`` are the tools that are loaded with it, by name."""

    skill: SkillEntry
    instructions: str
    pinned: tuple[str, ...] = ()


@runtime_checkable
class BringsSkills(Protocol):
    """A source of tools that brings skills too, or skills alone. Process-wide."""

    @property
    def skills(self) -> SkillSource[Any]: ...


def sources_in(given: object) -> Iterator[SkillSource[Any]]:
    """The sources of skills that somebody gave, one or several; none for None.

    Raises DefinitionError for what is no source of skills.
    """
    if isinstance(given, SkillSource | str) or not isinstance(given, Iterable):
        given = () if given is None else (given,)
    for one in given:
        if not isinstance(one, SkillSource):
            hint = "For a folder of skills, give SkillCatalog(folder)."
            raise DefinitionError(f"skills= takes catalogs of skills, and {one!r:.100} is none.", hint=hint)
        yield one
