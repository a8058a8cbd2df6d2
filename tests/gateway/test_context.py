"""Values of a call's context, from the gateway's door to the service behind an HTTP tool, over real sockets."""

from __future__ import annotations

import sys
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import httpx2
import pytest
from mcp import Client
from mcp.client.stdio import StdioServerParameters, stdio_client

from tests.gateway.pipe import environment
from tests.gateway.programs import gateway
from tests.gateway.test_http import modern, rpc, session_id
from tests.net.loopback import Exchange, Server
from tests.net.loopback import serving as service

pytestmark = pytest.mark.anyio

CONFIG = """\
[store]
path = "memory"

[gateway]
principal = "ann"

[principals.ann]
tenant = "acme"
claims = {{ region = "eu" }}

[policy]
rules = [{{ principals = ["*"], names = ["*"], allow = ["discover", "invoke"] }}]

[http]
origins = ["{origin}"]
schemes = ["http"]

[context]
tenant_id = {{ claim = "tenant" }}
region = {{ claim = "region" }}
chat_id = {{ header = "X-Chat-Id" }}
store_id = "berlin"

[[http_tools]]
file = "tools.toml"
"""

TOOLS = """\
[defaults]
base_url = "{origin}"
path_template = "/{{endpoint}}"

[[tools]]
name = "claims"
description = "Sends claims and a literal."
endpoint = "claims"
parameters = [{{ name = "tenant_id", required = false }}]
headers = {{ X-Tenant = "{{{{ctx.tenant_id}}}}", X-Region = "{{{{ctx.region}}}}", X-Store = "{{{{ctx.store_id}}}}" }}
query = {{ asked = "{{{{tenant_id}}}}" }}

[[tools]]
name = "chat"
description = "Sends what came in a header."
endpoint = "chat"
headers = {{ X-Chat = "{{{{ctx.chat_id}}}}" }}

[[tools]]
name = "agent"
description = "Sends what nobody has given."
endpoint = "agent"
headers = {{ X-Agent = "{{{{ctx.agent_id}}}}" }}
"""


@asynccontextmanager
async def backend(folder: Path) -> AsyncIterator[Server]:
    """The service behind the tools, and a configuration for them in the folder."""

    async def answer(exchange: Exchange) -> None:
        await exchange.reply(b"done")

    async with service(answer) as server:
        origin = server.url("").rstrip("/")
        (folder / "pegboard.toml").write_text(CONFIG.format(origin=origin), "utf-8")
        (folder / "tools.toml").write_text(TOOLS.format(origin=origin), "utf-8")
        yield server


def call(
    name: str, arguments: Mapping[str, Any] | None = None, headers: Mapping[str, str] | None = None
) -> dict[str, Any]:
    """A raw modern call with headers of one's own."""
    made = modern("tools/call", {"name": name, "arguments": arguments or {}})
    return {**made, "headers": {**made["headers"], **(headers or {})}}


async def test_claims_literals_and_mapped_headers_reach_the_service_and_nothing_else_does(tmp_path: Path) -> None:
    own = {"Authorization": "Bearer client-token", "Cookie": "a=client-cookie", "X-Agent": "client-agent"}
    async with backend(tmp_path) as server, gateway(tmp_path) as address, httpx2.AsyncClient(timeout=60) as http:
        for name, headers in (("claims", own), ("chat", own | {"X-Chat-Id": "c-77", "X-Tenant-Id": "evil"})):
            answer = await http.post(address, **call(name, headers=headers))
            assert '"isError":false' in answer.text.replace(" ", ""), answer.text
        # A handshake client has a session; what its request says is told by each request anew.
        session = {"Mcp-Session-Id": await session_id(http, address)}
        for number, chat in enumerate(("c-1", "c-2")):
            body = rpc("tools/call", {"name": "chat", "arguments": {}}, number + 5)
            accept = call("chat")["headers"] | session | {"X-Chat-Id": chat, "MCP-Protocol-Version": "2025-11-25"}
            answer = await http.post(address, json=body, headers=accept)
            assert '"isError":false' in answer.text.replace(" ", ""), answer.text
    claims, *chats = server.exchanges
    assert [claims.header(name) for name in ("X-Tenant", "X-Region", "X-Store")] == ["acme", "eu", "berlin"]
    assert [one.header("X-Chat") for one in chats] == ["c-77", "c-1", "c-2"]
    heads = "\n".join(exchange.head for exchange in server.exchanges)
    for foreign in ("client-token", "client-cookie", "client-agent", "evil", "Mcp-Session-Id"):
        assert foreign.lower() not in heads.lower()


async def test_a_value_that_is_missing_refuses_the_call(tmp_path: Path) -> None:
    async with backend(tmp_path) as server, gateway(tmp_path) as address, httpx2.AsyncClient(timeout=60) as http:
        told = {
            "chat": await http.post(address, **call("chat")),
            "agent": await http.post(address, **call("agent", headers={"X-Agent-Id": "a", "agent_id": "a"})),
        }
        twice = httpx2.Headers([*call("chat")["headers"].items(), ("X-Chat-Id", "a"), ("X-Chat-Id", "b")])
        told["chat twice"] = await http.post(address, json=call("chat")["json"], headers=twice)
    for name, key in (("chat", "chat_id"), ("agent", "agent_id"), ("chat twice", "chat_id")):
        assert f"needs the value of the call's context '{key}', which is not set" in told[name].text
    assert server.exchanges == []


async def test_no_argument_takes_the_place_of_a_value(tmp_path: Path) -> None:
    async with backend(tmp_path) as server, gateway(tmp_path) as address, httpx2.AsyncClient(timeout=60) as http:
        answer = await http.post(address, **call("claims", {"tenant_id": "evil"}))
        assert '"isError":false' in answer.text.replace(" ", ""), answer.text
        refused = await http.post(address, **call("chat", {"chat_id": "evil"}))
        nested = await http.post(address, **call("call_tool", {"name": "chat", "arguments": {"ctx.chat_id": "evil"}}))
    (exchange,) = server.exchanges
    assert exchange.header("X-Tenant") == "acme"
    assert exchange.path == "/claims?asked=evil"
    assert '"isError":true' in refused.text.replace(" ", "")
    assert '"isError":true' in nested.text.replace(" ", "")


async def test_over_stdio_the_claims_of_the_configured_principal_count_and_there_are_no_headers(tmp_path: Path) -> None:
    words = ["-m", "pegboard", "serve", "--config", str(tmp_path / "pegboard.toml")]
    async with (
        backend(tmp_path) as server,
        Client(stdio_client(StdioServerParameters(command=sys.executable, args=words, env=environment()))) as client,
    ):
        sent = await client.call_tool("claims", {})
        chat = await client.call_tool("chat", {})
    assert (sent.is_error, chat.is_error) == (False, True)
    (exchange,) = server.exchanges
    assert [exchange.header(name) for name in ("X-Tenant", "X-Region", "X-Store")] == ["acme", "eu", "berlin"]
