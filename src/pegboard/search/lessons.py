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

_OPENING: Final = re.compile(r"""(?<!\w)'|["`\u201c\u2018\u300c]""")
_CLOSING: Final = {"\u201c": "\u201d", "\u2018": "\u2019", "\u300c": "\u300d"}
"""What ends a quotation that begins with a mark; all other marks end their own."""
_ENDS: Final = {mark: re.compile(mark + r"(?!\w)") for mark in "'\u2019"} | {
    mark: re.compile(mark) for mark in '"`\u201d\u300d\n'
}
"""Where marks end a quotation. Apostrophes stand within words too: before a letter they end nothing."""
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
    for piece in pieces(_unquoted(ask)):
        found |= dict.fromkeys(_terms(piece.strip(_AROUND)))
    return tuple(found)[:TERMS]


def _unquoted(ask: str) -> str:
    """An ask with a space for each part of a line that is quoted."""
    known: dict[str, int] = {}

    def following(mark: str, start: int) -> int:
        """Where a mark next ends something. Looked for once: openings without an end would all be read to the last."""
        if known.get(mark, -1) < start:
            found = _ENDS[mark].search(ask, start)
            known[mark] = found.start() if found else len(ask)
        return known[mark]

    kept, done, start = [], 0, 0
    while opening := _OPENING.search(ask, start):
        start = opening.end()
        end = following(_CLOSING.get(opening[0], opening[0]), start)
        if end < following("\n", start):
            kept.append(ask[done : opening.start()])
            done = start = end + 1
    return " ".join([*kept, ask[done:]])


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
