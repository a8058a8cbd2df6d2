from __future__ import annotations

import asyncio
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import anyio
import pytest
from mcp.shared.message import SessionMessage
from mcp.types.jsonrpc import JSONRPCError, JSONRPCRequest

from pegboard.sources.mcp import StdioSpec
from pegboard.sources.mcp.noise import Noise
from pegboard.sources.mcp.stdio import StdioLink, open_stdio
from tests.sources.servers import PATIENCE

pytestmark = pytest.mark.anyio


@asynccontextmanager
async def link(code: str, noise: Noise | None = None, **spec: Any) -> AsyncIterator[StdioLink]:
    """A link to a Python process that runs ``code``."""
    wanted = StdioSpec(name="up", command=sys.executable, args=["-u", "-c", code], **spec)
    async with asyncio.timeout(PATIENCE), open_stdio(wanted, noise or Noise(), lambda: None) as opened:
        yield opened


def request(number: int) -> SessionMessage:
    return SessionMessage(JSONRPCRequest(jsonrpc="2.0", id=number, method="m"))


async def test_messages_come_one_by_one_and_then_the_end() -> None:
    code = """print('{"jsonrpc":"2.0","id":1,"result":{}}\\nnoise\\n{"jsonrpc":"2.0","method":"m"}')"""
    noise = Noise()
    async with link(code, noise) as opened:
        read = [item.message async for item in opened.read]
    assert [type(message).__name__ for message in read] == ["JSONRPCResponse", "JSONRPCNotification"]
    assert noise.lines == 1


async def test_a_last_message_without_a_line_end_is_read() -> None:
    async with link("""print('{"jsonrpc":"2.0","method":"m"}', end='')""") as opened:
        [item] = [item async for item in opened.read]
        assert item.message.model_dump()["method"] == "m"


async def test_an_overlong_answer_of_which_the_ends_tell_nothing_fails_the_only_open_request() -> None:
    code = """import sys
for line in sys.stdin:
    print('{"jsonrpc":"2.0","result":{"a":"' + 'x' * 99_999 + '"},"id":2,"_meta":{}}')"""
    async with link(code, max_line=10_000) as opened:
        await opened.write.send(request(2))
        message = (await opened.read.receive()).message
        assert isinstance(message, JSONRPCError)
        assert message.id == 2


async def test_an_overlong_answer_is_not_laid_on_a_request_that_was_cancelled_or_answered() -> None:
    code = """import sys
for number, line in enumerate(sys.stdin):
    if number == 0: print('{"jsonrpc":"2.0","id":"1","result":{}}')
    if number == 1: print('{"result":{"a":"' + 'x' * 99_999 + '"},"id":9,"_meta":{}}'); break"""
    async with link(code, max_line=10_000) as opened:
        await opened.write.send(request(1))
        await opened.read.receive()
        await opened.write.send(request(2))
        message = (await opened.read.receive()).message
        assert isinstance(message, JSONRPCError)
        assert message.id == 2


async def test_writing_to_a_server_that_is_gone_is_told_once_its_end_is_known() -> None:
    async with link("import sys; sys.exit(4)") as opened:

        async def keep_writing() -> None:
            while True:
                await opened.write.send(request(1))
                await asyncio.sleep(0.01)

        with pytest.raises(anyio.BrokenResourceError):
            await keep_writing()
        assert opened.why_ended() == "ended with exit code 4"


async def test_nothing_is_read_after_nobody_listens_any_more() -> None:
    async with link("import sys; [print(line) for line in sys.stdin]") as opened:
        await opened.read.aclose()
        await opened.write.send(request(1))
        with pytest.raises(anyio.EndOfStream):
            await opened.read.receive()
