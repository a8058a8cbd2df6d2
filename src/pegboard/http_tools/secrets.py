"""Where secrets come from when a call needs them."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, Final, Protocol

FOR_OPERATOR: Final = "This is for the operator to mend: no argument can."
"""The hint where a secret, a token or a value of the context is missing."""

MAX_SECRET: Final = 65_536
"""Bytes of a file with a secret: a header could not carry more."""

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

    def place(self, name: str) -> str:
        """Where the value is to be put."""
        return f"the environment variable {self._prefix}{name}"

    async def get(self, name: str) -> str | None:
        """The variable's value as it is now."""
        return _filled(self._environ.get(self._prefix + name))


class FileSecrets:
    """Secrets from a folder: of ``KEY`` the text of the file ``KEY``, less the line break at its end. Process-wide.

    The form in which orchestrators hand secrets to containers. A name that is a path is none.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def place(self, name: str) -> str:
        """Where the value is to be put."""
        return f"the file {self._folder / name}"

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

    def place(self, name: str) -> str:
        """Where the value is to be put."""
        return f"the keyring's password {name} of {self._service}"

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

    def place(self, name: str) -> str:
        """Where the value may be put: one of several places."""
        return " or ".join(place_of(provider, name) for provider in self._providers)

    async def get(self, name: str) -> str | None:
        """The value of the first that has one."""
        for provider in self._providers:
            value = await provider.get(name)
            if value is not None:
                return value
        return None


def place_of(provider: SecretProvider, name: str) -> str:
    """Where a secret is to be put so that a provider has it; in general words where it does not say itself."""
    place = getattr(provider, "place", None)
    return str(place(name)) if callable(place) else "where secrets are kept"


def _filled(value: str | None) -> str | None:
    return value if value and value.strip() else None
