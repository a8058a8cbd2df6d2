"""Tools made from Python functions."""

from __future__ import annotations

import asyncio
import contextvars
import dataclasses
import datetime as dt
import enum
import functools
import itertools
import os
import subprocess
import sys
import textwrap
import threading
import time
from collections.abc import AsyncIterator, Callable, Generator, Iterator
from pathlib import Path
from typing import Any

import pytest

from pegboard.context import Context
from pegboard.errors import DefinitionError, InvalidArgumentsError, InvalidNameError, ToolError
from pegboard.sources.python import FunctionTool, Progress, tool, tools_from_file
from pegboard.tools import Approval, OutputCheck, Tool, ToolResult, Visibility
from pegboard.values import NotJsonError

pytestmark = pytest.mark.anyio


def context(**fields: Any) -> Context:
    return Context(**{"tool": "t", "call_id": "1"} | fields)


async def call(made: Tool, /, **arguments: Any) -> Any:
    return await made.handler(arguments, context())


# Making tools.


def test_a_decorated_function_is_a_tool_and_stays_a_function() -> None:
    @tool
    def add(a: int, b: int = 2) -> int:
        """Add two numbers."""
        return a + b

    assert isinstance(add, Tool)
    assert (add.name, add.description, add.source, add.closed) == ("add", "Add two numbers.", "python", True)
    assert add.visibility is Visibility.ON_DEMAND
    assert add.input_schema["required"] == ["a"]
    assert add(1, b=5) == 6
    assert add.__doc__ == "Add two numbers."


def test_options_are_fields_of_the_tool() -> None:
    @tool(
        name="orders-refund",
        title="Refund",
        description="Give money back.",
        category="orders",
        tags=["money", "orders"],
        keywords="cash",
        visibility="always",
        approval="write",
        annotations={"destructiveHint": True},
        timeout=5,
        concurrency=2,
        output_check="warn",
        hints={"mcp": {"visibility": "on-demand"}},
    )
    def refund(order: str) -> None:
        """Not used."""

    assert refund.name == "orders-refund"
    assert refund.description == "Give money back."
    assert refund.tags == ("money", "orders")
    assert refund.keywords == ("cash",)
    assert refund.visibility is Visibility.ALWAYS
    assert refund.visibility_on("mcp") is Visibility.ON_DEMAND
    assert refund.approval is Approval.WRITE
    assert refund.timeout == 5.0
    assert (refund.concurrency, refund.output_check) == (2, OutputCheck.WARN)
    assert refund.shown["annotations"] == {"destructiveHint": True}


def test_an_option_of_none_is_the_default() -> None:
    def f() -> None: ...

    assert tool(f, name=None, description=None).name == "f"


def test_a_tool_can_be_copied_and_made_again_under_another_name() -> None:
    @tool
    def f(q: str) -> str:
        """Find."""
        return q

    copy = f.with_(name="g", tags=("x",))
    assert isinstance(copy, FunctionTool)
    assert copy("x") == "x"
    again = tool(f, name="h")
    assert (again.name, again.description, again("x")) == ("h", "Find.", "x")


@pytest.mark.parametrize(
    ("options", "message", "hint"),
    [
        ({"visibility": "hidden"}, "The option 'visibility' of tool 'f' cannot be 'hidden'", "'on-demand' or 'always'"),
        ({"approval": "admin"}, "The option 'approval' of tool 'f' cannot be 'admin'", "'read', 'write', 'exec'"),
        ({"timeout": 0}, "The option 'timeout' of tool 'f' cannot be 0", "above 0"),
        ({"timeout": True}, "The option 'timeout' of tool 'f' cannot be True", "above 0"),
        ({"concurrency": 0}, "The option 'concurrency' of tool 'f' cannot be 0", "a whole number from 1"),
        (
            {"output_check": "loud"},
            "The option 'output_check' of tool 'f' cannot be 'loud'",
            "'strict', 'warn' or 'off'",
        ),
        ({"tag": "x"}, "The option 'tag' of tool 'f' is not known", "tags"),
        ({"handler": print}, "The option 'handler' of tool 'f' is not known", ""),
    ],
)
def test_an_option_that_cannot_be_is_named_with_what_can(options: dict[str, Any], message: str, hint: str) -> None:
    def f() -> None: ...

    with pytest.raises(DefinitionError) as caught:
        tool(f, **options)
    assert message in caught.value.message
    assert hint in caught.value.hint


def test_a_function_without_a_name_needs_one() -> None:
    with pytest.raises(DefinitionError, match=r"A lambda has no name .* name="):
        tool(lambda q: q)
    assert tool(lambda q: q, name="same").name == "same"


def test_a_name_outside_the_pattern_is_refused() -> None:
    def f() -> None: ...

    with pytest.raises(InvalidNameError):
        tool(f, name="two words")


def test_a_method_decorated_in_its_class_is_refused_with_the_way_to_do_it() -> None:
    with pytest.raises(DefinitionError, match=r"tool\(Box\(\)\.method\)"):

        class Box:
            @tool
            def method(self, q: str) -> None: ...


def test_the_definition_is_the_same_in_every_process() -> None:
    code = (
        "from pegboard.sources.python import tool\n"
        "from typing import Literal\n"
        "@tool\n"
        "def f(kind: Literal['b', 'a', 'c'], tags: set[str] = frozenset({'x'})) -> None: 'Do.'\n"
        "print(f.digest)\n"
    )
    digests = {
        subprocess.run(
            [sys.executable, "-c", code],
            env=os.environ | {"PYTHONHASHSEED": seed},
            check=True,
            capture_output=True,
            text=True,
            timeout=60,
        ).stdout
        for seed in ("1", "2")
    }
    assert len(digests) == 1


# Calling them.


async def test_plain_functions_run_in_a_thread_and_async_ones_on_the_loop() -> None:
    @tool
    def plain() -> int:
        return threading.get_ident()

    @tool
    async def later() -> int:
        await asyncio.sleep(0)
        return threading.get_ident()

    here = threading.get_ident()
    assert await call(plain) != here
    assert await call(later) == here


async def test_a_slow_plain_function_does_not_hold_up_the_loop() -> None:
    release = threading.Event()

    @tool
    def slow() -> str:
        assert release.wait(30)
        return "done"

    waiting = asyncio.create_task(call(slow))
    for _ in range(10):
        await asyncio.sleep(0)
    assert not waiting.done()
    release.set()
    assert await waiting == "done"


WHERE: contextvars.ContextVar[str] = contextvars.ContextVar("where")


async def test_context_variables_reach_the_thread() -> None:
    @tool
    def plain() -> str:
        return WHERE.get()

    WHERE.set("here")
    assert await call(plain) == "here"


async def test_a_cancelled_call_ends_at_once_and_its_thread_is_left() -> None:
    release, ended = threading.Event(), threading.Event()

    @tool
    def slow() -> None:
        release.wait(30)
        ended.set()

    with pytest.raises(TimeoutError):
        async with asyncio.timeout(0.05):
            await call(slow)
    assert not ended.is_set()
    release.set()
    assert await asyncio.to_thread(ended.wait, 30)


def test_a_function_that_hangs_does_not_keep_the_process_alive() -> None:
    code = (
        "import asyncio, time\n"
        "from pegboard.context import Context\n"
        "from pegboard.sources.python import tool\n"
        "@tool\n"
        "def hang() -> None: time.sleep(600)\n"
        "async def main():\n"
        "    try:\n"
        "        async with asyncio.timeout(0.05):\n"
        "            await hang.handler({}, Context(tool='hang', call_id='1'))\n"
        "    except TimeoutError:\n"
        "        print('left')\n"
        "asyncio.run(main())\n"
    )
    ended = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True, timeout=60)
    assert ended.stdout == "left\n"
    assert ended.stderr == ""


async def test_a_cancelled_coroutine_is_cancelled_itself() -> None:
    cancelled = asyncio.Event()

    @tool
    async def slow() -> None:
        try:
            await asyncio.sleep(600)
        except asyncio.CancelledError:
            cancelled.set()
            raise

    with pytest.raises(TimeoutError):
        async with asyncio.timeout(0.05):
            await call(slow)
    assert cancelled.is_set()


@pytest.mark.parametrize("error", [SystemExit(3), asyncio.CancelledError(), StopIteration(), KeyboardInterrupt()])
async def test_an_exception_that_would_end_more_than_the_call_ends_the_call(error: BaseException) -> None:
    @tool
    def quits() -> None:
        raise error

    with pytest.raises(RuntimeError, match=type(error).__name__):
        await call(quits)


async def test_an_iterator_is_a_list_unless_it_has_no_end() -> None:
    @tool
    def some() -> Any:
        return (number for number in range(3))

    @tool
    def endless() -> Any:
        return itertools.count()

    assert ToolResult.of(await call(some)).text == "[0, 1, 2]"
    with pytest.raises(NotJsonError, match="more than 100,000 items"):
        ToolResult.of(await call(endless))


async def test_a_coroutine_that_exits_ends_the_call_alone() -> None:
    @tool
    async def quits() -> None:
        sys.exit(3)

    with pytest.raises(RuntimeError, match="SystemExit"):
        await call(quits)


async def test_what_a_function_raises_is_raised() -> None:
    @tool
    def fails() -> None:
        raise ToolError("The order is closed.")

    with pytest.raises(ToolError, match="The order is closed"):
        await call(fails)


async def test_a_plain_wrapper_of_an_async_function_is_awaited() -> None:
    def passing(fn: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(fn)
        def inner(*args: Any, **kwargs: Any) -> Any:
            return fn(*args, **kwargs)

        return inner

    @tool
    @passing
    async def later(q: str) -> str:
        return q

    assert await call(later, q="x") == "x"


class Opener:
    async def __call__(self, q: str) -> str:
        return f"opened {q}"


@pytest.mark.parametrize(
    "fn", [Opener(), functools.partial(Opener()), Opener().__call__], ids=["object", "partial", "method"]
)
async def test_async_objects_partials_and_methods_run(fn: Callable[..., Any]) -> None:
    assert await call(tool(fn, name="open"), q="x") == "opened x"


async def test_arguments_reach_the_function_as_its_annotations_say() -> None:
    class Colour(enum.Enum):
        RED = "red"

    @tool
    def paint(colour: Colour, when: dt.date | None = None) -> str:
        return f"{colour!r} {when!r}"

    assert await call(paint, colour="red", when="2024-02-29") == "<Colour.RED: 'red'> datetime.date(2024, 2, 29)"
    with pytest.raises(InvalidArgumentsError, match="Invalid arguments for paint: when: expected a valid date"):
        await call(paint, colour="red", when="2023-02-29")


async def test_arguments_with_the_names_of_our_own_parameters_reach_the_function() -> None:
    @tool
    def odd(fn: str, call: str, name: str, self: str, **func: str) -> str:
        return " ".join((fn, call, name, self, *func.values()))

    assert await odd.handler({"fn": "a", "call": "b", "name": "c", "self": "d", "work": "e"}, context()) == "a b c d e"


# What they give back.


@dataclasses.dataclass
class Span:
    start: dt.date
    days: int = 1


async def test_what_a_function_returns_is_given_as_it_is_for_dispatch_to_make_a_result_of() -> None:
    @tool
    def f() -> Span:
        return Span(dt.date(2024, 2, 29))

    given = await call(f)
    assert given == Span(dt.date(2024, 2, 29))
    assert ToolResult.of(given).structured == {"start": "2024-02-29", "days": 1}


def test_an_object_that_is_returned_is_declared() -> None:
    @tool
    def f() -> Span:
        return Span(dt.date(2024, 2, 29))

    assert f.shown["outputSchema"]["properties"]["start"] == {"type": "string", "format": "date"}


# Progress.


async def told_by(made: Tool) -> tuple[Any, list[tuple[float, float | None, str | None]]]:
    """The result of one call, and the progress it told."""
    told: list[tuple[float, float | None, str | None]] = []

    async def listen(progress: float, total: float | None, message: str | None) -> None:
        told.append((progress, total, message))

    return await made.handler({}, context(on_progress=listen)), told


async def test_what_a_generator_yields_is_progress_and_what_it_returns_is_the_result() -> None:
    @tool
    def work() -> Generator[Any, None, Any]:
        yield Progress(1, 3, "one of three")
        yield 2
        yield "almost"
        return {"done": True}

    assert await told_by(work) == ({"done": True}, [(1, 3, "one of three"), (2, None, None), (3, None, "almost")])


async def test_the_last_thing_that_an_async_generator_yields_is_the_result() -> None:
    @tool
    async def work() -> AsyncIterator[Any]:
        yield "begun"
        await asyncio.sleep(0)
        yield {"found": 3}
        yield Progress(2, 2)

    assert await told_by(work) == ({"found": 3}, [(1, None, "begun"), (2, 2, None)])


async def test_a_generator_that_returns_nothing_gives_its_last_yield() -> None:
    @tool
    def work() -> Iterator[Any]:
        yield "one"
        yield "two"

    assert (await told_by(work))[0] == "two"


async def test_a_generator_that_yields_nothing_gives_nothing() -> None:
    @tool
    def work() -> Iterator[Any]:
        yield from ()

    assert await told_by(work) == (None, [])


async def test_progress_is_told_while_the_generator_still_works() -> None:
    heard = threading.Event()

    async def listen(progress: float, total: float | None, message: str | None) -> None:
        heard.set()

    @tool
    def work() -> Generator[Any, None, Any]:
        yield "first"
        return "heard" if heard.wait(30) else "deaf"

    assert await work.handler({}, context(on_progress=listen)) == "heard"


async def test_a_generator_stays_in_one_thread() -> None:
    @tool
    def work() -> Generator[Any, None, Any]:
        before = threading.get_ident()
        yield "one"
        return before == threading.get_ident()

    assert await call(work) is True


async def test_a_cancelled_generator_is_closed_at_its_next_yield() -> None:
    release, closed = threading.Event(), threading.Event()
    steps: list[int] = []

    @tool
    def work() -> Iterator[Any]:
        try:
            for step in range(1_000):
                steps.append(step)
                yield step
                release.wait(30)
        finally:
            closed.set()

    with pytest.raises(TimeoutError):
        async with asyncio.timeout(0.05):
            await call(work)
    release.set()
    assert await asyncio.to_thread(closed.wait, 30)
    assert len(steps) <= 2


async def test_a_cancelled_async_generator_is_closed() -> None:
    closed = asyncio.Event()

    @tool
    async def work() -> AsyncIterator[Any]:
        try:
            yield "one"
            await asyncio.sleep(600)
        finally:
            closed.set()

    with pytest.raises(TimeoutError):
        async with asyncio.timeout(0.05):
            await call(work)
    assert closed.is_set()


async def test_a_generator_that_fails_fails_the_call() -> None:
    @tool
    def work() -> Iterator[Any]:
        yield 1
        raise ToolError("No more.")

    with pytest.raises(ToolError, match="No more"):
        await told_by(work)


# Files of tools.


def file_of(folder: Path, text: str, name: str = "tools.py") -> Path:
    file = folder / name
    file.write_text(textwrap.dedent(text), "utf-8")
    return file


async def test_the_tools_of_a_file_are_found_in_order_each_once(tmp_path: Path) -> None:
    file_of(
        tmp_path,
        "from pegboard.sources.python import tool\n@tool\ndef helper() -> str:\n    return 'h'\n",
        "helper_x1.py",
    )
    file = file_of(
        tmp_path,
        """
        from __future__ import annotations
        from dataclasses import dataclass
        from pegboard.sources.python import tool
        from helper_x1 import helper

        @dataclass
        class Item:
            n: int

        @tool
        def second(item: Item) -> int:
            return item.n

        @tool
        def first() -> int:
            return 1

        alias = first
        not_a_tool = 5
        """,
    )
    found = tools_from_file(file)
    assert [each.name for each in found] == ["helper", "second", "first"]
    assert await call(found[1], item={"n": 3}) == 3


def test_a_file_is_read_anew_every_time(tmp_path: Path) -> None:
    text = "from pegboard.sources.python import tool\n@tool\ndef f() -> None: 'One.'\n"
    assert tools_from_file(file_of(tmp_path, text))[0].description == "One."
    assert tools_from_file(file_of(tmp_path, text.replace("One.", "Two.")))[0].description == "Two."


@pytest.mark.parametrize(
    ("text", "line", "told"),
    [
        ("x = 1\ndef f(:\n", 2, "SyntaxError"),
        ("import nothing_of_this_name\n", 1, "ModuleNotFoundError"),
        ("def f():\n    raise ValueError('no')\n\nf()\n", 2, "ValueError: no"),
        ("import sys\nsys.exit(3)\n", 2, "SystemExit: 3"),
        (
            "from pegboard.sources.python import tool\n\n@tool\ndef f(q: 'Nowhere') -> None: ...\n",
            3,
            "'Nowhere' is not known",
        ),
    ],
)
def test_a_broken_file_is_refused_with_file_and_line(tmp_path: Path, text: str, line: int, told: str) -> None:
    file = file_of(tmp_path, text)
    modules = set(sys.modules)
    with pytest.raises(DefinitionError) as caught:
        tools_from_file(file)
    assert caught.value.message.startswith(f"{file}, line {line}: ")
    assert told in caught.value.message
    assert caught.value.data == {"file": str(file), "line": line}
    assert set(sys.modules) == modules


def test_a_file_that_is_not_there_or_holds_nothing_is_refused(tmp_path: Path) -> None:
    with pytest.raises(DefinitionError, match="cannot be read: No such file"):
        tools_from_file(tmp_path / "none.py")
    with pytest.raises(DefinitionError, match=r"defines no tool\. Decorate"):
        tools_from_file(file_of(tmp_path, "x = 1\n"))


def test_a_thousand_threads_at_once_all_answer() -> None:
    @tool
    def slow(n: int) -> int:
        time.sleep(0.01)
        return n

    async def all_of_them() -> list[Any]:
        return await asyncio.gather(*(call(slow, n=n) for n in range(1_000)))

    assert asyncio.run(all_of_them()) == list(range(1_000))
