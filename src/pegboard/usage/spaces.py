"""Spaces: what one tenant learns, no other sees. Pure."""

from __future__ import annotations

from pegboard.auth import Principal


def space_of(principal: Principal | None) -> str:
    """The space that a principal learns in: one for each tenant, and one for all who have none."""
    return space_of_tenant(principal.tenant if principal else None)


def space_of_tenant(tenant: str | None) -> str:
    """The space of a tenant; None for those who have none."""
    return "" if tenant is None else f"tenant:{tenant}"


def tenant_of(space: str) -> str | None:
    """The tenant whose space it is; None for those who have none."""
    return space.removeprefix("tenant:") if space else None
