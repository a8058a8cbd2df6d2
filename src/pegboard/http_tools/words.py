"""The words that definitions, documents and configurations share."""

from __future__ import annotations

from typing import Final

METHODS: Final = ("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS")
WITHOUT_EFFECT: Final = frozenset({"GET", "HEAD", "OPTIONS"})
"""Methods that change nothing, unless a definition says so."""

CONTEXT_NAMES: Final = ("chat_id", "agent_id", "tenant_id", "store_id")
"""The values of a call's context that ``{{ctx.*}}`` may name; the operator extends them."""
