"""The default ranking: weighted fields under one BM25+, the share of name and description that an ask covers, clauses.

For a term t of the ask and an entry e, with c the occurrences of t in e's fields, each times its field's weight:

    worth(t)    = weight(t) * idf(t) * (1 + NAMED * the share of t's entries that have it in their names)
    gain(t, e)  = worth(t) * (c * (K1 + 1) / (c + K1 * (1 - B + B * length / average)) + DELTA * min(1, c))
    words(e)    = sum of gain over all terms + CLAUSE * the best clause's sum
    score(e)    = words(e) * (1 + NAME_SHARE * share of e's name + DESCRIPTION_SHARE * share of e's description)

where a share is the idf of the terms that the ask has, over the idf of them all. ``pegboard.search.asked`` says which
terms an ask has, and their weights; a term that stands for others of the ask has an idf of at most theirs. Where the
constants come from is told in docs/search.md; ``benchmarks/retrieval.py`` measures them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING, Final, NamedTuple

from pegboard.search.asked import LIGHT, Asked, read
from pegboard.search.candidates import Candidates
from pegboard.search.confidence import certainty
from pegboard.search.fields import DESCRIPTION, FIELDS, NAME, Field, field_texts, texts
from pegboard.search.ranking import Bounded, Ranking
from pegboard.search.scheme import IndexedField, Scheme, Terms
from pegboard.search.spelling import meant
from pegboard.search.text import content_words, pieces, plain_word, stem, words
from pegboard.tools import Entry

if TYPE_CHECKING:
    from pegboard.search.corpus import Corpus, Postings
    from pegboard.search.segment import Array

K1: Final = 1.2
B: Final = 0.5
DELTA: Final = 0.3
CLAUSE: Final = 0.5
NAME_SHARE: Final = 0.6
DESCRIPTION_SHARE: Final = 0.8
NAMED: Final = 1 / 3
"""What a term is worth more where it stands in names alone: those say what tools do, descriptions whatever else."""
WHOLE_NAME: Final = 0.5
"""What a name in one piece (``createissue``) counts beside its parts."""

_MOST_RELATED: Final = 1024
"""Entries of a term from which on it is not looked for in place of another: so common a word tells little, and adding
up where it stands takes time."""
_FREQUENT: Final = 4096  # postings of a term from which on what they come to is remembered with a slice
_MOST: Final = 1 + NAME_SHARE + DESCRIPTION_SHARE  # the factor of an entry that the ask covers whole

COVERED: Final = {NAME: NAME_SHARE, DESCRIPTION: DESCRIPTION_SHARE}
"""The fields of which the share that an ask covers counts, and how much."""

_REASONS: Final = [
    "matched: " + ", ".join(field.word for field in FIELDS if marks & field.mark) for marks in range(1 << len(FIELDS))
]


_UNIT: Final = 20
"""Units of a count of 1: the weight of every field, and half of it, is a whole number of them."""


def _units(weight: float) -> int:
    return round(weight * _UNIT)


def _read(piece: str) -> Terms:
    plain = plain_word(piece)
    if plain:
        return Terms((stem(plain),))
    found = words(piece)
    if len(found) == 1:
        return Terms(found[0].parts, found[0].wholes)
    return Terms(
        tuple(part for one in found for part in one.parts), tuple(term for one in found for term in one.wholes)
    )


SCHEME: Final = Scheme(
    name="lexical",
    fields=tuple(
        IndexedField(
            part=_units(field.weight),
            whole=_units(field.weight * WHOLE_NAME),
            mark=field.mark,
            group=list(COVERED).index(field) if field in COVERED else None,
        )
        for field in FIELDS
    ),
    texts=field_texts,
    pieces=pieces,
    read=_read,
    unit=_UNIT,
)
"""All searched fields together, with the parts of those whose covered share counts kept by entry."""


def rank(pool: Candidates, ask: str) -> Ranking:
    """The candidates that have a term of the ask, or one that may stand for it."""
    corpus = pool.corpus(SCHEME)
    asked, postings, rarity, worths = looked_up(corpus, ask)
    rows, found = _words(corpus, postings, worths, asked)
    own, told = postings.first(asked.own), rarity[: asked.own]
    return Ranking(
        pool,
        corpus,
        rows,
        Bounded(found, _MOST, lambda chosen: found[chosen] * _factors(corpus, own, told, rows[chosen])),
        lambda chosen: list(map(reason, postings.marks_of(chosen))),
        certainty=lambda best, scores: _certainty(corpus.size, asked, own.terms_of(best), scores),
    )


class LookedUp(NamedTuple):
    """An ask in an index: its terms, where they stand, their idf (0 for one that nobody has), ``worth(t)`` of each.

    Immutable; lives as long as one search.
    """

    asked: Asked
    postings: Postings
    rarity: Array
    worths: Array


def looked_up(corpus: Corpus, ask: str) -> LookedUp:
    """An ask in an index, with those of the related terms that tell something, and what unknown words may mean."""
    import numpy as np

    from pegboard.search.corpus import idf

    asked = read(ask)
    told = _told(corpus, asked)
    further = meant(corpus, (term for term, one in told.items() if not one.rarity))
    if further:
        asked = asked.joined_by(further)
        told = _told(corpus, asked)
    asked = asked.only(told.keys())
    unknown = idf(corpus.size, 0)
    worths = []
    for term, weight in asked.weights.items():
        one = told[term]
        # A rare word for what the ask says in a common one is no rarer need.
        most = max((told[other].rarity or unknown for other in asked.stands_for.get(term, ())), default=one.rarity)
        worths.append(weight * min(one.rarity, most) * (1 + NAMED * one.named))
    rarity = np.array([one.rarity for one in told.values()])
    early, late = (np.array([one.numbers[part] for one in told.values()], np.intp) for part in range(2))
    return LookedUp(asked, corpus.at((early, late)), rarity, np.array(worths))


class _Told(NamedTuple):
    """What an index tells of a term: its numbers in base and tail, its idf (0 where nobody has it), and the share of
    its entries that have it in their names. Immutable."""

    numbers: tuple[int, int]
    rarity: float
    named: float


def _told(corpus: Corpus, asked: Asked) -> dict[str, _Told]:
    """By term. Left out are those that no word of the ask is, where they are in no entry, or tell too little."""
    from pegboard.search.corpus import idf

    known, found = corpus.known(list(asked.weights), list(COVERED).index(NAME)), {}
    for term, (numbers, frequency, in_names) in zip(asked.weights, known, strict=True):
        if frequency and (frequency <= _MOST_RELATED or term not in asked.stands_for):
            found[term] = _Told(numbers, idf(corpus.size, frequency), in_names / frequency)
        elif term in asked.words:
            found[term] = _Told(numbers, 0.0, 0.0)
    return found


def _certainty(size: int, asked: Asked, has: Sequence[int], scores: Sequence[float]) -> float:
    """How sure the order is of its first, which ``has`` these of the ask's terms."""
    terms = list(asked.weights)
    lacking = asked.words - {terms[number] for number in has}
    return certainty(scores, possible(asked, size), whole=all(asked.weights[term] <= LIGHT for term in lacking))


def possible(asked: Asked, size: int) -> float:
    """What the words of an ask would be worth among so many entries, if all were the rarest."""
    from pegboard.search.corpus import idf

    return sum(weight for term, weight in asked.weights.items() if term in asked.words) * idf(size, 0)


def reason(marks: int) -> str:
    """``matched: name, tags``: the fields whose bits are set."""
    return _REASONS[marks]


def unmatched_terms(query: str, candidates: Sequence[Entry]) -> tuple[str, ...]:
    """The content words of ``query`` that match nothing among ``candidates``, as written, in order, each once."""
    corpus = Candidates.of(candidates).corpus(SCHEME)
    asked = content_words(query)
    terms = list(dict.fromkeys(term for word in asked for term in word.terms))
    known = {term for term, size in zip(terms, corpus.frequencies(corpus.postings(terms)), strict=True) if size}
    unknown: dict[str, str] = {}
    for one in asked:
        if known.isdisjoint(one.terms):
            unknown.setdefault(one.text.casefold(), one.text)
    return tuple(unknown.values())


class FieldTerms(NamedTuple):
    """The terms of one field of an entry: those of its words, and those of compound names in one piece. Immutable."""

    parts: Counter[str]
    wholes: Counter[str]


def field_terms(entry: Entry) -> dict[Field, FieldTerms]:
    """The terms of each field of an entry."""
    found: dict[Field, FieldTerms] = {}
    for field, text in texts(entry).items():
        said = words(text)
        parts = Counter(term for word in said for term in word.parts)
        found[field] = FieldTerms(parts, Counter(term for word in said for term in word.wholes))
    return found


def _words(corpus: Corpus, postings: Postings, worths: Array, asked: Asked) -> tuple[Array, Array]:
    """(the rows that have a term, ``words(e)`` of each). Gains are added in the order of the terms."""
    import numpy as np

    gains, size = _gains(corpus, postings, worths), corpus.index.size
    found = np.bincount(postings.rows, gains, size)
    having = found > 0
    rows = np.flatnonzero(having if corpus.visible is None else having & corpus.visible)
    if len(asked.needs) < 2:
        return rows, found[rows] * (1 + CLAUSE)
    place = {term: number for number, term in enumerate(asked.weights)}
    best = np.zeros(rows.size)
    for need in asked.needs:
        parts = [slice(*postings.starts[place[term] : place[term] + 2].tolist()) for term in need]
        there, gained = (np.concatenate([line[part] for part in parts]) for line in (postings.rows, gains))
        np.maximum(best, np.bincount(there, gained, size)[rows], out=best)
    return rows, found[rows] + CLAUSE * best


def _gains(corpus: Corpus, postings: Postings, worths: Array) -> Array:
    """``gain(t, e)`` of each posting."""
    import numpy as np

    sizes, tail = postings.sizes.tolist(), corpus.index.tail.size
    frequent = [term for term, size in enumerate(sizes) if size >= _FREQUENT] if not tail else []
    if not frequent:
        everything: Array = _tamed(corpus, postings.rows, postings.counts) * np.repeat(worths, postings.sizes)
        return everything
    gains = np.empty(postings.rows.size)
    done = 0
    for term in (*frequent, len(sizes)):
        begin, end = int(postings.starts[done]), int(postings.starts[term])
        tamed = _tamed(corpus, postings.rows[begin:end], postings.counts[begin:end])
        np.multiply(tamed, np.repeat(worths[done:term], sizes[done:term]), out=gains[begin:end])
        if term < len(sizes):
            last = int(postings.starts[term + 1])
            np.multiply(_kept(corpus, postings, term), worths[term], out=gains[end:last])
        done = term + 1
    return gains


def _kept(corpus: Corpus, postings: Postings, term: int) -> Array:
    """``_tamed`` of a frequent term, which is asked for again and again, remembered with the slice."""
    number = int(postings.numbers[0][term])
    found = corpus.kept.get(number)
    if found is None:
        part = slice(*postings.starts[term : term + 2].tolist())
        found = _tamed(corpus, postings.rows[part], postings.counts[part])
        corpus.keep(number, found)
    return found


def _tamed(corpus: Corpus, rows: Array, units: Array) -> Array:
    """What a count says, the length of its row considered: ``gain`` without the worth."""
    import numpy as np

    counts = units / _UNIT
    tamed: Array = counts * (K1 + 1)
    tamed /= counts + corpus.dampening(K1, B)[rows]
    tamed += DELTA * np.minimum(1.0, counts)
    return tamed


def _factors(corpus: Corpus, postings: Postings, rarity: Array, rows: Array) -> Array:
    """The factor of each row for the shares of its name and description. ``rows`` ascend."""
    import numpy as np

    here = postings.within(rows)
    place = np.searchsorted(rows, postings.rows[here])
    marks = postings.marks[here]
    gained = np.repeat(rarity, postings.sizes)[here]
    factors = np.ones(rows.size)
    for group, (field, weight) in enumerate(COVERED.items()):
        chosen = np.flatnonzero(marks & field.mark)
        covered = np.bincount(place[chosen], gained[chosen], rows.size)
        some = np.flatnonzero(covered > 0)
        factors[some] += weight * np.minimum(1.0, covered[some] / corpus.totals(rows[some], group))
    return factors
