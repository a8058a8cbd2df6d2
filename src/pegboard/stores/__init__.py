"""Where boards, tools that are added at run time, and what is learned from use are kept for longer than a process."""

from typing import TYPE_CHECKING

from pegboard.late import late

if TYPE_CHECKING:
    from pegboard.stores.sql import SqlPinStore
    from pegboard.stores.sql_tools import SqlToolStore
    from pegboard.stores.sql_usage import SqlUsageStore

__all__ = ["SqlPinStore", "SqlToolStore", "SqlUsageStore"]

__getattr__ = late(__name__, {"sql": ("SqlPinStore",), "sql_tools": ("SqlToolStore",), "sql_usage": ("SqlUsageStore",)})
