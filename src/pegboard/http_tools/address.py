"""The address of a request, taken apart as a template. Pure.

Whatever a value holds, it stays within its path segment or its query value: each is encoded whole.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from pegboard.http_tools.placeholders import Parts, Placeholder, parts_of, placeholders_in

_SPACED: Final = re.compile(r"\{\{[ \t]*([A-Za-z0-9_.-]*)[ \t]*\}\}")
_URL: Final = re.compile(r"([A-Za-z][A-Za-z0-9+.-]*)://([^/?#]*)([^?#]*)(?:\?([^#]*))?(?:#.*)?", re.DOTALL)
_CONTROL: Final = re.compile(r"[\x00-\x20\x7f]")


class AddressError(ValueError):
    """A text is no template of an address. ``hint`` is the fix."""

    def __init__(self, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.hint = hint


@dataclass(frozen=True)
class Address:
    """An address as a template. Immutable. ``query`` are the pairs that the address itself has; a fragment is left out.

    Each of ``segments`` stands between two slashes of the path; a pair without ``=`` has None for its value.
    """

    scheme: str
    authority: Parts
    segments: tuple[Parts, ...]
    query: tuple[tuple[Parts, Parts | None], ...]

    @property
    def placeholders(self) -> tuple[Placeholder, ...]:
        """Those of path and query."""
        pairs = [part for name, value in self.query for part in (*name, *(value or ()))]
        return tuple(placeholders_in([*(part for segment in self.segments for part in segment), *pairs]))


def address_of(url: str) -> Address:
    """The template of an address. Raises AddressError, and PlaceholderError for what is no placeholder."""
    text = _SPACED.sub(r"{{\1}}", url)
    bare = _SPACED.sub("x", text)
    if _CONTROL.search(bare):
        raise AddressError("the url holds blanks or control characters", "Write a blank as %20.")
    parts_of(text)
    if "{" in bare or "}" in bare:
        raise AddressError("the url has a single brace", "A placeholder stands in two: {{id}}.")
    match = _URL.fullmatch(text)
    if not match or match[1].lower() not in ("http", "https"):
        hint = "Write scheme and host out, as in https://api.example.com/items/{{id}}: no argument may choose them."
        raise AddressError("the url must be http:// or https:// and a host", hint)
    if not match[2]:
        raise AddressError("the url names no host", "Write it like https://api.example.com/items/{{id}}.")
    if "@" in match[2]:
        raise AddressError("the url has user or password in it", "Send them in a secret header.")
    return Address(
        scheme=match[1].lower(),
        authority=parts_of(match[2]),
        segments=tuple(parts_of(segment) for segment in match[3].split("/")[1:]),
        query=_pairs(match[4] or ""),
    )


def _pairs(query: str) -> tuple[tuple[Parts, Parts | None], ...]:
    pairs = (pair.partition("=") for pair in query.split("&") if pair)
    return tuple((parts_of(name), parts_of(value) if equals else None) for name, equals, value in pairs)
