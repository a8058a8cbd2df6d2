"""Where boards are kept for longer than a process."""

from pegboard.stores.sql import SqlPinStore

__all__ = ["SqlPinStore"]
