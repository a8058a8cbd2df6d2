"""What a session stands on, whatever the transport: two streams of messages, and what became of them."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from typing import Any, Protocol

from anyio.abc import ObjectSendStream
from mcp.shared.message import SessionMessage

from pegboard.sources.mcp.noise import Noise


class Link(Protocol):
    """A way to a server: its two streams, and what became of it. Lives as long as one session."""

    @property
    def read(self) -> Any: ...
    @property
    def write(self) -> Any: ...
    @property
    def ended(self) -> bool: ...
    def why_ended(self) -> str: ...


OpenLink = Callable[[Noise, Callable[[], None]], AbstractAsyncContextManager[Link]]
"""Opens a link: told where noise is counted, and whom to tell, once, when the server can no longer be talked to."""


class Sender(Protocol):
    """What writes the messages of a link."""

    async def send(self, item: SessionMessage) -> None:
        """Write one message. Raises anyio.BrokenResourceError when the server is gone, ValueError."""
        ...


class Outgoing(ObjectSendStream[SessionMessage]):
    """What is said to the server: the writing half of a link, in the form that the SDK's dispatcher writes."""

    def __init__(self, sender: Sender) -> None:
        self._sender = sender

    async def send(self, item: SessionMessage) -> None:
        """Write one message. Raises anyio.BrokenResourceError, ValueError."""
        await self._sender.send(item)

    async def aclose(self) -> None:
        """Do nothing: a link is closed by whoever opened it, so that last words still get through."""
