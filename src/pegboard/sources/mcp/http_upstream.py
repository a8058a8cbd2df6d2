"""An upstream that is reached over HTTP, as a source."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

from pegboard.http_tools.secrets import EnvironmentSecrets, SecretProvider
from pegboard.sources.clients import new_client
from pegboard.sources.mcp.headers import filled
from pegboard.sources.mcp.noise import Noise
from pegboard.sources.mcp.origin import origin_of_address
from pegboard.sources.mcp.spec import HttpSpec
from pegboard.sources.mcp.upstream import McpUpstream

if TYPE_CHECKING:
    from pegboard.net.client import HttpClient
    from pegboard.sources.mcp.link import Link


class HttpUpstream(McpUpstream):
    """An upstream MCP server over streamable HTTP, or over SSE. Process-wide; used from one event loop.

        upstream = HttpUpstream(HttpSpec(name="docs", url="https://mcp.example.com/mcp"))
        async with Pegboard(sources=[upstream]) as peg:
            await peg.ready(10)

    Requests go to the scheme, host and port of its ``url`` and nowhere else, with the headers of its spec and none of
    a caller's. ``secrets`` gives the values that headers refer to (default: the environment); it is asked when a
    connection is made, and when the server refuses one for want of credentials. What the server repeats of them is
    masked. ``client`` makes the HTTP client of each connection, for a proxy or certificates of one's own.
    """

    def __init__(
        self,
        spec: HttpSpec,
        *,
        secrets: SecretProvider | None = None,
        client: Callable[[], HttpClient] | None = None,
        lazy: bool = False,
    ) -> None:
        known, make = secrets or EnvironmentSecrets(), client or new_client

        @asynccontextmanager
        async def opens(noise: Noise, on_end: Callable[[], None]) -> AsyncIterator[Link]:
            from pegboard.sources.mcp.sse import SseLink
            from pegboard.sources.mcp.streamable import StreamableLink

            kind = SseLink if spec.transport == "sse" else StreamableLink
            async with make() as http, kind.opened(spec, http, known, noise, on_end) as link:
                yield link

        super().__init__(spec, opens, Noise(of="message", where="over HTTP", fix=""), lazy=lazy)
        self._address = spec
        self._known = known

    async def origin(self) -> str:
        """See ``McpUpstream.origin``. Everything secret is taken out of what the server says, so nothing is told."""
        headers = await filled(self.name, self._address.url, self._address.headers, self._known)
        return origin_of_address(self._address, headers.values)
