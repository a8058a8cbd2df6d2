"""An ask as it is looked for: its terms and how much each counts, need by need. Pure; the index has no part in it."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from itertools import islice, pairwise
from typing import Final

from pegboard.search.related import related_terms
from pegboard.search.text import LIGHT_WORDS, Word, clauses, stem

LIGHT: Final = 0.5
"""What a word of ``LIGHT_WORDS`` counts."""
RELATED: Final = 0.5
"""What a term counts that may stand for one of the ask."""


@dataclass(frozen=True, kw_only=True)
class Asked:
    """The terms of one ask. Immutable.

    ``weights`` says how much each term counts, those of the ask itself (``own`` of them) before those that may stand
    for one; ``stands_for`` has, for each of the latter, the terms of the ask that it may stand for. ``words`` are
    those of its words, identifiers by their parts. ``needs`` are the terms clause by clause.
    """

    weights: Mapping[str, float]
    own: int
    words: frozenset[str]
    needs: Sequence[Sequence[str]]
    stands_for: Mapping[str, Sequence[str]] = field(default_factory=dict)

    def only(self, kept: Collection[str]) -> Asked:
        """The same with those of its terms alone that are in ``kept``."""
        if len(kept) == len(self.weights):
            return self
        return Asked(
            weights={term: weight for term, weight in self.weights.items() if term in kept},
            own=sum(term in kept for term in islice(self.weights, self.own)),
            words=self.words,
            needs=[[term for term in need if term in kept] for need in self.needs],
            stands_for={
                term: [one for one in ones if one in kept] for term, ones in self.stands_for.items() if term in kept
            },
        )


def read(ask: str) -> Asked:
    """The terms of an ask.

    Two words side by side are a term too, in one piece: ``time zone`` finds ``timezone``, ``create an issue`` finds
    ``create_issue`` before what has the two words far apart.
    """
    said = clauses(ask)
    needs = [dict.fromkeys(_terms(clause)) for clause in said]
    light, related = _light_terms(), related_terms()
    weights = {term: LIGHT if term in light else 1.0 for need in needs for term in need}
    words = frozenset(term for clause in said for word in clause for term in word.parts)
    own, stands_for = len(weights), dict[str, list[str]]()
    for term in list(weights):
        for other in related.get(term, ()):
            if other not in weights or other in stands_for:
                stands_for.setdefault(other, []).append(term)
                weights[other] = max(weights.get(other, 0.0), RELATED * weights[term])
    return Asked(
        weights=weights,
        own=own,
        words=words,
        needs=[_with_related(need, stands_for) for need in needs] if len(needs) > 1 else [list(weights)],
        stands_for=stands_for,
    )


def _terms(clause: Sequence[Word]) -> Iterator[str]:
    for word in clause:
        yield from word.terms
    for first, second in pairwise(clause):
        if len(first.parts) == len(second.parts) == 1:
            yield stem((first.text + second.text).casefold())


def _with_related(need: Mapping[str, None], stands_for: Mapping[str, Sequence[str]]) -> list[str]:
    related = (other for term in need for other in related_terms().get(term, ()) if other in stands_for)
    return list(dict.fromkeys((*need, *related)))


@cache
def _light_terms() -> frozenset[str]:
    return frozenset(map(stem, LIGHT_WORDS))
