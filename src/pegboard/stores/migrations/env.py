"""How alembic reaches the database: through the connection that ``schema`` hands it, inside that transaction."""

from __future__ import annotations

from alembic import context

from pegboard.stores.schema import VERSION_TABLE

context.configure(connection=context.config.attributes["connection"], version_table=VERSION_TABLE)
context.run_migrations()
