"""What learns from use, and where that is kept."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pegboard.config.settings import Settings

if TYPE_CHECKING:
    from pegboard.usage.learning import Usage
    from pegboard.usage.store import UsageStore


def usage_of(settings: Settings, patience: float = 0) -> Usage | None:
    """What learns from use; None where nothing does. Nothing is opened.

    ``patience`` is how many seconds a first search waits for the store, at most; half a second in any case.
    """
    if not settings.usage.learn:
        return None
    from pegboard.usage.learning import PATIENCE, Usage

    return Usage(usage_store_of(settings), patience=max(PATIENCE, patience))


def usage_store_of(settings: Settings) -> UsageStore:
    """Where what is learned from use is kept: beside the boards. Nothing is opened."""
    if settings.store_file is None or settings.overlay is None:
        from pegboard.usage.store import MemoryUsageStore

        return MemoryUsageStore(half_life=settings.usage.half_life)
    from pegboard.stores import SqlUsageStore

    return SqlUsageStore(settings.store_file, settings.overlay, half_life=settings.usage.half_life)
