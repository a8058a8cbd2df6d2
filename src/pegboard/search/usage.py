"""What use has taught, on top of any ranking: tools come further up for words that led to them before.

For an ask of n words and a tool *e* of the candidates, with ``uses(t, e)`` what counts of earlier asks with the word
*t* that led to *e*, ``all(t)`` what it comes to for all candidates, and ``rarest`` the idf of a word of one of them:

    gain(e) = WORTH * rarest / sqrt(n) * (1 - how sure the ranker is) *
              sum over the words of the ask of uses(t, e) / (all(t) + RIVAL)

    gain(e) = UNTRIED * the highest gain * score(e) / the highest score
              where nobody has used e yet, and the ranker has it among its first ``TRIABLE``

    score(e) = the ranker's score + gain(e)

So a tool that no word of the ask stands in is found, where such words led to it; a tool that is new, and fits, is not
pushed down by those that were there before it; and everything is counted over the candidates alone. The index has no
part in it: what was learned is looked up when somebody asks.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Final, NamedTuple, Protocol

from pegboard.search.candidates import Candidates
from pegboard.search.confidence import confidence_of
from pegboard.search.lessons import lessons_of
from pegboard.search.ranking import Ranked, Ranking
from pegboard.search.shares import Explains, Part, Reading, Shares, TermShare
from pegboard.tools import Entry

if TYPE_CHECKING:
    from pegboard.search.rankers import Ranker

WORTH: Final = 32.0
"""What a word is worth that is known to lead to one tool, to a ranker that is not sure, in idf of the rarest words."""
RIVAL: Final = 2.0
"""Uses that each word is taken to have led elsewhere besides what is known: one use is no proof that no other fits."""
HALF: Final = 1.0
"""Uses of a word that make it half as sure that it leads to a tool as any number of them."""
UNTRIED: Final = 0.6
"""What a tool that nobody has used gains, of what use gains at most, where it fits best."""
TRIABLE: Final = 20
"""The first of a ranking that gain so."""
UNSURE: Final = 0.5
"""How sure a ranker is taken to be that does not tell."""

USED: Final = "used"
"""The part of a score that came from use, and what the reason of a match says of it."""
UNUSED: Final = "unused"
"""The part of a score that makes up for not having been used yet."""


class Recall(Protocol):
    """What was learned, as far as it counts for whoever searches."""

    def uses(self, terms: Sequence[str], /) -> Mapping[str, Mapping[str, float]]:
        """For some words, by word and tool, the uses that count."""

    def used(self, tools: Iterable[str], /) -> Collection[str]:
        """Those of some tools that have been used, with whatever words."""


class UsageRanker:
    """A ranking with what use has taught. Lives as long as one search."""

    def __init__(self, ranker: Ranker, recall: Recall) -> None:
        self._ranker = ranker
        self._recall = recall
        self.may_wait = bool(getattr(ranker, "may_wait", False))

    def rank(self, query: str, candidates: Sequence[Entry]) -> Sequence[Ranked]:
        """The order of the ranker, with the tools further up that words of ``query`` led to before."""
        pool = Candidates.of(candidates)
        ranked = self._ranker.rank(query, pool)
        known = Known.of(query, pool, self._recall)
        return known.gains(ranked, self._recall).added_to(ranked) if known.uses else ranked


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
        if not known.uses:
            return reading
        gains = known.gains(self._ranker.rank(query, pool), self._recall)
        shares = dict(reading.shares)
        for place, part in gains.parts():
            name = pool.entry(place).name
            if name in names:
                own = shares.get(name, Shares(parts=()))
                shares[name] = Shares(parts=(*own.parts, part), terms=(*own.terms, *gains.told(place)))
        return Reading(words=reading.words, shares=shares)


def with_usage(ranker: Ranker, recall: Recall) -> Ranker:
    """A ranker with what use has taught; it explains its scores where ``ranker`` does."""
    return ExplainingUsageRanker(ranker, recall) if isinstance(ranker, Explains) else UsageRanker(ranker, recall)


class Known(NamedTuple):
    """What is known of an ask among some candidates. Immutable; lives as long as one search.

    ``rarity`` has the idf of each word of the ask; ``uses`` what led to the candidate at a place, by word, and
    ``told`` the share of the word's uses that it is.
    """

    pool: Candidates
    rarity: Mapping[str, float]
    uses: Mapping[int, Mapping[str, float]]
    told: Mapping[int, Mapping[str, float]]

    @classmethod
    def of(cls, query: str, pool: Candidates, recall: Recall) -> Known:
        """Look up the words of an ask that may be learned."""
        from pegboard.search.counts import idf

        terms = lessons_of(query)
        recalled = recall.uses(terms) if terms else {}
        places = pool.tools_of({name for tools in recalled.values() for name in tools})
        uses: dict[int, dict[str, float]] = {place: {} for place in sorted(places.values())}
        told: dict[int, dict[str, float]] = {place: {} for place in uses}
        rarity = {}
        for term in terms:
            led = {places[name]: count for name, count in recalled.get(term, {}).items() if name in places}
            rarity[term] = idf(len(pool), len(led))
            # In an order of their own: sums of the same numbers must come to the same wherever they were read from.
            total = sum(sorted(led.values())) + RIVAL
            for place, count in led.items():
                uses[place][term] = count
                told[place][term] = count / total
        return cls(pool, rarity, uses, told)

    def gains(self, ranked: Sequence[Ranked], recall: Recall) -> Gains:
        """What the candidates gain, those of this ranking and others."""
        from pegboard.search.counts import idf

        sure = confidence_of(ranked)
        # A score grows with the catalog, by how rare its words can be; many words agree by chance more often than few.
        worth = WORTH * idf(len(self.pool), 1) * (1 - (UNSURE if sure is None else sure)) / math.sqrt(len(self.rarity))
        used = {place: worth * sum(parts.values()) for place, parts in self.told.items()}
        return Gains(self, used, self._untried(ranked, recall, max(used.values())))

    def _untried(self, ranked: Sequence[Ranked], recall: Recall, highest: float) -> Mapping[int, float]:
        """What those gain that nobody has used, by place."""
        found = _best(ranked, self.pool)
        best = max((score for _, score in found), default=0.0)
        scores = {place: score for place, score in found if place not in self.uses}
        names = {place: self.pool.entry(place).name for place in scores if self.pool.entry(place).kind == "tool"}
        tried = set(recall.used(names.values()))
        return {
            place: UNTRIED * highest * score / best
            for place, score in scores.items()
            if score > 0 and names.get(place) not in tried
        }


def _best(ranked: Sequence[Ranked], pool: Candidates) -> Sequence[tuple[int, float]]:
    """(the place, the score) of each of the first ``TRIABLE``."""
    if isinstance(ranked, Ranking) and ranked.pool is pool:
        return ranked.best(TRIABLE)
    scores = {id(one.entry): one.score for one in ranked[:TRIABLE]}
    places = pool.places_of({one.entry.name: None for one in ranked[:TRIABLE]})
    found = ((place, scores.get(id(pool.entry(place)))) for place in places)
    return [(place, score) for place, score in found if score is not None]


class Gains(NamedTuple):
    """What candidates gain, by place, above 0. Immutable; lives as long as one search.

    ``used`` came from use; ``untried`` makes up for there having been none.
    """

    known: Known
    used: Mapping[int, float]
    untried: Mapping[int, float]

    def added_to(self, ranked: Sequence[Ranked]) -> Sequence[Ranked]:
        """A ranking with the gains, of candidates that it found and of others.

        How sure it is that a tool is right grows by the share of the ask that is known to lead there.
        """
        pool, points = self.known.pool, {**self.untried, **self.used}
        if isinstance(ranked, Ranking) and ranked.pool is pool:
            return ranked.gaining(points, USED, self.used.keys(), self._share)
        gains = {id(pool.entry(place)): (place, gained) for place, gained in points.items()}
        raised = []
        for one in ranked:
            place, gained = gains.pop(id(one.entry), (-1, 0.0))
            reason = f"{one.reason}, {USED}" if place in self.used else one.reason
            raised.append(Ranked(one.entry, one.score + gained, reason))
        new = [Ranked(pool.entry(place), gained, USED) for place, gained in gains.values()]
        return sorted([*raised, *sorted(new, key=lambda one: one.entry.name)], key=lambda one: -one.score)

    def parts(self) -> Iterator[tuple[int, Part]]:
        """The part of the score of each candidate that gains, by place."""
        yield from ((place, Part(name=USED, points=points)) for place, points in self.used.items())
        yield from ((place, Part(name=UNUSED, points=points)) for place, points in self.untried.items())

    def told(self, place: int) -> Iterator[TermShare]:
        """What each word brought to the candidate at a place: its part of what came from use."""
        parts = self.known.told.get(place, {})
        total = sum(parts.values())
        for term, part in parts.items():
            points, count = self.used[place] * part / total, round(self.known.uses[place][term])
            yield TermShare(term=term, field=USED, count=count, idf=self.known.rarity[term], points=points)

    def _share(self, place: int) -> float:
        """The share of the ask that is known to lead to a candidate that gained by use."""
        rarity, uses = self.known.rarity, self.known.uses[place]
        return sum([rarity[term] * count / (count + HALF) for term, count in uses.items()]) / sum(rarity.values())
