"""A table of records that could not be read."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"


def upgrade() -> None:
    """Make it."""
    op.create_table(
        "pegboard_set_aside",
        sa.Column("number", sa.Integer, primary_key=True),
        sa.Column("board", sa.Text, nullable=False),
        sa.Column("owner", sa.Text),
        sa.Column("record", sa.LargeBinary, nullable=False),
        sa.Column("reason", sa.Text, nullable=False),
        sa.Column("at", sa.BigInteger, nullable=False),
    )


def downgrade() -> None:
    """Take it away, with everything that was set aside."""
    op.drop_table("pegboard_set_aside")
