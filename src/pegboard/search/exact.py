"""A search: names that stand in the query come first, whatever the ranker says."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

from pegboard.search.candidates import Candidates
from pegboard.search.rankers import Ranker
from pegboard.search.ranking import Ranked, Ranking
from pegboard.search.text import content_words, terms
from pegboard.tools import Entry

REASON: Final = "exact name"

# The second begins where a run does: tried again from within, a long run takes time that grows with its square.
_NAMES: Final = (re.compile(r"[A-Za-z0-9_-]+"), re.compile(r"(?<![\w-])[\w-]++(?:[./:]++[\w-]++)+"))
_CHUNK: Final = re.compile(r"\S+")
_QUOTES: Final = "\"'`\u201c\u201d\u2018\u2019\u300c\u300d"
_AROUND: Final = _QUOTES + "()[]{}<>.,;:!?*"  # what people write around a name


class _Place(NamedTuple):
    """A piece of a query that may be a name. ``quoted`` says that quotation marks stand around it. Immutable."""

    start: int
    text: str
    quoted: bool


def search(query: str, ranker: Ranker, candidates: Candidates) -> Sequence[Ranked]:
    """What a caller who may see ``candidates`` finds: the ranker's order behind the names that stand in the query.

    A blank query finds nothing, whatever the ranker says.
    """
    return exact_first(query, ranker.rank(query, candidates), candidates) if query.strip() else []


def exact_first(query: str, ranked: Sequence[Ranked], candidates: Sequence[Entry]) -> Sequence[Ranked]:
    """``ranked`` with every candidate put first whose name, or bare name, stands in ``query``.

    They come in the order in which the query has them, those of one name in the order of the names, with the reason
    ``"exact name"`` and the score that the ranker gave them (0 for none). Case matters. A name that is a plain word
    (``search``, ``Help``) may stand in any sentence and mean nothing: it counts where it is quoted, or where the query
    holds nothing but names and asking words.
    """
    pool = Candidates.of(candidates)
    named = _named(query, pool)
    if not named:
        return ranked
    if isinstance(ranked, Ranking) and ranked.pool is pool:
        return ranked.led_by(named, REASON)
    entries = list(map(pool.entry, named))
    scores = {id(one.entry): one.score for one in ranked}
    first = [Ranked(entry, scores.get(id(entry), 0.0), REASON) for entry in entries]
    taken = set(map(id, entries))
    return first + [one for one in ranked if id(one.entry) not in taken]


def _named(query: str, pool: Candidates) -> list[int]:
    """The places of the entries whose names are in ``query``, by where these begin, the longer first."""
    if not pool.named(_texts(query)):
        return []
    found = [_Place(0, query.strip(), quoted=True), *_places(query)]
    words = {word.text for word in content_words(query)}
    known = pool.named({place.text for place in found} | words)
    named = sorted((place for place in found if place.text in known), key=lambda place: (place.start, -len(place.text)))
    nothing_else = bool(named) and words <= known.keys()
    meant = (place.text for place in named if nothing_else or place.quoted or len(terms(place.text)) > 1)
    return list(dict.fromkeys(place for name in meant for place in _by_name(known[name], pool)))


def _texts(query: str) -> Iterator[str]:
    """The texts of all places: few asks hold a name, and where these stand takes longer to find."""
    yield query.strip()
    for pattern in _NAMES:
        yield from pattern.findall(query)
    yield from (chunk.strip(_AROUND) for chunk in query.split())


def _by_name(places: list[int], pool: Candidates) -> list[int]:
    return sorted(places, key=lambda place: (pool.entry(place).name, place))


def _places(query: str) -> Iterator[_Place]:
    """Runs of the characters of names, alone and joined; and what stands between blanks: bare names hold anything."""
    for match in (match for pattern in _NAMES for match in pattern.finditer(query)):
        start, end = match.span()
        quoted = start > 0 and end < len(query) and query[start - 1] in _QUOTES and query[end] in _QUOTES
        yield _Place(start, match.group(), quoted)
    for match in _CHUNK.finditer(query):
        chunk = match.group()
        yield _Place(match.start(), chunk.strip(_AROUND), chunk[0] in _QUOTES and chunk[-1] in _QUOTES)
