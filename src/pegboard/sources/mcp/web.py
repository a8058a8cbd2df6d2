"""Requests to one upstream's own address, and nowhere else, with the headers that its operator wrote."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Final

from pegboard.errors import EgressError, RefusedRequestError, UpstreamError
from pegboard.http_tools.secrets import SecretProvider
from pegboard.masking import Scrubber
from pegboard.net.egress import EgressPolicy
from pegboard.net.urls import Target, next_target, parse
from pegboard.sources.mcp.headers import Filled, filled
from pegboard.sources.mcp.noise import visible
from pegboard.sources.mcp.spec import HttpSpec
from pegboard.sources.mcp.trouble import Trouble, TroubleError, of_network, of_redirect, of_status

if TYPE_CHECKING:
    from pegboard.net.client import HttpClient
    from pegboard.net.replies import StreamedReply

MAX_HOPS: Final = 3
"""Redirects within the address that are followed: servers add or drop a slash."""

PAGE_BYTES: Final = 65_536
"""Bytes of what comes with a refusal that are looked at."""

_REDIRECTS: Final = frozenset({301, 302, 303, 307, 308})
_KEEPS_MESSAGE: Final = frozenset({307, 308})


class Web:
    """One upstream's HTTP. Lives as long as a connection to it, within the life of ``client``.

    The policy allows the scheme, host and port of the spec's ``url`` and nothing else. Headers of a caller are not
    known here: what goes out are those of the spec, and the transport's own. Every failure is a TroubleError.
    """

    def __init__(self, spec: HttpSpec, client: HttpClient, secrets: SecretProvider) -> None:
        self.target = parse(spec.url)
        self._spec = spec
        self._client = client
        self._secrets = secrets
        self._policy = EgressPolicy.allowing(schemes=(), hosts=(), origins=[spec.url])
        self._filled = Filled({}, Scrubber(()))

    @property
    def scrubber(self) -> Scrubber:
        """Takes the secrets of this connection out of texts and values."""
        return self._filled.scrubber

    async def fill(self) -> None:
        """Ask for the secrets. Raises UpstreamError for one that is not set."""
        self._filled = await filled(self._spec.name, self._spec.url, self._spec.headers, self._secrets)

    @asynccontextmanager
    async def open(
        self,
        method: str,
        headers: Mapping[str, str],
        body: bytes = b"",
        *,
        target: Target | None = None,
        quiet_seconds: float | None = None,
    ) -> AsyncIterator[StreamedReply]:
        """Send one request; the reply, whatever its status, lasts as long as the block.

        Redirects within the address are followed where the message survives them. A refusal for want of credentials
        is answered once with new ones, where the secrets have changed.
        """
        target, begun, hops, again = target or self.target, False, 0, False
        try:
            while True:
                used = self._filled.values
                async with self._client.stream(
                    method,
                    target,
                    policy=self._policy,
                    headers={**used, **headers},
                    body=body,
                    quiet_seconds=quiet_seconds,
                ) as reply:
                    begun = True
                    following = self._following(method, target, reply) if reply.status in _REDIRECTS else None
                    renewed = reply.status == 401 and not again and await self._changed_since(used)
                    if following is None and not renewed:
                        yield reply
                        return
                target, hops, again = following or target, hops + 1, again or renewed
                if hops > MAX_HOPS:
                    raise TroubleError(Trouble(what="redirects in a circle"))
        except EgressError as error:
            raise TroubleError(of_network(error, self._spec, begun=begun)) from error

    async def _changed_since(self, used: Mapping[str, str]) -> bool:
        """Whether the secrets give other headers now than those that were used."""
        try:
            await self.fill()
        except UpstreamError:
            return False
        return self._filled.values != used

    def refusal(self, reply: StreamedReply, page: bytes) -> Trouble:
        """What a status of 400 or more means; ``page`` is what came with it."""
        text = self.scrubber.text(page.decode("utf-8", "replace"))
        return of_status(reply.status, dict(reply.headers), text, self._spec)

    def _following(self, method: str, target: Target, reply: StreamedReply) -> Target | None:
        """Where a redirect leads that can be followed; None for a reply that is none."""
        location = reply.header("location")
        if not location:
            return None
        try:
            following = next_target(target, location)
        except RefusedRequestError as error:
            raise TroubleError(of_redirect(self.scrubber.text(error.detail), elsewhere=True)) from error
        if following.origin != self.target.origin:
            raise TroubleError(of_redirect(str(following.origin), elsewhere=True))
        if method != "GET" and reply.status not in _KEEPS_MESSAGE:
            shown = visible(self.scrubber.text(f"{following.origin}{following.path}"), 200)
            raise TroubleError(of_redirect(shown, elsewhere=False))
        return following


async def page_of(reply: StreamedReply, limit: int = PAGE_BYTES) -> bytes:
    """What came with a reply, as far as ``limit`` bytes go."""
    page = bytearray()
    async for piece in reply.pieces:
        page += piece
        if len(page) >= limit:
            break
    return bytes(page[:limit])
