"""Approval: asking somebody whether one call may run."""

from __future__ import annotations

import asyncio
import inspect
import logging
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from pegboard.context import Context
from pegboard.errors import DefinitionError
from pegboard.handling import passes
from pegboard.resource import Resource
from pegboard.threads import in_thread
from pegboard.tools import Approval, Tool

logger = logging.getLogger(__name__)

_REASON_CHARS: Final = 500
"""How much of a reason the model is told."""


@dataclass(frozen=True, kw_only=True)
class ApprovalRequest:
    """What an approver is asked: may this call run? Immutable; belongs to one call.

    ``arguments`` are those that will run, checked, as a copy. ``reason`` is what the tool says of the call, and
    ``always`` that the tool wants every such call asked about, whatever the policy lets pass. ``resource`` is what the
    call touches, where the tool tells.
    """

    tool: Tool
    tier: Approval
    arguments: Mapping[str, Any]
    context: Context
    reason: str | None = None
    always: bool = False
    resource: Resource | None = None


@dataclass(frozen=True, kw_only=True)
class Verdict:
    """An approver's answer. Immutable. Of a rejection, the model is told the ``reason``, at most 500 characters."""

    approved: bool
    reason: str = ""


Approver = Callable[[ApprovalRequest], bool | Verdict | Awaitable[bool | Verdict]]
"""Asked when a call needs more than its policy lets pass: ``True``, ``False`` or a Verdict, plain or async.

A plain function runs in a thread of its own, so that it may wait for a person. One that fails, takes too long, or
answers anything else has not approved.
"""


@dataclass(frozen=True)
class Answer:
    """What asking came to. Immutable. ``told`` and ``data`` are for the model, ``truth`` is for the receipt."""

    approved: bool
    told: str = ""
    truth: str = ""
    data: dict[str, Any] | None = None


def checked_approver(approver: Approver | None) -> Approver | None:
    """The approver itself.

    Raises DefinitionError for what cannot be called: nothing could ever be approved.
    """
    if approver is not None and not callable(approver):
        raise DefinitionError(
            f"A {type(approver).__name__} is not an approver: it cannot be called.",
            hint="Pass a function of an ApprovalRequest that gives True, False or a Verdict.",
        )
    return approver


async def ask(approver: Approver | None, request: ApprovalRequest, seconds: float) -> Answer:
    """Ask, and wait at most ``seconds``. Whatever goes wrong is no approval; only its own cancellation is raised."""
    name = request.tool.name
    if approver is None:
        told = f"Calling {name!r} needs approval ({request.tier}), and nobody can be asked here."
        truth = f"tier {request.tier} needs approval and nobody can be asked"
        return Answer(False, told, truth, data={"approval": str(request.tier)})
    deadline = asyncio.timeout(seconds)
    try:
        async with deadline:
            given = await _given(approver, request)
    except BaseException as error:
        if passes(error):
            raise
        if deadline.expired():
            told = f"Calling {name!r} was not approved in time: nobody answered. Try again when somebody can."
            return Answer(False, told, f"no approval within {seconds:g} s")
        logger.exception("the approver failed on %r", name)
        return Answer(False, f"Calling {name!r} could not be approved.", f"the approver failed: {type(error).__name__}")
    return _read(given, request)


async def _given(approver: Approver, request: ApprovalRequest) -> object:
    if inspect.iscoroutinefunction(approver) or inspect.iscoroutinefunction(type(approver).__call__):
        return await approver(request)  # type: ignore[misc]  # a coroutine function gives something to await
    given = await in_thread(lambda: approver(request), name="pegboard approver")
    return await given if inspect.isawaitable(given) else given


def _is_whole(verdict: Mapping[str, object]) -> bool:
    """Whether what a stranger filled in is what it should be."""
    return isinstance(verdict["approved"], bool) and isinstance(verdict["reason"], str)


def _read(given: object, request: ApprovalRequest) -> Answer:
    verdict = Verdict(approved=given) if isinstance(given, bool) else given
    name = request.tool.name
    if not isinstance(verdict, Verdict) or not _is_whole(vars(verdict)):
        logger.error("the approver answered with a %s on %r: not approved", type(given).__name__, name)
        return Answer(False, f"Calling {name!r} could not be approved.", "the approver gave no verdict")
    because = f": {verdict.reason}" if verdict.reason.strip() else ""
    if verdict.approved:
        return Answer(True, truth=f"tier {request.tier} was approved{because}")
    shown = because if len(because) <= _REASON_CHARS else f"{because[: _REASON_CHARS - 1]}…"
    return Answer(False, f"Calling {name!r} was rejected{shown or '.'}", f"tier {request.tier} was rejected{because}")
