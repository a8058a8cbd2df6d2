"""What one principal may discover: a view of one catalog, and how a board comes by it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from pegboard.auth import Action, Principal
from pegboard.catalog import Catalog
from pegboard.pins import PinRecord
from pegboard.rights import permitted
from pegboard.tools import Tool

if TYPE_CHECKING:
    from pegboard.peg import Pegboard
    from pegboard.search.candidates import Candidates


@dataclass(frozen=True)
class View:
    """What one principal may discover of one catalog. Immutable; lives as long as one request.

    ``names`` is None when it is the whole catalog. ``hidden`` are the catalog's names outside it. ``held`` are names
    that may be discovered but are quarantined: they are told of by name alone. ``unsure`` says that nothing can be
    seen because the policy failed.
    """

    catalog: Catalog
    names: frozenset[str] | None = None
    held: frozenset[str] = frozenset()
    unsure: bool = False

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
        """The visible tools as search candidates."""
        names = self._usable
        return self.catalog.candidates if names is None else self.catalog.slice(names)

    @property
    def notes(self) -> tuple[str, ...]:
        """What to say of tools that are quarantined, and therefore not searched or listed."""
        return tuple(f"{name!r} is quarantined: its definition has changed" for name in sorted(self.held))

    @property
    def _usable(self) -> frozenset[str] | None:
        if not self.held:
            return self.names
        return (self.catalog.names if self.names is None else self.names) - self.held


class Sight:
    """How one board sees the catalog. Lives as long as the board.

    ``allowed`` are the names that the board may show and call, its meta-tools among them; None for all.
    """

    def __init__(self, peg: Pegboard, principal: Principal | None, allowed: frozenset[str] | None) -> None:
        self._peg = peg
        self._principal = principal
        self._allowed = allowed
        self._hidden: frozenset[str] = frozenset()
        self._looks = self._last_look = 0

    async def look(self) -> View:
        """The view of this moment. A policy that fails hides everything."""
        self._looks += 1
        look, catalog, unsure = self._looks, self._peg.catalog, False
        names = None if self._allowed is None else catalog.names & self._allowed
        if self._principal is not None:
            entries = catalog.all() if names is None else catalog.subset(names)
            seen = await permitted(self._peg.policy, self._principal, Action.DISCOVER, entries)
            names, unsure = seen or frozenset(), seen is None
        names = None if names is not None and len(names) == len(catalog) else names
        view = View(catalog, names, unsure=unsure)
        if look > self._last_look:
            # Of two looks at once the one that began later knows better.
            self._last_look, self._hidden = look, view.hidden
        return view

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
