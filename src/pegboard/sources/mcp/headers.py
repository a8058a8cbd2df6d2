"""The headers that a person gives an upstream over HTTP: checked, filled in with secrets, and told without them."""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Final
from urllib.parse import parse_qsl

from pegboard.errors import UpstreamError
from pegboard.http_tools.placeholders import PlaceholderError, parts_of, placeholders_in
from pegboard.http_tools.secrets import SecretProvider
from pegboard.masking import Scrubber
from pegboard.net.headers import OURS, TOKEN, UNSAFE

CREDENTIAL: Final = re.compile(r"auth|token|secret|cookie|passw|credential|session|key$|(?:^|[-_])pat$", re.IGNORECASE)
"""Found in a header's name, it says that the value proves who calls."""

_OF_TRANSPORT: Final = frozenset(
    {"accept", "content-type", "cache-control", "last-event-id", "mcp-session-id", "mcp-protocol-version"}
    | {"mcp-method", "mcp-name"}
)
"""Headers by which MCP itself says what a request is."""

_SHORTEST_PART: Final = 8
"""Characters of a part of a value that is masked by itself: shorter ones are words such as ``Bearer``."""


@dataclass(frozen=True)
class Filled:
    """Headers with their secrets in. Immutable; lives as long as a connection. ``scrubber`` knows what is secret."""

    values: Mapping[str, str] = field(repr=False)
    scrubber: Scrubber = field(repr=False)


def faults(headers: Mapping[str, str]) -> Iterator[tuple[str, str, str]]:
    """What is wrong with headers as written: name, what it is, and the fix. No value is told."""
    seen: set[str] = set()
    for name, value in headers.items():
        lower = name.lower()
        if not TOKEN.fullmatch(name):
            yield name, f"{name[:60]!r} cannot be the name of a header", "Use letters, digits and -."
        elif lower in OURS or lower in _OF_TRANSPORT or lower.startswith("mcp-param-"):
            yield name, f"the header {name!r} is set by Pegboard", "Leave it out."
        elif lower in seen:
            yield name, f"the header {name!r} is given twice", "Keep one."
        elif UNSAFE.search(value):
            yield name, f"the header {name!r} holds a line break or control character", "Take it out."
        seen.add(lower)
        yield from _wrong_placeholders(name, value)


def _wrong_placeholders(name: str, value: str) -> Iterator[tuple[str, str, str]]:
    hint = "Write {{secret.NAME}} for a secret, and ${VAR} for a variable of the environment."
    try:
        others = [str(one) for one in placeholders_in(parts_of(value)) if one.kind != "secret" or not one.key]
    except PlaceholderError as error:
        yield name, f"the header {name!r} holds {error}, which is no placeholder", hint
        return
    if others:
        yield name, f"the header {name!r} refers to {others[0]!r}, and only secrets can stand there", hint


def secret_names(headers: Mapping[str, str]) -> tuple[str, ...]:
    """The names of all secrets that headers refer to, each once."""
    found = (one.key for value in headers.values() for one in placeholders_in(parts_of(value)))
    return tuple(dict.fromkeys(found))


async def filled(upstream: str, url: str, headers: Mapping[str, str], secrets: SecretProvider) -> Filled:
    """The headers as they are sent. Raises UpstreamError that names a secret which is missing, or cannot be sent."""
    values: dict[str, str] = {}
    for name in secret_names(headers):
        value = await secrets.get(name)
        if value is None:
            raise _wrong(upstream, f"the secret {name!r} is not set", "Set it where secrets are looked for.")
        if UNSAFE.search(value):
            raise _wrong(upstream, f"the secret {name!r} holds a line break or control character", "Mend its value.")
        values[name] = value
    sent = {name: _text(value, values).strip(" \t") for name, value in headers.items()}
    return Filled(sent, Scrubber({*values.values(), *secret_parts(sent), *secrets_in_address(url)}))


def _text(value: str, secrets: Mapping[str, str]) -> str:
    return "".join(part if isinstance(part, str) else secrets[part.key] for part in parts_of(value))


def secret_parts(headers: Mapping[str, str]) -> Iterator[str]:
    """What is secret in headers whose names tell of a credential: each whole value, and its longer parts."""
    for name, value in headers.items():
        if CREDENTIAL.search(name):
            yield value
            parts = re.split(r"[\s,;=]+", value)
            yield from (part for part in parts if len(part) >= _SHORTEST_PART)
            yield from _password(value)


def secrets_in_address(url: str) -> Iterable[str]:
    """The longer values of an address's query: many services take a key there."""
    query = url.partition("#")[0].partition("?")[2]
    return [value for _, value in parse_qsl(query) if len(value) >= _SHORTEST_PART]


def _password(value: str) -> Iterator[str]:
    scheme, _, code = value.partition(" ")
    if scheme.lower() == "basic":
        try:
            password = base64.b64decode(code, validate=True).decode("utf-8").partition(":")[2]
        except (binascii.Error, UnicodeDecodeError):
            return
        yield password


def _wrong(upstream: str, what: str, hint: str) -> UpstreamError:
    return UpstreamError(f"Upstream {upstream!r} cannot be reached: {what}.", hint=hint, data={"source": upstream})
