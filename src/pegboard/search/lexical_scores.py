"""Scores of the default ranking, computed where they are needed. The formula is that of ``pegboard.search.lexical``."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

import numpy as np

from pegboard.search.asked import LIGHT, Asked
from pegboard.search.candidates import Candidates
from pegboard.search.confidence import certainty
from pegboard.search.corpus import Corpus
from pegboard.search.lexical import (
    CLAUSE,
    COVERED,
    DELTA,
    DESCRIPTION_SHARE,
    K1,
    NAME_SHARE,
    SCHEME,
    UNIT,
    B,
    looked_up,
    possible,
    reason,
)
from pegboard.search.occurrences import Occurrences
from pegboard.search.ranking import Ranking
from pegboard.search.scores import Scores
from pegboard.search.segment import Array

_MOST: Final = 1 + NAME_SHARE + DESCRIPTION_SHARE  # the factor of an entry that the ask covers whole


def rank(pool: Candidates, ask: str) -> Ranking:
    """The candidates that have a term of the ask, or one that may stand for it."""
    corpus = pool.corpus(SCHEME)
    asked, terms, worths = looked_up(corpus, ask)
    found = Occurrences(corpus, terms, _tamed)
    said = _words(found, np.array(worths), asked)
    told = np.array([term.rarity for term in terms[: asked.own]])
    return Ranking(
        pool,
        corpus,
        Scores(said, _MOST, lambda rows: said[rows] * _factors(corpus, found, told, rows)),
        lambda rows: list(map(reason, found.marks_of(rows))),
        certainty=lambda best, scores: _certainty(corpus.size, asked, found.terms_of(best), scores),
    )


def _certainty(size: int, asked: Asked, has: Iterable[int], scores: Sequence[float]) -> float:
    """How sure the order is of its first, which ``has`` these of the ask's terms."""
    terms = list(asked.weights)
    lacking = asked.words - {terms[number] for number in has}
    return certainty(scores, possible(asked, size), whole=all(asked.weights[term] <= LIGHT for term in lacking))


def _words(found: Occurrences, worths: Array, asked: Asked) -> Array:
    """``words(e)`` of each row, 0 where it has no term."""
    needs = list(map(frozenset, asked.needs))
    if len(needs) < 2:
        return found.sums(worths * (1 + CLAUSE))
    by_need = [found.sums(worths * [term in need for term in asked.weights]) for need in needs]
    each_in_one = sum(map(len, needs)) == len(asked.weights)
    words: Array = np.maximum.reduce(by_need)
    words *= CLAUSE
    words += np.add.reduce(by_need) if each_in_one else found.sums(worths)
    return words


def _tamed(corpus: Corpus, rows: Array, units: Array) -> Array:
    """What a count says, the length of its row considered: ``gain`` without the worth."""
    counts = units / UNIT
    tamed: Array = counts * (K1 + 1)
    tamed /= counts + corpus.dampening(K1, B)[rows]
    tamed += DELTA * np.minimum(1.0, counts)
    return tamed


def _factors(corpus: Corpus, found: Occurrences, rarity: Array, rows: Array) -> Array:
    """The factor of each row for the shares of its name and description. ``rows`` ascend."""
    factors = np.ones(rows.size)
    covered = found.marked(rows, rarity, [field.mark for field in COVERED])
    for group, (told, weight) in enumerate(zip(covered, COVERED.values(), strict=True)):
        some = told.nonzero()[0]
        factors[some] += weight * np.minimum(1.0, told[some] / corpus.totals(rows[some], group))
    return factors
