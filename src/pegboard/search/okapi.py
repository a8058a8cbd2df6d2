"""Okapi BM25 by field: the reference's scores."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Final, NamedTuple

from pegboard.search.candidates import Candidates
from pegboard.search.ranking import Ranking
from pegboard.search.scheme import IndexedField, Scheme, Terms
from pegboard.search.shares import Part, Shares, TermShare
from pegboard.search.text import pieces, plain_terms, terms
from pegboard.tools import Entry

if TYPE_CHECKING:
    from pegboard.search.arrays import Array
    from pegboard.search.corpus import Corpus

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


def _texts(entry: Entry) -> tuple[tuple[str, ...], ...]:
    return tuple(tuple(_texts_of(entry, field.attributes)) for field in FIELDS)


def _texts_of(entry: Entry, attributes: Iterable[str]) -> Iterator[str]:
    for attribute in attributes:
        value = getattr(entry, attribute) or ()
        yield from (value,) if isinstance(value, str) else value


def _scheme(name: str, pieces: Callable[[str], list[str]], read: Callable[[str], Terms]) -> Scheme:
    fields = tuple(IndexedField(space=space) for space in range(len(FIELDS)))
    return Scheme(name=f"okapi {name}", fields=fields, texts=_texts, pieces=pieces, read=read)


SCHEMES: Final[Mapping[str, Scheme]] = {
    "full": _scheme("full", pieces, lambda piece: Terms(tuple(terms(piece)))),
    "plain": _scheme("plain", lambda text: text.lower().split(), lambda piece: Terms(tuple(plain_terms(piece)))),
}
"""By analyzer: each field in a space of its own."""


def rank(pool: Candidates, terms: Sequence[str], analyzer: str) -> Ranking:
    """The candidates that have one of ``terms``. A term that is asked twice counts twice."""
    import numpy as np

    from pegboard.search.scores import Scores

    corpus = pool.corpus(SCHEMES[analyzer])
    parts = np.array([field.weight * _field_scores(corpus, terms, space) for space, field in enumerate(FIELDS)])
    scores = parts[0] + parts[1] + parts[2]
    if corpus.visible is not None:
        scores *= corpus.visible
    return Ranking(
        pool,
        corpus,
        Scores(scores, 1.0, scores.__getitem__),
        lambda rows: list(map(reason, parts[:, rows].T.tolist())),
    )


def reason(parts: Sequence[float]) -> str:
    """``bm25:`` and the first field that gives half of the score or more, else ``bm25``."""
    least = _SHARE_THAT_NAMES * sum(parts)
    return next((f"bm25:{field.word}" for field, part in zip(FIELDS, parts, strict=True) if part >= least), "bm25")


def shares(corpus: Corpus, terms: Sequence[str], row: int) -> Shares:
    """The score of one row in its parts by field."""
    found = tuple(share for space in range(len(FIELDS)) for share in _term_shares(corpus, space, terms, row))
    sums = {field.word: sum(share.points for share in found if share.field == field.word) for field in FIELDS}
    return Shares(parts=tuple(Part(name=word, points=points) for word, points in sums.items() if points), terms=found)


def _term_shares(corpus: Corpus, space: int, terms: Sequence[str], row: int) -> Iterator[TermShare]:
    field = FIELDS[space]
    for term, times in Counter(terms).items():
        postings = corpus.postings([term], space)
        here = postings.rows == row
        dampening = corpus.dampening(postings.rows[here], K1, B, space).tolist()
        for count, dampened in zip(postings.counts[here].tolist(), dampening, strict=True):
            rarity = float(corpus.rarity(postings)[0])
            gain = rarity * count * (K1 + 1) / (count + dampened)
            yield TermShare(term=term, field=field.word, count=count, idf=rarity, points=times * field.weight * gain)


def _field_scores(corpus: Corpus, terms: Sequence[str], space: int) -> Array:
    """The score of every row in one field, 0 where it has none of ``terms``."""
    import numpy as np

    times = Counter(terms)
    postings = corpus.postings(list(times), space)
    counts = postings.counts.astype(np.float64)
    gains = counts * (K1 + 1) / (counts + corpus.dampening(postings.rows, K1, B, space))
    weights = corpus.rarity(postings) * np.array(list(times.values()), np.float64)
    return np.bincount(postings.rows, np.repeat(weights, postings.sizes) * gains, corpus.index.size)
