"""Where the terms of an ask stand in an index, and what they come to in each row.

Rare terms stand in a line, which is gone through at once. Frequent ones, asked for again and again, stand apart: what
they come to is remembered. What is frequent depends on the slice alone, and everything is added up in one order,
the rare before the frequent, each as the ask has them: equal entries get equal sums in any company.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from pegboard.search.arrays import MARK, ROW, joined, runs

if TYPE_CHECKING:
    from pegboard.search.arrays import Array
    from pegboard.search.corpus import Corpus, Postings, Term
    from pegboard.search.counts import Numbers

_FREQUENT: Final = 1024  # entries that have a term from which on it may be a frequent one
_FEW: Final = 32  # of so many entries one has a frequent term, or more
_MOST: Final = 4  # of so many entries one has a term, or more, that is added up row by row

Tamed = Callable[["Corpus", "Array", "Array"], "Array"]
"""(slice, rows, counts of a term in units) to what the term comes to in each, were it worth 1."""


class Frequent(NamedTuple):
    """A frequent term: where it stands, None for row by row; what it comes to there; its marks by row. Immutable."""

    numbers: Numbers
    rows: Array | None
    tamed: Array
    marks: Array

    def of(self, chosen: Chosen) -> tuple[Array, Array]:
        """(what it comes to in some rows, its marks there)."""
        rows = chosen.rows
        if self.rows is None:
            return self.tamed[rows], self.marks[rows]
        tamed, places = np.zeros(rows.size), chosen.among(self.rows)
        tamed[chosen.numbers[self.rows[places]]] = self.tamed[places]
        return tamed, self.marks[rows]


class Chosen:
    """Some rows of an index. Lives as long as they are looked at.

    ``numbers`` has, by row, which of them it is; anything for a row that is none.
    """

    def __init__(self, rows: Array, size: int) -> None:
        self.rows = rows
        self._are = np.zeros(size, np.bool_)
        self._are[rows] = True
        self.numbers = np.empty(size, ROW)
        self.numbers[rows] = np.arange(rows.size, dtype=ROW)

    def among(self, rows: Array) -> Array:
        """The places of these among ``rows``."""
        places: Array = self._are[rows].nonzero()[0]
        return places


class Excerpt(NamedTuple):
    """The terms of an ask in some rows of an index. Immutable; lives as long as the search.

    ``there``, ``terms``, ``tamed`` and ``marks`` stand side by side, by term ascending: a place among the rows, the
    place of a term in the ask, what the one comes to in the other, and its marks. ``frequent`` has the last two of each
    frequent term.
    """

    size: int
    there: Array
    terms: Array
    tamed: Array
    marks: Array
    frequent: dict[int, tuple[Array, Array]]

    def sums(self, worths: Array) -> Array:
        """By row, what the terms come to, each times what it is worth."""
        found = np.zeros(self.size)
        np.add.at(found, self.there, self.tamed * worths[self.terms])
        for place, (tamed, _) in self.frequent.items():
            found += tamed * worths[place]
        return found

    def sums_of(self, some: Array, worths: Array) -> Array:
        """The same for some of the terms alone, by their places in the ask, which ascend."""
        begins = self.terms.searchsorted(some)
        chosen = runs(begins, self.terms.searchsorted(some, "right") - begins)
        found = np.zeros(self.size)
        np.add.at(found, self.there[chosen], self.tamed[chosen] * worths[self.terms[chosen]])
        for place in some.tolist():
            if place in self.frequent:
                found += self.frequent[place][0] * worths[place]
        return found

    def marked(self, mark: int, worths: Array) -> Array:
        """By row, what those of the terms are worth that have a mark there."""
        found = np.zeros(self.size)
        np.add.at(found, self.there, worths[self.terms] * ((self.marks & mark) > 0))
        for place, (_, marks) in self.frequent.items():
            if worths[place]:
                found += worths[place] * ((marks & mark) > 0)
        return found


class Occurrences:
    """The terms of one ask in an index, by their places in the ask. Lives as long as the search."""

    def __init__(self, corpus: Corpus, terms: Sequence[Term], tamed: Tamed) -> None:
        least = max(_FREQUENT, corpus.size // _FEW)
        self._size = corpus.index.size
        self._memo = corpus.memo
        self._rare = np.array([place for place, term in enumerate(terms) if term.frequency < least], np.intp)
        self._line = corpus.at([terms[place].numbers for place in self._rare.tolist()])
        self._tamed = _seen(corpus, self._line, tamed)
        self._frequent = {
            place: _frequent(corpus, term, tamed) for place, term in enumerate(terms) if term.frequency >= least
        }
        self._terms = np.repeat(self._rare, self._line.sizes)

    def sums(self, worths: Array) -> Array:
        """By row, about what the terms come to, each times what it is worth; 0 for rows that the slice does not see.

        Numbers of 32 bits, which say enough to leave most rows alone: they are gone through several times.
        """
        found = np.zeros(self._size, np.float32)
        np.add.at(found, self._line.rows, (self._tamed * worths[self._terms]).astype(np.float32))
        for place, one in self._frequent.items():
            gained = (one.tamed * worths[place]).astype(np.float32)
            if one.rows is None:
                found += gained
            else:
                np.add.at(found, one.rows, gained)
        return found

    def excerpt(self, rows: Array) -> Excerpt:
        """What the terms come to in some rows alone."""
        line, chosen = self._line, Chosen(rows, self._size)
        places = chosen.among(line.rows)
        return Excerpt(
            rows.size,
            chosen.numbers[line.rows[places]],
            self._terms[places],
            self._tamed[places],
            line.marks[places],
            {place: one.of(chosen) for place, one in self._frequent.items()},
        )

    def with_mark(self, mark: int) -> Array:
        """The rows where a term has a mark, each as often as that is so. Rows that the slice does not see too."""
        line = self._line
        found = [line.rows[(line.marks & mark) > 0]]
        found += (
            self._memo.get((one.numbers, mark), partial(_with_mark, one.marks, mark)) for one in self._frequent.values()
        )
        return joined(found)

    def marks_of(self, rows: Array) -> list[int]:
        """All marks of each of these rows."""
        line, chosen = self._line, Chosen(rows, self._size)
        places = chosen.among(line.rows)
        found = np.zeros(rows.size, MARK)
        np.bitwise_or.at(found, chosen.numbers[line.rows[places]], line.marks[places])
        for one in self._frequent.values():
            found |= one.marks[rows]
        return found.tolist()

    def terms_of(self, row: int) -> list[int]:
        """The places of the terms that stand in a row."""
        rare = self._terms[self._line.rows == row].tolist()
        return [*rare, *(place for place, one in self._frequent.items() if one.marks[row])]


def _frequent(corpus: Corpus, term: Term, tamed: Tamed) -> Frequent:
    """A frequent term, as far as it is remembered."""
    base, tail = corpus.index.base, corpus.index.tail
    early, late = term.numbers
    rows = [base.rows_of(early)] if early >= 0 else []
    rows += [tail.rows_of(late) + base.size] if late >= 0 else []
    marks = [base.marks_by_row(early) if early >= 0 else np.zeros(base.size, MARK)]
    if tail.size:
        marks.append(tail.marks_by_row(late) if late >= 0 else np.zeros(tail.size, MARK))
    common = term.frequency >= corpus.size // _MOST
    gained = corpus.memo.get(term.numbers, lambda: _gained(corpus, term, tamed, by_row=common))
    return Frequent(term.numbers, None if common else joined(rows), gained, joined(marks))


def _gained(corpus: Corpus, term: Term, tamed: Tamed, *, by_row: bool) -> Array:
    postings = corpus.at([term.numbers])
    found = _seen(corpus, postings, tamed)
    return np.bincount(postings.rows, found, corpus.index.size) if by_row else found


def _with_mark(marks: Array, mark: int) -> Array:
    return (marks & mark).nonzero()[0]


def _seen(corpus: Corpus, postings: Postings, tamed: Tamed) -> Array:
    """What terms come to in the rows where they stand, nothing in those that the slice does not see."""
    found = tamed(corpus, postings.rows, postings.counts)
    if corpus.visible is not None:
        found *= corpus.visible[postings.rows]
    return found
