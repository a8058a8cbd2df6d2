"""Expectations about what is around an answer: earlier answers, the upstreams' logs, what reached a server."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from typing import Any, Final

from tests.runners.cases.answer import Answer
from tests.runners.cases.expecting import Check, bare, claim, in_text
from tests.runners.cases.matching import has
from tests.runners.cases.servers import Message, messages
from tests.runners.cases.world import World

CANCELLED: Final = "notifications/cancelled"

PATIENCE: Final = 3.0
"""Seconds for something that is on its way to a log."""


async def soon(look: Callable[[], str], seconds: float = PATIENCE) -> str:
    """What is still wrong when the time is up."""
    until = asyncio.get_running_loop().time() + seconds
    while (wrong := look()) and asyncio.get_running_loop().time() < until:
        await asyncio.sleep(0.05)
    return wrong


def same_bytes_as(label: Any, answer: Answer, world: World) -> str:
    return claim(answer.bytes == world.labels[label].bytes, f"other bytes than {label!r}")


def starts_with_items_of(label: Any, answer: Answer, world: World) -> str:
    before = list(world.labels[label].items)
    return claim(list(answer.items[: len(before)]) == before, f"does not begin with the items of {label!r}")


def adds(wanted: Any, answer: Answer, world: World) -> str:
    """Names that no earlier answer with a label had."""
    before = {name for earlier in world.labels.values() if earlier is not answer for name in bare(earlier)}
    new = [name for name in bare(answer) if name not in before]
    return claim(new == wanted, f"new are {new}")


def order(wanted: Any, answer: Answer, world: World) -> str:
    return claim(bare(answer) == wanted, f"the order is {bare(answer)}")


def tombstones(wanted: Any, answer: Answer, world: World) -> str:
    """Shown, but not active."""
    dead = [name for name in bare(answer) if name not in answer.active]
    return claim(dead == wanted, f"tombstones are {dead}")


async def same_answer_as(wanted: Any, answer: Answer, world: World) -> str:
    """The same step about something else gives the same answer, the name aside."""
    from tests.runners.cases.steps import STEPS

    other = await STEPS[answer.step["do"]].run(world, {**answer.step, **wanted})
    texts = [
        one.all_text.replace(step["tool"], "NAME")
        for one, step in ((answer, answer.step), (other, {**answer.step, **wanted}))
    ]
    return claim(texts[0] == texts[1], f"{texts[0]!r} is told from {texts[1]!r}")


async def upstream_received(wanted: Any, answer: Answer, world: World) -> str:
    """Since the step began, some upstream got a message with at least these fields."""
    fields = {key: value for key, value in wanted.items() if key != "id_of_own_request"}

    def look() -> str:
        for name in world.configuration.upstreams:
            for message in world.received(name):
                own = not wanted.get("id_of_own_request") or _is_own(message, world.received(name))
                if has(message, fields) and own:
                    return ""
        return f"no upstream received {wanted}"

    return await soon(look)


def _is_own(message: Message, received: list[Message]) -> bool:
    """Whether a cancellation names a request that this upstream got."""
    requests = [one["id"] for one in received if one.get("method") == "tools/call"]
    return message.get("params", {}).get("requestId") in requests


def _calls(world: World, *, ever: bool = False) -> list[Message]:
    received = [
        message
        for name in world.configuration.upstreams
        for message in (messages(world.upstream_log(name)) if ever else world.received(name))
    ]
    return [message for message in received if message.get("method") == "tools/call"]


async def upstream_arguments_equal(wanted: Any, answer: Answer, world: World) -> str:
    def look() -> str:
        got = [message["params"].get("arguments") for message in _calls(world)]
        return claim(got[-1:] == [wanted], f"the upstream got {got}")

    return await soon(look)


def upstream_calls(wanted: Any, answer: Answer, world: World) -> str:
    got = len(_calls(world, ever=True))
    return claim(got == wanted, f"the upstream got {got} calls")


def upstream_received_raw_contains(wanted: Any, answer: Answer, world: World) -> str:
    logs = "".join(
        world.upstream_log(name).read_text(encoding="utf-8")
        for name in world.configuration.upstreams
        if world.upstream_log(name).is_file()
    )
    return in_text(wanted, logs, "the upstream's log")


def http_upstream_log_excludes(wanted: Any, answer: Answer, world: World) -> str:
    """Texts that some upstreams over HTTP never got, which did get something."""
    for name, text in wanted.items():
        log = world.upstream_log(name).read_text(encoding="utf-8")
        if '"tools/call"' not in log or text in log:
            return f"{name} got {log[-500:]!r}"
    return ""


def upstream_env(wanted: Any, answer: Answer, world: World) -> str:
    """Variables that an upstream saw; "set" for any value."""
    for name, variables in wanted.items():
        seen: dict[str, Any] = next(
            (message["env"] for message in messages(world.upstream_log(name)) if "env" in message), {}
        )
        for key, value in variables.items():
            right = bool(seen.get(key)) if value == "set" else seen.get(key) == value
            if not right:
                return f"{name} saw {key}={seen.get(key)!r}"
    return ""


def starts_at_most(name: str) -> Check:
    """How often an upstream was started."""

    async def check(wanted: Any, answer: Answer, world: World) -> str:
        starts = {source.name: source.status().starts for source in (await world.peg()).sources}
        return claim(starts[name] <= wanted, f"{name} was started {starts[name]} times")

    return check


def cancelled_own_id(name: str) -> Check:
    """Whether an upstream was told to cancel a request of its own numbering."""

    async def check(wanted: Any, answer: Answer, world: World) -> str:
        def look() -> str:
            received = world.received(name)
            told = [one for one in received if one.get("method") == CANCELLED]
            return claim(any(_is_own(one, received) for one in told) is wanted, f"{name} received {told}")

        return await soon(look)

    return check


def cancelled_at_all(name: str) -> Check:
    """Whether an upstream was told to cancel anything."""

    def check(wanted: Any, answer: Answer, world: World) -> str:
        told = [one for one in world.received(name) if one.get("method") == CANCELLED]
        return claim(bool(told) is wanted, f"{name} received {told}")

    return check


def script_of(name: str, world: World) -> Any:
    """The script of an upstream."""
    step = next(step for step in world.case.steps if step["do"] == "upstream" and step["name"] == name)
    return json.loads((world.folder / step["script"]).read_bytes())


def definition_of(tool: str, world: World) -> Any:
    """The definition that an upstream sends for a tool."""
    for name in world.configuration.upstreams:
        for page in script_of(name, world).get("pages", ()):
            for definition in page["tools"]:
                if definition["name"] == tool:
                    return definition
    raise KeyError(tool)


def schema_equals_upstream(wanted: Any, answer: Answer, world: World) -> str:
    shown, sent = answer.items[0]["inputSchema"], definition_of(bare(answer)[0], world)["inputSchema"]
    return claim(shown == sent, f"the schema is {shown!r}, the upstream's is {sent!r}")


def tool_equals_upstream_except(wanted: Any, answer: Answer, world: World) -> str:
    """Every definition is the upstream's own, but for these members."""
    for item, name in zip(answer.items, bare(answer), strict=True):
        sent = {key: value for key, value in definition_of(name, world).items() if key not in wanted}
        shown = {key: value for key, value in item.items() if key not in wanted}
        if shown != sent:
            return f"{name} is shown as {shown!r}, sent as {sent!r}"
    return ""


def content_equals_upstream(wanted: Any, answer: Answer, world: World) -> str:
    """The content of the result is what the script says."""
    for name in world.configuration.upstreams:
        told = script_of(name, world).get("calls", {}).get(answer.step["tool"])
        if told is not None:
            shown = list((answer.wire or {}).get("content", ()))
            return claim(shown == told["result"]["content"], f"the content is {shown!r}")
    return "no script has that tool"


CHECKS: Final[dict[str, Check]] = {
    "adds": adds,
    "content_equals_upstream": content_equals_upstream,
    "item_order_starts_with": starts_with_items_of,
    "order": order,
    "same_answer_as": same_answer_as,
    "same_bytes_as": same_bytes_as,
    "schema_equals_upstream": schema_equals_upstream,
    "starts_with_items_of": starts_with_items_of,
    "tombstones": tombstones,
    "tool_equals_upstream_except": tool_equals_upstream_except,
    "upstream_arguments_equal": upstream_arguments_equal,
    "upstream_calls": upstream_calls,
    "http_upstream_log_excludes": http_upstream_log_excludes,
    "upstream_env": upstream_env,
    "upstream_received": upstream_received,
    "upstream_received_raw_contains": upstream_received_raw_contains,
}

NAMED: Final[dict[str, Callable[[str], Check]]] = {
    r"starts_of_(.+)_at_most": starts_at_most,
    r"upstream_(.+)_cancelled_own_id": cancelled_own_id,
    r"upstream_(.+)_cancelled": cancelled_at_all,
}
"""Expectations with the name of an upstream in them."""
