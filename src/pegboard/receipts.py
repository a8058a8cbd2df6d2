"""Receipts: what happened in one call, with the true reason. They go to sinks, never to the model."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any, Protocol


@dataclass(frozen=True, kw_only=True)
class Receipt:
    """One call, after it ended. Immutable.

    ``outcome`` is ``ok | halt | tool_error | cancelled`` or the code of the error that ended it; ``reason`` is the
    truth behind it (a hidden tool's receipt says so, its answer does not). ``started`` is a UNIX time in seconds.
    Arguments and results are not recorded.
    """

    call_id: str
    tool: str
    source: str | None
    principal: str | None
    board: str | None
    surface: str
    stack: tuple[str, ...]
    started: float
    seconds: float
    outcome: str
    reason: str = ""

    def to_json(self) -> dict[str, Any]:
        """The receipt as a JSON object."""
        return asdict(self)


class ReceiptSink(Protocol):
    """Takes receipts. Process-wide. A sink that raises is logged and changes no call's outcome."""

    def write(self, receipt: Receipt) -> None: ...
