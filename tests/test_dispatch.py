"""Dispatch: one path for every call, from its name to a receipt."""

from __future__ import annotations

import asyncio
import json
from dataclasses import dataclass, replace
from typing import Any

import pytest

from pegboard import Context, Halt, Limits, Pegboard, Principal, Tool, ToolError, ToolResult, tool
from pegboard.tools import MISSING, OutputCheck, text_block
from tests.support import ALICE, Receipts, Rules, make, registry_of

pytestmark = pytest.mark.anyio

NUMBER = {"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]}


async def call(tool: Tool, arguments: Any = None, *, principal: Principal | None = None, **wiring: Any) -> ToolResult:
    board = await Pegboard([registry_of(tool)], **wiring).open(principal)
    result = await board.call(tool.name, arguments)
    assert isinstance(result, ToolResult)
    return result


def code(result: ToolResult) -> str:
    assert result.is_error
    return str(result.structured["error"]["code"])


async def test_a_value_becomes_text_and_structured_content() -> None:
    result = await call(make("t", input_schema=NUMBER), {"n": 1})
    assert (result.text, result.structured, result.is_error) == ('{"n": 1}', {"n": 1}, False)


async def test_arguments_that_do_not_fit_are_refused_before_the_handler_runs() -> None:
    ran: list[object] = []

    async def handler(arguments: dict[str, Any], context: Context) -> None:
        ran.append(arguments)

    result = await call(make("t", handler=handler, input_schema=NUMBER), {"n": "5"})
    assert code(result) == "invalid_arguments"
    assert "n" in result.text
    assert "integer" in result.text
    assert ran == []


@pytest.mark.parametrize("arguments", [[1], "x", 7, True])
async def test_arguments_that_are_no_object_are_refused(arguments: object) -> None:
    assert code(await call(make("t"), arguments)) == "invalid_arguments"


async def test_an_argument_of_null_is_not_given_and_a_whole_number_with_a_point_is_one() -> None:
    schema = {"type": "object", "properties": {"n": {"type": "integer"}, "note": {"type": "string"}}}
    arguments = {"n": 3.0, "note": None}
    structured = (await call(make("t", input_schema=schema), arguments)).structured
    assert structured == {"n": 3}
    assert type(structured["n"]) is int
    assert arguments == {"n": 3.0, "note": None}


async def test_a_closed_tool_takes_no_unknown_argument_whatever_its_schema_says() -> None:
    for closed, refused in ((True, True), (False, False)):
        result = await call(make("t", input_schema=NUMBER, closed=closed), {"n": 1, "nn": 2})
        assert result.is_error is refused
        assert ("did you mean 'n'?" in result.text) is refused


async def test_only_a_lossless_tool_takes_the_text_of_a_number_and_gets_it_as_it_came() -> None:
    assert code(await call(make("t", input_schema=NUMBER), {"n": "5"})) == "invalid_arguments"
    assert (await call(make("t", input_schema=NUMBER, lossless=True), {"n": "5"})).structured == {"n": "5"}


async def test_a_tool_error_reaches_the_model_word_for_word() -> None:
    async def handler(arguments: dict[str, Any], context: Context) -> None:
        raise ToolError("The order is closed.")

    result = await call(make("t", handler=handler))
    assert code(result) == "tool_error"
    assert result.text == "The order is closed."


async def test_any_other_exception_is_logged_and_answered_with_an_id(caplog: pytest.LogCaptureFixture) -> None:
    async def handler(arguments: dict[str, Any], context: Context) -> None:
        raise RuntimeError("password=hunter2")

    result = await call(make("t", handler=handler))
    assert code(result) == "internal_error"
    assert "hunter2" not in result.text
    assert result.structured["error"]["id"] in caplog.text
    assert "hunter2" in caplog.text


async def test_a_value_that_is_no_json_is_refused_by_its_place(caplog: pytest.LogCaptureFixture) -> None:
    async def handler(arguments: dict[str, Any], context: Context) -> object:
        return {"items": [1, {"lock": object()}]}

    receipts = Receipts()
    result = await call(make("t", handler=handler), receipts=receipts)
    assert code(result) == "invalid_result"
    problem = "result.items[1].lock: an object has no JSON form"
    assert result.text.startswith(f"The result of t is not valid: {problem}.")
    assert result.structured["error"]["hint"]
    (message,) = caplog.messages
    assert message.startswith(f"the result of 't' is no JSON (call {receipts.last.call_id}): {problem}")


async def test_a_slow_call_is_stopped_at_its_limit() -> None:
    stopped = asyncio.Event()

    async def handler(arguments: dict[str, Any], context: Context) -> None:
        try:
            await asyncio.sleep(600)
        finally:
            stopped.set()

    result = await call(make("t", handler=handler), limits=Limits(call_timeout=0.05))
    assert code(result) == "timeout"
    assert stopped.is_set()


async def test_a_timeout_of_the_handlers_own_is_not_taken_for_ours() -> None:
    async def handler(arguments: dict[str, Any], context: Context) -> None:
        raise TimeoutError("the database")

    assert code(await call(make("t", handler=handler))) == "internal_error"


async def test_a_tool_may_have_a_limit_of_its_own() -> None:
    async def handler(arguments: dict[str, Any], context: Context) -> str:
        await asyncio.sleep(0.1)
        return "done"

    result = await call(make("t", handler=handler, timeout=60), limits=Limits(call_timeout=0.01))
    assert result.text == "done"


async def test_a_cancelled_call_raises_and_leaves_a_receipt() -> None:
    started, receipts = asyncio.Event(), Receipts()

    async def handler(arguments: dict[str, Any], context: Context) -> None:
        started.set()
        await asyncio.sleep(600)

    task = asyncio.create_task(call(make("t", handler=handler), receipts=receipts))
    await started.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert receipts.last.outcome == "cancelled"


async def test_a_handler_that_waited_for_something_cancelled_has_failed() -> None:
    async def handler(arguments: dict[str, Any], context: Context) -> None:
        waiting = asyncio.ensure_future(asyncio.sleep(600))
        waiting.cancel()
        await waiting

    receipts = Receipts()
    assert code(await call(make("t", handler=handler), receipts=receipts)) == "internal_error"
    assert receipts.last.reason.startswith("CancelledError")


async def test_an_exception_that_cannot_be_told_is_an_internal_error() -> None:
    class Mute(Exception):
        def __str__(self) -> str:
            raise RuntimeError("no words")

    async def handler(arguments: dict[str, Any], context: Context) -> None:
        raise Mute

    assert code(await call(make("t", handler=handler))) == "internal_error"


async def test_a_result_that_has_no_end_is_refused() -> None:
    endless: list[object] = []
    endless.append(endless)

    async def handler(arguments: dict[str, Any], context: Context) -> ToolResult:
        return ToolResult(structured={"a": endless})

    result = await call(make("t", handler=handler))
    assert code(result) == "invalid_result"
    assert "nested more than 200 deep, or inside itself" in result.text


async def test_an_error_whose_facts_are_no_json_is_told_without_them() -> None:
    async def handler(arguments: dict[str, Any], context: Context) -> None:
        raise ToolError("The order is closed.", data={"order": object()})

    result = await call(make("t", handler=handler))
    assert result.structured == {"error": {"code": "tool_error", "message": "The order is closed."}}


async def test_a_long_error_is_shortened_like_any_result() -> None:
    async def handler(arguments: dict[str, Any], context: Context) -> None:
        raise ToolError("x" * 10_000)

    result = await call(make("t", handler=handler), limits=Limits(result_chars=1_000))
    assert result.is_error
    assert len(result.text) <= 1_000


async def test_a_large_result_is_shortened_and_says_so() -> None:
    async def handler(arguments: dict[str, Any], context: Context) -> str:
        return "x" * 10_000

    result = await call(make("t", handler=handler), limits=Limits(result_chars=1_000))
    assert len(result.text) <= 1_000
    assert "Shortened" in result.text


async def test_a_result_that_loses_its_promised_structure_is_an_error() -> None:
    async def handler(arguments: dict[str, Any], context: Context) -> dict[str, Any]:
        return {"rows": list(range(1_000))}

    schema = {"type": "object", "properties": {"rows": {"type": "array", "minItems": 1_000}}}
    result = await call(make("t", handler=handler, output_schema=schema), limits=Limits(result_chars=1_000))
    assert result.is_error
    assert result.structured is MISSING
    assert "its schema allows no shorter one" in result.text


async def test_a_result_that_stays_within_its_schema_when_shortened_is_a_success() -> None:
    async def handler(arguments: dict[str, Any], context: Context) -> dict[str, Any]:
        return {"rows": list(range(1_000)), "total": 1_000}

    schema = {"type": "object", "properties": {"rows": {"type": "array"}}, "required": ["rows", "total"]}
    result = await call(make("t", handler=handler, output_schema=schema), limits=Limits(result_chars=1_000))
    assert not result.is_error
    assert result.structured["total"] == 1_000
    kept = result.structured["rows"]
    assert kept == list(range(len(kept)))
    assert f"{1_000 - len(kept)} of 1000 items of rows left out" in result.text
    assert json.loads(result.content[0]["text"]) == result.structured


async def test_a_halt_passes_through_with_its_payload() -> None:
    async def handler(arguments: dict[str, Any], context: Context) -> Halt:
        return Halt(result=ToolResult.of({"done": True}), say="Done.")

    receipts = Receipts()
    board = await Pegboard([registry_of(make("t", handler=handler))], receipts=receipts).open()
    result = await board.call("t")
    assert isinstance(result, Halt)
    assert result.say == "Done."
    assert receipts.last.outcome == "halt"


@pytest.mark.parametrize(("by", "told"), [("", "t"), ("inner", "inner")])
async def test_a_halt_names_the_tool_that_ended_the_turn(by: str, told: str) -> None:
    async def handler(arguments: dict[str, Any], context: Context) -> Halt:
        return Halt(result=ToolResult.of("done"), by=by)

    result = await (await Pegboard([registry_of(make("t", handler=handler))]).open()).call("t")
    assert isinstance(result, Halt)
    assert result.by == told


async def test_a_failure_halts_nothing() -> None:
    failure = ToolResult(content=(text_block("no"),), is_error=True)

    async def handler(arguments: dict[str, Any], context: Context) -> Halt:
        return Halt(result=failure, say="Done.")

    assert await call(make("t", handler=handler)) == failure


async def test_progress_reaches_the_caller() -> None:
    async def handler(arguments: dict[str, Any], context: Context) -> str:
        await context.progress(1, 2, "half")
        return "done"

    told: list[tuple[float, float | None, str | None]] = []

    async def listen(progress: float, total: float | None, message: str | None) -> None:
        told.append((progress, total, message))

    board = await Pegboard([registry_of(make("t", handler=handler))]).open()
    await board.call("t", on_progress=listen)
    assert told == [(1, 2, "half")]


async def test_a_tool_may_call_another_with_the_same_principal_and_values() -> None:
    async def outer(arguments: dict[str, Any], context: Context) -> Any:
        return await context.call("inner", {"n": 3})

    async def inner(arguments: dict[str, Any], context: Context) -> Any:
        assert context.principal is ALICE
        return {"n": arguments["n"], "stack": list(context.stack), "tenant": context.values["tenant"]}

    tools = registry_of(make("outer", handler=outer), make("inner", handler=inner, input_schema=NUMBER))
    board = await Pegboard([tools]).open(ALICE, context={"tenant": "t1"})
    result = await board.call("outer")
    assert isinstance(result, ToolResult)
    assert result.structured == {"n": 3, "stack": ["outer"], "tenant": "t1"}


async def test_a_tool_may_not_call_itself_through_another() -> None:
    async def ping(arguments: dict[str, Any], context: Context) -> Any:
        return await context.call("pong")

    async def pong(arguments: dict[str, Any], context: Context) -> Any:
        return await context.call("ping")

    board = await Pegboard([registry_of(make("ping", handler=ping), make("pong", handler=pong))]).open()
    result = await board.call("ping")
    assert isinstance(result, ToolResult)
    assert code(result) == "cycle"
    assert "ping -> pong -> ping" in result.text


async def test_what_may_not_be_discovered_answers_like_what_does_not_exist() -> None:
    rules, receipts = Rules(hidden=["secret"]), Receipts()
    board = await Pegboard([registry_of(make("secret"))], policy=rules, receipts=receipts).open(ALICE)
    hidden, missing = await board.call("secret"), await board.call("secres")
    assert isinstance(hidden, ToolResult)
    assert isinstance(missing, ToolResult)
    assert str(hidden.to_wire()).replace("secret", "NAME") == str(missing.to_wire()).replace("secres", "NAME")
    assert receipts.all[0].reason == "denied: discover: by the test's rules"


async def test_what_may_be_seen_but_not_called_is_denied_without_the_reason() -> None:
    receipts = Receipts()
    result = await call(make("t"), principal=ALICE, policy=Rules(uncallable=["t"]), receipts=receipts)
    assert code(result) == "denied"
    assert "not allowed" in result.text
    assert "rules" not in result.text
    assert "by the test's rules" in receipts.last.reason


async def test_a_policy_that_fails_or_answers_nonsense_denies() -> None:
    class Nonsense(Rules):
        async def decide(self, *_: Any) -> Any:
            return True

    class Waiting(Rules):
        async def decide(self, *_: Any) -> Any:
            raise asyncio.CancelledError  # what it waited for was cancelled, not the call

    broken = Rules()
    broken.broken = True
    for policy in (broken, Nonsense(), Waiting()):
        assert code(await call(make("t"), principal=ALICE, policy=policy)) == "not_found"


async def test_without_a_principal_no_policy_is_asked() -> None:
    rules = Rules(hidden=["t"])
    assert not (await call(make("t"), policy=rules)).is_error
    assert rules.asked == []


async def test_a_receipt_tells_what_happened() -> None:
    receipts = Receipts()
    await call(make("t"), principal=ALICE, receipts=receipts)
    receipt = receipts.last
    assert (receipt.tool, receipt.source, receipt.principal, receipt.outcome) == ("t", "python", "alice", "ok")
    assert receipt.seconds >= 0


async def test_a_sink_that_fails_changes_no_outcome(caplog: pytest.LogCaptureFixture) -> None:
    class Broken:
        def write(self, receipt: object) -> None:
            raise OSError("disk full")

    assert not (await call(make("t"), receipts=Broken())).is_error
    assert "disk full" in caplog.text


async def test_a_large_object_without_a_schema_keeps_whole_items() -> None:
    async def handler(arguments: dict[str, Any], context: Context) -> dict[str, Any]:
        return {"rows": list(range(1_000))}

    result = await call(make("t", handler=handler), limits=Limits(result_chars=1_000))
    rows = result.structured["rows"]
    assert 0 < len(rows) < 1_000
    assert rows == list(range(len(rows)))


# Exceptions that would end more than a call.


@pytest.mark.parametrize("error", [SystemExit(3), GeneratorExit(), BaseException("odd")], ids=repr)
async def test_an_exception_that_would_end_more_than_the_call_is_an_internal_error(error: BaseException) -> None:
    async def handler(arguments: dict[str, Any], context: Context) -> None:
        raise error

    receipts = Receipts()
    assert code(await call(make("t", handler=handler), receipts=receipts)) == "internal_error"
    assert receipts.last.reason.startswith(type(error).__name__)


def test_a_true_interrupt_ends_the_process() -> None:
    async def handler(arguments: dict[str, Any], context: Context) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        asyncio.run(call(make("t", handler=handler)))


def test_a_call_that_is_thrown_away_with_its_loop_ends_quietly(caplog: pytest.LogCaptureFixture) -> None:
    ended: list[str] = []

    async def inner(arguments: dict[str, Any], context: Context) -> None:
        try:
            await asyncio.get_running_loop().create_future()
        finally:
            ended.append("inner")

    async def outer(arguments: dict[str, Any], context: Context) -> Any:
        result = await context.call("inner")
        ended.append("never")
        return result

    async def board() -> Any:
        return await Pegboard([registry_of(make("inner", handler=inner), make("outer", handler=outer))]).open()

    loop = asyncio.new_event_loop()
    running = loop.run_until_complete(board()).call("outer")
    task = loop.create_task(running)
    loop.run_until_complete(asyncio.sleep(0))
    loop.close()
    running.close()
    task._log_destroy_pending = False  # type: ignore[attr-defined]
    assert ended == ["inner"]
    assert caplog.records == []


# Calls inside calls.


async def test_a_tool_may_not_call_itself_when_it_was_called_through_call_tool() -> None:
    async def again(arguments: dict[str, Any], context: Context) -> Any:
        return await context.call("again")

    board = await Pegboard([registry_of(make("again", handler=again))]).open()
    result = await board.call("call_tool", {"name": "again"})
    assert isinstance(result, ToolResult)
    assert code(result) == "cycle"
    assert "call_tool -> again -> again" in result.text


async def test_a_chain_of_ten_thousand_tools_ends_with_an_answer() -> None:
    reached: list[int] = []

    def link(number: int) -> Tool:
        async def handler(arguments: dict[str, Any], context: Context) -> Any:
            reached.append(number)
            return await context.call(f"t{number + 1}")

        return make(f"t{number}", handler=handler)

    board = await Pegboard([registry_of(*(link(number) for number in range(10_000)))]).open()
    result = await board.call("t0")
    assert isinstance(result, ToolResult)
    assert code(result) == "cycle"
    assert "at most 32" in result.text
    assert len(reached) == 33


# Progress.


async def test_a_listener_that_fails_does_not_fail_the_call(caplog: pytest.LogCaptureFixture) -> None:
    async def handler(arguments: dict[str, Any], context: Context) -> str:
        await context.progress(1)
        return "done"

    async def deaf(progress: float, total: float | None, message: str | None) -> None:
        raise OSError("the client has gone")

    board = await Pegboard([registry_of(make("t", handler=handler))]).open()
    result = await board.call("t", on_progress=deaf)
    assert isinstance(result, ToolResult)
    assert result.text == "done"
    assert "the client has gone" in caplog.text


# Output checks.

COUNTED: dict[str, Any] = {"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]}


def giving(value: Any, check: str) -> Tool:
    async def handler(arguments: dict[str, Any], context: Context) -> Any:
        return value

    return make("t", handler=handler, output_schema=COUNTED, output_check=check)


async def test_a_result_that_fits_its_schema_is_given_as_it_is() -> None:
    for check in OutputCheck:
        result = await call(giving({"n": 1}, check))
        assert (result.structured, result.meta) == ({"n": 1}, {})


async def test_a_result_that_does_not_fit_fails_the_call_when_the_check_is_strict() -> None:
    receipts = Receipts()
    result = await call(giving({"n": "one"}, "strict"), receipts=receipts)
    assert code(result) == "invalid_result"
    assert result.text == "The result of t is not valid: n: expected integer, got string 'one'."
    assert result.structured["error"]["problems"] == ["n: expected integer, got string 'one'"]
    assert receipts.last.outcome == "invalid_result"


async def test_a_result_that_does_not_fit_is_passed_on_with_a_note_when_the_check_warns(
    caplog: pytest.LogCaptureFixture,
) -> None:
    receipts = Receipts()
    result = await call(giving({"n": "one"}, "warn"), receipts=receipts)
    assert (result.is_error, result.structured) == (False, {"n": "one"})
    assert result.meta["dev.pegboard/output"] == {"problems": ["n: expected integer, got string 'one'"]}
    reason = "does not fit the output schema: n: expected integer, got string 'one'"
    assert (receipts.last.outcome, receipts.last.reason) == ("ok", reason)
    assert caplog.messages == [f"the result of 't' (call {receipts.last.call_id}) {reason}"]


async def test_nobody_looks_when_the_check_is_off() -> None:
    result = await call(giving({"n": "one"}, "off"))
    assert (result.is_error, result.meta) == (False, {})


@pytest.mark.parametrize(
    ("value", "told"),
    [
        ("text", "structured content is missing (required)"),
        (None, "structured content is missing (required)"),
        ({}, "n: missing (required)"),
        (ToolResult(structured=[1]), "result: expected object, got array of 1"),
        (Halt(result=ToolResult.of({"n": None})), "n: expected integer, got null"),
    ],
    ids=range(5),
)
async def test_what_is_wrong_with_a_result_is_told(value: Any, told: str) -> None:
    assert told in (await call(giving(value, "strict"))).text


async def test_at_most_five_problems_are_told_and_the_text_is_short() -> None:
    schema = {"type": "object", "properties": {f"p{n}": {"type": "integer"} for n in range(100)}}
    wrong = giving({f"p{n}": "x" * 100 for n in range(100)}, "strict").with_(output_schema=schema)
    receipts = Receipts()
    result = await call(wrong, receipts=receipts)
    problems = result.structured["error"]["problems"]
    assert len(problems) == 5
    assert len(result.text) < 1_000
    assert receipts.last.reason == f"does not fit the output schema: {'; '.join(problems)}"


async def test_a_failed_call_is_not_held_against_the_schema() -> None:
    failed = ToolResult(content=(text_block("no"),), is_error=True)
    assert (await call(giving(failed, "strict"))).text == "no"


async def test_a_halt_that_does_not_fit_carries_the_note() -> None:
    board = await Pegboard([registry_of(giving(Halt(result=ToolResult.of({"n": "x"})), "warn"))]).open()
    halt = await board.call("t")
    assert isinstance(halt, Halt)
    assert "dev.pegboard/output" in halt.result.meta


async def test_python_functions_are_held_strictly_to_what_they_say_they_return() -> None:
    @dataclass
    class Total:
        n: int

    @tool
    def wrong() -> Total:
        return {"n": "one"}  # type: ignore[return-value]

    @tool(output_check="off")
    def unwatched() -> Total:
        return {"n": "one"}  # type: ignore[return-value]

    @tool
    def right() -> Total:
        return Total(1)

    assert code(await call(wrong)) == "invalid_result"
    assert (await call(unwatched)).structured == {"n": "one"}
    assert (await call(right)).structured == {"n": 1}


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ([], "[] failed unexpectedly."),
        ({}, "{} failed unexpectedly."),
        (None, "No tool is named None."),
        (5, "No tool is named 5."),
    ],
)
async def test_a_name_that_is_no_text_is_a_failed_call(name: Any, told: str, caplog: pytest.LogCaptureFixture) -> None:
    board = await Pegboard([registry_of(make("t"))]).open()
    result = await board.call(name)
    assert isinstance(result, ToolResult)
    assert result.is_error
    assert result.text.startswith(told)
    assert ("unhashable" in caplog.text) is (code(result) == "internal_error")


async def test_a_stack_that_is_too_deep_tells_nothing_of_what_is_hidden() -> None:
    answers = []

    async def handler(arguments: dict[str, Any], context: Context) -> None:
        deep = replace(context, stack=tuple(f"t{depth}" for depth in range(40)))
        answers.extend([await deep.call("hidden"), await deep.call("absent")])

    tools = registry_of(make("t", handler=handler), make("hidden"))
    await (await Pegboard([tools], policy=Rules(hidden=["hidden"])).open(ALICE)).call("t")
    hidden, absent = (str(answer.to_wire()) for answer in answers)
    assert hidden.replace("hidden", "absent") == absent
