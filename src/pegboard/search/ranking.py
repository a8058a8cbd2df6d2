"""A ranking that is made as far as somebody looks at it."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Final, NamedTuple, overload

from pegboard.tools import Entry

if TYPE_CHECKING:
    from pegboard.search.arrays import Array
    from pegboard.search.candidates import Candidates
    from pegboard.search.corpus import Corpus
    from pegboard.search.scores import Scores

_STEPS: Final = (20, 100)
"""How many are put in order at first: as many as a search answers with by default, then at most."""

Reasons = Callable[["Array"], list[str]]
"""Rows of an index to the reasons why each fits."""
Best = Callable[[int], tuple["Array", "Array"]]
"""A number to (the rows of an index that are so many best, in order, or of all; their scores)."""
Certainty = Callable[[Best], float]
"""The best, as many as it wants to see, to how likely one of them is right, 0 to 1. At least one was found."""


class Ranked(NamedTuple):
    """One entry that fits, how well, and why. Immutable. Scores of different rankers cannot be compared."""

    entry: Entry
    score: float
    reason: str


class Ranking(Sequence[Ranked]):
    """The candidates that fit, best first: by score, then by name, code point by code point, then as they stand.

    Immutable; lives as long as one search. The order is made as far as somebody looks, the results with their reasons
    when they are looked at; its length is known at once. ``degraded`` says why only a part of the ranker has ranked; ""
    where all of it has.
    """

    def __init__(
        self,
        pool: Candidates,
        corpus: Corpus,
        scores: Scores,
        reasons: Reasons,
        first: Sequence[Ranked] = (),
        certainty: Certainty | None = None,
        degraded: str = "",
    ) -> None:
        self.pool = pool
        self._corpus = corpus
        self._scores = scores
        self._reasons = reasons
        self._first = list(first)
        self._certainty = certainty
        self._order: tuple[Array, Array] | None = None
        self.degraded = degraded

    @property
    def certainty(self) -> Certainty | None:
        """How its confidence is judged; None where its ranker knows nothing of it."""
        return self._certainty

    def led_by(self, places: Sequence[int], reason: str) -> Ranking:
        """The same with the entries at these places of the catalog first, for this reason; score 0 for one new here."""
        rows = self._corpus.index.rows[places]
        first = [
            Ranked(self.pool.entry(place), score, reason)
            for place, score in zip(places, self._scores.of(rows).tolist(), strict=True)
        ]
        others = self._scores.without(rows)
        return Ranking(self.pool, self._corpus, others, self._reasons, first, degraded=self.degraded)

    def in_part(self, why: str) -> Ranking:
        """The same, ranked by a part of the ranker only, for this reason."""
        return Ranking(self.pool, self._corpus, self._scores, self._reasons, self._first, self._certainty, why)

    @property
    def rows(self) -> Array:
        """The rows of those that fit, ascending, but those that were put first."""
        return self._scores.rows

    def raised(self, rows: Array, points: Array, reason: str, certainty: Certainty | None) -> Ranking:
        """The same with ``points``, from 0 on, added to the scores of ``rows``, which ascend.

        Those that are new here fit for this reason, where they have points.
        """
        return self._raised(rows, points, self._reasons_or(reason), certainty)

    def gaining(
        self, gains: Mapping[int, float], reason: str, told: Collection[int], sure: Callable[[int], float]
    ) -> Ranking:
        """The same with these points added to the scores of the entries at these places of the catalog, new or not.

        ``told`` are those of them whose reasons say so, all that are new among them; ``sure`` gives how sure it is of
        one, for this reason alone, that it is right.
        """
        import numpy as np

        gaining = self._corpus.index.rows[list(gains)].astype(np.intp)
        order = gaining.argsort()
        rows, points = gaining[order], np.array(list(gains.values()))[order]
        places: dict[int, int] = dict(zip(self._corpus.index.rows[list(told)].tolist(), told, strict=True))
        before = self.confidence

        def certainty(best: Best) -> float:
            first = int(best(1)[0][0])
            return 1 - (1 - (before or 0.0)) * (1 - (sure(places[first]) if first in places else 0.0))

        known = self._reasons_or(reason)

        def reasons(chosen: Array) -> list[str]:
            pairs = zip(chosen.tolist(), known(chosen), strict=True)
            return [why if row not in places or why == reason else f"{why}, {reason}" for row, why in pairs]

        return self._raised(rows, points, reasons, None if before is None else certainty)

    def _reasons_or(self, reason: str) -> Reasons:
        """The reasons of those that fit, and this one of others."""

        def reasons(chosen: Array) -> list[str]:
            known = self._scores.fit(chosen)
            told = iter(self._reasons(chosen[known]))
            return [next(told) if one else reason for one in known.tolist()]

        return reasons

    def _raised(self, rows: Array, points: Array, reasons: Reasons, certainty: Certainty | None) -> Ranking:
        raised = self._scores.raised(rows, points)
        return Ranking(self.pool, self._corpus, raised, reasons, certainty=certainty, degraded=self.degraded)

    @cached_property
    def confidence(self) -> float | None:
        """How likely one of the best is right, 0 to 1; 1 where a name stands in the query. None: its ranker knows not.

        Equal for equal candidates, whoever else may see more of them.
        """
        if self._first:
            return 1.0
        if self._certainty is None:
            return None
        return self._certainty(self._first_of) if self._scores.size else 0.0

    def best(self, count: int) -> list[tuple[int, float]]:
        """(its place in the catalog, its score) of each of the best, at most ``count``, without those put first."""
        rows, scores = self._first_of(count)
        return list(zip(self._corpus.places[rows].tolist(), scores.tolist(), strict=True))

    def __len__(self) -> int:
        return len(self._first) + self._scores.size

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
        rows, scores = self._ordered(max(places, default=-1) + 1 - least)
        later = [place - least for place in places if place >= least]
        rows = rows[later]
        entries = map(self.pool.entry, self._corpus.places[rows].tolist())
        judged = zip(entries, scores[later].tolist(), self._reasons(rows), strict=True)
        made = map(Ranked, *zip(*judged, strict=True)) if later else iter(())
        return [self._first[place] if place < least else next(made) for place in places]

    def _first_of(self, count: int) -> tuple[Array, Array]:
        """(the rows of the ``count`` best, in order, or of all; their scores)."""
        rows, scores = self._ordered(count)
        return rows[:count], scores[:count]

    def _ordered(self, count: int) -> tuple[Array, Array]:
        """(the rows of at least ``count`` best, in order, or of all; their scores)."""
        if self._order is None or self._order[0].size < min(count, self._scores.size):
            rows, scores = self._scores.best(next((step for step in _STEPS if count <= step), self._scores.size))
            self._order = self._by_name(rows, scores), scores
        return self._order

    def _by_name(self, rows: Array, scores: Array) -> Array:
        """The same with those of equal scores in the order of names."""
        import numpy as np

        cuts = (scores[1:] != scores[:-1]).nonzero()[0] + 1
        if cuts.size + 1 >= rows.size:
            return rows
        begins, ends = np.concatenate([[0], cuts]), np.concatenate([cuts, [rows.size]])
        for begin, end in zip(*(edge[ends - begins > 1].tolist() for edge in (begins, ends)), strict=True):
            rows[begin:end] = self._sorted(rows[begin:end])
        return rows

    def _sorted(self, tied: Array) -> list[int]:
        found = zip(self._corpus.places[tied].tolist(), tied.tolist(), strict=True)
        return [row for _, _, row in sorted((self.pool.entry(place).name, place, row) for place, row in found)]
