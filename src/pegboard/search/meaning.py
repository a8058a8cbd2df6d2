"""What meaning adds to the default ranker's scores. Pure.

    score(e) = lexical score(e) + MEANING * possible * alike(e)
    alike(e) = max(0, (cosine of the ask and e - usual) / (1 - usual))

where ``possible`` is what the words of the ask would be worth if all were the rarest, and ``usual`` the cosine that an
encoder gives texts which have nothing to do with one another. What an entry gains depends on no other entry. Where the
constants come from is told in docs/search.md; ``benchmarks/held_out.py`` measures them.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Final, NamedTuple

from pegboard.search.ranking import Ranking
from pegboard.search.shares import Part, Shares

if TYPE_CHECKING:
    from pegboard.search.segment import Array

MEANING: Final = 0.8
"""What an entry that means the very same gains, as a share of what words could bring."""
MOST_NEW: Final = 50
"""Entries that are found though they share no word with the ask: so many at most, and those as good as the last."""

BASE: Final = 0.0
SAID: Final = 1.0
MEANT: Final = 1.0
_LEAST: Final = 0.01
"""Of a confidence that is looked at: the logarithm of none has no end."""

PART: Final = "meaning"
REASON: Final = "alike in meaning"


class Meant(NamedTuple):
    """How alike the candidates are to an ask. Immutable; lives as long as one search.

    ``rows`` are those of the candidates in the index, ``alike`` (0 to 1) stands beside them. ``worth`` is what an entry
    gains that is as alike as can be.
    """

    rows: Array
    alike: Array
    worth: float

    @classmethod
    def of(cls, rows: Array, cosines: Array, usual: float, possible: float) -> Meant:
        """What cosines with an ask mean."""
        import numpy as np

        return cls(rows, np.maximum(0.0, (cosines - usual) / (1 - usual)), MEANING * possible)

    def added_to(self, said: Ranking) -> Ranking:
        """The default ranker's ranking with what meaning adds, and the entries that it brings."""
        rows, alike = self._found(said)

        def certainty(best: int, scores: object) -> float:
            import numpy as np

            return sureness(said.confidence or 0.0, float(alike[np.searchsorted(rows, best)]))

        return said.raised(rows, self.worth * alike, REASON, certainty)

    def shares(self, said: Ranking, row: int, shares: Shares | None) -> Shares | None:
        """The parts of one entry's score with what meaning adds; None where it was not found."""
        import numpy as np

        rows, alike = self._found(said)
        place = int(np.searchsorted(rows, row))
        if place == rows.size or rows[place] != row or not alike[place]:
            return shares
        known = shares or Shares(parts=())
        part = Part(name=PART, points=self.worth * float(alike[place]), about=f"{alike[place]:.0%} alike")
        return Shares(parts=(*known.parts, part), terms=known.terms)

    def _found(self, said: Ranking) -> tuple[Array, Array]:
        """(the rows of what was found by words or by meaning, ascending; how alike they are)."""
        import numpy as np

        new = ~np.isin(self.rows, said.rows) & (self.alike > 0)
        if new.sum() > MOST_NEW:
            gained = self.alike[new]
            new &= self.alike >= np.partition(gained, gained.size - MOST_NEW)[gained.size - MOST_NEW]
        rows = np.union1d(said.rows, self.rows[new])
        order = np.argsort(self.rows)
        return rows, self.alike[order[np.searchsorted(self.rows[order], rows)]]


def sureness(said: float, alike: float) -> float:
    """How likely one of the best is right, 0 to 1: by words alone it would be ``said`` likely, and the best is so
    ``alike``."""
    bounded = min(max(said, _LEAST), 1 - _LEAST)
    return 1 / (1 + math.exp(-(BASE + SAID * math.log(bounded / (1 - bounded)) + MEANT * alike)))
