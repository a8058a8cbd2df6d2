"""The default ranking: weighted fields under one BM25+, the share of name and description that an ask covers, clauses.

For a term t of the ask and an entry e, with c the occurrences of t in e's fields, each times its field's weight:

    worth(t)    = weight(t) * idf(t) * (1 + NAMED * the share of t's entries that have it in their names)
    gain(t, e)  = worth(t) * (c * (K1 + 1) / (c + K1 * (1 - B + B * length / average)) + DELTA * min(1, c))
    words(e)    = sum of gain over all terms + CLAUSE * the best clause's sum
    score(e)    = words(e) * (1 + NAME_SHARE * share of e's name + DESCRIPTION_SHARE * share of e's description
                              + SOURCE_NAMED * how far the ask names e's source)

where a share is the idf of the terms that the ask has, over the idf of them all. A term names a source as far as the
entries that have it are those of sources with this name, and others are not: "jira" does in nearly all of them, "time"
in hardly any. ``pegboard.search.asked`` says which terms an ask has, and their weights; a term that stands for others
of the ask has an idf of at most theirs. Where the constants come from is told in docs/search.md;
``benchmarks/retrieval.py`` measures them.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import TYPE_CHECKING, Final, NamedTuple

from pegboard.search.asked import Asked, StandIns, said, shares_of, stand_ins
from pegboard.search.candidates import Candidates
from pegboard.search.fields import DESCRIPTION, FIELDS, NAME, SOURCE, field_texts
from pegboard.search.scheme import IndexedField, Scheme, Terms
from pegboard.search.spelling import meant
from pegboard.search.text import content_words, pieces, plain_word, stem, words
from pegboard.tools import Entry

if TYPE_CHECKING:
    from pegboard.search.corpus import Corpus, Term

K1: Final = 1.2
B: Final = 0.5
DELTA: Final = 0.3
CLAUSE: Final = 0.5
NAME_SHARE: Final = 0.6
DESCRIPTION_SHARE: Final = 0.8
SOURCE_NAMED: Final = 0.5
"""What more a score counts where the ask names the source: of tools that fit, those of the product that is meant."""
NAMED: Final = 1 / 3
"""What a term is worth more where it stands in names alone: those say what tools do, descriptions whatever else."""
WHOLE_NAME: Final = 0.5
"""What a name in one piece (``createissue``) counts beside its parts."""

_MOST_RELATED: Final = 1024
"""Entries of a term from which on it is not looked for in place of another: so common a word tells little, and adding
up where it stands takes time."""

_STAND_INS_KEPT: Final = 4096
"""Terms of which a slice remembers what may stand for them."""

COVERED: Final = {NAME: NAME_SHARE, DESCRIPTION: DESCRIPTION_SHARE}
"""The fields of which the share that an ask covers counts, and how much."""

_GROUPS: Final = (*COVERED, SOURCE)
"""The fields of which it is known how many entries have a term there."""
_NAME_GROUP: Final = _GROUPS.index(NAME)
_SOURCE_GROUP: Final = _GROUPS.index(SOURCE)

_REASONS: Final = [
    "matched: " + ", ".join(field.word for field in FIELDS if marks & field.mark) for marks in range(1 << len(FIELDS))
]

UNIT: Final = 20
"""Units of a count of 1: the weight of every field, and half of it, is a whole number of them."""


def _units(weight: float) -> int:
    return round(weight * UNIT)


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
            group=_GROUPS.index(field) if field in _GROUPS else None,
        )
        for field in FIELDS
    ),
    texts=field_texts,
    pieces=pieces,
    read=_read,
    unit=UNIT,
)
"""All searched fields together, with the parts of those whose covered share counts kept by entry."""


class LookedUp(NamedTuple):
    """An ask in an index: what the index has of each of its terms, and ``worth(t)`` of each.

    ``naming`` says of those that name a source how far they do, 0 to 1. Immutable; lives as long as one search.
    """

    asked: Asked
    terms: Sequence[Term]
    worths: Sequence[float]
    naming: Mapping[str, float]


def looked_up(corpus: Corpus, ask: str) -> LookedUp:
    """An ask in an index, with those of the related terms that tell something, and what unknown words may mean."""
    from pegboard.search.counts import idf

    asked = said(ask)
    own = zip(asked.weights, corpus.known(asked.weights, _NAME_GROUP), strict=True)
    unknown = [term for term, one in own if not one.frequency]
    compounds = {term for term in unknown if term not in asked.words}
    naming = _naming(corpus, asked.weights)
    asked = asked.joined_by(shares_of(asked, _telling(corpus, asked.weights))).without(compounds)
    strange = [term for term in unknown if term not in compounds]
    if strange:
        found = meant(corpus, strange)
        asked = asked.joined_by((term, _tells(corpus, [other]), share) for term, other, share in found)
    terms = corpus.known(asked.weights, _NAME_GROUP)
    told = dict(zip(asked.weights, terms, strict=True))
    rarest = idf(corpus.size, 0)
    worths = []
    for (term, weight), one in zip(asked.weights.items(), terms, strict=True):
        rarity = one.rarity
        if others := asked.stands_for.get(term):
            # A rare word for what the ask says in a common one is no rarer need.
            rarity = min(rarity, max([told[other].rarity or rarest for other in others]))
        worths.append(weight * rarity * (1 + NAMED * (one.in_group / one.frequency if one.frequency else 0.0)))
    return LookedUp(asked, terms, worths, naming)


def _naming(corpus: Corpus, terms: Collection[str]) -> Mapping[str, float]:
    """How far each term names a source, of those that do: its share in their entries, less where most are of it."""
    found = zip(terms, corpus.known(terms, _SOURCE_GROUP), strict=True)
    return {
        term: one.in_group / one.frequency * (1 - one.in_group / corpus.size)
        for term, one in found
        if 0 < one.in_group < corpus.size
    }


def _telling(corpus: Corpus, terms: Collection[str]) -> Mapping[str, StandIns]:
    """What may stand for some terms and tells something, remembered: most of what may is in no entry."""
    known = corpus.stand_ins
    new = [term for term in terms if term not in known]
    if new:
        if len(known) > _STAND_INS_KEPT:
            known = corpus.stand_ins = {term: known[term] for term in terms if term in known}
        known.update((term, StandIns(*(_tells(corpus, others) for others in stand_ins(term)))) for term in new)
    return known


def _tells(corpus: Corpus, others: Sequence[str]) -> list[str]:
    """Those of some terms that tell something in place of another: some entries have them, and not too many."""
    known = zip(others, corpus.known(others, _NAME_GROUP), strict=True)
    return [other for other, one in known if 0 < one.frequency <= _MOST_RELATED]


def possible(asked: Asked, size: int) -> float:
    """What the words of an ask would be worth among so many entries, if all were the rarest."""
    from pegboard.search.counts import idf

    return sum(weight for term, weight in asked.weights.items() if term in asked.words) * idf(size, 0)


def reason(marks: int) -> str:
    """``matched: name, tags``: the fields whose bits are set."""
    return _REASONS[marks]


def unmatched_terms(query: str, candidates: Sequence[Entry]) -> tuple[str, ...]:
    """The content words of ``query`` that match nothing among ``candidates``, as written, in order, each once.

    Words of asking are none, though they are looked for where the query has no others.
    """
    corpus = Candidates.of(candidates).corpus(SCHEME)
    asked = [word for word in content_words(query) if not word.asks]
    terms = list(dict.fromkeys(term for word in asked for term in word.terms))
    known = {term for term, size in zip(terms, corpus.frequencies(corpus.postings(terms)), strict=True) if size}
    unknown: dict[str, str] = {}
    for one in asked:
        if known.isdisjoint(one.terms):
            unknown.setdefault(one.text.casefold(), one.text)
    return tuple(unknown.values())
