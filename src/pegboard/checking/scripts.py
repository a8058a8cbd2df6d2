"""Which script a letter belongs to, and which letters of other scripts look like Latin ones. Pure."""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache
from typing import Final

_TWINS: Final = {
    "CYRILLIC": (
        "аеорсухіјѕһԁԛԝѵӏьгпмтквнԍѡ" + "АВЕКМНОРСТУХІЈЅԌԚԜҮЗ",
        "aeopcyxijshdqwvlbrnmtkbhgw" + "ABEKMHOPCTYXIJSGQWY3",
    ),
    "GREEK": (
        "οανιρτυκγχωϲϳ" + "ΑΒΕΖΗΙΚΜΝΟΡΤΥΧ",
        "oaviptukyxwcj" + "ABEZHIKMNOPTYX",
    ),
    "ARMENIAN": ("օոսցհզգ", "onsghqq"),
    "CHEROKEE": ("ᎪᎬᎢᎫᏞᎷᎻᏢᏒᏚᏙᎳᏴᏃ", "AETJLMHPRSVWBZ"),
}
"""Letters of other scripts and the Latin ones that people take them for."""

_CLOSE: Final = frozenset("гпмтквнԍѡьЗ" + "ανιρτυκγχω")
"""Those among them that only look alike in some fonts: they mix words of two scripts up, but spell no other word."""

_LATIN: Final = {char: to for chars, tos in _TWINS.values() for char, to in zip(chars, tos, strict=True)}
_SAME: Final = re.compile(f"[{''.join(char for char in _LATIN if char not in _CLOSE)}]")
_WORD: Final = re.compile(r"[^\W\d_]{2,1000}")
_ASCII: Final = re.compile(r"[A-Za-z]")
_INFLECTED: Final = re.compile(r"[A-Z]{2,10}[\u0430-\u044f]{1,5}")
"""An abbreviation with a Cyrillic ending, as Russian writes it: capitals, then small letters."""

_SKELETON: Final = str.maketrans(_LATIN | {"0": "o", "1": "l", "I": "l", "|": "l"})


@lru_cache(maxsize=4096)
def script(char: str) -> str:
    """The script of a character by the first word of its name, such as ``LATIN``; "" for none and for no letter."""
    return unicodedata.name(char, "").partition(" ")[0] if char and unicodedata.category(char)[0] in "LM" else ""


@lru_cache(maxsize=4096)
def is_rtl(char: str) -> bool:
    """Whether a letter is written from right to left."""
    return unicodedata.bidirectional(char) in ("R", "AL")


def mixed_words(text: str) -> list[tuple[int, str]]:
    """Words with Latin letters and, among them, letters of another script that look exactly like Latin ones.

    Words in which scripts meet as people write them (``5μm``, ``IT-отдел``, ``PDFファイル``) are not among them.
    """
    if text.isascii() or not _SAME.search(text):
        return []
    found = ((match.start(), match[0]) for match in _WORD.finditer(text))
    return [
        (at, word)
        for at, word in found
        if not word.isascii() and _SAME.search(word) and _ASCII.search(word) and not _INFLECTED.fullmatch(word)
    ]


def looks_latin(name: str) -> bool:
    """Whether a name has letters outside ASCII, and every letter of it looks exactly like a Latin one."""
    letters = [char for char in name if char.isalpha()]
    return not "".join(letters).isascii() and all(_SAME.match(char) or char.isascii() for char in letters)


def skeleton(name: str) -> str:
    """A spelling that two names share when people take them for each other."""
    folded = unicodedata.normalize("NFKC", name).translate(_SKELETON).casefold().replace("-", "_").replace("rn", "m")
    return folded.translate(_SKELETON)


def latinised(text: str) -> str:
    """A text with letters that look like Latin ones replaced by those."""
    return text if text.isascii() else text.translate(_PLAIN)


_DRAWN: Final = {
    **{chr(start + number): chr(0x61 + number) for start in (0x1F150, 0x1F170, 0x1F1E6) for number in range(26)},
    **dict(zip("ᴀʙᴄᴅᴇꜰɢʜɪᴊᴋʟᴍɴᴏᴘʀꜱᴛᴜᴠᴡʏᴢ", "abcdefghijklmnoprstuvwyz", strict=True)),
    **dict.fromkeys("\u2800\u3164", " "),
}
"""Letters in circles, squares and flags, small capitals, and blanks that are none."""

_PLAIN: Final = str.maketrans(_LATIN | _DRAWN)
