"""Upstreams over HTTP against the SDK's own server, in every way that it can be spoken to."""

from __future__ import annotations

import asyncio
import functools
import logging
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import AbstractAsyncContextManager, AsyncExitStack, ExitStack, asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from pegboard import Context, Pegboard, ToolResult
from pegboard.errors import UpstreamError
from pegboard.http_tools.secrets import GivenSecrets
from pegboard.sources.mcp import HttpSpec, HttpUpstream
from tests.sources.servers import PATIENCE, until
from tests.sources.web_servers import Program, Used, reaching, sdk_server

pytestmark = pytest.mark.anyio

SECRET = "s3cret/välue+of=mine"

WAYS: dict[str, tuple[tuple[str, ...], dict[str, Any]]] = {
    "handshake": ((), {}),
    "handshake, JSON": (("--json",), {}),
    "modern": ((), {"era": "modern"}),
    "modern, JSON": (("--json",), {"era": "modern"}),
    "modern, since the handshake is refused": (("--modern-only",), {}),
    "sse": ((), {"transport": "sse"}),
}
STREAMED = [way for way in WAYS if "JSON" not in way]
HEEDING = [way for way in WAYS if way != "modern, JSON"]
"""Ways in which the SDK's server notices that nobody waits for its answer any more."""

InUse = Callable[[str], AbstractAsyncContextManager[tuple[Program, Used]]]


@pytest.fixture(scope="module")
def programs(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Callable[..., Program]]:
    """Servers by their arguments, each started once."""
    folder = tmp_path_factory.mktemp("servers")
    with ExitStack() as stack:
        yield functools.cache(lambda *args: stack.enter_context(sdk_server(folder, *args)))


@pytest.fixture
def in_use(programs: Callable[..., Program]) -> InUse:
    """``in_use(way)``: a server, with what it logs from now on, and an upstream that has reached it."""

    @asynccontextmanager
    async def opened(way: str) -> AsyncIterator[tuple[Program, Used]]:
        args, wanted = WAYS[way]
        program = programs(*args).at(path_of(way))
        secrets = GivenSecrets({"KEY": SECRET})
        async with reaching(program.url, secrets, headers={"X-Key": "{{secret.KEY}}"}, **wanted) as used:
            assert used.reason == ""
            yield program, used

    return opened


def path_of(way: str) -> str:
    return "/sse" if way == "sse" else "/mcp"


def era(way: str) -> str:
    return "modern" if way.startswith("modern") else "handshake"


@pytest.mark.parametrize("way", WAYS)
async def test_tools_are_listed_and_called_with_arguments_and_vendor_keys(in_use: InUse, way: str) -> None:
    async with in_use(way) as (_, used):
        assert "told" in used.names()
        context = Context(tool="told", call_id="1", meta={"com.example/x": 5})
        result = await used.call("told", context, city="Öl")
    assert result.text == f'told {era(way)} com.example/x {{"city": "\\u00d6l"}}'


@pytest.mark.parametrize("way", WAYS)
async def test_a_changed_list_is_read_again(in_use: InUse, way: str) -> None:
    async with in_use(way) as (_, used):
        name = f"grown by {way}"
        assert name not in used.names()
        await used.call("grow", name=name)
        await until(lambda: name in used.names())


@pytest.mark.parametrize("way", STREAMED)
async def test_progress_comes_in_order_and_before_the_result(in_use: InUse, way: str) -> None:
    seen: list[tuple[float, float | None, str | None]] = []

    async def on_progress(progress: float, total: float | None, message: str | None) -> None:
        seen.append((progress, total, message))

    async with in_use(way) as (_, used):
        await used.call("steps", Context(tool="steps", call_id="1", on_progress=on_progress))
    assert seen == [(step, 3, f"step {step}") for step in (1, 2, 3)]


@pytest.mark.parametrize("way", HEEDING)
async def test_a_call_that_nobody_waits_for_is_ended_at_the_server(in_use: InUse, way: str) -> None:
    async with in_use(way) as (program, used):
        call = asyncio.create_task(used.call("wait"))
        await until(lambda: {"waiting": True} in program.read())
        call.cancel()
        await until(lambda: {"ended": "wait"} in program.read())
        assert (await used.call("told")).text.startswith("told")
        told = [one["method"] for one in program.requests("notifications/cancelled")]
        assert told == ([] if era(way) == "modern" else ["notifications/cancelled"])


@pytest.mark.parametrize("way", WAYS)
async def test_what_a_server_repeats_of_a_secret_is_masked_everywhere(
    in_use: InUse, way: str, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    async with in_use(way) as (program, used):
        result = await used.call("leak")
        with pytest.raises(UpstreamError) as caught:
            await used.call("leak_error")
        status = used.upstream.status()
    assert {one["headers"]["x-key"] for one in program.requests()} == {SECRET.encode().decode("latin-1")}
    assert "your key is [secret]" in result.text
    assert "[secret]" in str(caught.value)
    told = f"{result} {caught.value!r} {caught.value.data} {status} {used.upstream.spec!r} {caplog.text}"
    assert "s3cret" not in told


@pytest.mark.parametrize("way", ["handshake", "modern", "sse"])
async def test_a_server_over_http_is_a_source_like_any_other(programs: Callable[..., Program], way: str) -> None:
    url, wanted = programs().at(path_of(way)).url, WAYS[way][1]
    async with Pegboard(sources=[HttpUpstream(HttpSpec(name="web", url=url, **wanted))]) as peg:
        assert await peg.ready(PATIENCE) == ()
        board = await peg.open()
        result = await board.call("web__told", {"a": 1})
    assert isinstance(result, ToolResult)
    assert result.text == f'told {era(way)} {{"a": 1}}'


async def test_a_session_is_begun_with_its_revision_and_ended_with_its_id(in_use: InUse) -> None:
    async with in_use("handshake") as (program, used):
        await used.call("told")
    first, *rest = program.requests()
    assert (first["method"], "mcp-session-id" in first["headers"]) == ("initialize", False)
    assert len({one["headers"]["mcp-session-id"] for one in rest}) == 1
    assert {one["headers"]["mcp-protocol-version"] for one in rest} == {"2025-11-25"}
    assert rest[-1]["http"] == "DELETE"


async def test_the_modern_era_says_in_headers_what_is_asked(in_use: InUse) -> None:
    async with in_use("modern") as (program, used):
        await used.call("mirror", region="Öst")
    sent = program.requests("tools/call")[0]["headers"]
    assert (sent["mcp-method"], sent["mcp-name"]) == ("tools/call", "mirror")
    assert sent["mcp-param-region"] == "=?base64?w5ZzdA==?="
    assert all("mcp-session-id" not in one["headers"] for one in program.requests())


async def test_a_tool_that_names_headers_wrongly_is_set_aside_in_the_modern_era_alone(in_use: InUse) -> None:
    async with in_use("modern") as (_, used):
        assert "bad_mirror" not in used.names()
        [problem] = used.upstream.status().problems
        assert problem.name == "bad_mirror"
        assert "x-mcp-header" in problem.reason
    async with in_use("handshake") as (_, used):
        assert "bad_mirror" in used.names()


async def test_many_calls_run_side_by_side_and_none_gets_the_answer_of_another(in_use: InUse) -> None:
    async with in_use("handshake") as (_, used):
        results = await asyncio.gather(*(used.call("told", number=number) for number in range(60)))
    assert [result.text for result in results] == [f'told handshake {{"number": {number}}}' for number in range(60)]


@pytest.mark.parametrize("way", ["handshake", "modern", "sse"])
async def test_a_server_that_comes_again_is_found_again(tmp_path: Path, way: str) -> None:
    wanted = WAYS[way][1]
    async with AsyncExitStack() as stack:
        with sdk_server(tmp_path) as program:
            used = await stack.enter_async_context(reaching(program.at(path_of(way)).url, **wanted))
        with pytest.raises(UpstreamError, match="Upstream 'up'"):
            await used.call("told")
        await until(lambda: used.state != "ready")
        assert "told" in used.names()
        with sdk_server(tmp_path, port=program.port):
            await until(lambda: used.state == "ready")
            assert (await used.call("told")).text.startswith("told")


async def test_a_lazy_upstream_is_reached_when_it_is_needed(programs: Callable[..., Program]) -> None:
    program = programs().at("/mcp")
    upstream = HttpUpstream(HttpSpec(name="up", url=program.url), lazy=True)
    await upstream.start()
    assert (upstream.status().state, program.requests()) == ("idle", [])
    async with asyncio.timeout(PATIENCE):
        await upstream.ready()
    assert upstream.status().state == "ready"
    await upstream.stop()
