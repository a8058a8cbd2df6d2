"""Leads: what the searches of one conversation found, until a call follows one up. Pure."""

from __future__ import annotations

import time
from collections import OrderedDict
from collections.abc import Callable, Iterable
from typing import Final

LASTS: Final = 900.0
"""Seconds for which a search counts as the reason of a call."""
MOST: Final = 200
"""Tools of which the last search is remembered."""
CALLERS: Final = 1_000
"""Callers whose leads are remembered, where a caller has no board that lasts."""

Terms = tuple[str, ...]


class Leads:
    """The last search that found each tool, and the words it taught. Lives as long as its conversation."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._found: OrderedDict[str, tuple[float, Terms]] = OrderedDict()

    def found(self, tools: Iterable[str], terms: Terms) -> None:
        """A search for ``terms`` has found these tools, in this order.

        What it had first already it teaches nothing of: or whatever comes first would come first for ever.
        """
        moment = self._clock()
        for place, tool in enumerate(tools):
            self._found[tool] = moment, terms if place else ()
            self._found.move_to_end(tool)
        while len(self._found) > MOST:
            self._found.popitem(last=False)

    def followed(self, tool: str) -> Terms:
        """The words of the search that led to a call of ``tool``, which teach once; none where there was no search."""
        moment, terms = self._found.pop(tool, (0.0, ()))
        return terms if terms and self._clock() - moment <= LASTS else ()


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
