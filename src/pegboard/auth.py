"""Who asks, and what they may do: principals, decisions, and the protocol of policies."""

from __future__ import annotations

import base64
import hashlib
import time
from collections.abc import Collection, Mapping, Sequence, Set
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cached_property
from inspect import getattr_static
from math import isfinite
from typing import Any, Protocol, TypeGuard

from pegboard.errors import PolicyError, PrincipalError
from pegboard.frozen import frozen
from pegboard.resource import Resource
from pegboard.texts import is_encodable
from pegboard.tools import Approval, Entry, canonical_json


class Action(StrEnum):
    """The two permissions. Discover: see that it exists. Invoke: call it."""

    DISCOVER = "discover"
    INVOKE = "invoke"


@dataclass(frozen=True, kw_only=True)
class Principal:
    """Who a request speaks for. Immutable, with everything in it; lives as long as one request.

    ``id`` is unique in its ``issuer``, which is ``""`` for those that a configuration names. ``tenant``, ``roles`` and
    ``scopes`` are for policies, any collection of texts will do; ``claims`` is the rest, plain JSON values, copied, so
    that nobody changes them later. From ``expires_at`` on (UNIX seconds; default: never) it may do nothing.

    Raises PrincipalError for anything else. One text where several are wanted is refused, not taken apart.
    """

    id: str
    issuer: str = ""
    tenant: str | None = None
    roles: Set[str] = frozenset()
    scopes: Set[str] = frozenset()
    claims: Mapping[str, Any] = field(default_factory=dict, hash=False, repr=False)
    expires_at: float | None = None

    def __post_init__(self) -> None:
        _check_text("id", self.id)
        if self.issuer != "":
            _check_text("issuer", self.issuer)
        if self.tenant is not None:
            _check_text("tenant", self.tenant, may_be_blank=True)
        # The dataclass is frozen, and these are the only fields that come in more than one form.
        object.__setattr__(self, "roles", _texts("roles", self.roles))
        object.__setattr__(self, "scopes", _texts("scopes", self.scopes))
        object.__setattr__(self, "claims", _claims(self.claims))
        _check_moment(self.expires_at)

    @cached_property
    def key(self) -> str:
        """The text that tells this principal from every other: owner of boards, key of caches.

        ``p1_`` and 43 letters of a digest over issuer, id and tenant: the same on every start and in every process,
        and it tells nobody who it is. One person in two tenants is two principals; roles, scopes and claims change
        nothing.
        """
        digest = hashlib.sha256(canonical_json([self.issuer, self.id, self.tenant])).digest()
        return "p1_" + base64.urlsafe_b64encode(digest).decode("ascii").rstrip("=")

    @property
    def expired(self) -> bool:
        """Whether its time is over."""
        return self.expires_at is not None and time.time() >= self.expires_at


def checked_principal(value: object) -> Principal:
    """``value`` itself when it is a principal.

    Raises PrincipalError for anything else: what is not known to be a principal may do nothing.
    """
    if isinstance(value, Principal):
        return value
    raise PrincipalError(f"A {type(value).__name__} is not a principal.", hint="Pass a Principal, or None for nobody.")


@dataclass(frozen=True, kw_only=True)
class Decision:
    """A policy's answer. Immutable. ``reason`` goes to receipts, never to the model.

    ``approves`` is the highest approval tier that passes without asking (default exec: everything).
    """

    allowed: bool
    reason: str = ""
    approves: Approval = Approval.EXEC


class Policy(Protocol):
    """Decides what a principal may do. Process-wide.

    A policy that raises, or answers anything but a Decision (or a mask of the right length), denies.
    """

    async def decide(self, principal: Principal, action: Action, entry: Entry) -> Decision: ...

    async def permitted(self, principal: Principal, action: Action, entries: Sequence[Entry]) -> Sequence[bool]:
        """One bool an entry, in the order given."""
        ...


@dataclass(frozen=True, kw_only=True)
class CallFacts:
    """What is known of a call that is about to run. Immutable; belongs to one call.

    ``arguments`` are those that will run, checked; ``tier`` is that of the call with them; ``resource`` is what it
    touches, where its tool tells; ``stack`` names the calls it runs inside, outermost first.
    """

    arguments: Mapping[str, Any]
    tier: Approval
    resource: Resource | None = None
    stack: tuple[str, ...] = ()


class CallPolicy(Policy, Protocol):
    """A policy that decides about each call by what it is about to do. Process-wide.

    It is asked ``decide_call`` in place of ``decide`` with *invoke*, after the arguments have been checked.
    """

    async def decide_call(self, principal: Principal, entry: Entry, facts: CallFacts) -> Decision: ...


def decides_by_call(policy: Policy) -> TypeGuard[CallPolicy]:
    """Whether a policy decides about each call by what it is about to do."""
    return hasattr(policy, "decide_call")


def checked_policy(value: object) -> Policy:
    """``value`` itself when it is a policy.

    Raises PolicyError for anything else: it would deny every call, and say so only in the log.
    """
    if isinstance(value, type) and not isinstance(getattr_static(value, "decide", None), classmethod | staticmethod):
        raise PolicyError(f"{value.__name__} is a class, not a policy.", hint=f"Make one: {value.__name__}(...).")
    for name in ("decide", "permitted"):
        if not callable(getattr(value, name, None)):
            raise PolicyError(
                f"A {type(value).__name__} is not a policy: it has no {name}.",
                hint="Pass an object with async decide and permitted, such as a RulePolicy.",
            )
    policy: Policy = value  # type: ignore[assignment]  # the protocol is these two
    return policy


class AllowAll:
    """The policy in force where none is given: every principal may discover and invoke everything. Process-wide."""

    async def decide(self, principal: Principal, action: Action, entry: Entry) -> Decision:
        return Decision(allowed=True, reason="allow-all")

    async def permitted(self, principal: Principal, action: Action, entries: Sequence[Entry]) -> Sequence[bool]:
        return [True] * len(entries)


def _check_text(name: str, value: object, *, may_be_blank: bool = False) -> None:
    if not isinstance(value, str):
        wrong, hint = f"is a {type(value).__name__}, not text", "Give text."
    elif not may_be_blank and not value.strip():
        wrong, hint = "is empty", "Give what tells it from all others."
    elif not is_encodable(value):
        wrong, hint = "holds half a character (a lone surrogate)", "Decode it as what it is."
    else:
        return
    raise PrincipalError(f"The {name} of a principal {wrong}.", hint=hint)


def _texts(name: str, values: object) -> frozenset[str]:
    if isinstance(values, str | bytes | Mapping) or not isinstance(values, Collection):
        what = f"text, {values!r:.40}" if isinstance(values, str) else f"a {type(values).__name__}"
        raise PrincipalError(f"The {name} of a principal are {what}.", hint='Give a list of texts: ["..."].')
    for value in values:
        _check_text(name.removesuffix("s"), value)
    return frozenset(values)


def _claims(claims: object) -> Mapping[str, Any]:
    if not isinstance(claims, Mapping):
        raise PrincipalError(f"The claims of a principal are a {type(claims).__name__}.", hint="Give a mapping.")
    try:
        copy: Mapping[str, Any] = frozen(claims)
    except TypeError as error:
        raise PrincipalError(f"The claims of a principal: it {error}.", hint="Give plain JSON values.") from error
    return copy


def _check_moment(moment: object) -> None:
    number = isinstance(moment, int | float) and not isinstance(moment, bool) and isfinite(moment)
    if moment is not None and not number:
        raise PrincipalError(
            f"The expires_at of a principal is {moment!r:.40}.", hint="Give seconds as time.time() does, or None."
        )
