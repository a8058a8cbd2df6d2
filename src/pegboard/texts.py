"""Texts that strangers wrote: whether they can be sent at all, and what of them nobody sees. Pure."""

from __future__ import annotations

import re
from typing import Final

UNSEEN: Final = (
    "\x00-\x08\x0b-\x1f\x7f-\x9f"  # C0 without tab and line feed, DEL, C1
    "\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069"  # change the direction of writing
    "\u180e\u200b\u2028\u2029\u2060-\u2065\u206a-\u206f\ufeff\ufff9-\ufffb"  # invisible, or break lines
    "\ud800-\udfff\ufffe\uffff"  # halves of characters, and what is none: no terminal and no XML can be sent these
    "\U000e0000-\U000e0fff"  # invisible twins of ASCII, and selectors that can carry any bytes
)
"""The characters that people do not see but terminals and models read, as the inside of a regular expression's set.

Joiners (U+200C, U+200D) are not among them: scripts and emoji need them.
"""

_UNSEEN: Final = re.compile(f"[{UNSEEN}]")


def is_encodable(text: str) -> bool:
    """Whether UTF-8 can say ``text``: it holds no half of a character (a lone surrogate)."""
    if text.isascii():
        return True
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def has_unseen(text: str) -> bool:
    """Whether ``text`` holds a character that nobody sees."""
    return _UNSEEN.search(text) is not None


def one_line(text: str) -> str:
    """``text`` on one line, each run of blanks and line breaks one blank, without the characters that nobody sees."""
    flat = " ".join(text.split())
    return flat if flat.isascii() and flat.isprintable() else " ".join(_UNSEEN.sub("", flat).split())
