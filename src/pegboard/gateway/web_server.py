"""uvicorn, told when to say that it listens, and how to stop."""

from __future__ import annotations

import signal
import socket
from collections.abc import Callable
from types import FrameType
from typing import TYPE_CHECKING, Final

import uvicorn

if TYPE_CHECKING:
    from starlette.types import ASGIApp

_GRACE_SECONDS: Final = 3
"""How long calls may still run once the server is told to stop."""


class WebServer(uvicorn.Server):
    """Serves one application, once. ``on_start`` is called when it listens, ``on_stop`` before it waits for calls."""

    def __init__(self, app: ASGIApp, on_start: Callable[[], None], on_stop: Callable[[], None]) -> None:
        config = uvicorn.Config(
            app,
            lifespan="on",
            log_config=None,
            access_log=False,
            server_header=False,
            ws="none",
            timeout_graceful_shutdown=_GRACE_SECONDS,
        )
        super().__init__(config)
        self._on_start = on_start
        self._on_stop = on_stop

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Start, then say so."""
        await super().startup(sockets)
        self._on_start()

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """End the streams that would never end by themselves, then the rest."""
        self._on_stop()
        await super().shutdown(sockets)

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        """Stop; the second Ctrl-C does not wait. uvicorn's own would raise the signal once more at the end."""
        self.force_exit = self.should_exit and sig == signal.SIGINT
        self.should_exit = True
