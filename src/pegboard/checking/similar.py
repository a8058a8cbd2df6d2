"""Texts that say nearly the same. Pure.

Two texts are alike when the sets of their words share at least LEAST of both. Only pairs are compared that share one of
their rare words: with fewer shared than the prefix of a set leaves out, they cannot be alike.
"""

from __future__ import annotations

import math
import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from typing import Final

LEAST: Final = 0.8
"""Share of the words of both texts that both have, from which they are alike. Of the descriptions of real skills, those
of different jobs that one template wrote share up to three quarters."""

FEWEST: Final = 4
"""Words that a text has at least: shorter ones are alike by chance."""

MOST_WORDS: Final = 400
_WORD: Final = re.compile(r"\w{1,60}")


def alike(texts: Sequence[str]) -> Iterator[tuple[int, int, float]]:
    """Pairs of texts that are alike, as positions (the earlier one first), and the share of words that both have."""
    sets = [frozenset(_WORD.findall(text.casefold())[:MOST_WORDS]) for text in texts]
    common = Counter(word for words in sets for word in words)
    holders: defaultdict[str, list[int]] = defaultdict(list)
    for position, words in enumerate(sets):
        if len(words) < FEWEST:
            continue
        rare = sorted(words, key=lambda word: (common[word], word))
        prefix = rare[: len(words) - math.ceil(LEAST * len(words)) + 1]
        for other in sorted({other for word in prefix for other in holders[word]}):
            share = len(words & sets[other]) / len(words | sets[other])
            if share >= LEAST:
                yield other, position, share
        for word in prefix:
            holders[word].append(position)
