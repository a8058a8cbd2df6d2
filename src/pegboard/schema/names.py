"""The nearest name, for suggestions. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from itertools import islice
from typing import Final

_WORDS: Final = re.compile(r"[A-Z]?[a-z0-9]+|[A-Z]+|[^\W_]+")
_LONGEST: Final = 64
_MANY: Final = 200
"""Names that are compared letter by letter: of more, those with the same first letter, and at most so many."""

_CUTOFF: Final = 0.6
"""difflib's own default: below it, suggestions are noise."""


def nearest(name: str, names: Iterable[str]) -> str | None:
    """The one of ``names`` that ``name`` was most likely meant to be; None when none comes near.

    Tried in turn: the same letters in another spelling (``maxDepth``, ``max_depth``), few letters differ (``quary``,
    ``query``), one's words are among the other's (``id``, ``customer_id``). ``name`` itself is never the answer.
    """
    from difflib import get_close_matches

    folded: dict[str, str] = {}
    for other in names:
        if other != name:
            folded.setdefault(_folded(other), other)
    wanted = _folded(name[:_LONGEST])
    if wanted in folded:
        return folded[wanted]
    likely = folded if len(folded) <= _MANY else dict(islice(_alike(wanted, folded), _MANY))
    close = get_close_matches(wanted, likely, n=1, cutoff=_CUTOFF)
    return folded[close[0]] if close else _sharing_words(name[:_LONGEST], likely.values())


def _alike(wanted: str, folded: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    return ((key, name) for key, name in folded.items() if key[:1] == wanted[:1])


def _folded(name: str) -> str:
    return "".join(char for char in name.casefold() if char.isalnum())


def _sharing_words(name: str, names: Iterable[str]) -> str | None:
    words = _words(name)
    inside = [other for other in names if words and (others := _words(other)) and (words <= others or others <= words)]
    return min(inside, key=lambda other: (len(_words(other) ^ words), other), default=None)


def _words(name: str) -> frozenset[str]:
    return frozenset(word.casefold() for word in _WORDS.findall(name))
