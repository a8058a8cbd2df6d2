"""A ranking that is made as far as somebody looks at it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, NamedTuple, overload

from pegboard.tools import Entry

if TYPE_CHECKING:
    from pegboard.search.candidates import Candidates
    from pegboard.search.corpus import Corpus
    from pegboard.search.segment import Array

_STEPS: Final = (20, 100)
"""How many are put in order at first: as many as a search answers with by default, then at most."""

_LOOKED_AT: Final = 4
"""Times as many have their scores computed before those of others, where these are many."""
_MANY: Final = 40

JUDGED: Final = 10
"""Scores that a ranker's certainty is judged by."""

Reasons = Callable[["Array"], list[str]]
"""Rows of an index to the reasons why each fits."""
Certainty = Callable[[int, Sequence[float]], float]
"""The best row of an index, and the scores of the best ``JUDGED``, to how likely one of them is right, 0 to 1."""


@dataclass(frozen=True, slots=True)
class Ranked:
    """One entry that fits, how well, and why. Immutable. Scores of different rankers cannot be compared."""

    entry: Entry
    score: float
    reason: str


class Bounded(NamedTuple):
    """Scores that are computed where they are needed. Immutable.

    ``least`` has a number for each result that its score does not fall below, and ``least * slack`` one that it does
    not exceed. ``exact`` computes the scores of those at some places, which ascend.
    """

    least: Array
    slack: float
    exact: Callable[[Array], Array]

    def of(self, chosen: Array) -> Bounded:
        """Those at some places, which ascend."""
        return Bounded(self.least[chosen], self.slack, lambda places: self.exact(chosen[places]))


class Ranking(Sequence[Ranked]):
    """The candidates that fit, best first: by score, then by name, code point by code point, then as they stand.

    Immutable; lives as long as one search. The order is made as far as somebody looks, the results with their reasons
    when they are looked at; its length is known at once. ``rows`` are those of an index, ascending, ``scores`` stand
    beside them. ``degraded`` says why only a part of the ranker has ranked; "" where all of it has.
    """

    def __init__(
        self,
        pool: Candidates,
        corpus: Corpus,
        rows: Array,
        scores: Bounded,
        reasons: Reasons,
        first: Sequence[Ranked] = (),
        certainty: Certainty | None = None,
        degraded: str = "",
    ) -> None:
        self.pool = pool
        self._corpus = corpus
        self._rows = rows
        self._scores = scores
        self._reasons = reasons
        self._first = list(first)
        self._certainty = certainty
        self._order: tuple[Array, Array] | None = None
        self.degraded = degraded

    def led_by(self, places: Sequence[int], reason: str) -> Ranking:
        """The same with the entries at these places of the catalog first, for this reason; score 0 for one new here."""
        import numpy as np

        rows = self._corpus.index.rows[np.array(places)]
        leading = np.isin(self._rows, rows)
        here = np.flatnonzero(leading)
        scores = dict(zip(self._rows[here].tolist(), self._scores.exact(here).tolist(), strict=True))
        first = [
            Ranked(self.pool.entry(place), scores.get(row, 0.0), reason)
            for place, row in zip(places, rows.tolist(), strict=True)
        ]
        others = np.flatnonzero(~leading)
        rows, scores_of_others = self._rows[others], self._scores.of(others)
        return Ranking(self.pool, self._corpus, rows, scores_of_others, self._reasons, first, degraded=self.degraded)

    @property
    def rows(self) -> Array:
        """The rows of those that fit, ascending, but those that were put first."""
        return self._rows

    def raised(self, rows: Array, points: Array, reason: str, certainty: Certainty | None) -> Ranking:
        """The same with ``points``, from 0 on, added to the scores of ``rows``, which ascend and have all of its own.

        Those that are new here fit for this reason.
        """
        import numpy as np

        here = np.searchsorted(rows, self._rows)
        places = np.full(rows.size, -1)
        places[here] = np.arange(here.size)
        least = points.copy()
        least[here] += self._scores.least

        def exact(chosen: Array) -> Array:
            scores, known = points[chosen], places[chosen]
            scores[known >= 0] += self._scores.exact(known[known >= 0])
            return scores

        def reasons(chosen: Array) -> list[str]:
            known = places[np.searchsorted(rows, chosen)] >= 0
            told = iter(self._reasons(chosen[known]))
            return [next(told) if one else reason for one in known.tolist()]

        bounded = Bounded(least, self._scores.slack, exact)
        return Ranking(self.pool, self._corpus, rows, bounded, reasons, certainty=certainty, degraded=self.degraded)

    def gaining(self, gains: Mapping[int, float], reason: str, sure: Mapping[int, float]) -> Ranking:
        """The same with these points added to the scores of the entries at these places of the catalog, new or not.

        Their reasons say so. ``sure`` is how sure it is of each, for this reason alone, that it is right.
        """
        import numpy as np

        places = np.array(list(gains))
        gaining = self._corpus.index.rows[places].astype(np.intp)
        rows = np.union1d(self._rows, gaining)
        points = np.zeros(rows.size)
        points[np.searchsorted(rows, gaining)] = list(gains.values())
        by_row: dict[int, float] = dict(zip(gaining.tolist(), sure.values(), strict=True))
        before = self.confidence

        def certainty(best: int, scores: Sequence[float]) -> float:
            return 1 - (1 - (before or 0.0)) * (1 - by_row.get(best, 0.0))

        raised = self.raised(rows, points, reason, None if before is None else certainty)
        told = raised._reasons

        def reasons(chosen: Array) -> list[str]:
            pairs = zip(chosen.tolist(), told(chosen), strict=True)
            return [why if row not in by_row or why == reason else f"{why}, {reason}" for row, why in pairs]

        raised._reasons = reasons
        return raised

    @property
    def confidence(self) -> float | None:
        """How likely one of the best is right, 0 to 1; 1 where a name stands in the query. None: its ranker knows not.

        Equal for equal candidates, whoever else may see more of them.
        """
        if self._first:
            return 1.0
        if self._certainty is None:
            return None
        order, scores = self._ordered(JUDGED)
        return self._certainty(int(self._rows[order[0]]), scores[:JUDGED].tolist()) if order.size else 0.0

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
        yield from self[: _STEPS[-1]]
        yield from self[_STEPS[-1] :]

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
        order, scores = self._ordered(max(places, default=-1) + 1 - least)
        later = [place - least for place in places if place >= least]
        rows = self._rows[order[later]]
        entries = map(self.pool.entry, self._corpus.places[rows].tolist())
        judged = zip(entries, scores[later].tolist(), self._reasons(rows), strict=True)
        made = iter([Ranked(*one) for one in judged])
        return [self._first[place] if place < least else next(made) for place in places]

    def _ordered(self, count: int) -> tuple[Array, Array]:
        """(the places in ``_rows`` of at least ``count`` best, in order, or of all; their scores)."""
        if self._order is None or self._order[0].size < min(count, self._rows.size):
            self._order = self._best(next((step for step in _STEPS if count <= step), self._rows.size))
        return self._order

    def _best(self, count: int) -> tuple[Array, Array]:
        import numpy as np

        chosen = self._worth_a_look(count) if count < self._rows.size else np.arange(self._rows.size)
        scores = self._scores.exact(chosen)
        if count < chosen.size:
            # All that are as good as the last one: which of those come first is for their names to say.
            good = np.flatnonzero(scores >= _at(scores, count))
            chosen, scores = chosen[good], scores[good]
        order = np.argsort(-scores, kind="stable")
        return self._by_name(chosen[order], scores[order]), scores[order]

    def _worth_a_look(self, count: int) -> Array:
        """The places of those that may be among the ``count`` best."""
        import numpy as np

        least, slack = self._scores.least, self._scores.slack
        found = np.flatnonzero(least >= _at(least, count) / slack)
        if found.size <= _MANY * count:
            return found
        # The scores of some that look best say what the others have to reach.
        first = np.flatnonzero(least >= _at(least, min(_LOOKED_AT * count, least.size)))
        good: Array = found[least[found] * slack >= _at(self._scores.exact(first), count)]
        return good

    def _by_name(self, chosen: Array, scores: Array) -> Array:
        """The same with those of equal scores in the order of names."""
        import numpy as np

        cuts = np.flatnonzero(scores[1:] != scores[:-1]) + 1
        if cuts.size + 1 >= chosen.size:
            return chosen
        begins, ends = np.concatenate([[0], cuts]), np.concatenate([cuts, [chosen.size]])
        for begin, end in zip(*(edge[ends - begins > 1].tolist() for edge in (begins, ends)), strict=True):
            chosen[begin:end] = self._sorted(chosen[begin:end])
        return chosen

    def _sorted(self, tied: Array) -> list[int]:
        places = self._corpus.places[self._rows[tied]].tolist()
        found = zip(places, tied.tolist(), strict=True)
        return [one for _, _, one in sorted((self.pool.entry(place).name, place, one) for place, one in found)]


def _at(values: Array, count: int) -> Any:
    """The value of the ``count``th from above."""
    import numpy as np

    # Nearly all are far below: those need not be put in any order.
    high = values[values > values.max() / 2]
    values = high if high.size >= count else values
    return np.partition(values, values.size - count)[values.size - count]
