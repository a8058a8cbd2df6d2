"""The tables of the newest schema. What made them, and makes them of older ones, stands in ``migrations``."""

from __future__ import annotations

from typing import Final

from sqlalchemy import BigInteger, Column, Float, Index, Integer, LargeBinary, MetaData, Table, Text

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

TOOL_VERSIONS: Final = Table(
    "pegboard_tool_versions",
    METADATA,
    Column("number", Integer, primary_key=True),
    Column("overlay", Text, nullable=False),
    Column("name", Text, nullable=False),
    Column("version", BigInteger, nullable=False),
    Column("record", Text, nullable=False),
    Index("pegboard_tool_versions_each", "overlay", "name", "version", unique=True),
    sqlite_autoincrement=True,
)
"""One row a version of a tool, of which none is ever changed: ``number`` counts all changes, and none comes twice."""

USAGE: Final = Table(
    "pegboard_usage",
    METADATA,
    Column("scope", Text, primary_key=True),
    Column("space", Text, primary_key=True),
    Column("tool", Text, primary_key=True),
    Column("term", Text, primary_key=True),
    Column("principal", Text, primary_key=True),
    Column("uses", Float, nullable=False),
    Column("day", BigInteger, nullable=False),
    Column("changed", BigInteger, nullable=False),
    Index("pegboard_usage_changed", "scope", "space", "changed"),
    Index("pegboard_usage_principals", "scope", "space", "principal"),
)
"""One row for each tool, word and principal of a tenant's space; ``scope`` keeps apart what several configurations
learn, and ``changed`` is the space's revision at the row's last change."""

USAGE_SPACES: Final = Table(
    "pegboard_usage_spaces",
    METADATA,
    Column("scope", Text, primary_key=True),
    Column("space", Text, primary_key=True),
    Column("revision", BigInteger, nullable=False),
    Column("begun", BigInteger, nullable=False),
)
"""One row a space. ``begun`` is the revision at which rows were last taken away by somebody: whoever knows an older one
has to read everything."""
