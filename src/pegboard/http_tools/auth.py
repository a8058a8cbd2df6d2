"""Who calls, proved: what a request carries of secrets and tokens. Pure."""

from __future__ import annotations

import base64
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field

from pegboard.http_tools.encoding import encoded, flaw_in_header, in_cookie
from pegboard.http_tools.request import Auth
from pegboard.texts import is_encodable


class CredentialError(ValueError):
    """A secret cannot be sent as it is. The message names it, and never repeats its value."""


@dataclass
class Credentials:
    """What a request carries. Lives as long as one building of a request. Query and cookies are ``name=value``.

    No repr shows them.
    """

    headers: dict[str, str] = field(default_factory=dict, repr=False)
    query: list[str] = field(default_factory=list, repr=False)
    cookies: list[str] = field(default_factory=list, repr=False)


def credentials_of(
    auths: Collection[Auth], secrets: Mapping[str, str], tokens: Mapping[Auth, str] | None = None
) -> Credentials:
    """All of them together. ``secrets`` by name, ``tokens`` by who they prove. Raises CredentialError."""
    found = Credentials()
    for auth in auths:
        _check_encodable(auth, secrets)
        if auth.kind == "api_key":
            _key(auth, secrets[auth.secret], found)
        elif auth.kind == "basic":
            found.headers["Authorization"] = f"Basic {basic_of(auth, secrets)}"
        else:
            token = secrets[auth.secret] if auth.kind == "bearer" else (tokens or {})[auth]
            found.headers["Authorization"] = f"Bearer {_in_header(token, auth.secret or 'token')}"
    return found


def basic_of(auth: Auth, secrets: Mapping[str, str]) -> str:
    """User and password as the header has them. Raises CredentialError."""
    user, password = secrets[auth.username], secrets.get(auth.password, "")
    if ":" in user:
        raise CredentialError(f"the secret {auth.username!r} has a colon, which ends the name of a user")
    return base64.b64encode(f"{user}:{password}".encode()).decode("ascii")


def derived_from(auths: Collection[Auth], secrets: Mapping[str, str]) -> Iterator[str]:
    """What is made of secrets, and as secret as they are."""
    for auth in auths:
        if auth.kind == "basic":
            pair = f"{secrets[auth.username]}:{secrets.get(auth.password, '')}"
            yield from (pair, base64.b64encode(pair.encode("utf-8", "surrogatepass")).decode("ascii"))


def _check_encodable(auth: Auth, secrets: Mapping[str, str]) -> None:
    for name in auth.secret_names:
        if not is_encodable(secrets.get(name, "")):
            raise CredentialError(f"the secret {name!r} is no text in UTF-8, which requests are written in")


def _key(auth: Auth, value: str, found: Credentials) -> None:
    if auth.where == "header":
        found.headers[auth.name] = _in_header(value, auth.secret)
    elif auth.where == "query":
        found.query.append(f"{encoded(auth.name)}={encoded(value)}")
    else:
        found.cookies.append(f"{auth.name}={in_cookie(value)}")


def _in_header(value: str, name: str) -> str:
    flaw = flaw_in_header(value)
    if flaw:
        raise CredentialError(f"the secret {name!r} {flaw}, which no header can hold")
    return value
