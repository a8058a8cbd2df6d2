"""A session with an upstream: how it begins, and what is asked in it, raw.

Listing and calling bypass ``ClientSession``: it refuses a whole listing for one bad tool, drops what it does not
know, and validates what is only to be passed on.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from contextlib import asynccontextmanager, contextmanager, suppress
from dataclasses import dataclass, field
from typing import Any, Final, NamedTuple

from mcp import ClientSession, MCPError
from mcp.client.subscriptions import SubscriptionLost, listen
from mcp.shared.dispatcher import CallOptions, ProgressFnT
from mcp.shared.inbound import (
    MCP_METHOD_HEADER,
    MCP_NAME_HEADER,
    MCP_PROTOCOL_VERSION_HEADER,
    NAME_BEARING_METHODS,
    encode_header_value,
    find_invalid_x_mcp_header,
    mcp_param_headers,
    x_mcp_header_map,
)
from mcp.shared.jsonrpc_dispatcher import JSONRPCDispatcher
from mcp.types import (
    CLIENT_CAPABILITIES_META_KEY,
    CLIENT_INFO_META_KEY,
    METHOD_NOT_FOUND,
    PROTOCOL_VERSION_META_KEY,
    Implementation,
    ResourceListChangedNotification,
    ServerCapabilities,
    ToolListChangedNotification,
)
from mcp.types.version import MODERN_PROTOCOL_VERSIONS

from pegboard.sources.mcp.failures import OddAnswerError, trouble_in
from pegboard.sources.mcp.link import Link
from pegboard.sources.mcp.list_bounds import ListBounds
from pegboard.sources.mcp.spec import Era
from pegboard.version import __version__

logger = logging.getLogger(__name__)

MAX_PAGES: Final = 500
"""Pages of one listing; a server that never ends its list is cut off here."""

_OURSELVES: Final = Implementation(name="pegboard", version=__version__)

_RELISTEN: Final = 5.0
"""Seconds until a subscription that the server ended is asked for again."""


@dataclass(frozen=True, kw_only=True)
class RawListing:
    """All pages of ``tools/list``, in order, as they came over the wire. Immutable.

    ``faults`` say, by name, of which tools the revision wants to be rid.
    """

    tools: tuple[Any, ...]
    notes: tuple[str, ...] = ()
    faults: Mapping[str, str] = field(default_factory=dict)


class Connection:
    """A session that has begun. Lives as long as its link; shared by all calls, which run side by side in it."""

    def __init__(self, link: Link, dispatcher: JSONRPCDispatcher, session: ClientSession) -> None:
        self.link = link
        self.session = session
        self._dispatcher = dispatcher
        self._left = False
        self._mirrored: dict[str, Mapping[tuple[str, ...], str]] = {}

    @property
    def revision(self) -> str:
        """The protocol revision that was agreed on, such as ``2025-11-25``."""
        return self.session.protocol_version or ""

    @property
    def capabilities(self) -> ServerCapabilities:
        """What the server says that it can do."""
        return self.session.server_capabilities or ServerCapabilities()

    @property
    def modern(self) -> bool:
        """Whether it is of the modern era."""
        return self.revision in MODERN_PROTOCOL_VERSIONS

    @property
    def closed(self) -> bool:
        """Whether nothing more will be answered in it."""
        return self.link.ended or self._left

    async def request(
        self, method: str, params: Mapping[str, Any], on_progress: ProgressFnT | None = None
    ) -> dict[str, Any]:
        """Send one request; its result as it came. Cancelling this sends ``notifications/cancelled``.

        Raises MCPError for an error answer, and when the connection closes.
        """
        options: CallOptions = {"headers": self._headers(method, params)}
        if on_progress is not None:
            options["on_progress"] = on_progress
        return await self._dispatcher.send_raw_request(method, self._stamped(params), options)

    def _headers(self, method: str, params: Mapping[str, Any]) -> dict[str, str]:
        """What the request says of itself in headers, for transports that have such."""
        headers = {MCP_PROTOCOL_VERSION_HEADER: self.revision}
        if not self.modern:
            return headers
        headers[MCP_METHOD_HEADER] = method
        if (key := NAME_BEARING_METHODS.get(method)) is not None:
            headers[MCP_NAME_HEADER] = encode_header_value(params[key])
        if method == "tools/call":
            headers |= mcp_param_headers(self._mirrored.get(params["name"], {}), params["arguments"])
        return headers

    def leave(self) -> None:
        """The session is about to be closed from this side."""
        self._left = True

    async def list_tools(self) -> RawListing:
        """All pages. A listing that does not end is cut, and a note says so.

        Raises MCPError, and OddAnswerError for an answer that is no listing.
        """
        tools: list[Any] = []
        notes = [note async for note in self.pages("tools/list", "tools", tools.extend)]
        return RawListing(tools=tuple(tools), notes=tuple(notes), faults=self._mirror(tools))

    async def pages(
        self, method: str, member: str, take: Callable[[list[Any]], object], most: int = MAX_PAGES
    ) -> AsyncIterator[str]:
        """Read the pages of a list, ``most`` of them, and hand each one's items to ``take``; the notes there are.

        Raises MCPError, and OddAnswerError for an answer that is no listing.
        """
        cursors: list[str] = []
        bounds = ListBounds()
        for _ in range(most):
            page = await self._page(method, member, cursors[-1] if cursors else None)
            take(bounds.within(page[member]))
            cursor = page.get("nextCursor")
            if reached := bounds.reached(page[member], more=bool(cursor)):
                yield f"its list of {member} has over {reached}; the rest is left"
                return
            if not cursor:
                return
            if not isinstance(cursor, str) or cursor in cursors:
                yield f"its list of {member} repeats the page {cursor!r:.80}"
                return
            cursors.append(cursor)
        yield f"its list of {member} has over {most} pages; the rest is left"

    def _mirror(self, tools: list[Any]) -> dict[str, str]:
        """Note which arguments calls repeat in headers, a matter of the modern era; the tools that say it wrongly."""
        self._mirrored, faults = {}, {}
        for tool in tools if self.modern else ():
            name, schema = (tool.get("name"), tool.get("inputSchema")) if isinstance(tool, Mapping) else (None, None)
            if isinstance(name, str):
                if (wrong := find_invalid_x_mcp_header(schema)) is None:
                    self._mirrored[name] = x_mcp_header_map(schema)
                else:
                    faults[name] = f"MCP forbids its x-mcp-header: {wrong}."
        return faults

    async def _page(self, method: str, member: str, cursor: str | None) -> dict[str, Any]:
        try:
            page = await self.request(method, {} if cursor is None else {"cursor": cursor})
        except MCPError as error:
            if cursor is None and error.code == METHOD_NOT_FOUND:
                return {member: []}
            raise
        if not isinstance(page.get(member), list):
            raise OddAnswerError(f"the answer holds no list of {member}")
        return page

    def _stamped(self, params: Mapping[str, Any]) -> dict[str, Any]:
        """``params`` with what every request of the modern era carries; no public name of the SDK adds it."""
        if not self.modern:
            return dict(params)
        envelope = {
            PROTOCOL_VERSION_META_KEY: self.revision,
            CLIENT_INFO_META_KEY: _OURSELVES.model_dump(by_alias=True, exclude_none=True),
            CLIENT_CAPABILITIES_META_KEY: {},
        }
        return {**params, "_meta": {**params.get("_meta", {}), **envelope}}


@asynccontextmanager
async def connected(link: Link, era: Era, on_lists_changed: Callable[[], None]) -> AsyncIterator[Connection]:
    """Begin a session on a link. No client capability is declared: the session may serve every caller.

    Raises MCPError, RuntimeError and pydantic.ValidationError for what can go wrong in a handshake.
    """

    async def on_message(message: object) -> None:
        if isinstance(message, ToolListChangedNotification | ResourceListChangedNotification):
            on_lists_changed()

    dispatcher = JSONRPCDispatcher(link.read, link.write)
    session = ClientSession(dispatcher=dispatcher, message_handler=on_message, client_info=_OURSELVES)
    async with session:
        await begin(session, era)
        news = _announced(session)
        listening = asyncio.create_task(_listen(session, news, on_lists_changed)) if any(news) else None
        connection = Connection(link, dispatcher, session)
        try:
            yield connection
        finally:
            connection.leave()
            if listening is not None:
                listening.cancel()
                await asyncio.wait([listening])


async def begin(session: ClientSession, era: Era) -> None:
    """Agree on a revision.

    ``auto`` begins with the handshake: every server that was measured answers it, while some servers on stdio leave,
    or stay silent, when anything else comes first.
    """
    if era == "modern":
        await session.discover()
        return
    try:
        await session.initialize()
    except MCPError as refusal:
        trouble = trouble_in(refusal)
        if era == "handshake" or (trouble is not None and not trouble.wordless):
            raise
        try:
            await session.discover()
        except Exception:
            raise refusal from None


class _News(NamedTuple):
    """Which lists' changes a server tells of. Immutable."""

    tools: bool
    resources: bool


def _announced(session: ClientSession) -> _News:
    """The changes that must be asked for: modern servers tell only those who listen."""
    capabilities = session.server_capabilities
    if session.protocol_version not in MODERN_PROTOCOL_VERSIONS or capabilities is None:
        return _News(tools=False, resources=False)
    tools, resources = capabilities.tools, capabilities.resources
    return _News(tools=bool(tools and tools.list_changed), resources=bool(resources and resources.list_changed))


@contextmanager
def _lost() -> Iterator[None]:
    """What keeps a server from answering is no answer: it says nothing about subscriptions."""
    try:
        yield
    except MCPError as error:
        if trouble_in(error) is None:
            raise
        raise SubscriptionLost(str(error)) from error


async def _listen(session: ClientSession, news: _News, on_lists_changed: Callable[[], None]) -> None:
    """Keep a subscription open. Its events reach the session's message handler like any other notification.

    What changed while there was none is not told later: a new one counts as a change.
    """
    first = True
    try:
        while True:
            with suppress(SubscriptionLost), _lost():
                wanted = listen(session, tools_list_changed=news.tools, resources_list_changed=news.resources)
                async with wanted as subscription:
                    if not first:
                        on_lists_changed()
                    first = False
                    async for _ in subscription:
                        pass
            await asyncio.sleep(_RELISTEN)
    except Exception:
        logger.debug("the server takes no subscription to its lists", exc_info=True)
