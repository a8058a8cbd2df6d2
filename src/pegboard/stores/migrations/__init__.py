"""The schema's history, as alembic reads it."""
