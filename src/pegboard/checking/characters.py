"""Characters that nobody sees, or that reorder what is seen: where they stand without need. Pure, linear.

Scripts and emoji need some of them: joiners between letters of Persian or Hindi and inside emoji, blanks without width
between words of Thai or Khmer, selectors behind emoji and ideographs, tag characters in three flags.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterator, Mapping
from typing import Final, NamedTuple

from pegboard.checking.scripts import is_rtl, script

RUN: Final = 4
"""Invisible characters in a row that no script and no emoji has."""

_ZWNJ, _ZWJ = "\u200c", "\u200d"
_BLANKS: Final = "\u200b\u2060\ufeff\u00ad\u180e"
_INVISIBLE: Final = (
    _BLANKS + "\u200c\u200d\u034f\u115f\u1160\u17b4\u17b5\u2061-\u2065\u206a-\u206f\u3164\uffa0\ufff0-\ufffb"
    "\U0001bca0-\U0001bca3\U0001d173-\U0001d17a"
)
_SELECTORS: Final = "\ufe00-\ufe0f\U000e0100-\U000e01ef\u180b-\u180d\u180f"
_TAGS: Final = "\U000e0000-\U000e00ff\U000e01f0-\U000e0fff"
_BIDI: Final = "\u202a-\u202e\u2066-\u2069"
_MARKS: Final = "\u061c\u200e\u200f"
_CONTROLS: Final = "\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f"

_ANY: Final = re.compile(f"[{_INVISIBLE}{_SELECTORS}{_MARKS}{_CONTROLS}]")
_BLACK_FLAG: Final = "\U0001f3f4"
_FLAG_TAGS: Final = re.compile("\U0001f3f4[\U000e0030-\U000e0039\U000e0061-\U000e007a]{3,6}\U000e007f")
_RUNS: Final = (
    ("hidden-tags", re.compile(f"[{_TAGS}]+")),
    ("hidden-selectors", re.compile(f"[{_SELECTORS}]{{2,}}")),
    ("hidden-run", re.compile(f"[{_INVISIBLE}{_SELECTORS}{_MARKS}]{{{RUN},}}")),
)
"""Characters in a row that are told as one, in this order."""

_SHOWN_FLAGS: Final = frozenset({"gbeng", "gbsct", "gbwls"})

_JOINED: Final = frozenset(
    [
        "ARABIC",
        "SYRIAC",
        "MONGOLIAN",
        "NKO",
        "MANDAIC",
        "PHAGS-PA",
        "ADLAM",
        "HANIFI",
        "DEVANAGARI",
        "BENGALI",
        "GURMUKHI",
        "GUJARATI",
        "ORIYA",
        "TAMIL",
        "TELUGU",
        "KANNADA",
        "MALAYALAM",
        "SINHALA",
        "KHMER",
        "MYANMAR",
        "TIBETAN",
        "THAI",
        "LAO",
        "BALINESE",
        "JAVANESE",
        "CHAKMA",
        "GRANTHA",
        "TIRHUTA",
    ]
)
"""Scripts whose letters joiners part or join, by the first word of their characters' names."""

_UNSPACED: Final = frozenset(
    ["THAI", "LAO", "KHMER", "MYANMAR", "TIBETAN", "JAVANESE", "BALINESE", "CJK", "HIRAGANA", "KATAKANA"]
)
"""Scripts in which a blank without width says where a line may break."""

_OPENERS: Final[Mapping[str, str]] = {
    "\u202a": "\u202c",
    "\u202b": "\u202c",
    "\u2066": "\u2069",
    "\u2067": "\u2069",
    "\u2068": "\u2069",
}
_OVERRIDES: Final = "\u202d\u202e"


class Found(NamedTuple):
    """A place in a text where a rule is broken. Immutable; belongs to one look at the text."""

    code: str
    at: int
    length: int

    @property
    def end(self) -> int:
        """Where the text goes on."""
        return self.at + self.length


def hidden(text: str) -> Iterator[Found]:
    """Every place in a text where something stands that is not seen, or reorders what is, in no particular order."""
    if text.isascii() and not _ANY.search(text):
        return
    for at, length in _runs(_FLAG_TAGS, text):
        if spelt(text[at + 1 : at + length]) not in _SHOWN_FLAGS:
            yield Found("hidden-flag", at + 1, length - 1)
    text = _FLAG_TAGS.sub(lambda flag: _BLACK_FLAG * len(flag[0]), text)
    skipped: set[int] = set()
    for code, pattern in _RUNS:
        for at, length in _runs(pattern, text):
            if at not in skipped:
                yield Found(code, at, length)
                skipped.update(range(at, at + length))
    for match in _ANY.finditer(text):
        at = match.start()
        if at not in skipped:
            code = next((judge(text, at) for chars, judge in _JUDGES if chars.match(text, at)), "")
            if code:
                yield Found(code, at, 1)
    yield from _directions(text)


def named(char: str) -> str:
    """A character for a message: ``U+200B ZERO WIDTH SPACE``."""
    return f"U+{ord(char):04X} {unicodedata.name(char, '')}".rstrip()


def spelt(tags: str) -> str:
    """What tag characters spell, as ASCII."""
    return "".join(chr(ord(char) - 0xE0000) for char in tags if 0xE0020 <= ord(char) <= 0xE007E)


def _runs(pattern: re.Pattern[str], text: str) -> Iterator[tuple[int, int]]:
    return ((match.start(), match.end() - match.start()) for match in pattern.finditer(text))


def _invisible(text: str, at: int) -> str:
    """A character without width: none of our business where the script or the emoji around it needs it."""
    char, before, after = text[at], text[max(0, at - 1) : at], text[at + 1 : at + 2]
    if char == _ZWJ and _is_emoji(before) and _is_emoji(after):
        return ""
    if char in (_ZWNJ, _ZWJ) and {script(before), script(after)} & _JOINED:
        return ""  # behind a letter or digit of another script too: endings are parted from foreign words so
    if char in "\u200b\u2060" and {script(before), script(after)} & _UNSPACED:
        return ""
    if char == "\ufeff" and at == 0:
        return ""
    if char == "\u00ad" and before.isalpha() and after.isalpha():
        return "" if not before.isascii() or not after.isascii() else "soft-hyphen"
    if char == "\u180e" and script(before) == "MONGOLIAN":
        return ""
    if char in "\u115f\u1160\u3164\uffa0" and script(before) == script(after) == "HANGUL":
        return ""
    return "hidden-characters"


def _selector(text: str, at: int) -> str:
    char, before = text[at], text[max(0, at - 1) : at]
    if before and (script(before) in ("CJK", "MONGOLIAN") or "\u3400" <= before <= "\u9fff"):
        return ""
    if ord(char) >= 0xE0100 or (before >= "\U0001f000" and char not in "\ufe0e\ufe0f"):
        return "hidden-selectors"
    return "" if _is_emoji(before) or before in _SELECTED else "stray-selector"


_SELECTED: Final = tuple("0123456789#*\u2139\u3030")
"""What is no symbol and is shown as an emoji with a selector behind it."""


def _mark(text: str, at: int) -> str:
    return "" if any(map(is_rtl, text[max(0, at - _NEAR) : at + _NEAR])) else "bidi-mark"


_NEAR: Final = 100
"""Characters around a mark of direction among which a letter may need it."""


def _is_emoji(char: str) -> bool:
    """Whether a character may stand in a sequence of emoji, as far as that can be known without a list of them."""
    return bool(char) and (char in "\ufe0f\u20e3" or char >= "\U0001f000" or _is_symbol(char))


def _is_symbol(char: str) -> bool:
    return bool(char) and unicodedata.category(char) in ("So", "Sm", "Sk", "Po", "Sc")


_JUDGES: Final[tuple[tuple[re.Pattern[str], Callable[[str, int], str]], ...]] = (
    (re.compile(f"[{_INVISIBLE}]"), _invisible),
    (re.compile(f"[{_SELECTORS}]"), _selector),
    (re.compile(f"[{_MARKS}]"), _mark),
    (re.compile(f"[{_CONTROLS}]"), lambda text, at: "control-characters"),
)
"""Which characters are judged by what. Those that change the direction for a while are looked at line by line."""


def _directions(text: str) -> Iterator[Found]:
    """Overrides, and embeddings and isolates: those that end on their line, and those that do not."""
    open_: list[tuple[str, int]] = []
    for match in _DIRECTION.finditer(text):
        char, at = match[0], match.start()
        if char == "\n":
            yield from (Found("bidi-unbalanced", where, 1) for _, where in open_)
            open_.clear()
        elif char in _OVERRIDES:
            yield Found("bidi-override", at, 1)
            open_.append(("\u202c", -1))
        elif char in _OPENERS:
            open_.append((_OPENERS[char], at))
        elif open_ and open_[-1][0] == char:
            begun = open_.pop()[1]
            if begun >= 0:
                yield Found("bidi-control", begun, 1)
        else:
            yield Found("bidi-unbalanced", at, 1)
    yield from (Found("bidi-unbalanced", where, 1) for _, where in open_ if where >= 0)


_DIRECTION: Final = re.compile(f"[{_BIDI}\n]")
