"""Names to addresses, by the system's resolver, in a bounded number of threads."""

from __future__ import annotations

import socket
from collections.abc import Sequence
from typing import Final, Protocol

import anyio
from anyio.to_thread import run_sync

MAX_LOOKUPS: Final = 8
"""Look-ups that run at once. One that was given up keeps its thread until the system returns, and counts till then."""


class Resolver(Protocol):
    """Looks names up. Lives as long as the client that it is given to; called by many tasks at once."""

    async def resolve(self, host: str, port: int) -> Sequence[str]:
        """All addresses of a host as text, in the order in which to try them; OSError when there are none.

        The caller sets the time limit and checks every answer.
        """
        ...


class SystemResolver:
    """``getaddrinfo``: the hosts file, DNS, and whatever else the system asks. Lives as long as its client."""

    def __init__(self, *, max_lookups: int = MAX_LOOKUPS) -> None:
        self._limiter = anyio.CapacityLimiter(max_lookups)

    async def resolve(self, host: str, port: int) -> Sequence[str]:
        """The addresses, each once. A zone stays in its text, for the guard to refuse."""
        found = await run_sync(_look_up, host, port, abandon_on_cancel=True, limiter=self._limiter)
        return list(dict.fromkeys(found))


def _look_up(host: str, port: int) -> list[str]:
    answers = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, proto=socket.IPPROTO_TCP)
    return [str(sockaddr[0]) for *_, sockaddr in answers]
