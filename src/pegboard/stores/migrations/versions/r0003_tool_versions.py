"""A table of the versions of tools that are added while Pegboard runs."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"


def upgrade() -> None:
    """Make it."""
    op.create_table(
        "pegboard_tool_versions",
        sa.Column("number", sa.Integer, primary_key=True),
        sa.Column("overlay", sa.Text, nullable=False),
        sa.Column("name", sa.Text, nullable=False),
        sa.Column("version", sa.BigInteger, nullable=False),
        sa.Column("record", sa.Text, nullable=False),
        sqlite_autoincrement=True,
    )
    op.create_index(
        "pegboard_tool_versions_each", "pegboard_tool_versions", ["overlay", "name", "version"], unique=True
    )


def downgrade() -> None:
    """Take it away, with every version."""
    op.drop_table("pegboard_tool_versions")
