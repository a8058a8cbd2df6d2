"""What meaning adds to the default ranker's scores. Pure.

    score(e) = lexical score(e) + MEANING * min(possible, WORDS * rarest) * alike(e)
    alike(e) = max(0, (cosine of the ask and e - usual) / (1 - usual))

where ``possible`` is what the words of the ask would be worth if all were the rarest, ``rarest`` what one is worth, and
``usual`` the cosine that an encoder gives texts which have nothing to do with one another. What an entry gains depends
on no other entry. Where the constants come from is told in docs/search.md; ``benchmarks/held_out.py`` measures them.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Final, NamedTuple

from pegboard.search.ranking import Best, Ranking
from pegboard.search.shares import Part, Shares

if TYPE_CHECKING:
    from pegboard.search.arrays import Array

MEANING: Final = 1.8
"""What an entry that means the very same gains, as a share of what words could bring."""
WORDS: Final = 6
"""Words of an ask that this grows with: a long one has several needs, and its meaning is their mean."""
MOST_NEW: Final = 50
"""Entries that are found though they share no word with the ask: so many at most, and those as good as the last."""
NEAR: Final = 0.05
"""How alike the ask they have to be: below it, texts are about as near as those that have nothing in common."""

SURE: Final = (-3.0, 5.0)
"""How sure meaning alone is that an entry is right: a logistic curve over how alike it is, its height and its slope."""

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
    def of(cls, rows: Array, cosines: Array, usual: float, possible: float, rarest: float) -> Meant:
        """What cosines with an ask mean."""
        import numpy as np

        worth = MEANING * min(possible, WORDS * rarest)
        return cls(rows, np.maximum(0.0, (cosines - usual) / (1 - usual)), worth)

    def added_to(self, said: Ranking) -> Ranking:
        """The default ranker's ranking with what meaning adds, and the entries that it brings."""
        rows, alike = self._found(said)

        def certainty(best: Best) -> float:
            first = int(best(1)[0][0])
            if said.certainty is not None and first in said.rows:
                return said.certainty(best)
            # What shares no word is near every ask in a small catalog: what it has to be is very near.
            return max(said.confidence or 0.0, sureness(float(alike[rows.searchsorted(first)])))

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

        known = np.isin(self.rows, said.rows, assume_unique=True)
        new = ~known & (self.alike >= NEAR)
        if np.count_nonzero(new) > MOST_NEW:
            gained = self.alike[new]
            new &= self.alike >= np.partition(gained, gained.size - MOST_NEW)[gained.size - MOST_NEW]
        found = np.flatnonzero(known | new)
        found = found[np.argsort(self.rows[found])]
        return self.rows[found], self.alike[found]


def sureness(alike: float) -> float:
    """How likely an entry is right that shares no word with the ask, 0 to 1."""
    height, slope = SURE
    return 1 / (1 + math.exp(-(height + slope * alike)))
