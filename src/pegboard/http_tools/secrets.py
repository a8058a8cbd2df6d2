"""Where secrets come from when a call needs them, and keeping them out of everything that is told."""

from __future__ import annotations

import base64
import html
import json
import os
import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, Final, Protocol
from urllib.parse import quote, quote_plus

FOR_OPERATOR: Final = "This is for the operator to mend: no argument can."
"""The hint where a secret, a token or a value of the context is missing."""

MASK: Final = "[secret]"
MAX_SECRET: Final = 65_536
"""Bytes of a file with a secret: a header could not carry more."""

_SHORTEST: Final = 4
"""Characters of a secret that is masked where it comes back. Shorter ones stand in everything."""

_ESCAPE: Final = re.compile("%[0-9A-F]{2}")
_MARKUP: Final = re.compile("[&<>]")
_MARKS: Final = re.compile("[&'+<>`]")
_UNICODE: Final = re.compile(r"\\(?:u([0-9a-f]{4})|.)")
_NAME: Final = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.-]{0,127}")


class SecretProvider(Protocol):
    """Gives the value of a secret at the moment of a call. Process-wide; may be slow, so it is awaited."""

    async def get(self, name: str) -> str | None:
        """The value; None where there is none of that name."""
        ...


class EnvironmentSecrets:
    """Secrets from environment variables: of ``KEY`` the variable ``prefix`` + ``KEY``. Process-wide.

    Blank ones count as not there.
    """

    def __init__(self, environ: Mapping[str, str] | None = None, *, prefix: str = "") -> None:
        self._environ = os.environ if environ is None else environ
        self._prefix = prefix

    async def get(self, name: str) -> str | None:
        """The variable's value as it is now."""
        return _filled(self._environ.get(self._prefix + name))


class FileSecrets:
    """Secrets from a folder: of ``KEY`` the text of the file ``KEY``, less the line break at its end. Process-wide.

    The form in which orchestrators hand secrets to containers. A name that is a path is none.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    async def get(self, name: str) -> str | None:
        """The file's text as it is now."""
        if not _NAME.fullmatch(name):
            return None
        from pegboard.threads import in_thread

        return await in_thread(lambda: self._read(name), name=f"secret {name}")

    def _read(self, name: str) -> str | None:
        try:
            with (self._folder / name).open("rb") as file:
                data = file.read(MAX_SECRET + 1)
            return (
                _filled(data.decode("utf-8").removesuffix("\n").removesuffix("\r")) if len(data) <= MAX_SECRET else None
            )
        except (OSError, UnicodeDecodeError):
            return None


class KeyringSecrets:
    """Secrets from the desktop's keyring, under one service name. Process-wide; needs the extra ``keyring``.

    Raises ConfigError where the extra is not installed.
    """

    def __init__(self, service: str = "pegboard") -> None:
        try:
            import keyring
        except ImportError as error:
            from pegboard.errors import ConfigError

            raise ConfigError(
                "Secrets from a keyring need another package.", hint="pip install pegboard[keyring]"
            ) from error
        self._keyring: Any = keyring
        self._service = service

    async def get(self, name: str) -> str | None:
        """The password of that name; None too where the keyring is locked or away."""
        from pegboard.threads import in_thread

        try:
            return _filled(await in_thread(lambda: self._keyring.get_password(self._service, name), name="keyring"))
        except Exception:  # backends raise what they like; what they say may quote what they hold
            return None


class GivenSecrets:
    """Secrets of a mapping, for programs that have them already. Lives as long as its owner."""

    def __init__(self, values: Mapping[str, str]) -> None:
        self._values = dict(values)

    def __repr__(self) -> str:
        return f"GivenSecrets({sorted(self._values)})"

    async def get(self, name: str) -> str | None:
        """The value."""
        return _filled(self._values.get(name))


class ChainedSecrets:
    """The first provider that has a secret gives it. Process-wide."""

    def __init__(self, providers: Iterable[SecretProvider]) -> None:
        self._providers = tuple(providers)

    async def get(self, name: str) -> str | None:
        """The value of the first that has one."""
        for provider in self._providers:
            value = await provider.get(name)
            if value is not None:
                return value
        return None


class Scrubber:
    """Takes secrets out of what is told, in each form that a service may repeat them in. Lives as long as one call."""

    def __init__(self, secrets: Iterable[str]) -> None:
        self._forms: set[str] = set()
        self._pattern: re.Pattern[str] | None = None
        self.also(secrets)

    def also(self, secrets: Iterable[str]) -> None:
        """Take these out too."""
        told = (reading for secret in secrets if len(secret) >= _SHORTEST for reading in _readings(secret))
        self._forms |= {form for reading in told for form in _forms(reading)}
        longest_first = sorted(self._forms, key=lambda form: (-len(form), form))
        self._pattern = re.compile("|".join(map(re.escape, longest_first))) if longest_first else None

    def text(self, text: str) -> str:
        """A text without them."""
        return self._pattern.sub(MASK, text) if self._pattern else text

    def value(self, value: Any) -> Any:
        """A JSON value without them, keys too."""
        if self._pattern is None:
            return value
        if isinstance(value, str):
            return self.text(value)
        if isinstance(value, dict):
            return {self.text(key): self.value(member) for key, member in value.items()}
        return [self.value(item) for item in value] if isinstance(value, list) else value


def _readings(secret: str) -> Iterable[str]:
    """A secret, and what becomes of it where a header is read in the encoding of the first web servers."""
    yield secret
    if not secret.isascii():
        yield secret.encode("utf-8", "surrogatepass").decode("latin-1")


def _forms(secret: str) -> Iterable[str]:
    """A secret as written, in JSON, in HTML, in an address, and in base64: by itself, and as somebody's password."""
    encoded = secret.encode("utf-8", "surrogatepass")
    yield secret
    for form in _in_json(secret):
        yield form
        yield json.dumps(form)[1:-1]  # JSON as a text in JSON
    yield html.escape(secret)
    yield html.escape(secret).replace("&#x27;", "&#39;").replace("&quot;", "&#34;")
    for form in (quote(secret, safe="", errors="replace"), quote(secret, errors="replace")):
        yield from (form, _ESCAPE.sub(lambda match: match[0].lower(), form))
        yield quote(form, safe="")  # an address as a value in an address
    yield quote_plus(secret, errors="replace")
    yield from _base64(encoded)


def _in_json(secret: str) -> Iterable[str]:
    """A secret in the JSON of common libraries: some write the marks of HTML as escapes too, in either case."""
    for form in (json.dumps(secret)[1:-1], json.dumps(secret, ensure_ascii=False)[1:-1]):
        yield from (form, form.replace("/", "\\/"))
        yield _MARKUP.sub(lambda match: f"\\u{ord(match[0]):04x}", form)
    plain = json.dumps(secret).replace('\\"', "\\u0022")[1:-1]
    upper = _UNICODE.sub(lambda match: match[0] if match[1] is None else f"\\u{match[1].upper()}", plain)
    yield _MARKS.sub(lambda match: f"\\u{ord(match[0]):04X}", upper)


def _base64(data: bytes) -> Iterable[str]:
    """The characters of base64 that these bytes decide by themselves, wherever in a longer text they begin."""
    for before in range(3):
        code = base64.b64encode(bytes(before) + data)
        whole = (before + len(data)) // 3 * 4
        sure = code[-(-before * 8 // 6) : whole].decode("ascii")
        if len(sure) >= 2 * _SHORTEST:
            yield sure
            yield sure.replace("+", "-").replace("/", "_")
    yield base64.b64encode(data).decode("ascii").rstrip("=")


def _filled(value: str | None) -> str | None:
    return value if value and value.strip() else None
