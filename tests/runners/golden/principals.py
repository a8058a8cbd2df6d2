"""What is odd about the principals of vectors, where Pegboard has less to them. Pure predicates on a vector."""

from __future__ import annotations

from typing import Any, Final

from tests.runners.golden.outcome import Outcome, Returned
from tests.runners.golden.vectors import Case

_HOLDS: Final = {"gonk_is_principal": "value", "gonk_auth_keys": "principal"}
"""Where vectors about principals have one."""

METHODS: Final = ("session", "service-token", "api-key", "mtls", "oauth")


def principal_in(case: Case) -> dict[str, Any] | None:
    """The principal that a vector is about; None where it is about something else, or about no object."""
    found = case.input.get(_HOLDS.get(case.kind, ""))
    return found if isinstance(found, dict) else None


def says_how_it_signed_in(case: Case) -> bool:
    """Whether a principal tells more, or something else, of its sign-in than the vectors' usual one."""
    principal = principal_in(case) or {}
    identity = principal.get("identity")
    method = str(identity.get("method")) if isinstance(identity, dict) else ""
    usual = principal.get("kind") == "human" and (method in METHODS or len(method) > len("custom:"))
    return bool(principal) and (not usual or bool(principal.keys() & {"delegation", "linkedIdentities", "workspaceId"}))


def leaves_out_a_list(case: Case) -> bool:
    """Whether a principal has no roles or no scopes written."""
    principal = principal_in(case)
    return principal is not None and not {"roles", "scopes"} <= principal.keys()


def has_no_issuer(case: Case) -> bool:
    """Whether nobody vouches for a principal."""
    identity = (principal_in(case) or {}).get("identity")
    return isinstance(identity, dict) and identity.get("issuer", "") == ""


def is_one(case: Case, got: Outcome) -> bool:
    """Whether Pegboard took the principal for one."""
    return isinstance(got, Returned) and (got.value.get("valid") is True or "key" in got.value)


def is_known_by_its_names(case: Case, got: Outcome) -> bool:
    """Whether Pegboard tells a principal from the vectors' usual one by issuer, subject and tenant alone."""
    principal = principal_in(case) or {}
    identity = principal.get("identity") or {}
    usual = (identity.get("issuer"), identity.get("subject"), principal.get("tenantId")) == ("iss", "sub", None)
    return isinstance(got, Returned) and (got.value["key"] == got.value["usual"]) is usual
