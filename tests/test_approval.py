"""Approval: what needs it, who is asked for it, and that nothing but a yes is one."""

from __future__ import annotations

import asyncio
import threading
from dataclasses import replace
from typing import Any

import pytest

from pegboard import Approval, ApprovalRequest, Context, Limits, Pegboard, Resource, Tool, ToolResult, Touches, Verdict
from pegboard.errors import DefinitionError
from pegboard.tiers import Need, declared_need, need_of
from tests.support import ALICE, Receipts, Rules, make, registry_of

pytestmark = pytest.mark.anyio

NUMBER = {"type": "object", "properties": {"n": {"type": "integer"}, "note": {"type": "string"}}, "required": ["n"]}


def rules(approves: Approval = Approval.READ) -> Rules:
    made = Rules()
    made.approves = approves
    return made


async def call(tool: Tool, arguments: Any = None, *, approves: Approval = Approval.READ, **wiring: Any) -> ToolResult:
    board = await Pegboard([registry_of(tool)], policy=rules(approves), **wiring).open(ALICE)
    result = await board.call(tool.name, arguments)
    assert isinstance(result, ToolResult)
    return result


def code(result: ToolResult) -> str | None:
    return str(result.structured["error"]["code"]) if result.is_error else None


@pytest.mark.parametrize(
    ("declared", "need"),
    [
        ("write", Need(Approval.WRITE)),
        (Approval.READ, Need(Approval.READ)),
        ({"tier": "read"}, Need(Approval.READ)),
        ({"tier": "exec", "override": True, "reason": "rm"}, Need(Approval.EXEC, True, "rm")),
        ({"tier": "write", "override": 1, "reason": 5}, Need(Approval.WRITE)),
        ({"tier": "read", "reason": ""}, Need(Approval.READ, reason="")),
        ({"tier": "admin", "override": True}, None),
        ({"override": True}, None),
        ({"tier": ["read"]}, None),
        ("READ", None),
        (["read"], None),
        (None, None),
        (0, None),
    ],
)
def test_a_declaration_is_a_tier_or_an_object_with_one(declared: Any, need: Need | None) -> None:
    assert declared_need(declared) == need
    assert need_of(make("t", approval=declared), {}) == (need or Need(Approval.EXEC))
    assert need_of(make("t", approval=lambda arguments: declared), {}) == (need or Need(Approval.EXEC))


def test_a_function_that_fails_or_spoils_its_arguments_changes_nothing(caplog: pytest.LogCaptureFixture) -> None:
    def spoils(arguments: dict[str, Any]) -> str:
        arguments["deep"]["n"] = 0
        return "read"

    def fails(arguments: dict[str, Any]) -> str:
        raise RuntimeError

    given = {"deep": {"n": 1}}
    assert need_of(make("t", approval=spoils), given) == Need(Approval.READ)
    assert given == {"deep": {"n": 1}}
    assert need_of(make("t", approval=fails), given) == Need(Approval.EXEC)
    assert caplog.messages == ["the approval function of 't' failed: counted as exec"]


def test_whoever_declared_an_object_cannot_lower_it_later() -> None:
    declared = {"tier": "exec"}
    tool = make("t", approval=declared)
    declared["tier"] = "read"
    assert need_of(tool, {}) == Need(Approval.EXEC)


@pytest.mark.parametrize(
    ("answer", "approved"),
    [
        (True, True),
        (Verdict(approved=True), True),
        (Verdict(approved=True, reason="fine"), True),
        (False, False),
        (Verdict(approved=False), False),
        (Verdict(approved=False, reason="no"), False),
        ("yes", False),
        (1, False),
        (None, False),
        ({"approved": True}, False),
        (Verdict(approved=1), False),  # type: ignore[arg-type]
        (Verdict(approved=True, reason=5), False),  # type: ignore[arg-type]
        (RuntimeError("away"), False),
        (asyncio.CancelledError(), False),
        (SystemExit(1), False),
    ],
)
@pytest.mark.parametrize("style", ["async", "plain", "object", "plain that gives something to await"])
async def test_only_a_yes_approves_however_the_approver_is_written(answer: Any, approved: bool, style: str) -> None:
    asked: list[ApprovalRequest] = []

    def answering(request: ApprovalRequest) -> Any:
        asked.append(request)
        if isinstance(answer, BaseException):
            raise answer
        return answer

    async def answering_later(request: ApprovalRequest) -> Any:
        if isinstance(answer, SystemExit):
            raise RuntimeError  # in the loop's own thread it would end the tests
        return answering(request)

    class Approver:
        async def __call__(self, request: ApprovalRequest) -> Any:
            return await answering_later(request)

    approver: Any = {
        "async": answering_later,
        "plain": answering,
        "object": Approver(),
        "plain that gives something to await": lambda request: answering_later(request),
    }[style]
    result = await call(make("t", approval=Approval.WRITE), approver=approver)
    assert code(result) == (None if approved else "denied")
    assert [request.tier for request in asked] == [Approval.WRITE] * len(asked)


async def test_a_rejection_goes_back_with_the_reason_and_the_receipt_has_it_too() -> None:
    receipts = Receipts()
    no = Verdict(approved=False, reason="Ask Bob first.")
    result = await call(make("t"), approver=lambda request: no, receipts=receipts)
    assert result.text == "Calling 't' was rejected: Ask Bob first."
    assert receipts.last.reason == "denied: tier exec was rejected: Ask Bob first."
    assert receipts.last.approval == "tier exec was rejected: Ask Bob first."


async def test_a_long_reason_is_cut_for_the_model() -> None:
    for length, shown in ((10_000, f"{'x' * 497}…"), (499, f"{'x' * 497}…"), (498, "x" * 498)):
        no = Verdict(approved=False, reason="x" * length)
        result = await call(make("t"), approver=lambda request, no=no: no)
        assert result.text == f"Calling 't' was rejected: {shown}"


async def test_a_failure_of_the_approver_tells_the_model_nothing_of_it(caplog: pytest.LogCaptureFixture) -> None:
    def fails(request: ApprovalRequest) -> bool:
        raise RuntimeError("password is hunter2")

    receipts = Receipts()
    result = await call(make("t"), approver=fails, receipts=receipts)
    assert result.text == "Calling 't' could not be approved."
    assert receipts.last.reason == "denied: the approver failed: RuntimeError"
    assert "the approver failed on 't'" in caplog.messages
    assert "hunter2" in caplog.text


async def test_an_answer_that_is_none_is_logged_and_recorded(caplog: pytest.LogCaptureFixture) -> None:
    receipts = Receipts()
    result = await call(make("t"), approver=lambda request: "yes", receipts=receipts)
    assert result.text == "Calling 't' could not be approved."
    assert receipts.last.reason == "denied: the approver gave no verdict"
    assert "the approver answered with a str on 't': not approved" in caplog.messages


async def test_a_rejection_without_a_reason_is_a_plain_sentence() -> None:
    for no in (False, Verdict(approved=False), Verdict(approved=False, reason=" ")):
        receipts = Receipts()
        result = await call(make("t"), approver=lambda request, no=no: no, receipts=receipts)
        assert result.text == "Calling 't' was rejected."
        assert receipts.last.reason == "denied: tier exec was rejected"


async def test_what_passes_unasked_is_not_asked_about() -> None:
    def never(request: ApprovalRequest) -> bool:
        raise AssertionError("asked")

    for tier in Approval:
        assert code(await call(make("t", approval=tier), approves=tier, approver=never)) is None


async def test_a_tool_that_wants_to_be_asked_about_is_whatever_the_policy_lets_pass() -> None:
    asked: list[ApprovalRequest] = []

    def approver(request: ApprovalRequest) -> bool:
        asked.append(request)
        return True

    tool = make("t", approval={"tier": "read", "override": True, "reason": "It costs money."})
    assert code(await call(tool, approves=Approval.EXEC, approver=approver)) is None
    assert [(request.tier, request.always, request.reason) for request in asked] == [("read", True, "It costs money.")]
    assert code(await call(tool, approves=Approval.EXEC)) == "denied"


async def test_with_nobody_to_ask_what_needs_asking_is_denied() -> None:
    receipts = Receipts()
    result = await call(make("t"), approves=Approval.WRITE, receipts=receipts)
    assert result.text == "Calling 't' needs approval (exec), and nobody can be asked here."
    assert result.structured["error"] == {"code": "denied", "message": result.text, "approval": "exec"}
    assert receipts.last.reason == "denied: tier exec needs approval and nobody can be asked"


async def test_a_tier_may_depend_on_the_arguments() -> None:
    def tier(arguments: dict[str, Any]) -> Approval:
        return Approval.READ if arguments["n"] < 10 else Approval.EXEC

    tool = make("t", approval=tier, input_schema=NUMBER)
    assert code(await call(tool, {"n": 1})) is None
    assert code(await call(tool, {"n": 10})) == "denied"


async def test_an_approver_that_takes_too_long_has_not_approved() -> None:
    cancelled = asyncio.Event()

    async def slow(request: ApprovalRequest) -> bool:
        try:
            await asyncio.Event().wait()
        finally:
            cancelled.set()
        return True

    receipts = Receipts()
    result = await call(make("t"), approver=slow, limits=Limits(approval_timeout=0.01), receipts=receipts)
    assert result.text == ("Calling 't' was not approved in time: nobody answered. Try again when somebody can.")
    assert cancelled.is_set()
    assert receipts.last.reason == "denied: no approval within 0.01 s"


async def test_a_plain_approver_that_hangs_holds_up_nothing_else() -> None:
    release = threading.Event()

    def hangs(request: ApprovalRequest) -> bool:
        release.wait(30)
        return True

    try:
        result = await call(make("t"), approver=hangs, limits=Limits(approval_timeout=0.05))
    finally:
        release.set()
    assert "not approved in time" in result.text


async def test_a_call_that_is_cancelled_while_somebody_is_asked_is_cancelled() -> None:
    asked, ran = asyncio.Event(), []

    async def slow(request: ApprovalRequest) -> bool:
        asked.set()
        await asyncio.Event().wait()
        return True

    async def handler(arguments: dict[str, Any], context: Context) -> None:
        ran.append(arguments)

    receipts = Receipts()
    task = asyncio.create_task(call(make("t", handler=handler), approver=slow, receipts=receipts))
    await asked.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert ran == []
    assert receipts.last.outcome == "cancelled"


async def test_what_was_approved_is_what_runs_whoever_changes_what_meanwhile() -> None:
    given = {"n": 1, "note": "small"}
    ran: list[Any] = []

    async def approver(request: ApprovalRequest) -> bool:
        assert request.arguments == {"n": 1, "note": "small"}
        request.arguments["n"] = 1_000  # type: ignore[index]  # a copy: it changes nothing
        given["n"] = 1_000_000  # the caller's own
        return True

    async def handler(arguments: dict[str, Any], context: Context) -> None:
        ran.append(arguments)

    tool = make("t", handler=handler, input_schema=NUMBER)
    assert code(await call(tool, given, approver=approver)) is None
    assert ran == [{"n": 1, "note": "small"}]


async def test_nobody_is_asked_about_arguments_that_do_not_fit() -> None:
    def never(request: ApprovalRequest) -> bool:
        raise AssertionError("asked")

    assert code(await call(make("t", input_schema=NUMBER), {"n": "x"}, approver=never)) == "invalid_arguments"


async def test_an_approver_is_told_who_asks_and_what_the_call_touches() -> None:
    asked: list[ApprovalRequest] = []
    touches = Touches(kind="order", find=lambda arguments, context: Resource(kind="order", target=str(arguments["n"])))

    def approver(request: ApprovalRequest) -> bool:
        asked.append(request)
        return True

    tool = make("t", input_schema=NUMBER, touches=touches)
    assert code(await call(tool, {"n": 7}, approver=approver)) is None
    (request,) = asked
    assert request.context.principal == ALICE
    assert request.tool is tool
    assert request.resource == Resource(kind="order", target="7")


async def test_a_call_from_inside_a_call_needs_its_own_approval_whatever_its_handler_makes_of_the_context() -> None:
    async def outer(arguments: dict[str, Any], context: Context) -> Any:
        return (await replace(context, principal=None).call("inner")).to_wire()

    peg = Pegboard(
        [registry_of(make("outer", handler=outer, approval=Approval.READ), make("inner"))], policy=rules(Approval.READ)
    )
    result = await (await peg.open(ALICE)).call("outer")
    assert "'inner' needs approval (exec)" in str(result)


def test_what_cannot_be_called_is_no_approver() -> None:
    class Old:
        async def approve(self, *_: object) -> bool:
            return True

    with pytest.raises(DefinitionError, match=r"^A Old is not an approver") as raised:
        Pegboard(approver=Old())  # type: ignore[arg-type]
    assert "gives True, False or a Verdict" in raised.value.hint


async def test_who_wants_the_process_to_end_has_not_approved() -> None:
    async def approver(request: ApprovalRequest) -> bool:
        raise SystemExit(1)

    def tier(arguments: dict[str, Any]) -> Approval:
        raise SystemExit(1)

    assert code(await call(make("t"), approver=approver)) == "denied"
    assert code(await call(make("t", approval=tier), approves=Approval.WRITE)) == "denied"
