"""Where the terms of an ask stand in an index, and what they come to in each row.

Rare terms stand in a line, which is gone through at once. Frequent ones, asked for again and again, stand apart: what
they come to is remembered. What is frequent depends on the slice alone, and everything is added up in one order,
the rare before the frequent, each as the ask has them: equal entries get equal sums in any company.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from pegboard.search.arrays import MARK, ROW, joined, runs, sums_by

if TYPE_CHECKING:
    from pegboard.search.arrays import Array
    from pegboard.search.corpus import Corpus, Postings, Term
    from pegboard.search.counts import Numbers
    from pegboard.search.index import Index
    from pegboard.search.segment import Segment

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

    def of(self, rows: Array) -> tuple[Array, Array, Array]:
        """(the places, among some rows that ascend, of those where it stands; what it comes to there; its marks)."""
        marks = self.marks[rows]
        there = (marks > 0).nonzero()[0]
        rows = rows[there]
        return there, self.tamed[rows if self.rows is None else self.rows.searchsorted(rows)], marks[there]


class Excerpt(NamedTuple):
    """The terms of an ask in some rows of an index. Immutable; lives as long as the search.

    ``there``, ``terms``, ``tamed`` and ``marks`` stand side by side, by term ascending: a place among the rows, the
    number of a term, what the one comes to in the other, and its marks.
    """

    size: int
    there: Array
    terms: Array
    tamed: Array
    marks: Array

    def sums(self, worths: Array) -> Array:
        """By row, what the terms come to, each times what it is worth."""
        return sums_by(self.there, self.tamed * worths[self.terms], self.size)

    def sums_of(self, some: Array, worths: Array) -> Array:
        """The same for some of the terms alone, by their numbers, which ascend."""
        begins = self.terms.searchsorted(some)
        chosen = runs(begins, self.terms.searchsorted(some, "right") - begins)
        return sums_by(self.there[chosen], self.tamed[chosen] * worths[self.terms[chosen]], self.size)

    def marked(self, mark: int, worths: Array) -> Array:
        """By row, what those of the terms are worth that have a mark there."""
        chosen = _with_mark(self.marks, mark)
        return sums_by(self.there[chosen], worths[self.terms[chosen]], self.size)


class Occurrences:
    """The terms of one ask in an index. Lives as long as the search.

    Here they are numbered anew, the rare ones before the frequent: ``order`` has the place in the ask of each.
    """

    def __init__(self, corpus: Corpus, terms: Sequence[Term], tamed: Tamed) -> None:
        least = max(_FREQUENT, corpus.size // _FEW)
        self._index = corpus.index
        self._size = corpus.index.size
        rare = [place for place, term in enumerate(terms) if term.frequency < least]
        frequent = [place for place, term in enumerate(terms) if term.frequency >= least]
        self.order = rare + frequent
        self._line = corpus.at([terms[place].numbers for place in rare])
        self._tamed = _seen(corpus, self._line, tamed)
        self._terms = np.arange(len(rare)).repeat(self._line.sizes)
        self._frequent = {
            number: _frequent(corpus, terms[place], tamed) for number, place in enumerate(frequent, len(rare))
        }

    def sums(self, worths: Array) -> Array:
        """By row, about what the terms come to, each times what it is worth; 0 for rows that the slice does not see.

        Numbers of 32 bits, which say enough to leave most rows alone: they are gone through several times.
        """
        found = np.zeros(self._size, np.float32)
        np.add.at(found, self._line.rows, _narrow(self._tamed, worths[self._terms]))
        for number, one in self._frequent.items():
            gained = _narrow(one.tamed, worths[number])
            if one.rows is None:
                found += gained
            else:
                np.add.at(found, one.rows, gained)
        return found

    def excerpt(self, rows: Array) -> Excerpt:
        """What the terms come to in some rows alone, which ascend."""
        places, there = self._in_line(rows)
        columns = [(there, self._terms[places], self._tamed[places], self._line.marks[places])]
        for number, one in self._frequent.items():
            there, tamed, marks = one.of(rows)
            columns.append((there, np.full(there.size, number), tamed, marks))
        return Excerpt(rows.size, *(joined(column) for column in zip(*columns, strict=True)))

    def _in_line(self, rows: Array) -> tuple[Array, Array]:
        """(the places in the line that are of some rows, which of the rows each of them is of)."""
        chosen, numbers = np.zeros(self._size, np.bool_), np.empty(self._size, ROW)
        chosen[rows] = True
        numbers[rows] = np.arange(rows.size, dtype=ROW)
        places = chosen[self._line.rows].nonzero()[0]
        return places, numbers[self._line.rows[places]]

    def with_mark(self, mark: int) -> Array:
        """The rows where a term has a mark, each as often as that is so. Rows that the slice does not see too."""
        line = self._line
        found = [line.rows[_with_mark(line.marks, mark)]]
        found += (
            _rows(self._index, one.numbers, lambda segment, number: segment.rows_with(number, mark))
            for one in self._frequent.values()
        )
        return joined(found)

    def marks_of(self, rows: Array) -> list[int]:
        """All marks of each of these rows."""
        places, there = self._in_line(rows)
        found = np.zeros(rows.size, MARK)
        np.bitwise_or.at(found, there, self._line.marks[places])
        for one in self._frequent.values():
            found |= one.marks[rows]
        return found.tolist()


def _narrow(tamed: Array, worths: Array) -> Array:
    return np.multiply(tamed, worths, dtype=np.float32, casting="same_kind")


def _frequent(corpus: Corpus, term: Term, tamed: Tamed) -> Frequent:
    """A frequent term, as far as it is remembered."""
    base, tail = corpus.index.base, corpus.index.tail
    early, late = term.numbers
    marks = [base.marks_by_row(early) if early >= 0 else np.zeros(base.size, MARK)]
    if tail.size:
        marks.append(tail.marks_by_row(late) if late >= 0 else np.zeros(tail.size, MARK))
    common = term.frequency >= corpus.size // _MOST
    gained = corpus.memo.get(term.numbers, lambda: _gained(corpus, term, tamed, by_row=common))
    rows = None if common else _rows(corpus.index, term.numbers, lambda segment, number: segment.postings_of(number)[0])
    return Frequent(term.numbers, rows, gained, joined(marks))


def _rows(index: Index, numbers: Numbers, of: Callable[[Segment, int], Array]) -> Array:
    """The rows ``of`` a term in each segment, by its number there, in the words that numpy looks things up by."""
    early, late = numbers
    found = [of(index.base, early)] if early >= 0 else []
    found += [of(index.tail, late) + index.base.size] if late >= 0 else []
    return np.concatenate(found, dtype=np.intp)


def _gained(corpus: Corpus, term: Term, tamed: Tamed, *, by_row: bool) -> Array:
    postings = corpus.at([term.numbers])
    found = _seen(corpus, postings, tamed)
    return np.bincount(postings.rows, found, corpus.index.size) if by_row else found


def _with_mark(marks: Array, mark: int) -> Array:
    return ((marks & mark) > 0).nonzero()[0]  # of bools, numpy finds them in half the time


def _seen(corpus: Corpus, postings: Postings, tamed: Tamed) -> Array:
    """What terms come to in the rows where they stand, nothing in those that the slice does not see."""
    found = tamed(corpus, postings.rows, postings.counts)
    if corpus.visible is not None:
        found *= corpus.visible[postings.rows]
    return found
