"""Okapi BM25 by field: the reference's scores."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import Final, NamedTuple

from pegboard.search.index import Candidates, Corpus, Document
from pegboard.search.shares import Part, Shares, TermShare
from pegboard.search.text import Analyzer
from pegboard.tools import Entry

K1: Final = 1.2
B: Final = 0.75


class Field(NamedTuple):
    """A field of the reference: the word for it in reasons, its weight, and the attributes whose texts it joins."""

    word: str
    weight: float
    attributes: tuple[str, ...]


FIELDS: Final = (
    Field("name", 3.0, ("name",)),
    Field("cat", 2.0, ("category",)),
    Field("body", 1.0, ("description", "tags", "keywords")),
)
_SHARE_THAT_NAMES: Final = 0.5  # a field with this share of the score is named in the reason


def score(candidates: Candidates, terms: Sequence[str], analyzer: str, analyze: Analyzer) -> dict[int, list[float]]:
    """Row to the parts of its score by field, for every row that has one of ``terms``.

    A term that is asked twice counts twice. The score is the sum of the parts.
    """
    by_row: dict[int, list[float]] = {}
    for place, (field, corpus) in enumerate(corpora_of(candidates, analyzer, analyze).items()):
        for row, part in _field_scores(corpus, terms).items():
            by_row.setdefault(row, [0.0] * len(FIELDS))[place] = field.weight * part
    return by_row


def reason(parts: Sequence[float]) -> str:
    """``bm25:`` and the first field that gives half of the score or more, else ``bm25``."""
    least = _SHARE_THAT_NAMES * sum(parts)
    return next((f"bm25:{field.word}" for field, part in zip(FIELDS, parts, strict=True) if part >= least), "bm25")


def shares(corpora: Mapping[Field, Corpus], terms: Sequence[str], row: int) -> Shares:
    """The score of one row in its parts by field."""
    found = tuple(share for field, corpus in corpora.items() for share in _term_shares(field, corpus, terms, row))
    sums = {field.word: sum(share.points for share in found if share.field == field.word) for field in corpora}
    return Shares(parts=tuple(Part(name=word, points=points) for word, points in sums.items() if points), terms=found)


def corpora_of(candidates: Candidates, analyzer: str, analyze: Analyzer) -> dict[Field, Corpus]:
    """The index of each field, as the slice sees it."""
    return {
        field: candidates.corpus(("okapi", field.word, analyzer), partial(_document, field, analyze))
        for field in FIELDS
    }


def _term_shares(field: Field, corpus: Corpus, terms: Sequence[str], row: int) -> Iterator[TermShare]:
    for term, times in Counter(terms).items():
        points = times * field.weight * _field_scores(corpus, [term]).get(row, 0.0)
        number = corpus.id(term)
        if points and number is not None:
            [count] = [count for other, count, _ in corpus.postings(number) if other == row]
            rarity = idf(corpus.size, corpus.frequencies[number])
            yield TermShare(term=term, field=field.word, count=int(count), idf=rarity, points=points)


def _document(field: Field, analyze: Analyzer, entry: Entry) -> Document:
    found = analyze(" ".join(_texts(entry, field.attributes)))
    counts: dict[str, float] = {}
    for term in found:
        counts[term] = counts.get(term, 0.0) + 1.0
    return Document(counts, len(found))


def _texts(entry: Entry, attributes: Iterable[str]) -> Iterable[str]:
    for attribute in attributes:
        value = getattr(entry, attribute) or ""
        yield value if isinstance(value, str) else " ".join(value)


def _field_scores(corpus: Corpus, terms: Sequence[str]) -> dict[int, float]:
    scores: dict[int, float] = {}
    average, lengths = corpus.average_length, corpus.lengths
    for term in terms:
        number = corpus.id(term)
        if number is None:
            continue
        rarity = idf(corpus.size, corpus.frequencies[number])
        for row, count, _ in corpus.postings(number):
            gain = count * (K1 + 1) / (count + K1 * (1 - B + B * lengths[row] / average))
            scores[row] = scores.get(row, 0.0) + rarity * gain
    return scores


def idf(size: int, frequency: int) -> float:
    """How much a term tells that ``frequency`` of ``size`` entries have: always above 0."""
    return math.log(1 + (size - frequency + 0.5) / (frequency + 0.5))
