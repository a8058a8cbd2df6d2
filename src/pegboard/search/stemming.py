"""English stems: the Snowball project's English algorithm (Porter's second), as tables and a short interpreter.

The same words as its own programs give, at a tenth of the time that its Python one takes: building an index is mostly
the stemming of new words. Region 1 of a word begins after the first consonant that follows a vowel, region 2 after the
next such one within region 1. A ``y`` at the beginning or after a vowel is a consonant, written ``Y`` meanwhile.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Final

_VOWELS: Final = "aeiouy"
_NO_SHORT_END: Final = "aeiouywxY"
_LI_ENDS: Final = "cdeghkmnrt"
_VOWEL: Final = re.compile("[aeiouy]")
_CONSONANT_Y: Final = re.compile("([aeiouy])y")
# What stands before region 1: one of these beginnings, whatever their letters say, or as far as the first consonant
# that follows a vowel. Then what stands between regions 1 and 2.
_REGIONS: Final = re.compile(
    "(arsen|commun|emerg|gener|inter|later|organ|past|univers|[^aeiouy]*[aeiouy]+[^aeiouy])"
    "([^aeiouy]*[aeiouy]+[^aeiouy])?"
)


def _table(told: str) -> dict[str, str]:
    """``one=other`` as one to other; ``one`` alone as one to nothing."""
    return {one: other for one, _, other in (pair.partition("=") for pair in told.split())}


Endings = Mapping[str, Sequence[tuple[str, str]]]
"""(ending, what takes its place), the longest first, by the last two letters."""


def _endings(told: str) -> Endings:
    found: dict[str, list[tuple[str, str]]] = {}
    for ending, other in sorted(_table(told).items(), key=lambda pair: -len(pair[0])):
        found.setdefault(ending[-2:], []).append((ending, other))
    return found


_SPECIAL: Final[Mapping[str, str]] = _table("""
    andes=andes atlas=atlas bias=bias cosmos=cosmos early=earli gently=gentl howe=howe idly=idl news=news only=onli
    singly=singl skies=sky skis=ski sky=sky ugly=ugli
    """)
_KEEP_EED: Final = frozenset({"succ", "proc", "exc"})
_KEEP_ING: Final = frozenset({"even", "cann", "inn", "earr", "herr", "out"})
_PAST: Final = ("eedly", "ingly", "edly", "eed", "ing", "ed")
_ADD_E: Final = ("at", "bl", "iz")
_DOUBLES: Final = frozenset({"bb", "dd", "ff", "gg", "mm", "nn", "pp", "rr", "tt"})

# Endings in region 1 and what takes their place.
_SECOND: Final[Endings] = _endings("""
    tional=tion enci=ence anci=ance abli=able entli=ent izer=ize ization=ize ational=ate ation=ate ator=ate alism=al
    aliti=al alli=al fulness=ful fulli=ful ousli=ous ousness=ous iveness=ive iviti=ive biliti=ble bli=ble ogist=og
    ogi=og lessli=less li
    """)
_THIRD: Final[Endings] = _endings("""
    tional=tion ational=ate alize=al icate=ic iciti=ic ical=ic ful ness ative
    """)
# Endings that fall off in region 2.
_FOURTH: Final[Endings] = _endings("""
    al ance ence er ic able ible ant ement ment ent ism ate iti ous ive ize ion
    """)
_ANY_ENDING: Final = frozenset((*_SECOND, *_THIRD, *_FOURTH, "ed", "ng", "ly", "ll"))
"""The last two letters of all endings but ``s``, ``e`` and ``y``."""


def english_stem(word: str) -> str:
    """The stem of a word of the letters ``a-z``."""
    if word in _SPECIAL:
        return _SPECIAL[word]
    if len(word) < 3:
        return word
    if "y" in word:
        word = _CONSONANT_Y.sub(r"\1Y", "Y" + word[1:] if word[0] == "y" else word)
    singular = _without_s(word)
    if singular[-1] not in "eyY" and singular[-2:] not in _ANY_ENDING:
        return singular.replace("Y", "y")
    first, second = _regions(word)
    word = _without_y(_without_ed(singular, first))
    for endings, start in ((_SECOND, first), (_THIRD, first), (_FOURTH, second)):
        if word[-2:] in endings:
            word = _replaced(word, endings, start, second)
    return _without_e(word, first, second).replace("Y", "y")


def _regions(word: str) -> tuple[int, int]:
    """Where regions 1 and 2 begin; at the end where they are empty."""
    found = _REGIONS.match(word)
    if found is None:
        return len(word), len(word)
    return found.end(1), found.end(2) if found[2] else len(word)


def _without_s(word: str) -> str:
    if word[-1] == "s":
        if word.endswith("sses"):
            return word[:-2]
        if word.endswith("ies"):
            return word[:-2] if len(word) > 4 else word[:-1]
        return word if word[-2] in "us" or not _VOWEL.search(word, 0, len(word) - 2) else word[:-1]
    if word.endswith("ied"):
        return word[:-2] if len(word) > 4 else word[:-1]
    return word


def _without_ed(word: str, first: int) -> str:
    if not word.endswith(_PAST):
        return word
    ending = next(one for one in _PAST if word.endswith(one))
    before = word[: len(word) - len(ending)]
    if ending in ("eed", "eedly"):
        return before + "ee" if len(before) >= first and before not in _KEEP_EED else word
    if ending == "ing":
        if before in _KEEP_ING:
            return word
        if len(before) == 2 and before[1] == "y" and before[0] not in _VOWELS:
            return before[0] + "ie"
    return _mended(before, first) if _VOWEL.search(before) else word


def _mended(word: str, first: int) -> str:
    """What is left of a word without its ``ed`` or ``ing``."""
    if word.endswith(_ADD_E):
        return word + "e"
    if word[-2:] in _DOUBLES:
        return word if len(word) == 3 and word[0] in "aeo" else word[:-1]
    return word + "e" if len(word) == first and _short_end(word) else word


def _short_end(word: str) -> bool:
    """Whether a word ends in a short syllable."""
    if len(word) == 2:
        return word[0] in _VOWELS and word[1] not in _VOWELS
    if len(word) > 2 and word[-1] not in _NO_SHORT_END and word[-2] in _VOWELS and word[-3] not in _VOWELS:
        return True
    return word.endswith("past")


def _without_y(word: str) -> str:
    return word[:-1] + "i" if len(word) > 2 and word[-1] in "yY" and word[-2] not in _VOWELS else word


def _replaced(word: str, endings: Endings, start: int, second: int) -> str:
    """``word`` with the longest of ``endings`` that it has replaced, if that begins at ``start`` or later."""
    for ending, other in endings[word[-2:]]:
        if word.endswith(ending):
            before = word[: -len(ending)]
            return before + other if len(before) >= start and _fits(before, ending, second) else word
    return word


def _fits(before: str, ending: str, second: int) -> bool:
    """Whether an ending may go after what stands before it."""
    if ending == "li":
        return before[-1:] in _LI_ENDS and bool(before)
    if ending == "ogi":
        return before[-1:] == "l"
    if ending == "ion":
        return before[-1:] in ("s", "t")
    return ending != "ative" or len(before) >= second


def _without_e(word: str, first: int, second: int) -> str:
    before = word[:-1]
    if word[-1] == "e":
        return before if len(before) >= second or (len(before) >= first and not _short_end(before)) else word
    return before if word[-1] == "l" and len(before) >= second and before[-1:] == "l" else word
