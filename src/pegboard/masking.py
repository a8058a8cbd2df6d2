"""Secrets kept out of what is told, in the spellings that services repeat them in. Pure.

A text is searched as it stands, and again with its escapes undone, several times over; what is found is masked where it
stood. Encodings that leave no character as it was, base64 and hexadecimal, are looked for as they are written.
"""

from __future__ import annotations

import base64
import json
import math
import re
from collections.abc import Iterable, Iterator
from typing import Any, Final

from pegboard.unescaping import Unescaped, unescaped

MASK: Final = "[secret]"

SHORTEST: Final = 4
"""Characters of a secret that is masked where it comes back. Shorter ones stand in everything."""

ROUNDS: Final = 4
"""How often escapes are undone: for JSON in JSON in JSON, and for a secret that itself looks like an escape."""

_BETWEEN: Final = "\udfff"
"""Stands between texts that are searched at once. Half a character: no secret that can be sent holds it."""

_NUMBER: Final = re.compile(r"-?(?:0|[1-9][0-9]{0,299})(?:\.[0-9]{1,300})?(?:[eE][+-]?[0-9]{1,3})?")

Span = tuple[int, int]


class Scrubber:
    """Takes secrets out of what is told. Lives as long as one call.

    Secrets of fewer characters than ``shortest`` are not looked for.
    """

    def __init__(self, secrets: Iterable[str], *, shortest: int = SHORTEST) -> None:
        self._shortest = shortest
        self._spellings: set[bytes] = set()
        self._numbers: set[int | float] = set()
        self.also(secrets)

    def also(self, secrets: Iterable[str]) -> None:
        """Take these out too."""
        for secret in secrets:
            if secret and len(secret) >= self._shortest:
                self._spellings.update(_spellings(secret))
                self._numbers.update(_numbers(secret))

    def text(self, text: str) -> str:
        """A text without them."""
        data = text.encode("utf-8", "surrogatepass")
        spans = self._found(data)
        if not spans:
            return text
        kept, end = [], 0
        for start, after in spans:
            kept += [data[end:start], MASK.encode()]
            end = after
        return b"".join([*kept, data[end:]]).decode("utf-8", "surrogatepass")

    def value(self, value: Any, *, keys: bool = True) -> Any:
        """A JSON value without them; with ``keys``, its keys too. A number that equals one becomes the mask."""
        texts = list(_texts(value, keys))
        masked = self._texts(texts)
        if masked == texts and not self._numbers:
            return value
        return self._put(value, iter(masked), keys)

    def holds(self, data: bytes) -> bool:
        """Whether one of them is there."""
        return bool(self._found(data))

    def _texts(self, texts: list[str]) -> list[str]:
        """Texts without them, searched at once: a reply has many short ones."""
        whole = _BETWEEN.join(texts)
        masked = self.text(whole).split(_BETWEEN)
        alone = whole.count(_BETWEEN) == len(texts) - 1 == len(masked) - 1
        return masked if alone else list(map(self.text, texts))

    def _put(self, value: Any, texts: Iterator[str], keys: bool) -> Any:
        """The value with these texts in the places of its own."""
        if isinstance(value, str):
            return next(texts)
        if isinstance(value, dict):
            return {next(texts) if keys else key: self._put(one, texts, keys) for key, one in value.items()}
        if isinstance(value, list):
            return [self._put(item, texts, keys) for item in value]
        is_number = isinstance(value, (int, float)) and not isinstance(value, bool)
        return MASK if is_number and value in self._numbers else value

    def _found(self, data: bytes) -> list[Span]:
        """Where they stand, apart from one another and in order, in whole characters."""
        spans: list[Span] = []
        layers: list[Unescaped] = []
        while self._spellings:
            now = layers[-1].data if layers else data
            here = [span for spelling in self._spellings for span in _places(spelling, now)]
            spans += _origins(here, layers)
            following = Unescaped(now)
            if following.is_plain or len(layers) == ROUNDS:
                break
            layers.append(following)
        return _apart(_in_characters(span, data) for span in spans)


def _spellings(secret: str) -> Iterator[bytes]:
    """What is looked for of a secret: it as written and as forms have it, in hexadecimal, and in base64."""
    for reading in _readings(secret):
        yield from (reading, reading.replace(b" ", b"+"))
        meant = reading
        for _ in range(ROUNDS):  # what looks like an escape in it is undone with the escapes around it
            meant = unescaped(meant)
            if len(meant) >= min(SHORTEST, len(reading)):
                yield meant
        yield from (reading.hex().encode(), reading.hex().upper().encode())
        yield from _base64(reading)


def _readings(secret: str) -> Iterator[bytes]:
    """The bytes of a secret in UTF-8, in the encoding of the first web servers, and where the two were mixed up."""
    encoded = secret.encode("utf-8", "surrogatepass")
    yield encoded
    if not secret.isascii():
        yield encoded.decode("latin-1").encode()
        yield secret.encode("latin-1", "ignore") if max(secret) <= "\xff" else encoded


def _base64(data: bytes) -> Iterator[bytes]:
    """The characters of base64 that these bytes decide by themselves, wherever in a longer text they begin."""
    whole = base64.b64encode(data)
    codes = {whole, whole.rstrip(b"=")}
    for before in range(3):
        code = base64.b64encode(bytes(before) + data)
        sure = code[-(-before * 8 // 6) : (before + len(data)) // 3 * 4]
        if len(sure) >= 2 * SHORTEST:
            codes.add(sure)
    for code in codes:
        yield from (code, code.translate(bytes.maketrans(b"+/", b"-_")))


def _numbers(secret: str) -> Iterator[int | float]:
    """The number that a secret is in JSON."""
    if _NUMBER.fullmatch(secret):
        number = json.loads(secret)
        if math.isfinite(number):
            yield number


def _texts(value: Any, keys: bool) -> Iterator[str]:
    """Every text in a JSON value, in its order."""
    waiting = [value]
    while waiting:
        one = waiting.pop()
        if isinstance(one, str):
            yield one
        elif isinstance(one, dict):
            members = [part for pair in one.items() for part in (pair if keys else pair[1:])]
            waiting += reversed(members)
        elif isinstance(one, list):
            waiting += reversed(one)


def _places(spelling: bytes, data: bytes) -> Iterator[Span]:
    at = data.find(spelling)
    while at >= 0:
        yield at, at + len(spelling)
        at = data.find(spelling, at + len(spelling))


def _origins(spans: list[Span], layers: list[Unescaped]) -> list[Span]:
    """Where in the text stands what was found in the last of its layers."""
    for layer in reversed(layers):
        spans = [layer.origin(*span) for span in spans]
    return spans


def _in_characters(span: Span, data: bytes) -> Span:
    """A span that begins and ends where characters of UTF-8 do."""
    start, end = span
    while start > 0 and data[start] & 0xC0 == 0x80:
        start -= 1
    while end < len(data) and data[end] & 0xC0 == 0x80:
        end += 1
    return start, end


def _apart(spans: Iterable[Span]) -> list[Span]:
    """Spans in their order, those that overlap as one."""
    apart: list[Span] = []
    for start, end in sorted(spans):
        if apart and start < apart[-1][1]:
            apart[-1] = apart[-1][0], max(end, apart[-1][1])
        else:
            apart.append((start, end))
    return apart
