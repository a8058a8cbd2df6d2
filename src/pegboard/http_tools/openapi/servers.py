"""Where an operation's requests go: its servers, variables filled in, relative addresses made whole. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any, Final
from urllib.parse import quote, urljoin, urlsplit

from pegboard.errors import DefinitionError, RefusedRequestError
from pegboard.http_tools.openapi.spelling import CONFIGURED, Spelling
from pegboard.http_tools.openapi.values import NoServer, listed, table, text
from pegboard.net.urls import parse
from pegboard.pointing import quoted

_VARIABLE: Final = re.compile(r"\{([^{}]+)\}")
_SAFE: Final = "/%:@!$&'()*+,;=~?[]"
_CONTROL: Final = re.compile(r"[\x00-\x1f\x7f]")
_EXAMPLE: Final = "https://api.example.com"


class Servers:
    """The servers of one document. Read-only; lives as long as one import.

    ``address`` is where the document came from, "" for a file; ``server`` takes the place of all that it names.
    """

    def __init__(
        self,
        address: str = "",
        server: str = "",
        values: Mapping[str, str] | None = None,
        spelling: Spelling = CONFIGURED,
    ) -> None:
        self._address = address
        self._values = values or {}
        self._spelling = spelling
        self._hint = f"Give the address to send to: {spelling.of('server', _EXAMPLE)}."
        self._given = _checked(server, self._hint) if server else ""

    def address(self, *levels: Any) -> str:
        """The first server of the first level that has any, without a slash at its end. Raises NoServer.

        The levels go from the operation outwards.
        """
        if self._given:
            return self._given
        servers = next((found for level in levels if (found := listed(level))), [{"url": "/"}])
        return self._whole(self._filled(table(servers[0])))

    def _filled(self, server: Mapping[str, Any]) -> str:
        variables = table(server.get("variables"))
        return _VARIABLE.sub(
            lambda match: self._value(match[1], table(variables.get(match[1]))), text(server.get("url"))
        )

    def _value(self, name: str, variable: Mapping[str, Any]) -> str:
        given = self._values.get(name)
        value = variable.get("default") if given is None else given
        if not isinstance(value, str | int | float) or isinstance(value, bool) or str(value) == "":
            mend = f"Give it one: {self._spelling.of('server_variable', name)}."
            raise NoServer(f"the server's variable {quoted(name)} has no value", mend)
        allowed = [str(item) for item in listed(variable.get("enum"))]
        if given is not None and allowed and str(given) not in allowed:
            told = f"Give it one of {', '.join(allowed[:10])}."
            raise NoServer(f"the server's variable {quoted(name)} cannot be {quoted(str(given))}", told)
        return str(value)

    def _whole(self, url: str) -> str:
        url = url.partition("#")[0]
        if not re.match(r"[A-Za-z][A-Za-z0-9+.-]*://", url):
            url = self._joined(url)
        return self._checked(url)

    def _joined(self, url: str) -> str:
        """A relative address made whole with the document's own."""
        if self._address:
            return urljoin(self._address, url)
        if url.startswith("//"):
            return f"https:{url}"
        whole = f"https://HOST/{url.removeprefix('/')}".rstrip("/")
        raise NoServer(
            f"its server is {quoted(url or '/')}, relative to the address of a document that came from a file",
            f"Give the whole: {self._spelling.of('server', whole)}.",
        )

    def _checked(self, url: str) -> str:
        if _CONTROL.search(url):  # taken out below without a word, they would make another host of it
            raise NoServer(f"its server {quoted(url[:100])} holds a line break or control character", self._hint)
        encoded = _encoded(url)
        try:
            parse(encoded)
        except RefusedRequestError as error:
            raise NoServer(f"its server {quoted(url[:100])} cannot be used: {error.detail}", self._hint) from None
        return encoded.partition("?")[0].rstrip("/")


def _checked(server: str, hint: str) -> str:
    """The address that an operator gave. Raises DefinitionError."""
    try:
        found = parse(_encoded(server))
    except RefusedRequestError as error:
        raise DefinitionError(f"The server {quoted(server[:100])} cannot be used: {error.detail}.", hint=hint) from None
    if found.origin.scheme not in ("http", "https") or "?" in server or "#" in server:
        raise DefinitionError(f"The server {quoted(server[:100])} has a query or a fragment.", hint=hint)
    return _encoded(server).rstrip("/")


def _encoded(url: str) -> str:
    parts = urlsplit(url)
    return f"{parts.scheme}://{parts.netloc}{quote(parts.path, safe=_SAFE)}"


def check_variables(values: Mapping[str, str], servers: Iterable[Any]) -> None:
    """Raises DefinitionError for values of variables that no server has."""
    known = {str(name) for server in servers for name in table(table(server).get("variables"))}
    for name in values:
        if name not in known:
            told = f"There are: {', '.join(sorted(known))}." if known else "Its servers have none."
            raise DefinitionError(f"No server of the document has a variable {quoted(name)}.", hint=told)
