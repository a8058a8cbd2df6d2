"""Steps that use the product through a door: find, list, look, load, call."""

from __future__ import annotations

import ast
import asyncio
import json
import operator
from collections.abc import Callable, Mapping
from typing import Any, Final

from pegboard.errors import PegboardError
from tests.runners.cases import http_tools, openapi
from tests.runners.cases.answer import Answer, Clock, of_result
from tests.runners.cases.case import Step
from tests.runners.cases.doors import BoardDoor, Door, cancelled_after
from tests.runners.cases.step import Do
from tests.runners.cases.world import World

META: Final = {
    "call": "call_tool",
    "find": "find_tools",
    "get": "get_tool",
    "load": "load_tool",
    "unload": "unload_tool",
    "list": "list_tools",
    "explain": "explain_tool",
}
"""Cases' words for meta-tools, and ours."""

CHANGE_SECONDS: Final = 3.0

HTTP: Final = {"mode", "transport", "resolver"}
"""Fields of calls of HTTP tools."""

GIVEN: Final = {"args", "args_by_place", "raw_args", "args_as_text"}
"""Fields that say the arguments of a call."""

WHO: Final = {"as", "session", "label"}
"""Fields of every step that goes through a door."""


async def door_of(world: World, step: Step) -> Door:
    """The command line where the step says so; the client where one is connected, else a board of the principal."""
    if step.get("via") == "cli":
        return world.command(step)
    if world.client is not None or is_about_the_wire(step):
        return await world.wire(step)
    return BoardDoor(await world.board(step))


def is_about_the_wire(step: Step) -> bool:
    """Whether only a client of the gateway can tell what the step asks for."""
    return step.get("via") == "tools/call" or "meta" in step or bool(WIRE & (step.get("expect") or {}).keys())


WIRE: Final = {"raw_result", "content_equals_upstream", "client_progress"}


async def refused(world: World, step: Step, run: Callable[[Door], Any]) -> Answer:
    """Run through the step's door; somebody else's board is an answer too."""
    try:
        answer: Answer = await run(await door_of(world, step))
    except PegboardError as error:
        return Answer(text=str(error), is_error=True)
    return answer


async def listed(world: World, step: Step) -> Answer:
    """All there is, meta-tools left out: ``list_tools`` page by page; over the wire, the client's own list.

    ``limit`` is the size of a page, which is a setting; then one page is looked at.
    """
    if "limit" in step:
        world.configuration.limits["page"] = step["limit"]
        world.changed()
    if world.client is not None:
        return _with_names(world, Answer(), world.without_meta(await world.client.listing()))
    door = await door_of(world, step)
    answer = await door.call("list_tools", {})
    told = [*answer.structured["tools"]]
    answer.total, answer.more = answer.structured["total"], "cursor" in answer.structured
    cursor = answer.structured.get("cursor")
    while cursor and "limit" not in step:
        page = await door.call("list_tools", {"cursor": cursor})
        told += page.structured["tools"]
        answer.text += f"\n{page.text}"
        cursor = page.structured.get("cursor")
    catalog = (await world.peg()).catalog
    found = (catalog.get(entry["name"]) for entry in told)
    return _with_names(world, answer, [dict(held.shown) for held in found if held is not None])


def _with_names(world: World, answer: Answer, items: list[Any]) -> Answer:
    answer.items = items
    answer.names = [item["name"] for item in items]
    answer.bare = [world.bare(name) for name in answer.names]
    return answer


async def search(world: World, step: Step) -> Answer:
    """``find_tools``. Where schemas are looked at, in full detail; the matches are the items. A mode names a ranker."""
    if "mode" in step and world.configuration.search.get("ranker") != step["mode"]:
        world.configuration.search["ranker"] = step["mode"]
        world.changed()
    arguments = {"query": step["query"]} | ({"limit": step["limit"]} if "limit" in step else {})
    if any(key.startswith("schema_") for key in step.get("expect") or {}):
        arguments["detail"] = "full"
    answer = await (await door_of(world, step)).call("find_tools", arguments)
    if not answer.is_error:
        answer.total = answer.structured["total"]
        answer.names = [match["name"] for match in answer.structured["tools"]]
        answer.bare = [world.bare(name) for name in answer.names]
        answer.items = answer.structured["tools"]
    return answer


def about_one(word: str) -> Any:
    """The step of a meta-tool that takes one name."""

    async def step_run(world: World, step: Step) -> Answer:
        await world.peg()
        name = world.shown(step["tool"])
        answer = await (await door_of(world, step)).call(META[word], {"name": name})
        told = answer.structured.get("tool") if isinstance(answer.structured, dict) else None
        answer.items = [told] if isinstance(told, dict) else []
        answer.names = [name]
        answer.bare = [step["tool"]]
        return answer

    return step_run


async def call(world: World, step: Step) -> Answer:
    """A call by the tool's own name, from a board, a client or the command line; ``via`` call means ``call_tool``.

    A time limit is a setting. A call in a lenient mode goes to the tool's lenient twin.
    """
    if "timeout_s" in step:
        world.configuration.limits["call_timeout"] = step["timeout_s"]
        world.changed()
    if http_tools.means_any_address(world, step["tool"]):
        return await http_tools.written_out(world, step["tool"], step.get("args") or {}, step.get("resolver"))
    catalog = (await world.peg()).catalog
    if "mode" in step:
        step = {**step, "tool": step["tool"] + http_tools.LENIENT}
    name, arguments = _call_of(world, step)
    answer = await refused(world, step, lambda door: _through(door, step.get("via"), name, arguments, step.get("meta")))
    if world.announces(step["tool"]):
        await _changed(world, catalog.generation)
    return answer


async def _changed(world: World, generation: int) -> None:
    """Wait until the list that an upstream has told of is in the catalog, or is not going to be."""
    until = asyncio.get_running_loop().time() + CHANGE_SECONDS
    while (await world.peg()).catalog.generation == generation and asyncio.get_running_loop().time() < until:
        await asyncio.sleep(0.02)


def _call_of(world: World, step: Step) -> tuple[str, Any]:
    if "raw_args" in step:
        return world.shown(step["tool"], step.get("source")), json.loads(step["raw_args"])
    if "args_as_text" in step:
        return world.shown(step["tool"], step.get("source")), step["args_as_text"]
    if "args_by_place" in step:
        name = world.shown(step["tool"], step.get("source"))
        world.body_given = step["args_by_place"].get("body")
        return name, openapi.placed(world, name, step["args_by_place"])
    arguments = step.get("args") or {}
    if step["tool"] in META and world.shown(step["tool"]) == step["tool"]:
        told = {"name": arguments.get("tool"), "arguments": arguments.get("args") or {}}
        return META[step["tool"]], told
    return world.shown(step["tool"], step.get("source")), arguments


async def _through(door: Door, via: str | None, name: str, arguments: Any, meta: Any) -> Answer:
    if via == "call":
        return await door.call(META["call"], {"name": name, "arguments": arguments}, meta=meta)
    return await door.call(name, arguments, meta=meta)


async def batch(world: World, step: Step) -> Answer:
    """All calls of one model message."""
    board = await world.board(step)
    calls = [_call_of(world, {"tool": tool, "args": arguments}) for tool, arguments in step["calls"]]
    with Clock() as clock:
        turn = await board.call_all(calls)
    parts = [of_result(result, given) for result, (_, given) in zip(turn.results, calls, strict=True)]
    answer = Answer(text="\n".join(part.text for part in parts), parts=parts, seconds=clock.seconds)
    answer.halted_by = world.bare(turn.halted_by) if turn.halted_by is not None else None
    return answer


async def call_each(world: World, step: Step) -> Answer:
    """Every tool once, with those of the arguments that it has; the bare names are those that were called."""
    given = dict(step.get("args") or {})
    catalog = (await world.peg()).catalog
    door = await door_of(world, step)
    parts = [await door.call(held.name, _known(given, held.input_schema)) for held in catalog.all()]
    return Answer(parts=parts, bare=[held.bare_name for held in catalog.all()])


def _known(given: dict[str, Any], schema: Mapping[str, Any]) -> dict[str, Any]:
    if schema.get("additionalProperties") is not False:
        return given
    return {name: value for name, value in given.items() if name in schema["properties"]}


async def call_each_args(world: World, step: Step) -> Answer:
    """One tool with several arguments through several doors."""
    await world.peg()
    name = world.shown(step["tool"])
    doors = {way: world.command(step) if way == "cli" else await door_of(world, step) for way in step["doors"]}
    parts = [
        await _through(door, None if way == "native" else way, name, arguments, None)
        for way, door in doors.items()
        for arguments in step["args_list"]
    ]
    return Answer(parts=parts)


async def call_then_cancel(world: World, step: Step) -> Answer:
    """A call that its client gives up."""
    await world.peg()
    door = await world.wire(step)
    return await cancelled_after(door, world.shown(step["tool"]), step.get("args") or {}, step["after_s"])


async def parallel_calls(world: World, step: Step) -> Answer:
    """Many calls at once, each with arguments of its own; some given up half way where the step says so."""
    await world.peg()
    door, name, count = await door_of(world, step), world.shown(step["tool"]), step["n"]
    given = [{key: computed(text, i=i) for key, text in step["args_each"].items()} for i in range(count)]

    def one(i: int) -> Any:
        if step.get("cancel_every_third") and i % 3 == 0:
            return cancelled_after(door, name, given[i], 0.05)
        return door.call(name, given[i])

    with Clock() as clock:
        parts = await asyncio.gather(*(one(i) for i in range(count)))
    for part, arguments in zip(parts, given, strict=True):
        part.given = arguments
    return Answer(parts=parts, seconds=clock.seconds)


async def status(world: World, step: Step) -> Answer:
    """How every source is doing."""
    return Answer(text=json.dumps((await world.peg()).status(), ensure_ascii=False))


async def audit(world: World, step: Step) -> Answer:
    """The receipts."""
    return Answer(text="\n".join(json.dumps(receipt.to_json(), ensure_ascii=False) for receipt in world.receipts))


_OPERATORS: Final[dict[type, Callable[[Any, Any], Any]]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.Mod: operator.mod,
}


def computed(text: str, **names: int) -> Any:
    """The value of a small sum such as ``(20 - i) * 0.05``. Raises ValueError for anything else."""

    def value(node: ast.expr) -> Any:
        match node:
            case ast.Constant(value=int() | float() as number):
                return number
            case ast.Name(id=name) if name in names:
                return names[name]
            case ast.BinOp(left=left, op=op, right=right) if type(op) in _OPERATORS:
                return _OPERATORS[type(op)](value(left), value(right))
        raise ValueError(f"not a sum: {text!r}")

    return value(ast.parse(text, mode="eval").body)


STEPS: Final = {
    "list": Do(listed, WHO | {"limit", "query", "tool"}),
    "search": Do(search, WHO | {"query", "limit", "tool", "mode"}),
    "get": Do(about_one("get"), WHO | {"tool", "query"}),
    "explain": Do(about_one("explain"), WHO | {"tool", "query"}),
    "load": Do(about_one("load"), WHO | {"tool", "query"}),
    "unload": Do(about_one("unload"), WHO | {"tool", "query"}),
    "call": Do(
        call,
        WHO
        | {"tool", "args", "args_by_place", "raw_args", "args_as_text", "source", "via", "meta", "timeout_s", *HTTP},
    ),
    "batch": Do(batch, WHO | {"calls"}),
    "call_each": Do(call_each, WHO | {"args"}),
    "call_each_args": Do(call_each_args, WHO | {"tool", "doors", "args_list"}),
    "call_then_cancel": Do(call_then_cancel, WHO | {"tool", "args", "after_s"}),
    "parallel_calls": Do(parallel_calls, WHO | {"tool", "n", "args_each", "cancel_every_third"}),
    "status": Do(status, set()),
    "audit": Do(audit, set()),
}
"""``query`` and ``tool`` stand in some steps without having a part in them."""
