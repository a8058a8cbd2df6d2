"""What one principal may discover: a view of one catalog, and how a board comes by it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from pegboard.auth import Action, Policy, Principal
from pegboard.catalog import Catalog
from pegboard.pins import PinRecord
from pegboard.rights import permitted
from pegboard.skill_choice import SkillChoice
from pegboard.skill_source import SkillEntry, Skills
from pegboard.tools import Entry, Tool

if TYPE_CHECKING:
    from pegboard.peg import Pegboard
    from pegboard.search.candidates import Candidates


@dataclass(frozen=True)
class View:
    """What one principal may discover of one catalog. Immutable; lives as long as one request.

    ``names`` is None when it is the whole catalog. ``hidden`` are the catalog's names outside it. ``held`` are names
    that may be discovered but are quarantined: they are told of by name alone. ``skills`` are those that may be
    discovered: of several with one name the first of them has it, whatever comes before it and is hidden. ``unsure``
    says that nothing can be seen because the policy failed.
    """

    catalog: Catalog
    names: frozenset[str] | None = None
    held: frozenset[str] = frozenset()
    unsure: bool = False
    skills: Skills[SkillEntry] = field(default_factory=Skills)

    def get(self, name: str) -> Tool | None:
        """The tool of this name; None when it is missing, hidden or quarantined."""
        return None if name in self.held else self.seen(name)

    def seen(self, name: str) -> Tool | None:
        """The tool of this name, quarantined or not; None when it is missing or hidden."""
        return self.catalog.get(name) if self.names is None or name in self.names else None

    def holding(self, names: Iterable[str]) -> View:
        """The same view with these names quarantined."""
        return replace(self, held=frozenset(names))

    @property
    def tools(self) -> tuple[Tool, ...]:
        """The visible tools, in catalog order."""
        names = self._usable
        return self.catalog.all() if names is None else tuple(t for t in self.catalog.all() if t.name in names)

    @property
    def hidden(self) -> frozenset[str]:
        """The names that must not show anywhere."""
        return frozenset() if self.names is None else self.catalog.names - self.names

    @property
    def candidates(self) -> Candidates:
        """The visible tools and skills as search candidates."""
        return self.catalog.slice(self._usable, self.skills)

    def shows(self, entry: Entry) -> bool:
        """Whether this very tool or skill may be used."""
        return (self.skills.get(entry.name) if entry.kind == "skill" else self.get(entry.name)) is entry

    @property
    def notes(self) -> tuple[str, ...]:
        """What to say of tools that are quarantined, and therefore not searched or listed."""
        return tuple(f"{name!r} is quarantined: its definition has changed" for name in sorted(self.held))

    @property
    def _usable(self) -> frozenset[str] | None:
        if not self.held:
            return self.names
        return (self.catalog.names if self.names is None else self.names) - self.held


async def discoverable(
    policy: Policy, principal: Principal | None, skills: Skills[SkillEntry]
) -> Skills[SkillEntry] | None:
    """Those of some skills that a principal may discover, all of them for nobody; None where the policy failed."""
    if principal is None or not skills:
        return skills
    known = await permitted(policy, principal, Action.DISCOVER, skills.all)
    return None if known is None else Skills(known)


class Sight:
    """How one board sees the catalog. Lives as long as the board.

    ``allowed`` are the names that the board may show and call, its meta-tools among them; None for all. ``skills``
    says which skills it may use.
    """

    def __init__(
        self, peg: Pegboard, principal: Principal | None, allowed: frozenset[str] | None, skills: SkillChoice
    ) -> None:
        self._peg = peg
        self._principal = principal
        self._allowed = allowed
        self._skills = skills
        self._hidden: frozenset[str] = frozenset()
        self._looks = self._last_look = 0

    async def look(self) -> View:
        """The view of this moment. A policy that fails hides everything."""
        self._looks += 1
        look, catalog, unsure = self._looks, self._peg.catalog, False
        names = None if self._allowed is None else catalog.names & self._allowed
        skills = self._skills.of(catalog.skills)
        if self._principal is not None:
            tools = catalog.all() if names is None else catalog.subset(names)
            seen = await permitted(self._peg.policy, self._principal, Action.DISCOVER, tools)
            known = None if seen is None else await discoverable(self._peg.policy, self._principal, skills)
            unsure = known is None
            names = frozenset() if known is None else frozenset(tool.name for tool in seen or ())
            skills = known or Skills()
        names = None if names is not None and len(names) == len(catalog) else names
        view = View(catalog, names, unsure=unsure, skills=skills)
        if look > self._last_look:
            # Of two looks at once the one that began later knows better.
            self._last_look, self._hidden = look, view.hidden
        return view

    async def skill(self, name: str) -> SkillEntry | None:
        """The skill of a name or alias, as a view of this moment has it; the policy is asked about no other."""
        meant = self._skills.of(self._peg.catalog.skills).answering(name)
        known = await discoverable(self._peg.policy, self._principal, meant)
        return None if known is None else known.get(name)

    def allows(self, name: str) -> bool:
        """Whether the board may show and call this name, as far as it is the board's to say."""
        return self._allowed is None or name in self._allowed

    def hides(self, name: str) -> bool:
        """Whether a name must not show, as of the last look."""
        return name in self._hidden or not self.allows(name)

    def hidden(self, view: View, *records: PinRecord) -> frozenset[str]:
        """The names that must not show by a view, those of the records too that the catalog does not have."""
        names = {slot.name for record in records for slot in record.items}
        return view.hidden | {name for name in names if not self.allows(name)}
