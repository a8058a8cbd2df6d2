"""When a server that ended is started again. Pure: times come in as numbers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

FIRST_PAUSE: Final = 1.0
LONGEST_PAUSE: Final = 60.0
STABLE: Final = 10.0
"""Seconds of being ready after which earlier failures are forgotten."""

JITTER: Final = 0.25
"""At most this share is added to a pause, so that servers that died together do not start together."""


@dataclass
class Pacing:
    """Counts the failures of one upstream in a row. Lives as long as the upstream.

    ``was_ready`` says that the last try became ready before it ended: then a call may start the server again at once.
    """

    failures: int = 0
    was_ready: bool = False

    def ended(self, ready_for: float | None) -> None:
        """A try is over, after ``ready_for`` seconds of being ready; None if it never was."""
        self.was_ready = ready_for is not None
        if ready_for is not None and ready_for >= STABLE:
            self.failures = 0
        self.failures += 1

    def pause(self, chance: float) -> float:
        """Seconds until the next try: 1, 2, 4 ... 60, and up to a quarter more by ``chance`` (0 to 1)."""
        doublings = min(max(self.failures, 1) - 1, 16)
        return min(FIRST_PAUSE * 2.0**doublings, LONGEST_PAUSE) * (1 + JITTER * chance)
