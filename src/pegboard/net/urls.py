"""Addresses taken apart, strictly, and put together again.

Requests are built from the parts, never from the text that came: parsers disagree about what a text's host is, and the
one that is checked must be the one that is used. Every function raises RefusedRequestError.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Final
from urllib.parse import quote

from pegboard.net.addresses import Address, read_address
from pegboard.net.refusals import refuse

MAX_URL: Final = 8_192
MAX_HOST: Final = 254
"""A name of 253 characters, and the dot behind it."""
DEFAULT_PORTS: Final[Mapping[str, int]] = {"http": 80, "https": 443}

_URL: Final = re.compile(r"([A-Za-z][A-Za-z0-9+.-]*)://([^/?#]*)([^?#]*)(\?[^#]*)?(?:#.*)?", re.DOTALL)
_CONTROL: Final = re.compile(r"[\x00-\x20\x7f]")
_PORT: Final = re.compile(r"0*([1-9][0-9]{0,4})")
_LABEL: Final = re.compile(r"(?!-)[a-z0-9_-]{1,63}(?<!-)")
_LIKE_A_NUMBER: Final = re.compile(r"[0-9]+|0x[0-9a-f]*")
_BARE_PERCENT: Final = re.compile(r"%(?![0-9A-Fa-f]{2})")


@dataclass(frozen=True, slots=True)
class Origin:
    """Scheme, host and port of an address. Immutable. ``host`` is a lower-case ASCII name, or a literal's text."""

    scheme: str
    host: str
    port: int

    def __str__(self) -> str:
        return f"{self.scheme}://{self.authority}"

    @property
    def authority(self) -> str:
        """What the Host header says: the port where it is not the scheme's own."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return host if self.port == DEFAULT_PORTS[self.scheme] else f"{host}:{self.port}"


@dataclass(frozen=True, slots=True)
class Target:
    """An address taken apart. Immutable. ``literal`` is set when the host is an IP address; the rest is ASCII."""

    origin: Origin
    literal: Address | None
    path: str
    query: str

    @property
    def url(self) -> str:
        """The address, built from its parts."""
        return f"{self.origin}{self.path}{self.query}"


def parse(url: str) -> Target:
    """The parts of an absolute address; a fragment is left out, a path made canonical."""
    if len(url) > MAX_URL:
        raise refuse("syntax", f"an address is a text of at most {MAX_URL} characters")
    if _CONTROL.search(url):
        raise refuse("syntax", "the address holds blanks or control characters")
    match = _URL.fullmatch(url)
    if not match:
        raise refuse("syntax", "the address does not begin with scheme://host")
    scheme, authority, path, query = match[1].lower(), match[2], match[3], match[4] or ""
    if scheme not in DEFAULT_PORTS:
        raise refuse("scheme", f"{scheme!r} is neither http nor https")
    if any(mark in authority for mark in "@\\%"):
        raise refuse("syntax", "the host has user, password, backslash or percent sign beside it")
    host, literal, port = _authority(authority)
    origin = Origin(scheme, host, _port(port) if port else DEFAULT_PORTS[scheme])
    return Target(origin, literal, _encoded(_without_dots(path), "/"), _encoded(query, "/?"))


def _authority(text: str) -> tuple[str, Address | None, str]:
    """Host, its address where it is a literal, and the port as written."""
    if not text.startswith("["):
        host, _, port = text.partition(":")
        return *read_host(host), port
    inside, closing, rest = text[1:].partition("]")
    literal = read_address(inside)
    if not closing or literal is None or literal.version != 6 or rest[:1] not in ("", ":"):
        raise refuse("syntax", "what stands in brackets is no IPv6 address, or more follows")
    return str(literal), literal, rest[1:]


def _port(text: str) -> int:
    """A port number. ``int`` alone would take signs, underscores and digits of other scripts."""
    match = _PORT.fullmatch(text)
    if not match or int(match[1]) > 65_535:
        raise refuse("syntax", "the port is no number from 1 to 65535")
    return int(match[1])


def read_host(text: str) -> tuple[str, Address | None]:
    """A host as names and lists are compared: ASCII, lower case, no dot at its end; and its address, if it is one."""
    if len(text) > MAX_HOST:
        raise refuse("syntax", "the host is longer than a name can be")
    name = (text if text.isascii() else _to_ascii(text)).lower().removesuffix(".")
    labels = name.split(".")
    if len(name) >= MAX_HOST or not all(map(_LABEL.fullmatch, labels)):
        raise refuse("syntax", "the host is no name that could be looked up")
    if _LIKE_A_NUMBER.fullmatch(labels[-1]) or (len(labels) > 1 and labels[-1][0].isdigit()):
        literal = read_address(name)
        if literal is None:  # look-ups take octal, hexadecimal and shortened spellings
            raise refuse("syntax", "an IPv4 address is written as four decimal numbers")
        return name, literal
    if any(label.startswith("xn--") for label in labels):
        _check_punycode(labels)
    return name, None


def _to_ascii(text: str) -> str:
    """A name in other scripts, as the look-up has it."""
    import idna

    try:
        return idna.encode(text, uts46=True, std3_rules=True).decode("ascii")
    except (idna.IDNAError, UnicodeError):
        raise refuse("syntax", "the host has characters that names cannot have") from None


def _check_punycode(labels: Iterable[str]) -> None:
    import idna

    for label in labels:
        if label.startswith("xn--"):
            try:
                idna.decode(label)
            except (idna.IDNAError, UnicodeError):
                raise refuse("syntax", "the host has a label in broken Punycode") from None


def _without_dots(path: str) -> str:
    """An absolute path without ``.`` and ``..`` segments."""
    kept: list[str] = []
    segments = path.split("/")[1:] or [""]
    for segment in segments:
        if segment == "..":
            del kept[-1:]
        elif segment != ".":
            kept.append(segment)
    if segments[-1] in (".", ".."):
        kept.append("")
    return "/" + "/".join(kept)


def _encoded(text: str, also: str) -> str:
    """Percent-encoded where a request line needs it; what is encoded already stays."""
    try:
        return quote(_BARE_PERCENT.sub("%25", text), safe=f"%:@!$&'()*+,;=~{also}")
    except UnicodeEncodeError:
        raise refuse("syntax", "the address holds half of a surrogate pair") from None


def next_target(target: Target, location: str) -> Target:
    """Where a Location leads from an address. Raises RefusedRequestError for one that clients read differently."""
    if not location or "\\" in location or _CONTROL.search(location):
        raise refuse("redirect", f"{target.origin} redirects to an address that is empty or malformed")
    found = parse(_absolute(target, location))
    if target.origin.scheme == "https" and found.origin.scheme == "http":
        raise refuse("redirect", f"{target.origin} redirects from https to http")
    return found


def _absolute(target: Target, location: str) -> str:
    if re.match(r"[A-Za-z][A-Za-z0-9+.-]*:", location):
        return location
    if location.startswith("//"):
        return f"{target.origin.scheme}:{location}"
    if location.startswith("/"):
        return f"{target.origin}{location}"
    if location.startswith("?"):
        return f"{target.origin}{target.path}{location}"
    if location.startswith("#"):
        return target.url
    return f"{target.origin}{target.path.rpartition('/')[0]}/{location}"
