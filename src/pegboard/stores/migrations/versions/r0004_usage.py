"""Tables of what is learned from use."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"


def upgrade() -> None:
    """Make them."""
    op.create_table(
        "pegboard_usage",
        sa.Column("scope", sa.Text, primary_key=True),
        sa.Column("space", sa.Text, primary_key=True),
        sa.Column("tool", sa.Text, primary_key=True),
        sa.Column("term", sa.Text, primary_key=True),
        sa.Column("principal", sa.Text, primary_key=True),
        sa.Column("uses", sa.Float, nullable=False),
        sa.Column("day", sa.BigInteger, nullable=False),
        sa.Column("changed", sa.BigInteger, nullable=False),
    )
    op.create_index("pegboard_usage_changed", "pegboard_usage", ["scope", "space", "changed"])
    op.create_index("pegboard_usage_principals", "pegboard_usage", ["scope", "space", "principal"])
    op.create_table(
        "pegboard_usage_spaces",
        sa.Column("scope", sa.Text, primary_key=True),
        sa.Column("space", sa.Text, primary_key=True),
        sa.Column("revision", sa.BigInteger, nullable=False),
        sa.Column("begun", sa.BigInteger, nullable=False),
    )


def downgrade() -> None:
    """Take them away, with everything that was learned."""
    op.drop_table("pegboard_usage_spaces")
    op.drop_table("pegboard_usage")
