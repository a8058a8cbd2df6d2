"""What use has taught, on top of any ranking: tools come further up for words that led to them before.

For an ask and a tool *e* of the candidates, with ``uses(t, e)`` what counts of earlier asks with the word *t* that led
to *e*, and ``idf(t)`` how rare it is among the candidates that asks with *t* lead to them:

    possible = sum of idf(t) over the words of the ask
    share(e) = sum of idf(t) * uses(t, e) / (uses(t, e) + HALF) over them, over possible
    score(e) = the ranker's score + WORTH * possible * share(e) ** TOGETHER

So a tool that no word of the ask stands in is found, where such words led to it, and everything is counted over the
candidates alone. The index has no part in it: what was learned is looked up when somebody asks.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Final, NamedTuple

from pegboard.search.candidates import Candidates
from pegboard.search.lessons import lessons_of
from pegboard.search.ranking import Ranked, Ranking
from pegboard.search.shares import Explains, Part, Reading, Shares, TermShare
from pegboard.tools import Entry

if TYPE_CHECKING:
    from pegboard.search.rankers import Ranker

WORTH: Final = 2.0
"""What an ask is worth that is known, word by word, to lead to a tool."""
HALF: Final = 1.0
"""Uses that are worth half of what any number is."""
TOGETHER: Final = 1.5
"""How much more words tell together than each alone: one by itself leads to many tools."""

USED: Final = "used"
"""The part of a score that came from use, and what the reason of a match says of it."""

Recall = Callable[[Sequence[str]], Mapping[str, Mapping[str, float]]]
"""For some words, by word and tool, the uses that count."""


class UsageRanker:
    """A ranking with what use has taught. Lives as long as one search.

    ``recall`` says what that is, as far as it counts for whoever searches.
    """

    def __init__(self, ranker: Ranker, recall: Recall) -> None:
        self._ranker = ranker
        self._recall = recall
        self.may_wait = bool(getattr(ranker, "may_wait", False))

    def rank(self, query: str, candidates: Sequence[Entry]) -> Sequence[Ranked]:
        """The order of the ranker, with the tools further up that words of ``query`` led to before."""
        pool = Candidates.of(candidates)
        ranked = self._ranker.rank(query, pool)
        known = Known.of(query, pool, self._recall)
        return known.raised(ranked) if known.points else ranked


class ExplainingUsageRanker(UsageRanker):
    """The same over a ranker that can tell how it came to its scores. Lives as long as one search."""

    def __init__(self, ranker: Explains, recall: Recall) -> None:
        super().__init__(ranker, recall)  # type: ignore[arg-type]  # what explains is a ranker
        self._explains = ranker

    def explain(self, query: str, candidates: Sequence[Entry], names: Collection[str]) -> Reading:
        """The ranker's reading, with a part of each score that says what it gained by use, word by word."""
        pool = Candidates.of(candidates)
        reading = self._explains.explain(query, pool, names)
        known = Known.of(query, pool, self._recall)
        shares = dict(reading.shares)
        for place, points in known.points.items():
            name = pool.entry(place).name
            if name in names:
                own, part = shares.get(name, Shares(parts=())), Part(name=USED, points=points)
                shares[name] = Shares(parts=(*own.parts, part), terms=(*own.terms, *known.told(place)))
        return Reading(words=reading.words, shares=shares)


def with_usage(ranker: Ranker, recall: Recall) -> Ranker:
    """A ranker with what use has taught; it explains its scores where ``ranker`` does."""
    return ExplainingUsageRanker(ranker, recall) if isinstance(ranker, Explains) else UsageRanker(ranker, recall)


class Known(NamedTuple):
    """What is known of an ask among some candidates. Immutable; lives as long as one search.

    ``rarity`` has the idf of each word of the ask; ``uses`` what led to the candidate at a place, by word; ``shares``
    the share of the ask that is known to lead there, and ``points`` what the candidate gains, both above 0.
    """

    pool: Candidates
    rarity: Mapping[str, float]
    uses: Mapping[int, Mapping[str, float]]
    shares: Mapping[int, float]
    points: Mapping[int, float]

    @classmethod
    def of(cls, query: str, pool: Candidates, recall: Recall) -> Known:
        """Look up the words of an ask that may be learned."""
        from pegboard.search.corpus import idf

        terms = lessons_of(query)
        recalled = recall(terms) if terms else {}
        if not recalled:
            return cls(pool, {}, {}, {}, {})
        places = pool.tools_of({name for tools in recalled.values() for name in tools})
        uses: dict[int, dict[str, float]] = {place: {} for place in sorted(places.values())}
        rarity = {}
        for term in terms:
            led = {places[name]: count for name, count in recalled.get(term, {}).items() if name in places}
            rarity[term] = idf(len(pool), len(led))
            for place, count in led.items():
                uses[place][term] = count
        possible = sum(rarity.values())
        shares = {
            place: sum(rarity[term] * strength(count) for term, count in by_term.items()) / possible
            for place, by_term in uses.items()
        }
        points = {place: WORTH * possible * share**TOGETHER for place, share in shares.items()}
        return cls(pool, rarity, uses, shares, points)

    def raised(self, ranked: Sequence[Ranked]) -> Sequence[Ranked]:
        """A ranking with the points, for candidates that it found and for others.

        How sure it is that a tool is right grows by the share of the ask that is known to lead there.
        """
        if isinstance(ranked, Ranking) and ranked.pool is self.pool:
            return ranked.gaining(self.points, USED, self.shares)
        gains = {id(self.pool.entry(place)): (self.pool.entry(place), points) for place, points in self.points.items()}
        raised = []
        for one in ranked:
            entry, points = gains.pop(id(one.entry), (None, 0.0))
            raised.append(one if entry is None else Ranked(entry, one.score + points, f"{one.reason}, {USED}"))
        others = sorted(gains.values(), key=lambda one: one[0].name)
        raised += [Ranked(entry, points, USED) for entry, points in others]
        return sorted(raised, key=lambda one: -one.score)

    def told(self, place: int) -> Iterator[TermShare]:
        """What each word brought to the candidate at a place: its part of the points."""
        parts = {term: self.rarity[term] * strength(count) for term, count in self.uses[place].items()}
        total = sum(parts.values())
        for term, count in self.uses[place].items():
            points = self.points[place] * parts[term] / total
            yield TermShare(term=term, field=USED, count=round(count), idf=self.rarity[term], points=points)


def strength(uses: float) -> float:
    """How much uses tell, 0 to 1: each further one tells less."""
    return uses / (uses + HALF)
