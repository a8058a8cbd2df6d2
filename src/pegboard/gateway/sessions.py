"""Handshake clients: each has a board of its own, which changes between its turns."""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import Any, Final

import anyio
from mcp.server.connection import Connection
from mcp.server.context import ServerRequestContext

from pegboard.auth import Principal
from pegboard.board import Board
from pegboard.errors import StoreError
from pegboard.gateway.shelf import fingerprint_of
from pegboard.peg import Pegboard
from pegboard.pin_store import PinStore
from pegboard.prefix import Listing
from pegboard.view import View

logger = logging.getLogger(__name__)

SURFACE: Final = "mcp"


class Session:
    """A handshake client's board, and what the client must be told. Lives as long as the client's connection.

    A boundary is *due* from the moment that a call has queued pins. It is made once that call's answer has left, or,
    when the client is quicker, by the client's next request. When the listing changed, the client is *owed* a
    notification, which leaves only after the answer.
    """

    def __init__(self, peg: Pegboard, connection: Connection, principal: Principal | None, store: PinStore) -> None:
        self.principal = principal
        self._peg = peg
        self._store = store
        self._connection = connection
        self._board: Board | None = None
        self._lock = anyio.Lock()
        self._shown = ""
        self._skills_shown: str | None = None
        self._due = False
        self._owed = False
        self._owed_resources = False
        self._telling = False

    @property
    def restless(self) -> bool:
        """Whether something is to be done once the answer at hand has left."""
        return self._due or self._owed or self._owed_resources

    async def board(self) -> Board:
        """The board as of its newest boundary: one that is due is made first."""
        async with self._lock:
            if self._board is None:
                self._board = await self._peg.open(
                    self.principal, surface=SURFACE, profile="session", store=self._store
                )
                self._shown = self._board.listing().fingerprint
            elif self._due:
                await self._boundary(self._board)
            return self._board

    async def listing(self) -> Listing:
        """What the client is shown now."""
        board = await self.board()
        if self.principal is not None:
            await board.view()  # a lost right hides at once
        listing = board.listing()
        self._shown = listing.fingerprint
        return listing

    async def skills(self) -> View:
        """What the client may see of skills now; from here on it is told when that has changed."""
        view = await (await self.board()).view()
        self._skills_shown = fingerprint_of(view)
        return view

    def called(self) -> None:
        """A call has run: a boundary is due when it queued something."""
        if self._board is not None and self._board.unsaved:
            self._due = True

    async def follow_up(self) -> None:
        """What is to be done after an answer: the boundary that is due, and the notification that is owed."""
        await self.board()
        await self._tell()

    async def refresh(self) -> None:
        """What is to be done after a change of the catalog.

        Nothing for a client that has asked for nothing yet; and pins that are queued wait for their answer to leave.
        """
        async with self._lock:
            board = self._board
            if board is None:
                return
            if await board.stale() and not self._due:
                await self._boundary(board)
            self._compare(board)
            if self._skills_shown is not None:
                before, self._skills_shown = self._skills_shown, fingerprint_of(await board.view())
                self._owed_resources |= self._skills_shown != before
        await self._tell()

    async def close(self) -> None:
        """Forget the board. Its client is gone, and nobody else can open it."""
        if self._board is not None:
            await self._board.close()

    async def _boundary(self, board: Board) -> None:
        self._due = False
        try:
            await board.boundary()
        except StoreError:
            # The queue is kept, and the list stays as it was: the next request tries again.
            self._due = True
            logger.exception("the boundary of a session could not be saved")
        self._compare(board)

    def _compare(self, board: Board) -> None:
        fingerprint = board.listing().fingerprint
        if fingerprint != self._shown:
            self._shown = fingerprint
            self._owed = True

    async def _tell(self) -> None:
        """Send what is owed. One sender at a time, so that a client that does not read is not waited for twice."""
        if self._telling:
            return
        self._telling = True
        try:
            while self._owed or self._owed_resources:
                tools, self._owed = self._owed, False
                resources, self._owed_resources = self._owed_resources, False
                if tools:
                    await self._connection.send_tool_list_changed()
                if resources:
                    await self._connection.send_resource_list_changed()
        finally:
            self._telling = False


class Sessions:
    """The sessions of one running server. Lives as long as the server's lifespan.

    Their boards are kept in ``store``.
    """

    def __init__(self, peg: Pegboard, store: PinStore) -> None:
        self._peg = peg
        self._store = store
        self._live: set[Session] = set()

    def of(self, context: ServerRequestContext[Any, Any], principal: Principal | None) -> Session:
        """The session of the client that sent a request."""
        connection = connection_of(context)
        session = connection.state.get(_STATE_KEY)
        if not isinstance(session, Session):
            session = Session(self._peg, connection, principal, self._store)
            connection.state[_STATE_KEY] = session
            self._live.add(session)
            connection.exit_stack.push_async_callback(self._ended, session)
        return session

    def for_each(self, action: Callable[[Session], None]) -> None:
        """Do something with every live session."""
        for session in tuple(self._live):
            action(session)

    async def _ended(self, session: Session) -> None:
        self._live.discard(session)
        try:
            await session.close()
        except StoreError:
            logger.exception("the board of a session that ended could not be forgotten")


_STATE_KEY: Final = "pegboard.session"


def connection_of(context: ServerRequestContext[Any, Any]) -> Connection:
    """The client's connection: the SDK has state and cleanup for handlers there, but no public way to it."""
    return context.session._connection
