"""Texts in base64, hex and escapes: long ones, and short ones that decode to instructions. Pure, linear."""

from __future__ import annotations

import base64
import binascii
import math
import re
from collections.abc import Callable, Iterator
from typing import Final, NamedTuple

from pegboard.checking.characters import Found
from pegboard.checking.finding import Kind
from pegboard.checking.phrases import overrides

MOST_DECODED: Final = 100_000
"""Characters of one of them that are decoded."""

LONG: Final = {Kind.NAME: 90, Kind.DESCRIPTION: 90, Kind.BODY: 240, Kind.RESOURCE: 4_000}
"""Characters from which an encoded text is told by itself. A digest has up to 128 of hex, or 88."""

_LEAST_LETTERS: Final = 12
"""Different characters that an encoded text has: lines of one sign are none."""

_SEGMENT: Final = 24
"""Characters between two slashes of base64, at least: of random bytes every 64th is one, of a path every tenth."""

_ESCAPE: Final = re.compile(r"(?:x|u|%)\{?([0-9a-f]+)|#(\d+)", re.IGNORECASE)


class _Encoding(NamedTuple):
    """One way to write bytes as text."""

    name: str
    pattern: re.Pattern[str]
    decode: Callable[[str], bytes]
    factor: float = 1.0
    """Times LONG from which it counts as long."""


def _base64(text: str) -> bytes:
    bare = re.sub(r"\s+", "", text).rstrip("=").replace("-", "+").replace("_", "/")
    return base64.b64decode(bare[: len(bare) // 4 * 4] + _rest(bare))


def _rest(bare: str) -> str:
    rest = bare[len(bare) // 4 * 4 :]
    return rest + "=" * (4 - len(rest)) if len(rest) > 1 else ""


def _escapes(text: str) -> bytes:
    """``\\x41``, ``\\u0041``, ``\\u{41}``, ``\\U00000041``, ``%41``, ``&#65;`` and ``&#x41;``, one behind the other."""
    numbers = (int(one[1], 16) if one[1] else int(one[2]) for one in _ESCAPE.finditer(text))
    return "".join(chr(number) for number in numbers if number < 0x110000).encode("utf-8", "replace")


_ENCODINGS: Final = (
    _Encoding("hex", re.compile(r"(?<![0-9A-Za-z])(?:[0-9A-Fa-f]{2}){16,50000}(?![0-9A-Za-z])"), bytes.fromhex, 1.7),
    _Encoding(
        "base64",
        re.compile(r"(?<![A-Za-z0-9+/_=-])[A-Za-z0-9+/_-]{24,200000}(?:\r?\n[A-Za-z0-9+/_-]{24,1000}){0,5000}={0,2}"),
        _base64,
    ),
    _Encoding(
        "hex",
        re.compile(
            r"(?<![0-9A-Za-z])(?:0x)?[0-9A-Fa-f]{2}"
            r"(?:(?:[ :\n-]|,\s{0,4})(?:0x)?[0-9A-Fa-f]{2}){15,20000}(?![0-9A-Za-z])"
        ),
        lambda text: bytes.fromhex(re.sub(r"0x|[^0-9A-Fa-f]", "", text)),
        math.inf,  # dumps and addresses are nobody's secret
    ),
    _Encoding(
        "escapes",
        re.compile(r"(?:\\(?:x[0-9A-Fa-f]{2}|u[0-9A-Fa-f]{4}|U[0-9A-Fa-f]{8}|u\{[0-9A-Fa-f]{1,6}\})){12,20000}"),
        _escapes,
    ),
    _Encoding(
        "escapes", re.compile(r"(?:%[0-9A-Fa-f]{2}){12,20000}|(?:&#(?:x[0-9A-Fa-f]{1,6}|\d{1,7});){12,20000}"), _escapes
    ),
)
"""Hex stands first: it would be base64 too, and is told once."""


def encoded(text: str, kind: Kind) -> Iterator[tuple[Found, str]]:
    """Each encoded text that is told: which rule, where, and what is to be said of it."""
    told: set[int] = set()
    for encoding in _ENCODINGS:
        for match in encoding.pattern.finditer(text):
            at, length = match.start(), len(match[0])
            if at in told or not _is_encoded(match[0], encoding.name):
                continue
            phrase = _instruction(encoding, match[0])
            if phrase:
                told.add(at)
                yield Found("encoded-instruction", at, length), f"{encoding.name} that says {phrase!r}"
            elif length >= LONG[kind] * encoding.factor:
                told.add(at)
                yield Found("encoded-blob", at, length), f"{length:,} characters of {encoding.name}"


def _is_encoded(text: str, name: str) -> bool:
    """Whether it is not a long word, a path or a line of one sign."""
    if name != "base64":
        return True
    if len(set(text[:2_000])) < _LEAST_LETTERS or text.count("/") * _SEGMENT > len(text):
        return False
    kinds = [any(map(test, text[:2_000])) for test in (str.islower, str.isupper, str.isdigit)]
    return all(kinds) or (all(kinds[:2]) and len(text) < 400)


def _instruction(encoding: _Encoding, text: str) -> str:
    """The instruction that it decodes to; "" for anything else."""
    try:
        decoded = encoding.decode(text[: MOST_DECODED // 2 * 2]).decode("utf-8")
    except (ValueError, binascii.Error):
        return ""
    found = overrides(decoded)
    return found[1] if found else ""
