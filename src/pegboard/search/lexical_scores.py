"""Scores of the default ranking, computed where they are needed. The formula is that of ``pegboard.search.lexical``."""

from __future__ import annotations

from typing import Final

import numpy as np

from pegboard.search.arrays import Array
from pegboard.search.candidates import Candidates
from pegboard.search.confidence import certainty
from pegboard.search.corpus import Corpus
from pegboard.search.evidence import evidence
from pegboard.search.fields import NAME, SOURCE
from pegboard.search.lexical import (
    CLAUSE,
    COVERED,
    DELTA,
    DESCRIPTION_SHARE,
    K1,
    NAME_SHARE,
    SCHEME,
    SOURCE_NAMED,
    UNIT,
    B,
    LookedUp,
    looked_up,
    reason,
)
from pegboard.search.occurrences import Excerpt, Occurrences
from pegboard.search.ranking import Ranking
from pegboard.search.scores import Scores

_ROUNDING: Final = 1 + 1e-4
"""More than sums in 32 bits can be off by."""


def rank(pool: Candidates, ask: str) -> Ranking:
    """The candidates that have a term of the ask, or one that may stand for it."""
    corpus = pool.corpus(SCHEME)
    looked = looked_up(corpus, ask)
    found = Occurrences(corpus, looked.terms, _tamed)
    exact = _Exact(corpus, found, looked)
    # The best clause is worth as much as all are by themselves, or as all are together, or something between.
    least = 1 + CLAUSE / max(1, len(looked.asked.needs))
    slack = (1 + CLAUSE) / least * _ROUNDING
    most = slack * (1 + NAME_SHARE + DESCRIPTION_SHARE)
    wide = [(found.with_mark(NAME.mark), most)]
    if looked.naming:
        wide.append((found.with_mark(SOURCE.mark), most + slack * SOURCE_NAMED))
    return Ranking(
        pool,
        corpus,
        Scores(found.sums(exact.worths * least), slack * (1 + DESCRIPTION_SHARE), exact.scores, wide),
        lambda rows: list(map(reason, found.marks_of(rows))),
        certainty=lambda best: certainty(evidence(corpus.size, looked, exact.worths, exact.needs, found, best)),
    )


class _Exact:
    """What the scores of some rows are. Lives as long as the search."""

    def __init__(self, corpus: Corpus, found: Occurrences, looked: LookedUp) -> None:
        asked, told, worths, naming = looked
        self._corpus = corpus
        self._found = found
        self.worths = np.array([worths[place] for place in found.order])
        self._told = np.array([told[place].rarity if place < asked.own else 0.0 for place in found.order])
        terms = list(asked.weights)
        self._naming = np.array([naming.get(terms[place], 0.0) for place in found.order]) if naming else None
        # Each clause once, with its own terms alone: a long ask has hundreds, and the time is not to grow by both.
        self.needs: list[Array] = []
        if len(asked.needs) > 1:
            numbers = {terms[place]: number for number, place in enumerate(found.order)}
            needs = dict.fromkeys(tuple(sorted({numbers[term] for term in need})) for need in asked.needs)
            self.needs = [np.array(need, np.intp) for need in needs]
        # Where each term is in one clause, those of the clauses add up to those of all.
        self._each_in_one = sum(need.size for need in self.needs) == len(found.order)

    def scores(self, rows: Array) -> Array:
        """Those of these rows, which ascend and have a term."""
        excerpt = self._found.excerpt(rows)
        return self._words(excerpt) * self._factors(excerpt, rows)

    def _words(self, excerpt: Excerpt) -> Array:
        """``words(e)`` of each row."""
        if not self.needs:
            return excerpt.sums(self.worths * (1 + CLAUSE))
        best = excerpt.sums_of(self.needs[0], self.worths)
        words = best.copy()
        for need in self.needs[1:]:
            sums = excerpt.sums_of(need, self.worths)
            words += sums
            np.maximum(best, sums, out=best)
        if not self._each_in_one:
            words = excerpt.sums(self.worths)
        words += CLAUSE * best
        return words

    def _factors(self, excerpt: Excerpt, rows: Array) -> Array:
        """The factor of each row for the shares of its name and description, and for its source."""
        factors = np.ones(rows.size)
        totals = self._corpus.counts.totals(rows)
        for total, (field, weight) in zip(totals[: len(COVERED)], COVERED.items(), strict=True):
            shares = excerpt.marked(field.mark, self._told)
            shares /= total
            factors += weight * np.minimum(1.0, shares, out=shares)
        if self._naming is not None:
            factors += SOURCE_NAMED * np.minimum(1.0, excerpt.marked(SOURCE.mark, self._naming))
        return factors


def _tamed(corpus: Corpus, rows: Array, units: Array) -> Array:
    """What a count says, the length of its row considered: ``gain`` without the worth."""
    # In place where it can be: of many postings, most of the time goes into new arrays.
    counts: Array = units / UNIT
    dampened = corpus.dampening(rows, K1, B)
    dampened += counts
    tamed: Array = counts * (K1 + 1)
    tamed /= dampened
    np.minimum(counts, 1.0, out=counts)
    counts *= DELTA
    tamed += counts
    return tamed
