"""Where boards, and tools that are added at run time, are kept for longer than a process."""

from pegboard.stores.sql import SqlPinStore
from pegboard.stores.sql_tools import SqlToolStore

__all__ = ["SqlPinStore", "SqlToolStore"]
