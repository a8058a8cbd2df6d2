"""Serving one client over standard input and output: a JSON-RPC message a line, and nothing else."""

from __future__ import annotations

import json
import logging
import signal
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any, Final

import anyio
from anyio.abc import ObjectReceiveStream, ObjectSendStream
from mcp.shared.message import ServerMessageMetadata, SessionMessage
from mcp.types import (
    INVALID_REQUEST,
    PARSE_ERROR,
    ErrorData,
    JSONRPCError,
    JSONRPCMessage,
    JSONRPCNotification,
    JSONRPCRequest,
    JSONRPCResponse,
    RequestId,
    jsonrpc_message_adapter,
)
from pydantic import ValidationError
from pydantic_core import from_json

from pegboard.gateway.exchange import Exchange
from pegboard.gateway.lines import LineReader, LineTooLongError, LineWriter
from pegboard.gateway.overlong import id_of, request_id
from pegboard.gateway.server import Gateway
from pegboard.gateway.settings import GatewaySettings
from pegboard.gateway.wire import Wire, claim_stdio
from pegboard.lines import Line
from pegboard.peg import Pegboard

logger = logging.getLogger(__name__)

_DRAIN_SECONDS: Final = 1.0
"""How long calls may still run after the client has closed its end: enough for ``pegboard serve < requests``, and
shorter than clients wait before they kill."""

_BYTE_ORDER_MARK: Final = b"\xef\xbb\xbf"
_ENDLESS: Final = "subscriptions/listen"


async def serve_stdio(peg: Pegboard, settings: GatewaySettings | None = None, *, wire: Wire | None = None) -> None:
    """Serve one client until it closes standard input, or SIGINT or SIGTERM comes; starts and stops ``peg``.

    Standard output then belongs to the protocol until the process ends (see ``claim_stdio``).
    """
    wire = wire or claim_stdio()
    gateway = Gateway(peg, settings)
    async with peg, _until_signal():
        await serve_lines(gateway, wire)


async def serve_lines(gateway: Gateway, wire: Wire) -> None:
    """Serve one client over two descriptors until it closes its end."""
    reader = LineReader(wire.incoming, gateway.settings.max_message)
    writer = LineWriter(wire.outgoing)
    outlet = Outlet(writer, reader)
    inlet = Inlet(reader, outlet, gateway.settings.max_message)
    try:
        await gateway.server.run(inlet, outlet, gateway.server.create_initialization_options())
    finally:
        writer.close()


class Outlet(ObjectSendStream[SessionMessage]):
    """Where messages to the client go: the SDK's write stream. Lives as long as the connection.

    It knows which requests are open, and ends each one's exchange once its answer is written.
    """

    def __init__(self, writer: LineWriter, reader: LineReader) -> None:
        self._writer = writer
        self._reader = reader
        self._open: dict[RequestId, Exchange] = {}
        self._quiet = anyio.Event()

    def opened(self, request: JSONRPCRequest) -> ServerMessageMetadata:
        """A request has come in. What the SDK is to attach to it."""
        exchange = Exchange()

        async def unanswered() -> None:
            self._settle(request.id)

        if request.method != _ENDLESS:
            self._open[request.id] = exchange
        return ServerMessageMetadata(request_context=exchange, on_request_unanswered=unanswered)

    async def send(self, item: SessionMessage) -> None:
        """Write a message of the SDK. Raises BrokenResourceError when the client no longer reads."""
        message = item.message
        try:
            await self.write(message)
        finally:
            if isinstance(message, JSONRPCResponse | JSONRPCError) and message.id is not None:
                self._settle(message.id)

    async def write(self, message: JSONRPCMessage) -> None:
        """Write any message. A client that no longer reads is not read from either."""
        try:
            await self._writer.write(message.model_dump_json(by_alias=True, exclude_unset=True).encode())
        except anyio.BrokenResourceError:
            self._reader.end()
            raise

    async def drained(self) -> None:
        """Return when no request is open."""
        while self._open:
            self._quiet = anyio.Event()
            await self._quiet.wait()

    async def aclose(self) -> None:
        """The SDK writes no more."""

    def _settle(self, request: RequestId) -> None:
        exchange = self._open.pop(request, None)
        if exchange is not None:
            exchange.end()
        if not self._open:
            self._quiet.set()


class Inlet(ObjectReceiveStream[SessionMessage]):
    """Where messages of the client come from: the SDK's read stream. Lives as long as the connection.

    A line that is no message is answered with an error, and reading goes on.
    """

    def __init__(self, reader: LineReader, outlet: Outlet, limit: int) -> None:
        self._reader = reader
        self._outlet = outlet
        self._limit = limit
        self._first = True

    async def receive(self) -> SessionMessage:
        """The next message. Raises EndOfStream when the client has left and its calls have been answered."""
        while True:
            try:
                message = await self._next()
            except anyio.EndOfStream:
                with anyio.move_on_after(_DRAIN_SECONDS):
                    await self._outlet.drained()
                raise
            if message is not None:
                metadata = self._outlet.opened(message) if isinstance(message, JSONRPCRequest) else None
                return SessionMessage(message, metadata)

    async def aclose(self) -> None:
        """The SDK reads no more."""
        self._reader.end()

    async def _next(self) -> JSONRPCMessage | None:
        """The next line as a message; None when it was none and has been answered."""
        try:
            line = await self._reader.next()
        except LineTooLongError as error:
            await self._refuse(
                INVALID_REQUEST, f"A message may have at most {self._limit} bytes", request_id(error.line)
            )
            return None
        if self._first:
            line, self._first = line.removeprefix(_BYTE_ORDER_MARK), False
        try:
            value = from_json(line)
        except ValueError as error:
            await self._refuse(PARSE_ERROR, f"The line is not JSON: {error}", id_of(_lenient(line)))
            return None
        message = _message(value)
        if message is None:
            what = "batches are not supported" if isinstance(value, list) else "no request, notification or response"
            await self._refuse(INVALID_REQUEST, f"The line is not a JSON-RPC message: {what}", id_of(value))
        return message

    async def _refuse(self, code: int, message: str, request: RequestId | None = None) -> None:
        error = ErrorData(code=code, message=message)
        logger.info("a line of the client was refused: %s", message)
        try:
            await self._outlet.write(JSONRPCError(jsonrpc="2.0", id=request, error=error))
        except anyio.BrokenResourceError:
            return


def _message(value: Any) -> JSONRPCMessage | None:
    """A JSON value as a message; None when it is none."""
    try:
        message = jsonrpc_message_adapter.validate_python(value, by_name=False)
    except ValidationError:
        return None
    # A request whose id is no id would pass as a notification, and wait for its answer in vain.
    return None if isinstance(message, JSONRPCNotification) and "id" in value else message


def _lenient(line: Line) -> Any:
    """A line that is not JSON, read as Python does; None where that fails too.

    JavaScript writes half a surrogate pair as ``\\ud83d``, which UTF-8 cannot say: such a request is refused like any
    other line, but its client waits for an answer with its id.
    """
    try:
        return json.loads(line)
    except (ValueError, RecursionError):
        return None


@asynccontextmanager
async def _until_signal() -> AsyncIterator[None]:
    """Cancel what runs inside on SIGINT or SIGTERM, where this thread and system can receive them."""
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(_cancel_on_signal, tasks.cancel_scope)
        yield
        tasks.cancel_scope.cancel()


async def _cancel_on_signal(scope: anyio.CancelScope) -> None:
    try:
        with anyio.open_signal_receiver(signal.SIGINT, signal.SIGTERM) as signals:
            async for _ in signals:
                scope.cancel()
    except (NotImplementedError, RuntimeError, ValueError):
        return
