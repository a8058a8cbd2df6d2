"""Sending what was meant: the SDK's models drop keys that they do not know, and reorder the others.

Each result still goes through those models, which refuse what would be against the protocol; then what they dropped
is put back.
"""

from __future__ import annotations

from collections.abc import Mapping
from contextvars import ContextVar
from typing import Any, Final

from mcp.server.context import CallNext, HandlerResult, ServerRequestContext

_FAITHFUL: Final = frozenset({"tools/list", "tools/call"})

_OPAQUE: Final = frozenset({"inputSchema", "outputSchema", "structuredContent"})
"""Members whose value is the tool's own, down to the last null."""

_meant: ContextVar[list[Mapping[str, Any]] | None] = ContextVar("meant", default=None)


def mean(result: dict[str, Any]) -> dict[str, Any]:
    """``result``, to be sent as it is. For handlers to return."""
    slot = _meant.get()
    if slot is not None:
        slot.append(result)
    return result


async def faithfully(ctx: ServerRequestContext[Any, Any], call_next: CallNext) -> HandlerResult:
    """The SDK middleware that puts back what was dropped."""
    if ctx.method not in _FAITHFUL:
        return await call_next(ctx)
    slot: list[Mapping[str, Any]] = []
    token = _meant.set(slot)
    try:
        shaped = await call_next(ctx)
    finally:
        _meant.reset(token)
    return restored(slot[0], shaped) if slot and isinstance(shaped, Mapping) else shaped


def restored(meant: Any, shaped: Any) -> Any:
    """``meant``, in its own order, with what ``shaped`` has beyond it.

    A member that is null and was dropped stays away: strict clients take null for a wrong value, not for none.
    """
    if isinstance(meant, Mapping) and isinstance(shaped, Mapping):
        kept = {
            key: _member(key, value, shaped.get(key, value))
            for key, value in meant.items()
            if key in shaped or value is not None
        }
        return kept | {key: value for key, value in shaped.items() if key not in kept}
    if isinstance(meant, list | tuple) and isinstance(shaped, list) and len(meant) == len(shaped):
        return [restored(one, other) for one, other in zip(meant, shaped, strict=True)]
    return shaped


def _member(key: str, meant: Any, shaped: Any) -> Any:
    if key in _OPAQUE:
        return meant
    if key == "_meta" and isinstance(meant, Mapping) and isinstance(shaped, Mapping):
        return {**shaped, **meant}
    return restored(meant, shaped)
