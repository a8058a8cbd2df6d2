"""What the best entries of a search tell of whether one of them is right. Pure.

All figures are between 0 and 1, or little above, and depend on what the caller may see alone. They are read off the
best ``STRONG``, ``JUDGED`` or ``LOOKED_AT`` entries, never off a whole catalog.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Final, NamedTuple

import numpy as np

from pegboard.search.arrays import Array, Mask
from pegboard.search.asked import LIGHT, Asked
from pegboard.search.counts import idf
from pegboard.search.lexical import LookedUp, possible
from pegboard.search.occurrences import Excerpt, Occurrences
from pegboard.search.ranking import Best

STRONG: Final = 5
"""Entries one of which may cover the ask: a search counts as right with a right one among so many."""
NEXT: Final = 10
"""The place of the entry that tells whether a need has its own best, or many that are as good."""
JUDGED: Final = 20
"""The place of the entry that tells what the catalog has for anything near the ask. A right tool has a few siblings
that come close to it, seldom so many."""
LOOKED_AT: Final = 100
"""Entries among which the best for each need are looked for, where an ask has several."""
LEAST: Final = 0.3
"""What entry number ``JUDGED`` is taken for, over the best, where it is less or there are fewer: in a small catalog
little is near anything, and that little else is there does not make the best right."""
TELLING: Final = 1.5
"""Words, light ones counted as half, from which on a clause is a need: "and then" and "in Oslo" are none."""


class Evidence(NamedTuple):
    """What tells how sure a search is. Immutable.

    ``share``: the square root of what the best entry's score is of what the words of the ask would bring, were they
    all the rarest; the root, for the first part tells more than the last. ``covered``: the share of the ask's words,
    by how rare they are, that one of the best ``STRONG`` has, itself or in another word for it; of all, the most.
    ``flat``: the score of entry number ``JUDGED`` over the best, ``LEAST`` or more. ``needs``: that of entry number
    ``NEXT``, for each need of the ask by its words alone, in the mean; 0 for one where there are fewer. ``whole``:
    whether the best has every word that says something.
    """

    share: float
    covered: float
    flat: float
    needs: float
    whole: bool


def evidence(
    size: int, ask: LookedUp, worths: Array, needs: Sequence[Array], found: Occurrences, best: Best
) -> Evidence:
    """What the best of ``size`` entries tell, of which at least one was found.

    ``worths`` are those of the ask's terms, as they are numbered in ``found``; ``needs`` are the terms of each clause
    of the ask, by their numbers, none where it has one.
    """
    asked = ask.asked
    terms = list(asked.weights)
    terms = [terms[place] for place in found.order]
    weights = np.array([asked.weights[term] if term in asked.words else 0.0 for term in terms])
    telling = [need for need in needs if weights[need].sum() >= TELLING]
    rows, scores = best(LOOKED_AT if len(telling) > 1 else JUDGED)
    order = rows.argsort()
    excerpt = found.excerpt(rows[order])
    has = _has(excerpt, len(terms))[:, order.argsort()[:STRONG]]
    unknown = idf(size, 0)
    rarities = weights * np.array([ask.terms[place].rarity or unknown for place in found.order])
    flats = [_flat(scores, NEXT)]
    if len(telling) > 1:
        flats = [_flat(-np.sort(-excerpt.sums_of(need, worths)), NEXT) for need in telling]
    return Evidence(
        share=math.sqrt(float(scores[0]) / possible(asked, size)),
        covered=float((rarities[:, None] * _or_another(asked, terms, has)).sum(axis=0).max() / rarities.sum()),
        flat=max(LEAST, _flat(scores, JUDGED)),
        needs=sum(flats) / len(flats),
        whole=bool((has[:, 0] | (weights <= LIGHT)).all()),
    )


def _has(excerpt: Excerpt, terms: int) -> Mask:
    """Which terms of the ask stand in which of the rows: a line a term."""
    has = np.zeros((terms, excerpt.size), np.bool_)
    has[excerpt.terms, excerpt.there] = True
    return has


def _or_another(asked: Asked, terms: Sequence[str], has: Mask) -> Mask:
    """The same with each term where another is that may stand for it; ``terms`` are those of the lines."""
    numbers = {term: number for number, term in enumerate(terms)}
    either = has.copy()
    for other, ones in asked.stands_for.items():
        for term in ones:
            either[numbers[term]] |= has[numbers[other]]
    return either


def _flat(scores: Array, number: int) -> float:
    """The score of the entry of this number over the best; 0 where there are fewer."""
    return float(scores[number - 1] / scores[0]) if scores.size >= number and scores[0] > 0 else 0.0
