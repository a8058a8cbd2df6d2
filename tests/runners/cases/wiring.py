"""Steps that connect clients to the gateway, and what only they can do."""

from __future__ import annotations

import asyncio
from typing import Any, Final

from tests.runners.cases.answer import Answer, Clock, of_wire
from tests.runners.cases.case import Step
from tests.runners.cases.client import LineClient, beside, of_command
from tests.runners.cases.step import Do
from tests.runners.cases.using import WHO, call
from tests.runners.cases.world import World

REPLY_SECONDS: Final = 10.0
UNDER_WAY_SECONDS: Final = 0.3
"""Long enough for a request to be with its upstream before it is taken back."""


async def connect_client(world: World, step: Step) -> Answer:
    """A client on the gateway, through which all further steps go; with everything always visible where it says so."""
    if step.get("expose") == "all":
        for keys in world.configuration.upstreams.values():
            keys["visibility"] = "always"
        world.changed()
    await world.connect(beside(await world.peg()))
    return Answer()


async def serve_stdio(world: World, step: Step) -> Answer:
    """A client of ``pegboard serve`` in a process of its own."""
    await world.peg()
    await world.connect(of_command(world.configuration.write()))
    return Answer()


async def tools_call(world: World, step: Step) -> Answer:
    """``tools/call`` by the tool's own name."""
    return await call(world, {**step, "via": "tools/call"})


async def raw_client(world: World, step: Step) -> Answer:
    """Messages under ids of the case's own; a reply is awaited for every request that is not taken back."""
    client = await world.wire(step)
    taken_back = {message["params"]["requestId"] for message in step["send"] if "id" not in message}
    parts = []
    with Clock() as clock:
        sent = [await _sent(world, client, message) for message in step["send"]]
        for number, reply in (pair for pair in sent if pair):
            if number not in taken_back:
                told = await asyncio.wait_for(reply, REPLY_SECONDS)
                parts.append(of_wire(told.get("result") or {"isError": True}, given=number))
    return Answer(parts=parts, seconds=clock.seconds)


async def _sent(world: World, client: LineClient, message: dict[str, Any]) -> tuple[Any, Any] | None:
    if "id" not in message:
        await asyncio.sleep(UNDER_WAY_SECONDS)
        await client.notify(message["method"], message.get("params"))
        return None
    source, _, tool = message["tool"].rpartition(":")
    params = {"name": world.shown(tool, source or None), "arguments": message.get("args") or {}}
    return message["id"], client.send_request(message["id"], message["method"], params)


STEPS: Final = {
    "connect_client": Do(connect_client, {"expose"}),
    "serve_stdio": Do(serve_stdio, set()),
    "tools/call": Do(tools_call, WHO | {"tool", "args"}),
    "raw_client": Do(raw_client, {"send"}),
}
