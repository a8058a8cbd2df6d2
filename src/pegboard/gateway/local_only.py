"""Refusing requests that are for another machine's name, or come from another's page.

A page of anywhere can have a browser send requests here: as itself (``Origin``), or under a name of its own that it has
made point to this machine (``Host``).
"""

from __future__ import annotations

import logging
import re
from collections.abc import Collection
from typing import TYPE_CHECKING, Final

from starlette.datastructures import Headers
from starlette.responses import PlainTextResponse

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Receive, Scope, Send

logger = logging.getLogger(__name__)

LOCAL_NAMES: Final = ("127.0.0.1", "localhost", "[::1]")

_AUTHORITY: Final = re.compile(r"(?P<host>[A-Za-z0-9.-]+|\[[0-9A-Fa-f:.]+\])(?::(?P<port>[0-9]{1,5}))?", re.ASCII)
_SCHEMES: Final = ("http://", "https://")


class LocalOnly:
    """Passes requests on that name one of ``names`` as their host, and come from a page of one or from none.

    Process-wide. Ports may be any: whoever forwards one to this machine calls it by another number.
    """

    def __init__(self, app: ASGIApp, names: Collection[str]) -> None:
        self._app = app
        self._names = frozenset(name.lower() for name in names)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        headers = Headers(scope=scope)
        hosts, origins = headers.getlist("host"), headers.getlist("origin")
        if len(hosts) != 1 or not is_of(hosts[0], self._names):
            await self._refuse(421, "Host", hosts)(scope, receive, send)
        elif origins and not (len(origins) == 1 and is_page_of(origins[0], self._names)):
            await self._refuse(403, "Origin", origins)(scope, receive, send)
        else:
            await self._app(scope, receive, send)

    def _refuse(self, status: int, header: str, values: list[str]) -> PlainTextResponse:
        logger.warning("a request was refused: %s is %r", header, ", ".join(values)[:200])
        named = ", ".join(sorted(self._names))
        return PlainTextResponse(f"The header {header} has to name one of {named}.", status_code=status)


def is_of(authority: str, names: Collection[str]) -> bool:
    """Whether an authority is ``host`` or ``host:port`` with one of these hosts, written in lower case."""
    found = _AUTHORITY.fullmatch(authority)
    return found is not None and found["host"].lower() in names and int(found["port"] or 0) <= 65535


def is_page_of(origin: str, names: Collection[str]) -> bool:
    """Whether an origin is ``http`` or ``https`` of one of these hosts, and nothing besides."""
    return any(origin.startswith(scheme) and is_of(origin.removeprefix(scheme), names) for scheme in _SCHEMES)
