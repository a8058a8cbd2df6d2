"""The tables of the newest schema. What made them, and makes them of older ones, stands in ``migrations``."""

from __future__ import annotations

from typing import Final

from sqlalchemy import BigInteger, Column, Index, Integer, LargeBinary, MetaData, Table, Text

METADATA: Final = MetaData()

BOARDS: Final = Table(
    "pegboard_boards",
    METADATA,
    Column("id", Text, primary_key=True),
    Column("owner", Text),
    Column("generation", BigInteger, nullable=False),
    Column("record", Text, nullable=False),
    Column("used", BigInteger, nullable=False),
    Index("pegboard_boards_used", "used"),
)
"""One row a board. ``record`` is the text of ``records``; ``used`` the second of its last use, to within a day."""

SET_ASIDE: Final = Table(
    "pegboard_set_aside",
    METADATA,
    Column("number", Integer, primary_key=True),
    Column("board", Text, nullable=False),
    Column("owner", Text),
    Column("record", LargeBinary, nullable=False),
    Column("reason", Text, nullable=False),
    Column("at", BigInteger, nullable=False),
)
"""Records that could not be read, byte for byte, each with the reason and the second at which it was put here."""
