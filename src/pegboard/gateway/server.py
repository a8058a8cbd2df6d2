"""The MCP server in front of a Pegboard, for clients of both eras."""

from __future__ import annotations

import logging
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import replace
from typing import Any, TypeVar

from mcp import MCPError
from mcp.server.caching import CacheHint
from mcp.server.context import HandlerResult
from mcp.server.lowlevel import NotificationOptions, Server
from mcp.server.models import InitializationOptions
from mcp.types import (
    INTERNAL_ERROR,
    INVALID_PARAMS,
    CallToolRequestParams,
    PaginatedRequestParams,
    ServerCapabilities,
    SubscriptionsListenRequestParams,
)
from pydantic import BaseModel

from pegboard.auth import AllowAll, Principal
from pegboard.board import Board
from pegboard.dispatch import new_call_id
from pegboard.errors import BoardError
from pegboard.gateway.exchange import exchange_in
from pegboard.gateway.faithful import faithfully, mean
from pegboard.gateway.hub import Hub
from pegboard.gateway.instructions import instructions_for
from pegboard.gateway.listening import About, Seen
from pegboard.gateway.readiness import wait_for_listed, wait_for_skills, wait_for_sources
from pegboard.gateway.render import call_result, is_modern, list_result
from pegboard.gateway.requests import Identify, Request, board_in, client_of, headers_of, meta_of
from pegboard.gateway.sessions import SURFACE, Session
from pegboard.gateway.settings import GatewaySettings
from pegboard.gateway.shelf import fingerprint_of
from pegboard.gateway.skills_extension import SkillsExtension
from pegboard.peg import Pegboard
from pegboard.pin_store import MemoryPinStore, PinStore
from pegboard.prefix import Listing
from pegboard.tools import Halt, ToolResult, Visibility, text_block
from pegboard.usage.leads import CallerLeads
from pegboard.view import View

logger = logging.getLogger(__name__)

_Params = TypeVar("_Params", bound=BaseModel)


class Gateway:
    """An MCP server in front of a Pegboard. Process-wide; serves any number of clients, one after another or at once.

        gateway = Gateway(peg)
        app = http_app(gateway)         # or: await serve_stdio(peg)

    ``server`` is the SDK's server, for transports of one's own and for ``mcp.Client(gateway.server)`` in tests; whoever
    uses it so starts and stops ``peg``. ``identify`` says who a request speaks for (default: the settings' principal).
    The board of a handshake client ends with its session, so it is kept in memory unless a ``session_store`` is given.
    """

    def __init__(
        self,
        peg: Pegboard,
        settings: GatewaySettings | None = None,
        *,
        identify: Identify | None = None,
        session_store: PinStore | None = None,
    ) -> None:
        self.peg = peg
        self.settings = settings or GatewaySettings()
        self._identify = identify or (lambda request: self.settings.principal)
        self._session_store = MemoryPinStore() if session_store is None else session_store
        self._hubs: set[Hub] = set()
        self.skills = SkillsExtension(peg, self._view, self._ttl)
        self._leads = CallerLeads()
        self.server = _Server(self)
        self.server.middleware.append(faithfully)
        self._handle("tools/list", PaginatedRequestParams, self._list)
        self._handle("tools/call", CallToolRequestParams, self._call)
        self._handle("subscriptions/listen", SubscriptionsListenRequestParams, self._listen)
        self.server.middleware.append(self.skills.declare)
        for method, (params, handler) in self.skills.handlers.items():
            self._handle(method, params, handler)

    @property
    def profile(self) -> str:
        """The profile of clients whose list does not change."""
        return "boards" if self.settings.boards else "modern"

    def instructions(self, profile: str) -> str:
        """What clients of a profile are told about working with the board."""
        told = self.settings.instructions
        return told or instructions_for(self.peg.profiles[profile], skills=self.skills.offered)

    @asynccontextmanager
    async def running(self) -> AsyncIterator[Hub]:
        """What one run of ``server`` keeps of its clients. The SDK enters this."""
        async with Hub.running(self.peg, self._session_store) as hub:
            self._hubs.add(hub)
            try:
                yield hub
            finally:
                self._hubs.discard(hub)

    def end_streams(self) -> None:
        """End every ``subscriptions/listen`` stream in good order: the server is about to stop."""
        for hub in self._hubs:
            hub.listening.close()

    async def _list(self, request: Request, params: PaginatedRequestParams) -> HandlerResult:
        if params.cursor:
            raise MCPError(code=INVALID_PARAMS, message="The list has one page: leave the cursor out.")
        principal, board_id = self._identify(request), board_in(request)
        await wait_for_listed(self.peg, self.settings.list_wait)
        if is_modern(request.protocol_version) or board_id:
            listing = await self._stable_listing(principal, board_id)
        else:
            session = self._session(request, principal)
            listing = await session.listing()
            self._after(request, session)
        return mean(list_result(listing.items, request.protocol_version, ttl_ms=self._ttl()))

    async def _call(self, request: Request, params: CallToolRequestParams) -> HandlerResult:
        principal, board_id = self._identify(request), board_in(request)
        if is_modern(request.protocol_version) or board_id:
            board = await self._stable_board(principal, board_id, for_calls=True)
            outcome = await self._run(request, board, params)
        else:
            session = self._session(request, principal)
            try:
                outcome = await self._run(request, await session.board(), params)
            finally:
                session.called()
                self._after(request, session)
        return mean(call_result(outcome, request.protocol_version))

    async def _listen(self, request: Request, params: SubscriptionsListenRequestParams) -> HandlerResult:
        principal, board_id = self._identify(request), board_in(request)

        async def seen() -> Seen:
            tools = (await self._stable_listing(principal, board_id)).fingerprint
            view = await (await self._stable_board(principal, board_id, for_calls=True)).view()
            return Seen(tools=tools, resources=fingerprint_of(view))

        about = About(principal.key if principal else None, board_id)
        return await request.lifespan_context.listening.serve(request, params, about, seen)

    async def _view(self, request: Request) -> View:
        """What the caller of a request about skills may discover."""
        principal, board_id = self._identify(request), board_in(request)
        await wait_for_skills(self.peg, self.settings.list_wait)
        if is_modern(request.protocol_version) or board_id:
            return await (await self._stable_board(principal, board_id, for_calls=True)).view()
        session = self._session(request, principal)
        view = await session.skills()
        self._after(request, session)
        return view

    async def _run(self, request: Request, board: Board, params: CallToolRequestParams) -> ToolResult | Halt:
        raw = request.params or {}
        arguments = raw.get("arguments")
        missing = await wait_for_sources(self.peg, board, params.name, arguments, self.settings.ready_wait)
        outcome = await board.call(
            params.name,
            arguments,
            context=self.peg.context.sent(headers_of(request)),
            meta=meta_of(raw),
            on_progress=request.session.report_progress,
            client=client_of(request),
        )
        return _with_note(outcome, missing if board.principal is None else ())

    async def _stable_board(
        self, principal: Principal | None, board_id: str | None, *, for_calls: bool = False
    ) -> Board:
        """A board for one request: nothing that is done to it outlives the request.

        ``board_id`` is that of the address, if it names one; such a board is changed through the Python API alone.
        """
        profile = "modern" if board_id else self.profile
        leads = self._leads.of(f"{principal.key if principal else ''} {board_id or ''}")
        return await self.peg.open(
            principal, board_id, surface=SURFACE, profile=profile, for_calls=for_calls, leads=leads
        )

    async def _stable_listing(self, principal: Principal | None, board_id: str | None) -> Listing:
        if board_id is None:
            return (await self._stable_board(principal, None)).listing()
        # What is always visible is told as of now and by this door's profile, whichever opened the board.
        return await (await self._stable_board(principal, board_id)).standing_listing()

    def _session(self, request: Request, principal: Principal | None) -> Session:
        return request.lifespan_context.sessions.of(request, principal)

    def _after(self, request: Request, session: Session) -> None:
        """Have the session's boundary made, and its client told, once this request's answer has left."""
        if not session.restless:
            return
        hub = request.lifespan_context
        exchange = exchange_in(request.request)
        if exchange is None:
            # A transport in memory: what is spawned here runs when this handler's answer has been handed over.
            hub.spawn(session.follow_up)
        else:
            exchange.after(lambda: hub.spawn(session.follow_up))

    def _ttl(self) -> int:
        """A list that may grow at any moment is not to be kept."""
        unready = any(status.state != "failed" for status in self.peg.missing())
        return 0 if unready else self.settings.ttl_ms

    def _handle(
        self, method: str, params: type[_Params], handler: Callable[[Request, _Params], Awaitable[HandlerResult]]
    ) -> None:
        async def guarded(request: Request, typed: _Params) -> HandlerResult:
            try:
                return await handler(request, typed)
            except MCPError:
                raise
            except BoardError as error:
                raise MCPError(code=INVALID_PARAMS, message=str(error)) from error
            except Exception as error:
                where = new_call_id()
                logger.exception("%s failed (%s)", method, where)
                message = f"Internal error; the log has the details under {where}."
                raise MCPError(code=INTERNAL_ERROR, message=message) from error

        self.server.add_request_handler(method, params, guarded)


class _Server(Server[Hub]):
    """The SDK's server, with what it says of itself by era. Process-wide."""

    def __init__(self, gateway: Gateway) -> None:
        super().__init__(
            gateway.settings.name,
            version=gateway.settings.version,
            lifespan=lambda _: gateway.running(),
            cache_hints={"server/discover": CacheHint(ttl_ms=gateway.settings.ttl_ms, scope="private")},
        )
        self._gateway = gateway

    @property
    def instructions(self) -> str:
        """What a client is told whose list does not change: of skills too, where the configuration has come by some."""
        return self._gateway.instructions(self._gateway.profile)

    @instructions.setter
    def instructions(self, text: object) -> None:
        """The SDK sets what it was given, which was nothing."""

    @property
    def get_tool_input_schema(self) -> Callable[[str], Mapping[str, Any] | None] | None:
        """How the SDK looks up a schema: with a policy in the caller's own list, which it does when given no lookup."""
        return self._listed_schema if isinstance(self._gateway.peg.policy, AllowAll) else None

    @get_tool_input_schema.setter
    def get_tool_input_schema(self, lookup: object) -> None:
        """The SDK sets what it was given, which was nothing: the policy can change while the server runs."""

    def get_capabilities(
        self,
        notification_options: NotificationOptions | None = None,
        experimental_capabilities: dict[str, dict[str, Any]] | None = None,
        extensions: dict[str, dict[str, Any]] | None = None,
        *,
        protocol_version: str | None = None,
    ) -> ServerCapabilities:
        """What the server can do, skills and their resources only where there are some, or may come some."""
        capabilities = super().get_capabilities(
            notification_options, experimental_capabilities, extensions, protocol_version=protocol_version
        )
        return self._gateway.skills.declared(capabilities)

    def create_initialization_options(
        self,
        notification_options: NotificationOptions | None = None,
        experimental_capabilities: dict[str, dict[str, Any]] | None = None,
        extensions: dict[str, dict[str, Any]] | None = None,
    ) -> InitializationOptions:
        """What a handshake client is told: its list changes, and how to work with that."""
        options = super().create_initialization_options(
            notification_options or NotificationOptions(tools_changed=True, resources_changed=True),
            experimental_capabilities,
            extensions,
        )
        return options.model_copy(update={"instructions": self._gateway.instructions("session")})

    def _listed_schema(self, name: str) -> Mapping[str, Any] | None:
        """The input schema of a tool in the stable list: only such a tool's arguments are mirrored in headers."""
        tool = self._gateway.peg.catalog.get(name)
        shown = tool is not None and tool.visibility_on(SURFACE) is Visibility.ALWAYS
        return tool.input_schema if tool is not None and shown else None


def _with_note(outcome: ToolResult | Halt, missing: tuple[str, ...]) -> ToolResult | Halt:
    """A failed call, with a word on the sources that may have the tool and are still starting."""
    if not missing or isinstance(outcome, Halt) or not outcome.is_error:
        return outcome
    note = f"Still starting: {', '.join(missing)}. If the tool is one of theirs, try again in a moment."
    return replace(outcome, content=(*outcome.content, text_block(note)))
