"""Where boards, tools that are added at run time, and what is learned from use are kept for longer than a process."""

from pegboard.stores.sql import SqlPinStore
from pegboard.stores.sql_tools import SqlToolStore
from pegboard.stores.sql_usage import SqlUsageStore

__all__ = ["SqlPinStore", "SqlToolStore", "SqlUsageStore"]
