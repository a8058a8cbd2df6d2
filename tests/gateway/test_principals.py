"""Requests that speak for somebody: each sees what it may, in both eras."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from mcp import Client, MCPError

from pegboard import Action, Pegboard, Principal, Rule, RulePolicy
from pegboard.gateway import Gateway
from pegboard.gateway.settings import GatewaySettings
from tests.gateway.served import Marks, registered, sources
from tests.support import Rules

pytestmark = pytest.mark.anyio

MODES = pytest.mark.parametrize("mode", ["legacy", "auto"])


@asynccontextmanager
async def gateway_for(folder: Path, rules: Rules, kind: str = "none") -> AsyncIterator[Gateway]:
    """A gateway in memory whose every request speaks for Ann."""
    ann = Principal(id="ann", issuer="test")
    marks = Marks(folder)
    async with Pegboard([registered(marks)], sources=sources(kind, marks), policy=rules) as peg:
        yield Gateway(peg, identify=lambda request: ann)


async def names(client: Client) -> list[str]:
    return [tool.name for tool in (await client.list_tools(cache_mode="bypass")).tools]


@MODES
async def test_a_hidden_tool_is_neither_listed_nor_called(tmp_path: Path, mode: Any) -> None:
    async with (
        gateway_for(tmp_path, Rules(hidden=["hello", "echo"])) as gateway,
        Client(gateway.server, mode=mode) as client,
    ):
        assert "hello" not in await names(client)
        assert "vendor" in await names(client)
        hidden = await client.call_tool("echo")
        missing = await client.call_tool("nope")
        assert hidden.is_error
        assert str(hidden).replace("echo", "nope") == str(missing)


@MODES
async def test_a_right_that_is_lost_hides_at_the_next_look(tmp_path: Path, mode: Any) -> None:
    rules = Rules()
    async with gateway_for(tmp_path, rules) as gateway, Client(gateway.server, mode=mode) as client:
        assert "hello" in await names(client)
        rules.hidden.add("hello")
        assert "hello" not in await names(client)


async def test_names_of_sources_that_are_not_ready_are_not_told_to_everybody(tmp_path: Path) -> None:
    async with (
        gateway_for(tmp_path, Rules(), "never") as gateway,
        Client(gateway.server, mode="legacy") as client,
    ):
        object.__setattr__(gateway.settings, "ready_wait", 0.2)
        found = await client.call_tool("find_tools", {"query": "train"})
        assert "1 of the sources are not ready" in str(found.structured_content)
        assert "never" not in str(found)
        assert "Still starting" not in str(await client.call_tool("never__x"))


@MODES
async def test_a_fault_of_our_own_tells_no_secret(tmp_path: Path, mode: Any, caplog: pytest.LogCaptureFixture) -> None:
    def broken(request: object) -> Principal:
        raise RuntimeError("password is hunter2")

    gateway = Gateway(Pegboard([registered(Marks(tmp_path))]), identify=broken)
    async with Client(gateway.server, mode=mode) as client:
        with pytest.raises(MCPError, match=r"the log has the details under [0-9a-f]{32}") as raised:
            await client.list_tools()
        assert raised.value.error.code == -32603
        assert "hunter2" not in str(raised.value.error)
    assert "hunter2" in caplog.text


@MODES
async def test_a_server_in_memory_serves_both_eras(tmp_path: Path, mode: Any) -> None:
    async with gateway_for(tmp_path, Rules()) as gateway, Client(gateway.server, mode=mode) as client:
        assert (await client.call_tool("echo", {"text": "x"})).structured_content["arguments"] == {"text": "x"}
        await client.call_tool("load_tool", {"name": "echo"})
        assert ("echo" in await names(client)) is (mode == "legacy")


@MODES
async def test_clients_have_the_rights_of_the_principal_that_the_settings_name(tmp_path: Path, mode: Any) -> None:
    rules = [Rule(principals=["ann"], names=["hello", "echo"], allow=["discover", "invoke"])]
    settings = GatewaySettings(principal=Principal(id="ann"))
    async with Pegboard([registered(Marks(tmp_path))], policy=RulePolicy(rules)) as peg:
        gateway = Gateway(peg, settings)
        async with Client(gateway.server, mode=mode) as client:
            listed = set(await names(client))
            assert "hello" in listed
            assert not listed & {"lists", "vendor"}
            assert not (await client.call_tool("echo", {})).is_error
            hidden, missing = await client.call_tool("nap", {}), await client.call_tool("nop", {})
            assert str(hidden).replace("nap", "nop") == str(missing)


async def test_a_call_of_one_tool_asks_the_policy_about_that_tool_alone(tmp_path: Path) -> None:
    rules = Rules()
    async with gateway_for(tmp_path, rules) as gateway, Client(gateway.server, mode="auto") as client:
        await names(client)
        rules.asked.clear()
        assert not (await client.call_tool("echo", {"text": "x"})).is_error
        # The SDK's client lists the tools afterwards, to check the result.
        assert rules.asked[:2] == [(Action.DISCOVER, ("echo",)), (Action.INVOKE, ("echo",))]


@MODES
async def test_a_policy_that_is_put_in_place_later_holds_for_clients_that_are_connected(
    tmp_path: Path, mode: Any
) -> None:
    async with Pegboard([registered(Marks(tmp_path))]) as peg:
        gateway = Gateway(peg, GatewaySettings(principal=Principal(id="ann")))
        async with Client(gateway.server, mode=mode) as client:
            assert "hello" in await names(client)
            peg.set_policy(RulePolicy([]))
            assert "hello" not in await names(client)
            assert (await client.call_tool("hello", {})).is_error
