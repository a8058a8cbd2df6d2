"""Leads: what the searches of one conversation found, until a call follows one up. Pure."""

from __future__ import annotations

import time
from collections import OrderedDict
from collections.abc import Callable, Iterable
from typing import Final, NamedTuple

LASTS: Final = 900.0
"""Seconds for which a search counts as the reason of a call."""
MOST: Final = 200
"""Tools of which the last search is remembered."""
FIRST: Final = 0.5
"""What a use counts of a tool that its search had first already: as a whole, what comes first would come first for
ever because it does; as nothing, it would lose what it is good for to whatever else was once called after it."""
CALLERS: Final = 1_000
"""Callers whose leads are remembered, where a caller has no board that lasts."""

Terms = tuple[str, ...]


class Lead(NamedTuple):
    """The words of the search that led to a call, and how much of a use that was. None where there was no search."""

    terms: Terms = ()
    uses: float = 1.0


class Leads:
    """The last search that found each tool, and the words it taught. Lives as long as its conversation."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._found: OrderedDict[str, tuple[float, Lead]] = OrderedDict()

    def found(self, tools: Iterable[str], terms: Terms) -> None:
        """A search for ``terms`` has found these tools, in this order."""
        moment = self._clock()
        for place, tool in enumerate(tools):
            self._found[tool] = moment, Lead(terms, 1.0 if place else FIRST)
            self._found.move_to_end(tool)
        while len(self._found) > MOST:
            self._found.popitem(last=False)

    def followed(self, tool: str) -> Lead:
        """What led to a call of ``tool``, which teaches once."""
        moment, lead = self._found.pop(tool, (0.0, Lead()))
        return lead if lead.terms and self._clock() - moment <= LASTS else Lead()


class CallerLeads:
    """The leads of callers who have no board that lasts from one request to the next. Lives as long as a server."""

    def __init__(self) -> None:
        self._of: OrderedDict[str, Leads] = OrderedDict()

    def of(self, caller: str) -> Leads:
        """Those of one caller; the least recent callers are forgotten."""
        found = self._of.setdefault(caller, Leads())
        self._of.move_to_end(caller)
        while len(self._of) > CALLERS:
            self._of.popitem(last=False)
        return found
