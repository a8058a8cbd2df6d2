"""The parts of the default ranker's scores. The formula is that of ``pegboard.search.lexical``, for one entry."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import Final, NamedTuple

from pegboard.search.asked import Asked
from pegboard.search.candidates import Candidates
from pegboard.search.corpus import Corpus
from pegboard.search.counts import idf
from pegboard.search.fields import FIELDS, SOURCE, Field, texts
from pegboard.search.lexical import (
    CLAUSE,
    COVERED,
    DELTA,
    K1,
    SCHEME,
    SOURCE_NAMED,
    WHOLE_NAME,
    B,
    LookedUp,
    looked_up,
)
from pegboard.search.shares import AskedWord, Part, Reading, Shares, TermShare
from pegboard.search.text import Word, content_words, words
from pegboard.tools import Entry

_BEST_CLAUSE: Final = "best clause"


def reading(candidates: Candidates, ask: str, names: Collection[str]) -> Reading:
    """How an ask is read, and the shares of the entries of these names."""
    corpus = candidates.corpus(SCHEME)
    found = looked_up(corpus, ask)
    entries = map(candidates.entry, candidates.places_of(names))
    shares = {entry.name: _shares(corpus, found, entry) for entry in entries}
    told = {name: one for name, one in shares.items() if one.terms}
    return Reading(words=tuple(_asked_words(corpus, ask, found.asked)), shares=told)


def _asked_words(corpus: Corpus, ask: str, found: Asked) -> Iterator[AskedWord]:
    """The words of an ask as they are looked for in an index, each once."""
    counting = {word.text.casefold() for word in content_words(ask)}
    asked: dict[str, Word] = {}
    for word in words(ask):
        asked.setdefault(word.text.casefold(), word)
    for folded, word in asked.items():
        entries = len(corpus.rows_with(word.terms))
        others = () if entries else tuple(_standing_for(word, found))
        yield AskedWord(text=word.text, terms=word.terms, entries=entries, counts=folded in counting, read_as=others)


def _standing_for(word: Word, asked: Asked) -> Iterator[str]:
    """The terms that stand for one of a word's."""
    return (other for other, ones in asked.stands_for.items() if not set(word.terms).isdisjoint(ones))


class _FieldTerms(NamedTuple):
    """The terms of one field of an entry: those of its words, and those of compound names in one piece. Immutable."""

    parts: Counter[str]
    wholes: Counter[str]


def _field_terms(entry: Entry) -> dict[Field, _FieldTerms]:
    """The terms of each field of an entry."""
    found: dict[Field, _FieldTerms] = {}
    for field, text in texts(entry).items():
        said = words(text)
        parts = Counter(term for word in said for term in word.parts)
        found[field] = _FieldTerms(parts, Counter(term for word in said for term in word.wholes))
    return found


def _shares(corpus: Corpus, found: LookedUp, entry: Entry) -> Shares:
    fields = _field_terms(entry)
    asked, worths = found.asked, dict(zip(found.asked.weights, found.worths, strict=True))
    gains = {term: _gain(corpus, fields, term, worths[term]) for term in asked.weights}
    terms = tuple(_term_shares(corpus, fields, gains, asked))
    sums = [sum(gains[term] for term in need) for need in asked.needs]
    best = max(range(len(sums)), key=sums.__getitem__, default=0)
    parts = [Part(name=field.word, points=_sum(field, terms)) for field in FIELDS if _sum(field, terms)]
    if terms:
        about = " ".join(term for term in asked.needs[best] if gains[term])
        parts.append(Part(name=_BEST_CLAUSE, points=CLAUSE * sums[best], about=about))
        own, points = list(asked.weights)[: asked.own], sum(part.points for part in parts)
        parts += _coverage(corpus, fields, own, points)
        parts += _of_source(fields[SOURCE], found.naming, points)
    return Shares(parts=tuple(parts), terms=terms)


def _gain(corpus: Corpus, fields: dict[Field, _FieldTerms], term: str, worth: float) -> float:
    count = sum(_weighted(field, terms, term) for field, terms in fields.items())
    if not count:
        return 0.0
    length = sum(field.weight * terms.parts.total() for field, terms in fields.items())
    dampening = K1 * (1 - B + B * length / corpus.average_length())
    return worth * (count * (K1 + 1) / (count + dampening) + DELTA * min(1, count))


def _term_shares(
    corpus: Corpus, fields: dict[Field, _FieldTerms], gains: dict[str, float], asked: Asked
) -> Iterator[TermShare]:
    """Each term's gain, parted among the fields as they weigh in its count."""
    for term, gain in gains.items():
        weights = {field: _weighted(field, terms, term) for field, terms in fields.items()}
        for field, weight in weights.items():
            if weight:
                yield TermShare(
                    term=term,
                    field=field.word,
                    count=fields[field].parts[term] + fields[field].wholes[term],
                    idf=_idf(corpus, term),
                    points=gain * weight / sum(weights.values()),
                    stands_for=tuple(asked.stands_for.get(term, ())),
                )


def _coverage(
    corpus: Corpus, fields: dict[Field, _FieldTerms], asked: Iterable[str], words_points: float
) -> Iterator[Part]:
    """What the covered shares of name and description add."""
    wanted = set(asked)
    for field, weight in COVERED.items():
        parts = fields[field].parts.keys()
        # A whole name that is asked for covers the parts that it has in common with the ask, as in the ranking.
        covered = wanted & (parts | fields[field].wholes.keys())
        if covered:
            total = sum(_idf(corpus, term) for term in parts)
            share = min(1.0, sum(_idf(corpus, term) for term in covered) / total)
            yield Part(name=f"{field.word} covered", points=words_points * weight * share, about=f"{share:.0%}")


def _of_source(source: _FieldTerms, naming: Mapping[str, float], words_points: float) -> Iterator[Part]:
    """What it adds that the ask names the source."""
    named = {term: share for term, share in naming.items() if term in source.parts or term in source.wholes}
    if named:
        points = words_points * SOURCE_NAMED * min(1.0, sum(named.values()))
        yield Part(name="source named", points=points, about=" ".join(named))


def _sum(field: Field, terms: Iterable[TermShare]) -> float:
    return sum(term.points for term in terms if term.field == field.word)


def _weighted(field: Field, terms: _FieldTerms, term: str) -> float:
    return field.weight * (terms.parts[term] + WHOLE_NAME * terms.wholes[term])


def _idf(corpus: Corpus, term: str) -> float:
    frequency = corpus.frequency(term)
    return idf(corpus.size, frequency) if frequency else 0.0
