"""Asking about rights: strangers write policies, and what they answer is believed only when it is an answer.

A policy that raises, waits for something that was cancelled, or answers nonsense has denied; so has one that is asked
about a principal whose time is over.
"""

from __future__ import annotations

import inspect
import logging
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any, TypeVar

from pegboard.auth import Action, CallFacts, CallPolicy, Decision, Policy, Principal
from pegboard.context import Context
from pegboard.handling import passes
from pegboard.resource import Resource
from pegboard.tools import Entry, Tool

logger = logging.getLogger(__name__)

SomeEntry = TypeVar("SomeEntry", bound=Entry)


async def decide(policy: Policy, principal: Principal, action: Action, entry: Entry) -> Decision:
    """The policy's decision on one entry. Raises nothing but its own cancellation."""
    return await _decision(principal, action, entry, lambda: policy.decide(principal, action, entry))


async def decide_call(policy: CallPolicy, principal: Principal, entry: Entry, facts: CallFacts) -> Decision:
    """The decision of a policy that decides by what a call is about to do. Raises nothing but its own cancellation."""
    return await _decision(principal, Action.INVOKE, entry, lambda: policy.decide_call(principal, entry, facts))


async def permitted(
    policy: Policy, principal: Principal, action: Action, entries: Sequence[SomeEntry]
) -> list[SomeEntry] | None:
    """The entries that the policy permits, in order; None where it failed. Raises nothing but its own cancellation.

    An entry counts as permitted where the mask holds the very True: whatever else it holds has not said yes.
    """
    if principal.expired:
        return []
    try:
        mask = await policy.permitted(principal, action, entries)
        if len(mask) != len(entries):
            raise ValueError(f"a mask of {len(mask)} for {len(entries)} entries")
        return [entry for entry, seen in zip(entries, mask, strict=True) if seen is True]
    except BaseException as error:
        if passes(error):
            raise
        logger.exception("the policy failed: everything is hidden from %r", principal.id)
        return None


async def touched(tool: Tool, arguments: Mapping[str, Any], context: Context) -> Resource | None:
    """What a call touches, as its tool tells; None where it does not say everything that it has to, or fails."""
    if tool.touches is None:
        return None
    try:
        found = tool.touches.find(arguments, context)
        if inspect.isawaitable(found):
            found = await found
    except BaseException as error:
        if passes(error):
            raise
        logger.exception("what a call of %r touches could not be told", tool.name)
        return None
    return found if tool.touches.takes(found) else None


async def _decision(
    principal: Principal, action: Action, entry: Entry, asked: Callable[[], Awaitable[Decision]]
) -> Decision:
    if principal.expired:
        return Decision(allowed=False, reason="the principal's time is over")
    try:
        given: object = await asked()
    except BaseException as error:
        if passes(error):
            raise
        logger.exception("the policy failed on %s of %r: denied", action, entry.name)
        return Decision(allowed=False, reason="the policy failed")
    if not isinstance(given, Decision) or not isinstance(given.allowed, bool):
        logger.error("the policy answered %s of %r with %r: denied", action, entry.name, type(given).__name__)
        return Decision(allowed=False, reason="the policy gave no decision")
    return given
