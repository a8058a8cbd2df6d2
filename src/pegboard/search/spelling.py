"""Words of an ask that no tool has, read as what was meant: a slip of one letter, or two words in one piece.

An index has no list of its words, so every word that one slip leads to is looked up. That takes half a millisecond a
word, or one, and a few where it begins like a known one; names and numbers, which are what most unknown words are, are
seldom long and near a known one.
"""

from __future__ import annotations

import string
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import islice
from typing import TYPE_CHECKING, Final

from pegboard.search.alike import alike
from pegboard.search.asked import light_terms
from pegboard.search.related import related_terms
from pegboard.search.text import stem

if TYPE_CHECKING:
    from pegboard.search.arrays import Array
    from pegboard.search.corpus import Corpus

MEANT: Final = 0.8
"""What a term counts that an unknown word of the ask is taken for."""

_LEAST: Final = 5  # letters: shorter words are near too many others
_LEAST_OTHER: Final = 6  # letters of a word that may have another letter in a place: "bread" is no slip of "break"
_LONGEST: Final = 16
_PART: Final = 3  # letters of either of two words in one piece
_ROOT: Final = 4  # letters of a stem behind which an ending may have a slip
_ENDING: Final = 3  # letters of an ending that may have a slip: of less, "lionel" would be one of "lion" ("lioned")
_LONG: Final = "baba"  # before a word, it makes it long enough for every ending to fall off
_KEPT: Final = 4096  # words that a slice remembers the meaning of
_MOST: Final = 3  # words of an ask that are looked into, the first ones


def meant(corpus: Corpus, unknown: Iterable[str]) -> list[tuple[str, str, float]]:
    """(word, what it may stand for, ``MEANT``) of the words of an ask that no entry has; none where nothing is near."""
    words = islice(filter(_may_be_wrong, unknown), _MOST)
    return [(word, other, MEANT) for word in words for other in _remembered(corpus, word)]


def _remembered(corpus: Corpus, word: str) -> Sequence[str]:
    """``_meant``, which is found out once: people ask for the same names again and again."""
    meanings = corpus.meanings
    found = meanings.get(word)
    if found is None:
        if len(meanings) >= _KEPT:
            meanings.clear()
        found = meanings[word] = _meant(corpus, word)
    return found


def _may_be_wrong(term: str) -> bool:
    """Whether a term is long enough to tell, and no everyday word: that one no tool has it is no sign of a slip."""
    if not (_LEAST <= len(term) <= _LONGEST and term.isascii() and term.isalpha()):
        return False
    return term not in related_terms() and term not in light_terms() and term not in alike()


def _meant(corpus: Corpus, word: str) -> Sequence[str]:
    """The two words that ``word`` is made of, else the one that most entries have of those that it is a slip of."""
    pairs = [(stem(word[:cut]), word[cut:]) for cut in range(_PART, len(word) - _PART + 1)]
    known = _known(corpus, [part for pair in pairs for part in pair])
    both = [pair for pair in pairs if known.keys() >= set(pair)]
    if both:
        return max(both, key=lambda pair: min(known[part] for part in pair))
    near = _known_slips(corpus, word)
    return [max(near, key=lambda other: (near[other], other))] if near else []


def _known(corpus: Corpus, terms: Sequence[str]) -> dict[str, int]:
    """How many entries have each of the terms that some have."""
    found = zip(terms, corpus.counts.of(corpus.numbers(terms)), strict=True)
    return {term: entries for term, entries in found if entries}


def _known_slips(corpus: Corpus, word: str) -> Mapping[str, int]:
    import numpy as np

    terms, digests = _looked_for(word)
    base, tail = corpus.index.base.numbers(digests), corpus.index.tail.numbers(digests)
    known = _known(corpus, [terms[place] for place in np.flatnonzero((base >= 0) | (tail >= 0)).tolist()])
    if not known:
        return known
    others = set(slips(word))
    near = known.keys() & others or {term for term in known if _is_stem_of_one(term, others)}
    return {term: known[term] for term in near}


@lru_cache(maxsize=256)
def _looked_for(word: str) -> tuple[list[str], Array]:
    """What one slip may have made ``word`` of, and more; and what an index knows it by."""
    from pegboard.search.digests import digests_of

    terms = list(dict.fromkeys((*slips(word), *_stems(word))))
    digests = digests_of(terms)
    order = digests.argsort()  # looked up in order, they are near one another
    return [terms[place] for place in order.tolist()], digests[order]


def _stems(word: str) -> Iterator[str]:
    """What may be the stem of a word that ``word``, which has an ending of its own, is a slip of.

    To stem whatever one slip leads to would take milliseconds.
    """
    root = stem(_LONG + word).removeprefix(_LONG)
    if root != word and word.startswith(root):
        yield from slips(root)
    for end in range(_ROOT, len(word) - _ENDING + 1):
        yield word[:end]
        yield word[:end] + "e"


def _is_stem_of_one(stemmed: str, words: Iterable[str]) -> bool:
    """Whether one of some words has this stem."""
    root = stemmed.removesuffix("e")
    return any(word.startswith(root) and stem(word) == stemmed for word in words)


def slips(word: str) -> Iterator[str]:
    """``word`` with a letter behind the first more, less or another, or with two side by side the other way round.

    Another letter in longer words alone: too many short ones are a word again.
    """
    for place in range(1, len(word) + 1):
        before, after = word[:place], word[place:]
        yield from (before + letter + after for letter in string.ascii_lowercase)
        if after:
            yield before + after[1:]
            yield before[:-1] + after[0] + before[-1] + after[1:]
        if after and len(word) >= _LEAST_OTHER:
            yield from (before + letter + after[1:] for letter in string.ascii_lowercase if letter != after[0])
