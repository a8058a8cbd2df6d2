"""An ask as it is looked for: its terms and how much each counts, need by need. Pure; the index has no part in it."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, lru_cache
from itertools import islice, pairwise
from typing import Final

from pegboard.search.kin import kin
from pegboard.search.related import related_terms
from pegboard.search.text import LIGHT_WORDS, Word, clauses, stem

LIGHT: Final = 0.5
"""What a word of ``LIGHT_WORDS`` counts."""
RELATED: Final = 0.5
"""What a term counts that may stand for one of the ask."""
KIN: Final = 0.5
"""What a term counts that is of the family of one of the ask."""


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

    def joined_by(self, found: Iterable[tuple[str, str, float]]) -> Asked:
        """The same with further terms: (term of the ask, other that may stand for it, share of its weight)."""
        weights, stands_for = dict(self.weights), {term: list(ones) for term, ones in self.stands_for.items()}
        others: dict[str, list[str]] = {}
        for term, other, share in found:
            ones = stands_for.get(other)
            if ones is None and other not in weights:
                ones = stands_for[other] = []
            if ones is not None and term not in ones:
                ones.append(term)
                others.setdefault(term, []).append(other)
                weights[other] = max(weights.get(other, 0.0), share * weights[term])
        needs = [_with(need, others) for need in self.needs] if len(self.needs) > 1 else [list(weights)]
        return Asked(weights=weights, own=self.own, words=self.words, needs=needs, stands_for=stands_for)


@lru_cache(maxsize=16)
def read(ask: str) -> Asked:
    """The terms of an ask.

    Two words side by side are a term too, in one piece: ``time zone`` finds ``timezone``, ``create an issue`` finds
    ``create_issue`` before what has the two words far apart.
    """
    said = clauses(ask)
    needs = [dict.fromkeys(_terms(clause)) for clause in said]
    light = light_terms()
    weights = {term: LIGHT if term in light else 1.0 for need in needs for term in need}
    words = frozenset(term for clause in said for word in clause for term in word.parts)
    asked = Asked(weights=weights, own=len(weights), words=words, needs=[list(need) for need in needs])
    return asked.joined_by(_others(weights, words))


def _terms(clause: Sequence[Word]) -> Iterator[str]:
    for word in clause:
        yield from word.terms
    for first, second in pairwise(clause):
        if len(first.parts) == len(second.parts) == 1:
            yield stem((first.text + second.text).casefold())


def _others(terms: Iterable[str], words: Collection[str]) -> Iterator[tuple[str, str, float]]:
    """What may stand for each term: words for the same, and where it is a word of the ask, those of its family."""
    related = related_terms()
    for term in terms:
        for other in related.get(term, ()):
            yield term, other, RELATED
        if term in words:
            for other in kin(term):
                yield term, other, KIN


def _with(need: Sequence[str], others: Mapping[str, Sequence[str]]) -> list[str]:
    """The terms of a clause and what may stand for them."""
    return list(dict.fromkeys((*need, *(one for term in need for one in others.get(term, ())))))


@cache
def light_terms() -> frozenset[str]:
    """The terms of ``LIGHT_WORDS``."""
    return frozenset(map(stem, LIGHT_WORDS))
