"""An ask as it is looked for: its terms and how much each counts, need by need. Pure; the index has no part in it."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, lru_cache
from itertools import pairwise
from typing import Final, NamedTuple

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

    def joined_by(self, found: Iterable[tuple[str, Iterable[str], float]]) -> Asked:
        """The same with further terms: (term of the ask, others that may stand for it, their share of its weight)."""
        weights = dict(self.weights)
        stands_for = {other: list(ones) for other, ones in self.stands_for.items()}
        others: dict[str, list[str]] = {}
        for term, several, share in found:
            for other in several:
                if other in weights and other not in stands_for:
                    continue  # the ask has it itself
                ones = stands_for.setdefault(other, [])
                if term not in ones:
                    ones.append(term)
                    weights[other] = max(weights.get(other, 0.0), share * weights[term])
                    others.setdefault(term, []).append(other)
        needs = [_with(need, others) for need in self.needs] if len(self.needs) > 1 else [list(weights)]
        return Asked(weights=weights, own=self.own, words=self.words, needs=needs, stands_for=stands_for)

    def without(self, terms: Collection[str]) -> Asked:
        """The same without some terms of its own, but with what may stand for them."""
        if not terms:
            return self
        return Asked(
            weights={term: weight for term, weight in self.weights.items() if term not in terms},
            own=self.own - len(terms),
            words=self.words,
            needs=[[term for term in need if term not in terms] for need in self.needs],
            stands_for={other: [one for one in ones if one not in terms] for other, ones in self.stands_for.items()},
        )


class StandIns(NamedTuple):
    """Terms that may stand for one: ``related`` are words for the same, ``kin`` those of its family. Immutable."""

    related: Sequence[str]
    kin: Sequence[str]


def stand_ins(term: str) -> StandIns:
    """All that may stand for a term, whether anything has it or not."""
    return StandIns(related_terms().get(term, ()), kin(term))


def shares_of(asked: Asked, others: Mapping[str, StandIns]) -> Iterator[tuple[str, Sequence[str], float]]:
    """(term of an ask, others that may stand for it, their share of its weight); a family is that of a word."""
    for term in asked.weights:
        related, family = others[term]
        if related:
            yield term, related, RELATED
        if family and term in asked.words:
            yield term, family, KIN


@lru_cache(maxsize=16)
def said(ask: str) -> Asked:
    """The terms that an ask has itself.

    Two words side by side are a term too, in one piece: ``time zone`` finds ``timezone``, ``create an issue`` finds
    ``create_issue`` before what has the two words far apart.
    """
    found = clauses(ask)
    needs = [list(dict.fromkeys(_terms(clause))) for clause in found]
    light = light_terms()
    weights = {term: LIGHT if term in light else 1.0 for need in needs for term in need}
    words = frozenset(term for clause in found for word in clause for term in word.parts)
    return Asked(weights=weights, own=len(weights), words=words, needs=needs)


def _terms(clause: Sequence[Word]) -> Iterator[str]:
    for word in clause:
        yield from word.terms
    for first, second in pairwise(clause):
        if len(first.parts) == len(second.parts) == 1:
            yield stem((first.text + second.text).casefold())


def _with(need: Sequence[str], others: Mapping[str, Sequence[str]]) -> list[str]:
    """The terms of a clause, and what may stand for them."""
    return list(dict.fromkeys((*need, *(one for term in need for one in others.get(term, ())))))


@cache
def light_terms() -> frozenset[str]:
    """The terms of ``LIGHT_WORDS``."""
    return frozenset(map(stem, LIGHT_WORDS))
