"""The default ranking: weighted fields under one BM25+, the share of name and description that an ask covers, clauses.

For a term t of the ask and an entry e, with c the occurrences of t in e's fields, each times its field's weight:

    gain(t, e)  = idf(t) * (c * (K1 + 1) / (c + K1 * (1 - B + B * length / average)) + DELTA * min(1, c))
    words(e)    = sum of gain over all terms + CLAUSE * the best clause's sum
    score(e)    = words(e) * (1 + NAME_SHARE * share of e's name + DESCRIPTION_SHARE * share of e's description)

where a share is the idf of the terms that the ask has, over the idf of them all. The constants were tuned together on
six public sets of needs and tools; ``benchmarks/retrieval.py`` measures them.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from itertools import chain
from typing import Final, NamedTuple

from pegboard.search.fields import DESCRIPTION, FIELDS, NAME, Field, texts
from pegboard.search.index import Candidates, Corpus, Document
from pegboard.search.okapi import idf
from pegboard.search.text import clauses, content_words, words
from pegboard.tools import Entry

K1: Final = 1.2
B: Final = 0.5
DELTA: Final = 0.3
CLAUSE: Final = 0.5
NAME_SHARE: Final = 0.6
DESCRIPTION_SHARE: Final = 0.3
WHOLE_NAME: Final = 0.5
"""What a name in one piece (``createissue``) counts beside its parts."""

COVERED: Final = {NAME: NAME_SHARE, DESCRIPTION: DESCRIPTION_SHARE}
"""The fields of which the share that an ask covers counts, and how much."""

_REASONS: Final = [
    "matched: " + ", ".join(field.word for field in FIELDS if marks & field.mark) for marks in range(1 << len(FIELDS))
]


class Score(NamedTuple):
    """What an ask found: row to score, and row to the bits of the fields that matched."""

    scores: dict[int, float]
    marks: dict[int, int]


def score(candidates: Candidates, ask: str) -> Score:
    """The rows that have a term of the ask."""
    corpus = corpus_of(candidates)
    weights = candidates.once("lexical", lambda: _Weights(corpus))
    needs = [_numbers(corpus, (term for word in clause for term in word.terms)) for clause in clauses(ask)]
    found = _Found()
    gains = {number: found.add(corpus, weights, number) for number in dict.fromkeys(chain.from_iterable(needs))}
    best = _best_clause(needs, gains) if len(needs) > 1 else found.words
    scores = {row: total + CLAUSE * best[row] for row, total in found.words.items()}
    for row, factor in found.factors(weights).items():
        scores[row] *= factor
    return Score(scores, found.marks)


def reason(marks: int) -> str:
    """``matched: name, tags``: the fields whose bits are set."""
    return _REASONS[marks]


def unmatched_terms(query: str, candidates: Sequence[Entry]) -> tuple[str, ...]:
    """The content words of ``query`` that match nothing among ``candidates``, as written, in order, each once."""
    corpus = corpus_of(Candidates.of(candidates))
    unknown: dict[str, str] = {}
    for word in content_words(query):
        if not _numbers(corpus, word.terms):
            unknown.setdefault(word.text.casefold(), word.text)
    return tuple(unknown.values())


def corpus_of(candidates: Candidates) -> Corpus:
    """The index over all searched fields, as the slice sees it."""
    return candidates.corpus("lexical", _document)


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


def _document(entry: Entry) -> Document:
    counts: dict[str, float] = {}
    marks: dict[str, int] = {}
    found = field_terms(entry)
    for field, (parts, wholes) in found.items():
        for terms, weight in ((parts, field.weight), (wholes, field.weight * WHOLE_NAME)):
            for term, times in terms.items():
                counts[term] = counts.get(term, 0.0) + weight * times
                marks[term] = marks.get(term, 0) | field.mark
    length = sum(field.weight * terms.parts.total() for field, terms in found.items())
    return Document(counts, length, marks, tuple(frozenset(found[field].parts) for field in COVERED))


class _Weights:
    """What scoring computes once a slice. Lives as long as the slice. Shares are computed row by row, when needed."""

    def __init__(self, corpus: Corpus) -> None:
        average = corpus.average_length
        self.idf = [idf(corpus.size, frequency) for frequency in corpus.frequencies]
        self.dampening = [K1 * (1 - B + B * length / average) for length in corpus.lengths]
        self._corpus = corpus
        self._totals: tuple[dict[int, float], ...] = tuple({} for _ in COVERED)

    def total(self, which: int, row: int) -> float:
        """The idf of all terms in one group of a row."""
        totals = self._totals[which]
        if row not in totals:
            totals[row] = sum(map(self.idf.__getitem__, self._corpus.group(row, which)))
        return totals[row]


class _Found:
    """What each row has of one ask. Lives as long as one search."""

    def __init__(self) -> None:
        self.words: dict[int, float] = defaultdict(float)
        self.marks: dict[int, int] = defaultdict(int)
        self.covered: tuple[dict[int, float], ...] = tuple(defaultdict(float) for _ in COVERED)

    def add(self, corpus: Corpus, weights: _Weights, number: int) -> list[tuple[int, float]]:
        """Count one term in; (row, gain) of every row that has it."""
        rarity, dampening = weights.idf[number], weights.dampening
        words, marks = self.words, self.marks
        in_name, in_description = self.covered
        gains = []
        for row, count, mark in corpus.postings(number):
            gain = rarity * (count * (K1 + 1) / (count + dampening[row]) + (DELTA if count >= 1 else DELTA * count))
            words[row] += gain
            marks[row] |= mark
            if mark & NAME.mark:
                in_name[row] += rarity
            if mark & DESCRIPTION.mark:
                in_description[row] += rarity
            gains.append((row, gain))
        return gains

    def factors(self, weights: _Weights) -> dict[int, float]:
        """Row to the factor for the shares of name and description, where it is not 1."""
        factors: dict[int, float] = defaultdict(lambda: 1.0)
        for which, (share, covered) in enumerate(zip(COVERED.values(), self.covered, strict=True)):
            for row, part in covered.items():
                factors[row] += share * min(1.0, part / weights.total(which, row))
        return factors


def _best_clause(needs: list[list[int]], gains: dict[int, list[tuple[int, float]]]) -> dict[int, float]:
    """Row to the sum of the clause that fits it best."""
    best: dict[int, float] = {}
    for need in needs:
        clause: dict[int, float] = defaultdict(float)
        for number in need:
            for row, gain in gains[number]:
                clause[row] += gain
        for row, total in clause.items():
            if total > best.get(row, 0.0):
                best[row] = total
    return best


def _numbers(corpus: Corpus, terms: Iterable[str]) -> list[int]:
    """The numbers of those terms that the slice knows, each once, in order."""
    numbers = (corpus.id(term) for term in dict.fromkeys(terms))
    return [number for number in numbers if number is not None]
