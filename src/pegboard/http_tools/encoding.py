"""Texts encoded for where they stand in a request. Pure."""

from __future__ import annotations

import re
from typing import Final
from urllib.parse import quote, quote_plus

from pegboard.net.headers import UNSAFE

_RESERVED: Final = ":/?@!$'()*="
"""Reserved marks that end nothing within a query's value, but for the comma, which may stand between items."""

_COOKIE: Final = re.compile(r"[\x21\x23-\x2b\x2d-\x3a\x3c-\x5b\x5d-\x7e]*")


def encoded(text: str) -> str:
    """A text percent-encoded whole."""
    return quote(text, safe="", errors="surrogatepass")


def form_encoded(text: str) -> str:
    """A text as forms have it."""
    return quote_plus(text, errors="surrogatepass")


def with_reserved(text: str) -> str:
    """A text in a query, reserved marks kept where they mean nothing."""
    return quote(text, safe=_RESERVED + ",", errors="surrogatepass")


def with_reserved_in_list(text: str) -> str:
    """The same for a text with commas around it."""
    return quote(text, safe=_RESERVED, errors="surrogatepass")


def as_it_is(text: str) -> str:
    """A text where nothing is encoded."""
    return text


def in_cookie(text: str) -> str:
    """The value of a cookie: as it is where cookies can hold it, else percent-encoded."""
    return text if _COOKIE.fullmatch(text) else encoded(text)


def flaw_in_header(text: str) -> str:
    """What keeps a text from standing in a header as it is; "" when nothing does."""
    if UNSAFE.search(text):
        return "has a line break or control character"
    return "has blanks around it" if text != text.strip(" \t") else ""
