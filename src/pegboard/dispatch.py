"""Dispatch: the one path that every call takes.

    resolve -> authorize -> admit -> check -> weigh -> approve -> record -> run -> bound -> verify -> receipt

Each stage is a function that hands the call on or raises a CallError; ``STAGES`` composes them.
Nothing raises out of a dispatch but its own cancellation: every failure is a result that the model can read.
"""

from __future__ import annotations

import logging
import time
import uuid
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Final

from pegboard.approval import ApprovalRequest, Approver, ask
from pegboard.auth import Action, CallFacts, Decision, Policy, decides_by_call
from pegboard.bounds import bounded, outcome_of
from pegboard.context import Context
from pegboard.errors import (
    CallError,
    CycleError,
    DeniedError,
    HandlerError,
    InvalidArgumentsError,
    InvalidResultError,
    told,
)
from pegboard.frozen import thawed
from pegboard.handling import handled, unexpected
from pegboard.limits import Limits
from pegboard.places import Places
from pegboard.receipts import LET_THROUGH, Receipt, ReceiptSink, search_of
from pegboard.resource import Resource
from pegboard.rights import decide, decide_call, touched
from pegboard.tiers import Need, need_of
from pegboard.tools import Halt, OutputCheck, Tool, ToolResult
from pegboard.values import NotJsonError

logger = logging.getLogger(__name__)

MAX_STACK: Final = 32
"""Calls that one call may stand inside of."""

OUTPUT_KEY: Final = "dev.pegboard/output"
"""The key of a result's ``_meta`` that names what does not fit the tool's output schema: ``{"problems": [...]}``."""

Resolve = Callable[[str], Tool | None]
"""The tool of a name in the caller's catalog, None where there is none. Raises UnloadedError for one that is gone."""

Admit = Callable[[Tool], None]
"""A last look at a tool that the caller may see, before it runs. Raises UnloadedError."""


@dataclass
class Call:
    """One call on its way through the stages. Lives as long as one dispatch.

    ``tool``, ``decision``, ``need``, ``resource``, ``approval``, ``value`` (what the handler gave back) and ``outcome``
    are filled in on the way; ``reason`` is the truth for the receipt.
    """

    name: str
    arguments: Any
    context: Context
    resolve: Resolve
    admit: Admit | None = None
    tool: Tool | None = None
    decision: Decision | None = None
    need: Need | None = None
    resource: Resource | None = None
    approval: str = ""
    value: Any = None
    outcome: ToolResult | Halt | None = None
    reason: str = ""
    began: float = field(default_factory=time.time)
    clock: float = field(default_factory=time.monotonic)

    @property
    def found(self) -> Tool:
        """The tool, once ``resolve`` has run."""
        if self.tool is None:
            raise RuntimeError("a stage ran before resolve")
        return self.tool


Stage = Callable[["Dispatcher", Call], Awaitable[None]]


@dataclass(frozen=True)
class Dispatcher:
    """Runs calls. Process-wide; holds no state of a call.

    ``policy`` is asked where the context has a principal; ``approver`` may be None (then what needs asking is denied).
    With ``mandatory``, no handler runs before ``sink`` has taken a receipt that says that it was let through.
    ``places`` are those of the calls that run at once; None for calls that are never kept waiting. With ``searches``,
    receipts of meta-tools say what was searched for and found.
    """

    policy: Policy
    limits: Limits = field(default_factory=Limits)
    approver: Approver | None = None
    sink: ReceiptSink | None = None
    mandatory: bool = False
    places: Places | None = field(default_factory=Places)
    searches: bool = False

    async def run(
        self, name: str, arguments: Any, context: Context, resolve: Resolve, admit: Admit | None = None
    ) -> ToolResult | Halt:
        """One call, from its name to a result. Raises only CancelledError."""
        call = Call(name=name, arguments=arguments, context=context, resolve=resolve, admit=admit)
        outcome = "cancelled"
        try:
            outcome = await self._through_stages(call)
        finally:
            self.write(call, outcome)
        if call.outcome is None:
            raise RuntimeError("no stage gave the call an outcome")
        return call.outcome

    async def _through_stages(self, call: Call) -> str:
        try:
            for stage in STAGES:
                await stage(self, call)
        except CallError as error:
            return self._failed(call, error)
        except Exception as error:
            # A name that is none, a policy's or a handler's object that breaks whatever looks at it.
            return self._failed(call, unexpected(call.name, call.context, error))
        if isinstance(call.outcome, Halt):
            return "halt"
        return "tool_error" if call.outcome is not None and call.outcome.is_error else "ok"

    def _failed(self, call: Call, error: CallError) -> str:
        call.reason = call.reason or _truth(error)
        call.outcome = bounded(ToolResult.of_error(error), self.limits.result_chars)
        return error.code

    def write(self, call: Call, outcome: str) -> bool:
        """Give the sink the receipt of a call as far as it is; whether it took it. Raises nothing."""
        if self.sink is None:
            return False
        context = call.context
        receipt = Receipt(
            call_id=context.call_id,
            tool=call.name,
            source=call.tool.source if call.tool else None,
            principal=context.principal.id if context.principal else None,
            board=context.board.id if context.board else None,
            surface=context.surface,
            stack=context.stack,
            started=call.began,
            seconds=time.monotonic() - call.clock,
            outcome=outcome,
            reason=call.reason or (call.decision.reason if call.decision else ""),
            tier=call.need.tier if call.need else None,
            approval=call.approval,
            resource=call.resource.to_json() if call.resource else None,
            search=_search(call) if self.searches else None,
        )
        try:
            self.sink.write(receipt)
        except Exception:
            logger.exception("a receipt of %r could not be written", call.name)
            return False
        return True


async def resolve(dispatcher: Dispatcher, call: Call) -> None:
    """Find the tool; refuse one that is already on the stack, and a stack without end."""
    stack = call.context.stack
    # Before the name is looked up: what is too deep is refused whether there is such a tool or not.
    if len(stack) > MAX_STACK:
        raise CycleError(f"{call.name!r} stands inside {len(stack)} calls, and at most {MAX_STACK} may.")
    call.tool = call.resolve(call.name)
    if call.tool is None:
        raise await call.context.missing(call.name)
    if call.name in stack:
        raise CycleError(f"{call.name!r} may not call itself ({' -> '.join((*stack, call.name))}).")


async def authorize(dispatcher: Dispatcher, call: Call) -> None:
    """Discover, then invoke. What may not be discovered answers as if it did not exist."""
    principal = call.context.principal
    if principal is None:
        return
    seen = await decide(dispatcher.policy, principal, Action.DISCOVER, call.found)
    if not seen.allowed:
        call.reason = f"denied: discover: {seen.reason}"
        raise await call.context.missing(call.name)
    if not decides_by_call(dispatcher.policy):
        _hold(call, await decide(dispatcher.policy, principal, Action.INVOKE, call.found))


async def admit(dispatcher: Dispatcher, call: Call) -> None:
    """Let the board refuse what it has unloaded; after authorize, so that a refusal tells nothing of hidden tools."""
    if call.admit is not None:
        call.admit(call.found)


async def check(dispatcher: Dispatcher, call: Call) -> None:
    """Hold the arguments against the schema; nothing is coerced."""
    call.arguments = checked_arguments(call.found, call.arguments)


def checked_arguments(tool: Tool, arguments: Any) -> dict[str, Any]:
    """The arguments as a tool's handler gets them. Raises InvalidArgumentsError for those that its schema refuses."""
    from pegboard.schema.prepare import prepared
    from pegboard.schema.problems import problems

    arguments = {} if arguments is None else arguments
    if not isinstance(arguments, Mapping):
        raise InvalidArgumentsError(tool.name, [f"arguments: wanted an object, got {type(arguments).__name__}"])
    ready = prepared(tool.input_schema, dict(arguments))
    wrong = problems(tool.input_schema, ready, closed=tool.closed, lossless=tool.lossless)
    if wrong:
        raise InvalidArgumentsError(tool.name, wrong)
    return ready


async def weigh(dispatcher: Dispatcher, call: Call) -> None:
    """Find out what the call needs and touches, and let a policy that decides by that decide."""
    principal, tool = call.context.principal, call.found
    if principal is None:
        return
    # What is decided about is what runs: nobody else has hold of it from here on.
    call.arguments = thawed(call.arguments)
    call.need = need_of(tool, call.arguments)
    if tool.touches is not None:
        call.resource = await touched(tool, thawed(call.arguments), call.context)
        if call.resource is None:
            call.reason = "denied: what the call touches could not be told"
            raise DeniedError(f"Calling {call.name!r} is not allowed: what it would touch cannot be told.")
    if decides_by_call(dispatcher.policy):
        facts = CallFacts(
            arguments=thawed(call.arguments), tier=call.need.tier, resource=call.resource, stack=call.context.stack
        )
        _hold(call, await decide_call(dispatcher.policy, principal, tool, facts))


async def approve(dispatcher: Dispatcher, call: Call) -> None:
    """Ask the approver when the call's tier is above what passes unasked, or its tool wants it asked about."""
    if call.decision is None or call.need is None:
        return
    need = call.need
    if need.tier.rank <= call.decision.approves.rank and not need.override:
        return
    request = ApprovalRequest(
        tool=call.found,
        tier=need.tier,
        arguments=thawed(call.arguments),
        context=call.context,
        reason=need.reason,
        always=need.override,
        resource=call.resource,
    )
    answer = await ask(dispatcher.approver, request, dispatcher.limits.approval_timeout)
    call.approval = answer.truth
    if not answer.approved:
        call.reason = f"denied: {answer.truth}"
        raise DeniedError(answer.told, data=answer.data)


async def record(dispatcher: Dispatcher, call: Call) -> None:
    """Where receipts are mandatory, write down that the call was let through, or do not let it through."""
    if dispatcher.mandatory and not dispatcher.write(call, LET_THROUGH):
        call.reason = "denied: its receipt could not be written"
        raise DeniedError(
            f"{call.name!r} cannot be called now: calls are recorded here, and the record cannot be written.",
            hint="Try again later.",
        )


async def run(dispatcher: Dispatcher, call: Call) -> None:
    """Run the handler in its turn and under its time limit."""
    call.value = await handled(call.found, call.arguments, call.context, dispatcher.limits, dispatcher.places)


async def bound(dispatcher: Dispatcher, call: Call) -> None:
    """Make a result of what came, within its size."""
    from pegboard.schema.problems import output_problems

    schema = call.found.output_schema
    fits = None if schema is None else lambda value: not output_problems(schema, value)
    try:
        outcome = outcome_of(call.value, dispatcher.limits.result_chars, fits=fits)
    except NotJsonError as error:
        logger.warning("the result of %r is no JSON (call %s): %s", call.name, call.context.call_id, error)
        raise InvalidResultError(call.name, [str(error)], hint=error.hint) from error
    call.outcome = _halted(call, outcome) if isinstance(outcome, Halt) else outcome


async def verify(dispatcher: Dispatcher, call: Call) -> None:
    """Hold structured content against the output schema, as strictly as the tool says."""
    from pegboard.schema.problems import output_problems

    tool, result = call.found, call.outcome.result if isinstance(call.outcome, Halt) else call.outcome
    if tool.output_schema is None or tool.output_check is OutputCheck.OFF or result is None or result.is_error:
        return
    wrong = output_problems(tool.output_schema, result.structured)
    if not wrong:
        return
    call.reason = f"does not fit the output schema: {'; '.join(wrong)}"
    logger.warning("the result of %r (call %s) %s", call.name, call.context.call_id, call.reason)
    if tool.output_check is OutputCheck.STRICT:
        raise InvalidResultError(call.name, wrong)
    noted = replace(result, meta={**result.meta, OUTPUT_KEY: {"problems": wrong}})
    call.outcome = replace(call.outcome, result=noted) if isinstance(call.outcome, Halt) else noted


STAGES: Final[tuple[Stage, ...]] = (resolve, authorize, admit, check, weigh, approve, record, run, bound, verify)
"""The pipeline. The receipt is written after the last stage, however the call ended."""


def _search(call: Call) -> dict[str, Any] | None:
    """What the call of a meta-tool searched for, where it came to an answer."""
    if not isinstance(call.outcome, ToolResult) or call.outcome.is_error:
        return None
    return search_of(call.name, call.arguments, call.outcome.structured)


def _hold(call: Call, decision: Decision) -> None:
    """Go on with a decision that allows the call."""
    call.decision = decision
    if not decision.allowed:
        call.reason = f"denied: invoke: {decision.reason}"
        raise DeniedError(f"Calling {call.name!r} is not allowed.")


def new_call_id() -> str:
    """An id for one call: 128 random bits, in hex."""
    return uuid.uuid4().hex


def _halted(call: Call, halt: Halt) -> ToolResult | Halt:
    """The halt, with its tool's name; a failure is for the model to read, so it halts nothing."""
    return halt.result if halt.result.is_error else replace(halt, by=halt.by or call.name)


def _truth(error: CallError) -> str:
    """What the receipt says of a failed call: of an exception that nobody meant for the model, the exception itself."""
    cause = error.__cause__ if isinstance(error, HandlerError) else None
    return str(error) if cause is None else told(cause)
