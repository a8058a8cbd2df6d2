"""Usage learning through the gateway: clients with a session, and clients whose every request has its own board."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest
from mcp import Client

from pegboard import Pegboard, Principal
from pegboard.gateway import Gateway
from pegboard.usage import Usage
from tests.support import make, registry_of
from tests.usage.test_learning import settled

pytestmark = pytest.mark.anyio

ERAS = pytest.mark.parametrize("mode", ["auto", "legacy"])


def peg_of(usage: Usage | None) -> Pegboard:
    tools = [make("track", "Tell where a parcel is."), make("refund", "Pay back a parcel.")]
    return Pegboard([registry_of(*tools)], usage=usage)


async def found(client: Client, query: str) -> Sequence[str]:
    answer: Any = (await client.call_tool("find_tools", {"query": query})).structured_content
    return [tool["name"] for tool in answer["tools"]]


@ERAS
async def test_a_search_and_a_call_of_one_client_teach(mode: Any) -> None:
    usage = Usage()
    async with peg_of(usage) as peg, Client(Gateway(peg).server, mode=mode) as client:
        listed = (await client.list_tools()).model_dump_json()
        assert await found(client, "restituer zloty") == []
        assert "track" in await found(client, "restituer zloty parcel")
        await client.call_tool("call_tool", {"name": "track", "arguments": {}})
        await settled(usage)
        assert await found(client, "restituer zloty") == ["track"]
        assert (await client.list_tools(cache_mode="bypass")).model_dump_json() == listed


async def test_a_call_follows_the_searches_of_its_own_principal() -> None:
    usage, who = Usage(), [Principal(id="ann", issuer="test")]
    async with peg_of(usage) as peg, Client(Gateway(peg, identify=lambda _: who[0]).server, mode="auto") as client:
        await found(client, "restituer zloty parcel")
        who[0] = Principal(id="ben", issuer="test")
        await client.call_tool("call_tool", {"name": "track", "arguments": {}})
        await settled(usage)
        assert await usage.store.everything() == {}
        who[0] = Principal(id="ann", issuer="test")
        await client.call_tool("call_tool", {"name": "track", "arguments": {}})
        await settled(usage)
        (rows,) = (await usage.store.everything()).values()
        assert {row.by for row in rows} == {who[0].key}
