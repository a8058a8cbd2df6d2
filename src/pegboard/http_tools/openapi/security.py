"""Security schemes to the secrets that prove who calls. Pure: only names of secrets, never a value."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from itertools import islice
from typing import Any, Final
from urllib.parse import urljoin

from pegboard.errors import DefinitionError, RefusedRequestError
from pegboard.http_tools.openapi.options import Secrets
from pegboard.http_tools.openapi.values import Unusable, listed, table, text
from pegboard.http_tools.request import Auth
from pegboard.net.urls import parse
from pegboard.pointing import quoted
from pegboard.schema.names import nearest

_OTHER: Final = re.compile(r"[^A-Za-z0-9]+")
_CAMEL: Final = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")


MAX_ALTERNATIVES: Final = 50
"""Alternatives of one operation, and schemes of one of them, that are looked at."""


@dataclass(frozen=True)
class Whence:
    """Where a document came from, and the server that its operator gave in place of its own; "" for neither.

    Immutable.
    """

    address: str = ""
    server: str = ""

    def trusts(self, url: str) -> bool:
        """Whether secrets may go to an address that the document names.

        Who says where requests go has said where secrets go: to another origin than that, or the document's own, no
        word of the document leads them.
        """
        own = [one for one in (self.server, self.address) if one]
        return not self.server or _origin(url) in map(_origin, own)


def _origin(url: str) -> object:
    try:
        return parse(url).origin
    except RefusedRequestError:
        return None


class Security:
    """The security of one document. Read-only; lives as long as one import.

    ``secrets`` are those that the operator names, by scheme. Raises DefinitionError for a scheme that there is not.
    """

    def __init__(self, schemes: Mapping[str, Any], secrets: Mapping[str, Secrets], whence: Whence) -> None:
        self._schemes = schemes
        self._secrets = secrets
        self._whence = whence
        for name in secrets:
            if name not in schemes:
                close = nearest(name, [str(known) for known in schemes])
                hint = f"Did you mean {close!r}?" if close else f"There are: {', '.join(map(str, schemes)) or 'none'}."
                raise DefinitionError(f"The document has no security scheme {name!r}.", hint=hint)

    def auth(self, requirements: Any, notes: list[str]) -> tuple[Auth, ...]:
        """What is sent along: the first alternative all of whose secrets are named, else the first that can be used.

        An alternative that asks for nothing counts as one of those.
        """
        alternatives = [table(one) for one in listed(requirements)[:MAX_ALTERNATIVES]]
        made = [(one, self._alternative(one, notes)) for one in alternatives]
        usable = [(one, auths) for one, auths in made if auths is not None]
        if not usable:
            if made:
                names = dict.fromkeys(str(name) for one in alternatives for name in islice(one, MAX_ALTERNATIVES))
                schemes = ", ".join(names)
                notes.append(f"nothing proves who calls: the security scheme {schemes} cannot be used")
            return ()
        named = (auths for one, auths in usable if all(name in self._secrets for name in one))
        return next(named, usable[0][1])

    def _alternative(self, requirement: Mapping[str, Any], notes: list[str]) -> tuple[Auth, ...] | None:
        if len(requirement) > MAX_ALTERNATIVES:
            return None
        try:
            found = [self._one(str(name), listed(scopes)) for name, scopes in requirement.items()]
        except Unusable as error:
            notes.append(str(error))
            return None
        auths = tuple(auth for auth in found if auth is not None)
        return auths if len(auths) == len(found) else None

    def _one(self, name: str, scopes: list[Any]) -> Auth | None:
        """What one scheme sends; None where it is not one that can be sent. Raises Unusable."""
        scheme = table(self._schemes.get(name))
        kind = text(scheme.get("type"))
        make = _KINDS.get(kind)
        return make(_Names(name, self._secrets.get(name)), scheme, scopes, self._whence) if make else None


class _Names:
    """The names of one scheme's secrets. Lives as long as one import."""

    def __init__(self, scheme: str, given: Secrets | None) -> None:
        self.scheme = scheme
        self.given = given

    def one(self) -> str:
        """The only secret of a scheme."""
        return (
            self.given if isinstance(self.given, str) else table(self.given).get("secret") or default_name(self.scheme)
        )

    def of(self, part: str) -> str:
        """One of several secrets."""
        stem = self.given if isinstance(self.given, str) else default_name(self.scheme)
        return table(self.given).get(part) or f"{stem}_{part.upper()}"


def default_name(scheme: str) -> str:
    """The name of a scheme's secret where the operator gives none: ``petstoreAuth`` is ``PETSTORE_AUTH``."""
    return _OTHER.sub("_", _CAMEL.sub("_", scheme)).strip("_").upper() or "API_KEY"


def _api_key(names: _Names, scheme: Mapping[str, Any], scopes: list[Any], whence: Whence) -> Auth | None:
    where, name = text(scheme.get("in")).lower(), text(scheme.get("name"))
    if where not in ("header", "query", "cookie") or not name:
        return None
    return Auth(kind="api_key", where=where, name=name, secret=names.one())  # type: ignore[arg-type]  # one of them


def _http(names: _Names, scheme: Mapping[str, Any], scopes: list[Any], whence: Whence) -> Auth | None:
    match text(scheme.get("scheme")).lower():
        case "basic":
            return Auth(kind="basic", username=names.of("username"), password=names.of("password"))
        case "bearer":
            return Auth(kind="bearer", secret=names.one())
    return None


def _oauth2(names: _Names, scheme: Mapping[str, Any], scopes: list[Any], whence: Whence) -> Auth | None:
    flows = table(scheme.get("flows"))
    flow = table(flows.get("clientCredentials"))
    token_url = text(names.given.get("token_url")) if isinstance(names.given, Mapping) else ""
    if not token_url and not isinstance(names.given, str):
        token_url = _token_url(names.scheme, text(flow.get("tokenUrl")), whence)
    if isinstance(names.given, str) or not token_url.startswith(("https://", "http://")):
        return Auth(kind="bearer", secret=names.one()) if flows else None
    told = table(names.given).get("scopes")
    return Auth(
        kind="client_credentials",
        token_url=token_url,
        client_id=names.of("client_id"),
        client_secret=names.of("client_secret"),
        scopes=tuple(str(scope) for scope in (told if isinstance(told, list | tuple) else scopes)),
        in_body=table(names.given).get("in_body") is True,
        extra=_extra(table(table(names.given).get("extra"))),
    )


def _token_url(scheme: str, told: str, whence: Whence) -> str:
    """Where the document says that tokens are; "" for nowhere. Raises Unusable for where no secret may go."""
    try:
        url = urljoin(whence.address, told) if told else ""
    except ValueError:  # an address that is none
        return ""
    if url and not whence.trusts(url):
        raise Unusable(
            f"the document has tokens for {quoted(scheme)} fetched from {quoted(url[:100])}, elsewhere than its server "
            "is. If that is right, write the address as token_url of that scheme under secrets"
        )
    return url


def _extra(told: Mapping[str, Any]) -> tuple[tuple[str, str], ...]:
    return tuple((name, str(one)) for name, value in told.items() for one in (listed(value) or [value]))


def _open_id(names: _Names, scheme: Mapping[str, Any], scopes: list[Any], whence: Whence) -> Auth | None:
    return Auth(kind="bearer", secret=names.one())


_KINDS: Final[Mapping[str, Callable[[_Names, Mapping[str, Any], list[Any], Whence], Auth | None]]] = {
    "apiKey": _api_key,
    "http": _http,
    "oauth2": _oauth2,
    "openIdConnect": _open_id,
}
