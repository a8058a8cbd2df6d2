"""What a person can set about the gateway."""

from __future__ import annotations

from dataclasses import dataclass

from pegboard.auth import Principal
from pegboard.errors import ConfigError
from pegboard.version import __version__


@dataclass(frozen=True, kw_only=True)
class GatewaySettings:
    """Immutable, process-wide. The defaults are Pegboard's own.

    ``name`` and ``version`` are how the server introduces itself; ``instructions`` replaces what it tells models about
    working with the board (None: written from the profile). ``boards`` adds boards that modern clients name in
    arguments, and that have addresses of their own over HTTP.
    ``ready_wait`` seconds at most does a call wait for sources that are still starting, and ``list_wait`` a list for
    those among them whose tools may be always visible: many clients list once. ``ttl_ms`` is how long a modern client
    may keep a list, in milliseconds. ``max_message`` bytes at most has one message of a client.
    ``principal`` is whose rights clients have where nothing else says who they are (None: trusted local use).
    ``session_idle`` seconds without a request end a session over HTTP, and ``max_sessions`` may be open there at once.

    Raises ConfigError for a number that cannot be.
    """

    name: str = "pegboard"
    version: str = __version__
    instructions: str | None = None
    boards: bool = False
    ready_wait: float = 10.0
    list_wait: float = 5.0
    ttl_ms: int = 60_000
    max_message: int = 16 * 2**20
    session_idle: float = 1_800.0
    max_sessions: int = 1_000
    principal: Principal | None = None

    def __post_init__(self) -> None:
        for name, least in _LEAST.items():
            value = getattr(self, name)
            # Written so that NaN is refused too.
            if not least <= value < float("inf"):
                raise ConfigError(f"{name} of the gateway is {value}.", hint=f"Set a number from {least}.")


_LEAST = {"ready_wait": 0, "list_wait": 0, "ttl_ms": 0, "max_message": 1_000, "session_idle": 1, "max_sessions": 1}
