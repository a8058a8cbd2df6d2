"""The words of an ask that may be learned: what says what was needed, and nothing that may be a secret. Pure.

Learned words are kept for weeks and read by others. So nothing is taken of what is quoted, has a digit, or is an
address, a path or a name in one piece with odd letters: keys, passwords, numbers and addresses look like that. What is
left are words of some language, as stems, without order.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import Final

from pegboard.search.text import ASKING_WORDS, LIGHT_WORDS, Word, pieces, stem, words
from pegboard.texts import is_encodable

TERMS: Final = 32
"""Terms of one ask that are learned at most: what is longer is mostly something pasted."""
LONGEST: Final = 24
"""Letters of a word that is learned at most: longer ones are keys more often than words."""
LONGEST_CAPITALS: Final = 12
"""The same for a word in capitals."""

_QUOTED: Final = re.compile(
    r"""(?<!\w)'[^'\n]*'(?!\w)|"[^"\n]*"|`[^`\n]*`|\u201c[^\u201d\n]*\u201d|\u2018[^\u2019\n]*\u2019(?!\w)|\u300c[^\u300d\n]*\u300d"""
)
_AROUND: Final = "\"'`\u201c\u201d\u2018\u2019()[]{}<>.,;:!?*\u2026\u3002\u3001\uff0c\uff1b\uff1f\uff01-_"
_LETTERS: Final = re.compile(r"[^\W\d_]+(?:[-/'\u2019][^\W\d_]+)*")
_SAY_LITTLE: Final = ASKING_WORDS | LIGHT_WORDS
_JOINTS: Final = re.compile(r"[-/'\u2019]")
_VOWELS: Final = frozenset("aeiouy")
_SHORT: Final = 5
"""Letters up to which a word needs no vowel: "html" is one, "xkcdqzw" is not."""


@lru_cache(maxsize=16)
def lessons_of(ask: str) -> tuple[str, ...]:
    """The terms of an ask that may be learned, in its order, each once, at most ``TERMS``."""
    # The ranking of a search asks for them, and so does the board that it was made on.
    found: dict[str, None] = {}
    for piece in pieces(_QUOTED.sub(" ", ask)):
        found |= dict.fromkeys(_terms(piece.strip(_AROUND)))
    return tuple(found)[:TERMS]


def _terms(piece: str) -> Iterator[str]:
    """The terms of a piece that may be learned."""
    if piece.isascii() and piece.isalpha():  # as nearly all are: the rules would find the same, in twice the time
        folded = piece.lower()
        if folded not in _SAY_LITTLE and _is_word(piece) and len(term := stem(folded)) > 1:
            yield term
    elif _LETTERS.fullmatch(piece) and all(map(_is_word, _JOINTS.split(piece))):
        for word in words(piece):
            if not (word.asks or _is_light(word)):
                yield from (part for part in word.parts if len(part) > 1 and is_encodable(part))


def _is_light(word: Word) -> bool:
    return word.text.casefold() in LIGHT_WORDS


def _is_word(text: str) -> bool:
    """Whether some letters are a word, as people write one."""
    if not (text[1:].islower() or text.isupper() or text[1:].lower() == text[1:].upper()):
        return False
    if len(text) > (LONGEST_CAPITALS if text.isupper() and text.isascii() else LONGEST):
        return False
    return not text.isascii() or len(text) <= _SHORT or not _VOWELS.isdisjoint(text.lower())
