"""Boards as arguments, and boards with an address of their own, for clients whose list does not change."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import httpx2
import pytest
from mcp import Client

from pegboard import Limits, Pegboard, Principal
from pegboard.errors import BoardError, StoreError
from pegboard.gateway import Gateway, GatewaySettings
from pegboard.pin_store import MemoryPinStore
from pegboard.pins import PinRecord
from pegboard.tokens import count_tokens
from tests.gateway.served import Marks, registered, served
from tests.gateway.test_http import modern, serving
from tests.support import make, registry_of

pytestmark = pytest.mark.anyio

BOARDS = GatewaySettings(boards=True)


@asynccontextmanager
async def client_of(peg: Pegboard, settings: GatewaySettings = BOARDS, **fields: Any) -> AsyncIterator[Client]:
    """A modern client of a gateway in memory."""
    async with peg, Client(Gateway(peg, settings, **fields).server, mode="auto") as client:
        yield client


async def told(client: Client, tool: str, **arguments: Any) -> Any:
    """The structured content of a call that succeeds."""
    result = await client.call_tool(tool, arguments)
    assert not result.is_error, result
    return result.structured_content


async def names(client: Client) -> list[str]:
    return [tool.name for tool in (await client.list_tools(cache_mode="bypass")).tools]


async def test_pins_show_in_the_board_alone(tmp_path: Path) -> None:
    async with client_of(served(tmp_path)) as client:
        before = await names(client)
        assert {"open_board", "load_tool", "unload_tool", "list_tools"} < set(before)
        board = (await told(client, "open_board"))["board"]
        assert (await told(client, "load_tool", name="echo", board=board))["loaded"] == ["echo"]
        shown = await told(client, "list_tools", board=board)
        assert [tool["name"] for tool in shown["tools"]] == ["echo"]
        assert shown["tools"][0]["inputSchema"]["type"] == "object"
        assert (await told(client, "unload_tool", name="echo", board=board))["unloaded"] == ["echo"]
        assert not (await told(client, "list_tools", board=board))["tools"]
        assert await names(client) == before
        assert "echo" in str(await told(client, "list_tools"))


async def test_what_is_on_a_board_is_listed_by_filters_and_pages_too(tmp_path: Path) -> None:
    extra = registry_of(make("red", category="colour", tags=("warm",)), make("blue", category="colour"), name="extra")
    peg = Pegboard([registered(Marks(tmp_path)), extra], limits=Limits(page=2))
    async with client_of(peg) as client:
        board = (await told(client, "open_board"))["board"]
        for name in ("red", "echo", "blue"):
            await told(client, "load_tool", name=name, board=board)

        async def listed(**asked: Any) -> Any:
            shown = await told(client, "list_tools", board=board, **asked)
            return [tool["name"] for tool in shown["tools"]], shown["total"], shown.get("cursor")

        names_, total, cursor = await listed()
        assert (names_, total) == (["blue", "echo"], 3)
        assert await listed(cursor=cursor) == (["red"], 3, None)
        assert await listed(category="colour") == (["blue", "red"], 2, None)
        assert await listed(category="colour", tag="warm") == (["red"], 1, None)
        assert await listed(visibility="always") == ([], 0, None)
        assert (await client.call_tool("list_tools", {"board": board, "cursor": "!!"})).is_error


async def test_without_the_setting_there_are_no_boards(tmp_path: Path) -> None:
    async with client_of(served(tmp_path), GatewaySettings()) as client:
        assert "open_board" not in await names(client)
        assert (await client.call_tool("open_board")).is_error
        assert "open_board" not in str(client.instructions)


async def test_a_board_is_named_or_there_is_none(tmp_path: Path) -> None:
    async with client_of(served(tmp_path)) as client:
        refused = await client.call_tool("load_tool", {"name": "echo"})
        assert refused.is_error
        assert "board" in str(refused.structured_content)
        unknown = await client.call_tool("load_tool", {"name": "echo", "board": "made-up"})
        assert unknown.is_error
        assert "There is no board 'made-up'. Open one with open_board." in str(unknown.content)


async def test_what_is_wrong_with_a_pin_is_said_as_ever(tmp_path: Path) -> None:
    async with client_of(served(tmp_path)) as client:
        board = (await told(client, "open_board"))["board"]
        assert (await client.call_tool("load_tool", {"name": "nope", "board": board})).is_error
        assert "always listed" in str(await told(client, "load_tool", name="hello", board=board))
        assert "not loaded" in str(await told(client, "unload_tool", name="echo", board=board))


async def test_the_board_of_another_looks_like_none(tmp_path: Path) -> None:
    who = [Principal(id="ann")]
    peg = Pegboard([registered(Marks(tmp_path))])
    async with client_of(peg, identify=lambda request: who[-1]) as client:
        board = (await told(client, "open_board"))["board"]
        await told(client, "load_tool", name="echo", board=board)
        who.append(Principal(id="bob"))
        foreign = await client.call_tool("list_tools", {"board": board})
        unknown = await client.call_tool("list_tools", {"board": "x" * len(board)})
        assert foreign.is_error
        assert str(foreign).replace(board, "x" * len(board)) == str(unknown)
        assert len(board) >= 128 / 6


async def test_a_store_that_is_away_is_said(tmp_path: Path) -> None:
    class Away(MemoryPinStore):
        async def save(self, board_id: str, record: PinRecord) -> bool:
            raise StoreError("The store at db.internal is away.")

    async with client_of(Pegboard([registered(Marks(tmp_path))], store=Away())) as client:
        refused = await client.call_tool("open_board")
        assert refused.is_error
        assert "could not be saved" in str(refused.content)
        assert "db.internal" not in str(refused)


async def test_what_a_client_with_boards_is_shown_first_costs_little(tmp_path: Path) -> None:
    async with client_of(served(tmp_path)) as client:
        assert "open_board" in str(client.instructions)
        assert count_tokens(str(client.instructions)) <= 120
        listed = (await client.list_tools()).model_dump_json(exclude_none=True)
        assert count_tokens(listed) <= 1_500


async def test_an_address_of_a_board_lists_its_pins_and_follows_the_python_api(tmp_path: Path) -> None:
    peg = served(tmp_path)
    async with serving(peg, BOARDS) as address, Client(address, mode="auto") as plain:
        before = await names(plain)
        board = await peg.open(surface="mcp", profile="session")
        board.pin("steps")
        await board.commit()
        async with Client(f"{address}/b/{board.id}", mode="auto") as client:
            always = [name for name in before if name not in ("open_board", "list_tools", "load_tool", "unload_tool")]
            assert await names(client) == [*always, "steps"]
            assert (await client.call_tool("load_tool", {"name": "echo"})).is_error
            async with client.listen(tools_list_changed=True) as changes:
                board.pin("echo")
                await board.commit()
                async with asyncio.timeout(30):
                    async for _ in changes:
                        break
            assert await names(client) == [*always, "steps", "echo"]
            board.unpin("echo")
            await board.commit()
            assert (await client.call_tool("echo")).is_error
            assert not (await client.call_tool("steps")).is_error
        assert await names(plain) == before


async def test_an_address_of_no_board_is_refused(tmp_path: Path) -> None:
    async with serving(served(tmp_path), BOARDS) as address, httpx2.AsyncClient(timeout=30) as http:
        for asked in (modern("tools/list"), modern("tools/call", {"name": "echo"})):
            refused = await http.post(f"{address}/b/made-up", **asked)
            assert refused.status_code == 400
            assert "There is no board 'made-up'" in refused.text
    async with serving(served(tmp_path)) as address, httpx2.AsyncClient(timeout=30) as http:
        assert (await http.post(f"{address}/b/made-up", **modern("tools/list"))).status_code == 404


async def test_a_board_that_is_closed_is_no_longer_there(tmp_path: Path) -> None:
    peg = served(tmp_path)
    async with client_of(peg) as client:
        board = (await told(client, "open_board"))["board"]
        await (await peg.open(board_id=board, surface="mcp")).close()
        with pytest.raises(BoardError):
            await peg.open(board_id=board)
        assert (await client.call_tool("list_tools", {"board": board})).is_error
