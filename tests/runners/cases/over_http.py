"""Steps over HTTP: upstreams that are reached so, and the gateway that is served so.

The gateway has no sign-in: it is served on loopback, and what a client says of itself there is not looked at. A case in
which several callers are to be told apart is therefore not run (see ``needs``).
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from typing import Any, Final

import httpx2

from pegboard.gateway import serve_http
from pegboard.peg import Pegboard
from tests.runners.cases.answer import Answer, of_wire
from tests.runners.cases.case import Step
from tests.runners.cases.http_tools import SECRETS
from tests.runners.cases.servers import HttpServer, free_ports
from tests.runners.cases.step import Do
from tests.runners.cases.world import World

REVISION: Final = "2025-11-25"
ACCEPT: Final = {"Accept": "application/json, text/event-stream"}
CLIENT: Final = {"protocolVersion": REVISION, "capabilities": {}, "clientInfo": {"name": "case", "version": "1"}}


async def http_upstream(world: World, step: Step) -> Answer:
    """An MCP server over streamable HTTP that does what a script says."""
    name, [port] = step["name"], free_ports(1)
    script, log = world.folder / step["script"], world.upstream_log(name)
    world.beside.append(HttpServer(world.case.harness, script, port, log, program="fake_http_upstream.py"))
    world.configuration.http["secrets_prefix"] = SECRETS
    told: dict[str, Any] = {"url": f"http://127.0.0.1:{port}/mcp"}
    if step.get("headers"):
        told["headers"] = step["headers"]
    world.configuration.upstreams[name] = told
    world.changed()
    return Answer()


async def serve(world: World, step: Step) -> Answer:
    """Serve the gateway on loopback."""
    world.address = await world.enter(_listening(await world.peg()))
    return Answer()


@asynccontextmanager
async def _listening(peg: Pegboard) -> AsyncIterator[str]:
    address: asyncio.Future[str] = asyncio.get_running_loop().create_future()
    task = asyncio.create_task(serve_http(peg, port=0, on_listening=address.set_result))
    task.add_done_callback(lambda _: address.done() or address.cancel())
    try:
        yield await address
    finally:
        task.cancel()
        await asyncio.wait([task])


async def open_session(world: World, step: Step) -> Answer:
    """Begin a session by hand; its id is kept under the name in ``save``."""
    begun = await _post(world, step, _rpc("initialize", CLIENT))
    session = begun.headers["mcp-session-id"]
    world.wire_sessions[step["save"]] = session
    note = {"jsonrpc": "2.0", "method": "notifications/initialized"}
    await _post(world, {**step, "session": step["save"]}, note)
    return Answer(text=begun.text)


async def raw_http(world: World, step: Step) -> Answer:
    """One request by hand; its result."""
    params = {"name": world.shown(step["tool"]), "arguments": step.get("args", {})} if "tool" in step else {}
    reply = await _post(world, step, _rpc(step["rpc"], params))
    message = _message(reply.text)
    if "result" not in message:
        return Answer(text=reply.text, is_error=True)
    return of_wire(message["result"], step.get("args"))


def _rpc(method: str, params: Mapping[str, Any]) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}


async def _post(world: World, step: Step, message: Mapping[str, Any]) -> httpx2.Response:
    headers = {**ACCEPT, **step.get("extra_headers", {})}
    if step.get("token"):
        headers["Authorization"] = f"Bearer {step['token']}"
    if step.get("session"):
        headers |= {"Mcp-Session-Id": world.wire_sessions[step["session"]], "MCP-Protocol-Version": REVISION}
    async with httpx2.AsyncClient(timeout=30, trust_env=False) as client:
        return await client.post(world.address, headers=headers, json=dict(message))


def _message(text: str) -> dict[str, Any]:
    """The message of a reply, which is JSON or a stream that ends with it."""
    data = [line.removeprefix("data:") for line in text.splitlines() if line.startswith("data:")]
    found: dict[str, Any] = json.loads(data[-1] if data else text)
    return found


STEPS: Final = {
    "http_upstream": Do(http_upstream, {"name", "script", "headers"}),
    "serve_http": Do(serve, set()),
    "open_session": Do(open_session, {"as", "token", "extra_headers", "save"}),
    "raw_http": Do(raw_http, {"as", "token", "extra_headers", "session", "rpc", "tool", "args"}),
}
