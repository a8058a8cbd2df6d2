"""A ranking that is made as far as somebody looks at it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, overload

from pegboard.tools import Entry

if TYPE_CHECKING:
    from pegboard.search.candidates import Candidates
    from pegboard.search.corpus import Corpus
    from pegboard.search.segment import Array

_AT_FIRST: Final = 128
"""How many are put in order for the first that is looked at: more than a search answers with at most (100)."""

Reasons = Callable[["Array"], list[str]]
"""Rows of an index to the reasons why each fits."""


@dataclass(frozen=True, slots=True)
class Ranked:
    """One entry that fits, how well, and why. Immutable. Scores of different rankers cannot be compared."""

    entry: Entry
    score: float
    reason: str


class Ranking(Sequence[Ranked]):
    """The candidates that fit, best first: by score, then by name, code point by code point, then as they stand.

    Immutable; lives as long as one search. The order is made as far as somebody looks, the results with their reasons
    when they are looked at; its length is known at once. ``rows`` are those of an index, ascending,
    ``scores`` stand beside them.
    """

    def __init__(
        self,
        pool: Candidates,
        corpus: Corpus,
        rows: Array,
        scores: Array,
        reasons: Reasons,
        first: Sequence[Ranked] = (),
    ) -> None:
        self.pool = pool
        self._corpus = corpus
        self._rows = rows
        self._scores = scores
        self._reasons = reasons
        self._first = list(first)
        self._order: Array | None = None

    def led_by(self, places: Sequence[int], reason: str) -> Ranking:
        """The same with the entries at these places of the catalog first, for this reason; score 0 for one new here."""
        import numpy as np

        rows = self._corpus.index.rows[np.array(places)]
        scores = self._scores_of(rows)
        first = [Ranked(self.pool.entry(place), score, reason) for place, score in zip(places, scores, strict=True)]
        others = ~np.isin(self._rows, rows)
        return Ranking(self.pool, self._corpus, self._rows[others], self._scores[others], self._reasons, first)

    def _scores_of(self, rows: Array) -> list[float]:
        import numpy as np

        if not self._rows.size:
            return [0.0] * rows.size
        found = np.minimum(np.searchsorted(self._rows, rows), self._rows.size - 1)
        return np.where(self._rows[found] == rows, self._scores[found], 0.0).tolist()  # type: ignore[no-any-return]

    def __len__(self) -> int:
        return len(self._first) + int(self._rows.size)

    @overload
    def __getitem__(self, place: int) -> Ranked: ...
    @overload
    def __getitem__(self, place: slice) -> list[Ranked]: ...
    def __getitem__(self, place: int | slice) -> Ranked | list[Ranked]:
        if not isinstance(place, slice):
            return self._made([range(len(self))[place]])[0]
        return self._made(range(*place.indices(len(self))))

    def __iter__(self) -> Iterator[Ranked]:
        yield from self[:_AT_FIRST]
        yield from self[_AT_FIRST:]

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Ranking | list):
            return NotImplemented
        return len(self) == len(other) and all(mine == theirs for mine, theirs in zip(self, other, strict=True))

    __hash__ = None  # type: ignore[assignment]  # equal to lists, which have none either

    def __repr__(self) -> str:
        return f"<Ranking of {len(self)}>"

    def _made(self, places: Sequence[int]) -> list[Ranked]:
        """The results at these places, which ascend or descend."""
        least = len(self._first)
        chosen = self._ordered(max(places, default=-1) + 1 - least)[_later(places, least)]
        rows = self._rows[chosen]
        entries = map(self.pool.entry, self._corpus.places[rows].tolist())
        judged = zip(entries, self._scores[chosen].tolist(), self._reasons(rows), strict=True)
        made = iter([Ranked(*one) for one in judged])
        return [self._first[place] if place < least else next(made) for place in places]

    def _ordered(self, count: int) -> Array:
        """The places in ``_rows`` of at least ``count`` best, in order; of all where there are no more."""
        if self._order is None or self._order.size < min(count, self._rows.size):
            self._order = self._best(_AT_FIRST if count <= _AT_FIRST else self._rows.size)
        return self._order

    def _best(self, count: int) -> Array:
        import numpy as np

        scores = self._scores
        if 0 < count < scores.size:
            # All that are as good as the last one: which of those come first is for their names to say.
            least = np.partition(scores, scores.size - count)[scores.size - count]
            chosen = np.flatnonzero(scores >= least)
        else:
            chosen = np.arange(scores.size)
        chosen = chosen[np.argsort(-scores[chosen], kind="stable")]
        return self._by_name(chosen)

    def _by_name(self, chosen: Array) -> Array:
        """The same with those of equal scores in the order of names."""
        import numpy as np

        scores = self._scores[chosen]
        cuts = np.flatnonzero(scores[1:] != scores[:-1]) + 1
        if cuts.size == max(0, chosen.size - 1):
            return chosen
        begins, ends = np.concatenate([[0], cuts]), np.concatenate([cuts, [chosen.size]])
        for begin, end in zip(*(edge[ends - begins > 1].tolist() for edge in (begins, ends)), strict=True):
            chosen[begin:end] = self._sorted(chosen[begin:end])
        return chosen

    def _sorted(self, tied: Array) -> list[int]:
        places = self._corpus.places[self._rows[tied]].tolist()
        keyed = sorted(
            (self.pool.entry(place).name, place, one) for place, one in zip(places, tied.tolist(), strict=True)
        )
        return [one for _, _, one in keyed]


def _later(places: Sequence[int], first: int) -> list[int]:
    return [place - first for place in places if place >= first]
