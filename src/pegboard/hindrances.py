"""What keeps every call of a tool from succeeding, as far as its source can tell without calling it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol, runtime_checkable

from pegboard.tools import Tool


@dataclass(frozen=True, kw_only=True)
class Hindrance:
    """One thing because of which a call fails, whatever its arguments are. Immutable: one moment's answer.

    ``what`` is stable, for programs; ``mend`` says what to do, for whoever runs Pegboard; ``data`` has facts as JSON
    values. No secret stands in any of them.
    """

    what: str
    message: str
    mend: str
    data: Mapping[str, Any] = field(default_factory=dict)


@runtime_checkable
class Hinders(Protocol):
    """A source that can tell what keeps its tools from being called. Process-wide."""

    async def hindrances(self, tool: Tool, context: Mapping[str, Any]) -> Sequence[Hindrance]:
        """What would make a call of ``tool`` fail now, with these values of the call's context; it calls nothing."""
        ...
