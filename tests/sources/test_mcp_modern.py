from __future__ import annotations

import asyncio
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest

from pegboard import Context
from pegboard.errors import UpstreamError
from pegboard.sources.mcp import StdioSpec, StdioUpstream
from pegboard.sources.mcp.spec import Era
from tests.sources.servers import FIXTURES, PATIENCE, page, running, until

pytestmark = pytest.mark.anyio


@asynccontextmanager
async def modern(era: Era = "modern", *args: str) -> AsyncIterator[StdioUpstream]:
    """An upstream that runs the modern server; stopped in the end."""
    program = str(FIXTURES / "modern_server.py")
    upstream = StdioUpstream(StdioSpec(name="up", command=sys.executable, args=[program, *args], era=era))
    await upstream.start()
    try:
        async with asyncio.timeout(PATIENCE):
            await upstream.ready()
        assert upstream.status().reason == ""
        yield upstream
    finally:
        await upstream.stop()


async def call(upstream: StdioUpstream, name: str) -> Any:
    async with asyncio.timeout(PATIENCE):
        return await upstream.call(name, {}, Context(tool=name, call_id="1", meta={"com.example/x": 5}))


def names(upstream: StdioUpstream) -> list[str]:
    return [tool.bare_name for tool in upstream.registry.tools()]


async def test_a_session_of_the_modern_era_lists_and_calls() -> None:
    async with modern() as upstream:
        assert names(upstream) == ["grow", "ask"]
        result = await call(upstream, "grow")
        assert result.text == "grow ok, modern, com.example/x"
        assert not result.extra
        assert not result.meta


async def test_a_modern_server_tells_of_a_changed_list_because_somebody_listens() -> None:
    async with modern() as upstream:
        await call(upstream, "grow")
        await until(lambda: names(upstream) == ["grow", "ask", "grown"])


async def test_a_question_of_the_server_is_a_clear_error() -> None:
    async with modern() as upstream:
        with pytest.raises(UpstreamError, match=r"asks for more input \(elicitation/create\)"):
            await call(upstream, "ask")


async def test_a_server_of_both_eras_gets_the_handshake_unless_told_otherwise() -> None:
    async with modern("auto") as upstream:
        assert (await call(upstream, "grow")).text == "grow ok, handshake, com.example/x"


async def test_a_server_that_refuses_the_handshake_is_spoken_to_in_the_modern_way() -> None:
    async with modern("auto", "--modern-only") as upstream:
        assert (await call(upstream, "grow")).text == "grow ok, modern, com.example/x"


async def test_a_server_of_the_other_era_is_named_as_such(tmp_path: Any) -> None:
    async with running(tmp_path, {"pages": [page("a")]}, era="modern") as server:
        assert "did not answer 'server/discover': it answered with error -32601" in server.upstream.status().reason
