"""What a client's request says beside its arguments. Pure."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from mcp.server.context import ServerRequestContext

from pegboard.auth import Principal
from pegboard.gateway.hub import Hub
from pegboard.tools import JsonObject

Request = ServerRequestContext[Hub, Any]
"""One request of a client, as the SDK hands it to a handler."""

Identify = Callable[[Request], Principal | None]
"""Who a request speaks for; None in trusted local use."""

_OF_THE_CONNECTION: Final = "io.modelcontextprotocol/"
"""Keys of ``_meta`` that begin so, and ``progressToken``, speak of the client's connection and end here."""


def board_in(request: Request) -> str | None:
    """The board that the request's address names; None when it names none."""
    named = getattr(request.request, "path_params", {}).get("board")
    return named if isinstance(named, str) else None


def headers_of(request: Request) -> Callable[[str], Sequence[str]]:
    """What gives all values of a header of the request; none where it did not come over HTTP."""
    headers = getattr(request.request, "headers", None)
    return (lambda name: ()) if headers is None else headers.getlist


def meta_of(params: Mapping[str, Any]) -> JsonObject:
    """What of a request's ``_meta`` is for the tool: tracing and vendor keys."""
    meta = params.get("_meta") or {}
    return {k: v for k, v in meta.items() if k != "progressToken" and not k.startswith(_OF_THE_CONNECTION)}


def client_of(request: Request) -> JsonObject:
    """What the client's own connection can do: ``revision`` and ``capabilities``."""
    declared = request.session.client_capabilities
    capabilities = declared.model_dump(by_alias=True, mode="json", exclude_none=True) if declared else {}
    return {"revision": request.protocol_version, "capabilities": capabilities}
