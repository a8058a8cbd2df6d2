"""Composing one catalog of several registries."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from typing import TYPE_CHECKING, Any, Final, Literal, get_args

from pegboard.catalog import Catalog
from pegboard.errors import CollisionError
from pegboard.naming import legal_name
from pegboard.registry import YIELDS, Nature, Problem, ToolRegistry, name_taken
from pegboard.skill_source import SkillEntry, SkillSource
from pegboard.source_set import SourceSet
from pegboard.tools import Approval, Tool

if TYPE_CHECKING:
    from pegboard.search.rankers import Ranker

Collisions = Literal["refuse", "prefix", "first"]
"""What to do when two registries have a tool of one name: set the later aside with a reason, give it its source's name
as prefix, or leave it out silently."""

_YIELDING: Final[Mapping[Nature, str]] = {
    "code": "Source {winner!r} has a tool of this name too, and code comes before data. Rename one of the two.",
    "overlay": "The tool of this name that was added while Pegboard runs is used in its place. To have this one again: "
    "pegboard tools remove {name}.",
}
"""Why a tool yields, by the nature of the one that it yields to."""

_COMPOSITIONS: Final = 10
"""How often one catalog is composed at most."""


class Composer:
    """Composes the catalogs of one Pegboard's sources, and keeps the last. Lives as long as it.

    ``reserved`` are names that no registry may use (those of the meta-tools), ``of_skills`` those that none may use
    where there are skills. Raises ValueError for an unknown ``collisions``.
    """

    def __init__(
        self, sources: SourceSet, collisions: Collisions, reserved: Collection[str], of_skills: Collection[str]
    ) -> None:
        if collisions not in get_args(Collisions):
            raise ValueError(f"unknown collisions {collisions!r}; there are {', '.join(get_args(Collisions))}")
        self._sources = sources
        self._collisions: Collisions = collisions
        self._always_reserved = frozenset(reserved)
        self._of_skills = frozenset(of_skills)
        self._catalog: Catalog | None = None
        self._last: Catalog | None = None
        self._generation = 0
        self._changes = 0

    def catalog(self, ranker: Ranker | None) -> Catalog:
        """The catalog of this moment: the last one, or one of the next generation after a change."""
        if self._catalog is None:
            self._catalog = self._last = self._composed(ranker)
        return self._catalog

    @property
    def _reserved(self) -> frozenset[str]:
        some = any(len(source.current) for source in self._sources.skills)
        return self._always_reserved | self._of_skills if some else self._always_reserved

    def changed(self) -> None:
        """What catalogs are composed of has changed."""
        self._changes += 1
        self._catalog = None

    def refuse_collisions(self) -> None:
        """Raise CollisionError for names that are taken already.

        What a developer wired wrongly is said at once; what arrives later is set aside and reported.
        """
        owners: dict[str, str] = {}
        for registry in self._sources.registries:
            for name, source in registry.names().items():
                if name in self._reserved and self._collisions != "prefix":
                    raise _collision(name, source, None)
                if name in owners and self._collisions == "refuse":
                    raise _collision(name, source, owners[name])
                owners.setdefault(name, source)

    def _composed(self, ranker: Ranker | None) -> Catalog:
        """Composed anew while factories that are made for it change what it is composed of."""
        left = _COMPOSITIONS
        while True:
            changes = self._changes
            self._generation += 1
            catalog = compose(
                self._sources.registries,
                collisions=self._collisions,
                reserved=self._reserved,
                generation=self._generation,
                ranker=ranker,
                previous=self._last,
                skills=self._sources.skills,
            )
            left -= 1
            if changes == self._changes or not left:
                return catalog


def compose(
    registries: Iterable[ToolRegistry],
    *,
    collisions: Collisions = "refuse",
    reserved: Collection[str] = (),
    generation: int = 0,
    ranker: Ranker | None = None,
    previous: Catalog | None = None,
    skills: Iterable[SkillSource[Any]] = (),
) -> Catalog:
    """One catalog of several registries, in order. A tool that cannot be shown is set aside; nothing raises.

    Data yields to code of the same name, and files to what was added while Pegboard runs, whatever the order.
    ``reserved`` are names that no registry may use (those of the meta-tools). ``previous`` is the catalog before it.
    Of two skills with one name, that of the earlier of ``skills`` comes first: the later one is for whoever may not
    discover it.
    """
    registries = tuple(registries)
    taken: dict[str, Tool] = {}
    problems: list[Problem] = []
    for registry in registries:
        stronger = _named(YIELDS.get(registry.nature, ()), registries)
        replaced = _named(("data",) if registry.nature == "overlay" else (), registries)
        for tool in registry.tools():
            if tool.name in stronger:
                placed: Tool | Problem | None = _yielding(tool, *stronger[tool.name])
            else:
                placed = _placed(_in_place_of(tool, replaced.get(tool.name)), taken, collisions, reserved)
            if isinstance(placed, Tool):
                taken[placed.name] = placed
            elif placed is not None:
                problems.append(placed)
        problems.extend(registry.problems())
    brought, set_aside = _skills(skills)
    return Catalog(
        taken.values(),
        generation=generation,
        problems=(*problems, *set_aside),
        ranker=ranker,
        previous=previous,
        skills=brought,
    )


def _skills(
    sources: Iterable[SkillSource[Any]],
) -> tuple[list[tuple[SkillEntry, SkillSource[Any]]], list[Problem]]:
    """(the skills, each with its source; those that were left out, for some or for all)."""
    brought: list[tuple[SkillEntry, SkillSource[Any]]] = []
    first: dict[str, SkillSource[Any]] = {}
    problems: list[Problem] = []
    for source in sources:
        brought += [(skill, source) for skill in source.current.all]
        for name in source.current.names:
            winner = first.setdefault(name, source)
            if winner is not source:
                reason = f"Source {winner.name!r} has a skill of this name too, which whoever may discover it has."
                mend = "Rename one of the two, if everybody is to have both."
                problems.append(Problem(source=source.name, name=name, reason=reason, mend=mend))
        problems.extend(source.left_out())
    return brought, problems


def _named(natures: Iterable[Nature], registries: Iterable[ToolRegistry]) -> dict[str, tuple[Nature, Tool]]:
    """The tools of some natures by name, each with its own; of two with one name, that of the earlier nature."""
    found: dict[str, tuple[Nature, Tool]] = {}
    for nature in natures:
        for registry in registries:
            if registry.nature == nature:
                for tool in registry.tools():
                    found.setdefault(tool.name, (nature, tool))
    return found


def _yielding(tool: Tool, nature: Nature, winner: Tool) -> Problem:
    """The problem of a tool that yields to another of its name."""
    reason = _YIELDING[nature].format(name=tool.name, winner=winner.source)
    return Problem(source=tool.source, name=tool.name, reason=reason)


def _in_place_of(tool: Tool, replaced: tuple[Nature, Tool] | None) -> Tool:
    """An added tool in the place of a file's: as visible, and with no lower tier than the operator gave that one."""
    if replaced is None:
        return tool
    other = replaced[1]
    tiers = [one.approval for one in (tool, other) if isinstance(one.approval, Approval)]
    approval = max(tiers, key=lambda tier: tier.rank) if tiers else tool.approval
    return tool.with_(visibility=other.visibility, approval=approval)


def _placed(
    tool: Tool, taken: dict[str, Tool], collisions: Collisions, reserved: Collection[str]
) -> Tool | Problem | None:
    """The tool under the name it gets, the problem that keeps it out, or None when it is left out on purpose."""
    if tool.name not in taken and tool.name not in reserved:
        return tool
    if collisions == "first" and tool.name in taken:
        return None
    if collisions == "prefix":
        renamed = legal_name(tool.bare_name, tool.source)
        if renamed not in taken and renamed not in reserved:
            return tool.with_(name=renamed)
    owner = taken.get(tool.name)
    reason = str(_collision(tool.name, tool.source, owner.source if owner else None))
    return Problem(source=tool.source, name=tool.name, reason=reason)


def _collision(name: str, source: str, owner: str | None) -> CollisionError:
    """The error for a name of ``source`` that source ``owner`` has, or a meta-tool when there is no owner."""
    by = f"a tool of source {owner!r}" if owner else "one of Pegboard's meta-tools"
    fix = f'Give source {source!r} a prefix, rename the tool, or set collisions = "prefix".'
    return name_taken(name, source, by, fix=fix)
