"""A table of boards."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None


def upgrade() -> None:
    """Make it."""
    op.create_table(
        "pegboard_boards",
        sa.Column("id", sa.Text, primary_key=True),
        sa.Column("owner", sa.Text),
        sa.Column("generation", sa.BigInteger, nullable=False),
        sa.Column("record", sa.Text, nullable=False),
        sa.Column("used", sa.BigInteger, nullable=False),
    )
    op.create_index("pegboard_boards_used", "pegboard_boards", ["used"])


def downgrade() -> None:
    """Take it away, with every board."""
    op.drop_table("pegboard_boards")
