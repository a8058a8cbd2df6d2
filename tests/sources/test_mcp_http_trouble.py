"""What goes wrong with upstreams over HTTP, byte for byte: nothing hangs, nothing spreads, everything is told."""

from __future__ import annotations

import asyncio
import logging
from typing import Any

import pytest

from pegboard import Context
from pegboard.errors import ConfigError, UpstreamError
from pegboard.http_tools.secrets import GivenSecrets
from pegboard.sources.mcp import HttpSpec, exchange
from tests.net.loopback import serving
from tests.sources.servers import page, until
from tests.sources.web_servers import Asked, asked, raw_server, reaching

pytestmark = pytest.mark.anyio

ANSWER = b'{"jsonrpc":"2.0","id":%d,"result":{"content":[{"type":"text","text":"%s"}]}}'

REFUSAL = b'{"jsonrpc":"2.0","id":null,"error":{"code":-32602,"message":"no"}}'


async def failure(answer: Any, **spec: Any) -> str:
    """Why an upstream that answers like this is not ready."""
    async with raw_server(answer) as server, reaching(server.url("/mcp"), **spec) as used:
        assert used.state == "failed"
        return used.reason


async def call_error(answer: Any, **spec: Any) -> UpstreamError:
    """How the call of ``t`` fails when a server answers like this; it goes on to answer other calls."""

    async def handle(one: Asked) -> None:
        if one.method == "tools/call" and one.message["params"]["name"] == "t":
            await answer(one)
        else:
            await one.as_usual("t", "other")

    async with raw_server(handle) as server, reaching(server.url("/mcp"), **spec) as used:
        with pytest.raises(UpstreamError) as caught:
            await used.call("t")
        assert (await used.call("other")).text == "ok"
        assert used.state == "ready"
    return caught.value


@pytest.mark.parametrize(
    ("status", "body", "headers", "says"),
    [
        (
            401,
            b"",
            (),
            "answered HTTP 401 Unauthorized. It wants to know who calls: give it a header, such as headers =",
        ),
        (401, REFUSAL, ("Content-Type: application/json",), "It wants to know who calls: give it a header, such as"),
        (403, b"no", (), "answered HTTP 403 Forbidden (no). It wants to know who calls"),
        (404, b"", (), 'that of an MCP server; one that speaks HTTP+SSE needs transport = "sse".'),
        (405, b"", (), "answered HTTP 405 Method Not Allowed. Check that its url"),
        (500, b"<html>boom</html>", (), "answered HTTP 500 Internal Server Error with a page for people. Try again"),
        (429, b"", ("Retry-After: 40",), "answered HTTP 429 Too Many Requests. It asks to be tried again in 40 s."),
        (503, b"busy", (), "answered HTTP 503 Service Unavailable (busy)."),
        (599, b"", (), "answered HTTP 599."),
        (302, b"", ("Location: https://elsewhere.example/mcp?token=1",), "another address, https://elsewhere.example,"),
        (307, b"", ("Location: /mcp",), "redirects in a circle"),
        (301, b"", ("Location: /new?x=1",), "/new in a way that loses the message. Write that address as url."),
        (200, b"<html>", ("Content-Type: text/html",), "answered with 'text/html', where MCP has JSON or an event"),
        (200, b"{", ("Content-Type: application/json",), "answered with something that is not MCP"),
        (200, b"", ("Content-Type: application/json",), "answered with something that is not MCP"),
        (202, b"", (), "took the request without an answer (HTTP 202)"),
    ],
)
async def test_a_server_that_cannot_be_begun_with_says_why(
    status: int, body: bytes, headers: tuple[str, ...], says: str
) -> None:
    async def answer(one: Asked) -> None:
        await one.exchange.reply(body, *headers, status=status)

    reason = await failure(answer)
    assert reason.startswith("Upstream 'up' did not answer 'initialize': it ")
    assert says in reason
    assert "token" not in reason


@pytest.mark.parametrize(
    ("status", "headers", "says"),
    [
        (401, {"Authorization": "Bearer {{secret.KEY}}"}, "Check the value of its header Authorization (secret KEY)."),
        (403, {"X-Api-Key": "k" * 20, "X-Team": "a"}, "Check what is allowed with its header X-Api-Key."),
    ],
)
async def test_a_refusal_names_the_header_that_was_not_enough(status: int, headers: dict[str, str], says: str) -> None:
    async def answer(one: Asked) -> None:
        key = (one.exchange.header("authorization") or one.exchange.header("x-api-key") or "").encode()
        await one.refuse(status, b"bad: " + key)

    secrets = GivenSecrets({"KEY": "s3cret-value"})
    async with raw_server(answer) as server, reaching(server.url("/mcp"), secrets, headers=headers) as used:
        assert says in used.reason
        assert "[secret]" in used.reason
        assert "s3cret" not in used.reason
        assert "kkkk" not in used.reason


async def test_a_missing_secret_keeps_the_connection_from_being_made() -> None:
    async with raw_server(lambda one: one.as_usual()) as server:
        async with reaching(server.url("/mcp"), GivenSecrets({}), headers={"X-Key": "{{secret.KEY}}"}) as used:
            assert used.reason.startswith("Upstream 'up' cannot be reached: the secret 'KEY' is not set.")
        assert server.connections == 0


async def test_a_server_that_is_not_there_is_told_and_tried_again() -> None:
    async with serving(lambda exchange: asyncio.sleep(0)) as gone:
        pass
    async with reaching(gone.url("/mcp")) as used:
        assert "did not answer 'initialize': it could not be reached (" in used.reason
        assert used.next_try is not None


async def test_what_a_server_asks_for_with_retry_after_is_kept_to() -> None:
    async def answer(one: Asked) -> None:
        await one.refuse(429, b"", "Retry-After: 200")

    async with raw_server(answer) as server, reaching(server.url("/mcp")) as used:
        assert used.next_try is not None
        assert 190 <= used.next_try <= 200
        with pytest.raises(UpstreamError, match="429"):
            await used.call("t")
    assert asked(server) == ["initialize"]


async def torn(one: Asked) -> None:
    one.leave()


async def half(one: Asked) -> None:
    await one.exchange.say(b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 99\r\n\r\n{")
    one.leave()


async def empty_stream(one: Asked) -> None:
    await one.stream(b'{"jsonrpc":"2.0","method":"notifications/message"}', b"not protocol")
    one.leave()


async def too_long(one: Asked) -> None:
    await one.text("x" * 5_000)


async def too_long_event(one: Asked) -> None:
    await one.stream(ANSWER % (one.message["id"], b"x" * 5_000))


async def for_somebody_else(one: Asked) -> None:
    await one.stream(ANSWER % (one.message["id"] + 1, b"not yours"))
    one.leave()


async def bomb(one: Asked) -> None:
    import gzip

    body = gzip.compress(b" " * 10_000_000)
    await one.exchange.reply(body, "Content-Type: application/json", "Content-Encoding: gzip")


@pytest.mark.parametrize(
    ("answer", "says"),
    [
        (torn, "gave no whole reply in HTTP. The call may have been carried out all the same."),
        (half, "gave no whole reply in HTTP. The call may have been carried out"),
        (empty_stream, "ended its reply without an answer. The call may have been carried out"),
        (too_long, "the answer could not be read: it has 2,001 bytes and the limit (max_line) is 2,000"),
        (too_long_event, "the answer could not be read: it has 5,0"),
        (for_somebody_else, "ended its reply without an answer"),
        (bomb, "the limit (max_line) is 2,000"),
        (lambda one: one.refuse(503, b"", "Retry-After: 7"), "HTTP 503 Service Unavailable. It asks to be tried again"),
        (lambda one: one.refuse(502, b"<h1>"), "answered HTTP 502 Bad Gateway with a page for people. The call may"),
        (
            lambda one: one.refuse(400, b'{"jsonrpc":"2.0","id":null,"error":{"code":-32602,"message":"no"}}'),
            "-32602: no",
        ),
    ],
)
async def test_a_call_that_goes_wrong_says_how_and_the_rest_goes_on(answer: Any, says: str) -> None:
    error = await call_error(answer, max_line=2_000)
    assert says in str(error)
    assert error.data["source"] == "up"


async def test_what_is_not_protocol_is_counted_and_told() -> None:
    async def answer(one: Asked) -> None:
        if one.method == "tools/call":
            await one.stream(b"hello", b'{"jsonrpc": "1.0"}', ANSWER % (one.message["id"], b"ok"))
        else:
            await one.as_usual()

    async with raw_server(answer) as server, reaching(server.url("/mcp")) as used:
        assert (await used.call("t")).text == "ok"
        [note] = used.upstream.status().notes
    assert note == "noisy: 2 messages over HTTP that are not protocol (first: 'hello')"


async def test_an_answer_is_taken_from_a_stream_that_never_ends() -> None:
    async def answer(one: Asked) -> None:
        if one.method == "tools/call":
            await one.stream(ANSWER % (one.message["id"], b"ok"))
            await asyncio.sleep(600)
        else:
            await one.as_usual()

    async with raw_server(answer) as server, reaching(server.url("/mcp")) as used:
        for _ in range(3):
            assert (await used.call("t")).text == "ok"


async def test_a_call_that_is_never_answered_ends_with_its_caller_and_holds_up_nobody() -> None:
    async def answer(one: Asked) -> None:
        if (
            one.method == "tools/call" and one.message["params"]["name"] == "stuck"
        ) or one.method == "notifications/cancelled":
            await asyncio.sleep(600)
        else:
            await one.as_usual("stuck", "t")

    async with raw_server(answer) as server, reaching(server.url("/mcp")) as used:
        stuck = [asyncio.create_task(used.call("stuck")) for _ in range(5)]
        await until(lambda: asked(server).count("tools/call") == 5)
        assert (await used.call("t")).text == "ok"
        for task in stuck:
            task.cancel()
        await asyncio.wait(stuck)
        await until(lambda: asked(server).count("notifications/cancelled") == 5)
        assert (await used.call("t")).text == "ok"


async def test_calls_that_are_being_answered_outlive_one_that_finds_nobody() -> None:
    held = asyncio.Event()

    async def answer(one: Asked) -> None:
        if one.method == "tools/call" and one.message["params"]["name"] == "slow":
            await one.stream()
            await held.wait()
            await one.say(b"data: " + ANSWER % (one.message["id"], b"slow but there") + b"\n\n")
        else:
            await one.as_usual("slow", "t")
            # Every call needs a connection of its own.
            one.leave()

    async with raw_server(answer) as server, reaching(server.url("/mcp")) as used:
        slow = asyncio.create_task(used.call("slow"))
        await until(lambda: "tools/call" in asked(server))
        server.close_listener()
        with pytest.raises(UpstreamError, match="could not be reached"):
            await used.call("t")
        assert used.state == "ready"
        held.set()
        assert (await slow).text == "slow but there"


async def test_an_answer_that_broke_off_is_asked_for_again_where_the_server_keeps_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    # Only the pause that the server asks for is short enough.
    monkeypatch.setattr(exchange, "RESUME_PAUSE", 600.0)

    async def answer(one: Asked) -> None:
        if one.method == "tools/call":
            await one.exchange.say(b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n")
            await one.say(b"id: 7-1\nretry: 10\ndata:\n\n")
            one.leave()
        elif one.method == "GET" and one.exchange.header("last-event-id") == "7-1":
            await one.stream(ANSWER % (number, b"the rest"))
        else:
            await one.as_usual()

    number = 3
    async with raw_server(answer) as server, reaching(server.url("/mcp")) as used:
        assert (await used.call("t")).text == "the rest"


async def test_an_answer_that_is_not_kept_is_given_up() -> None:
    async def answer(one: Asked) -> None:
        await one.exchange.say(b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n")
        await one.say(b"id: 7-1\nretry: 10\ndata:\n\n")
        one.leave()

    assert "broke off its answer and did not give the rest of it" in str(await call_error(answer))


async def test_a_redirect_within_the_address_is_followed_with_the_message_and_the_headers() -> None:
    async def answer(one: Asked) -> None:
        if one.exchange.path == "/mcp":
            await one.exchange.reply(b"", "Location: /mcp/", status=307)
        else:
            await one.as_usual()

    async with raw_server(answer) as server, reaching(server.url("/mcp"), headers={"X-Key": "k"}) as used:
        assert (await used.call("t")).text == "ok"
    assert {exchange.header("x-key") for exchange in server.exchanges} == {"k"}


async def test_no_header_goes_where_a_redirect_leads() -> None:
    async with raw_server(lambda one: one.as_usual()) as thief:

        async def answer(one: Asked) -> None:
            await one.exchange.reply(b"", f"Location: {thief.url('/mcp')}", status=307)

        async with raw_server(answer) as server, reaching(server.url("/mcp"), headers={"X-Key": "k"}) as used:
            assert f"redirects to another address, http://127.0.0.1:{thief.port}, which is not followed" in used.reason
        assert thief.connections == 0


async def test_a_token_that_was_changed_is_looked_up_again_and_the_call_goes_through() -> None:
    secrets = {"KEY": "old-token"}

    class Changing:
        async def get(self, name: str) -> str | None:
            return secrets[name]

    async def answer(one: Asked) -> None:
        if one.exchange.header("authorization") != f"Bearer {secrets['KEY']}":
            await one.refuse(401)
        else:
            await one.as_usual()

    async with raw_server(answer) as server:
        headers = {"Authorization": "Bearer {{secret.KEY}}"}
        async with reaching(server.url("/mcp"), Changing(), headers=headers) as used:
            secrets["KEY"] = "new-token"
            assert [result.text for result in await asyncio.gather(*(used.call("t") for _ in range(5)))] == ["ok"] * 5
            assert "new-token" not in str(used.upstream.status())


async def test_pages_and_bad_tools_are_taken_as_from_any_server() -> None:
    async def answer(one: Asked) -> None:
        if one.method == "tools/list" and "cursor" not in one.message.get("params", {}):
            first = page("a", nextCursor="2")
            first["tools"].append({"name": "bad", "inputSchema": 5})
            await one.result(first)
        elif one.method == "tools/list":
            await one.result(page("b"))
        else:
            await one.as_usual()

    async with raw_server(answer) as server, reaching(server.url("/mcp")) as used:
        assert used.names() == ["a", "b"]
        assert [problem.name for problem in used.upstream.status().problems] == ["bad"]


async def test_stopping_waits_for_no_server_that_does_not_take_leave() -> None:
    async def answer(one: Asked) -> None:
        await (asyncio.sleep(600) if one.method == "DELETE" else one.as_usual())

    async with raw_server(answer) as server:
        async with reaching(server.url("/mcp")) as used:
            assert used.state == "ready"
        assert asked(server)[-1] == "DELETE"
        assert used.state == "stopped"


async def test_addresses_with_keys_in_them_are_told_nowhere(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)

    async def answer(one: Asked) -> None:
        if one.method == "tools/call":
            await one.text(f"you asked {one.exchange.path}")
        else:
            await one.as_usual()

    async with raw_server(answer) as server, reaching(server.url("/mcp?api_key=s3cret-value")) as used:
        assert (await used.call("t")).text == "you asked /mcp?api_key=[secret]"
        assert "s3cret" not in f"{used.upstream.status()} {used.upstream.spec!r} {caplog.text}"


async def test_arguments_that_json_cannot_say_are_the_callers_mistake() -> None:
    async with raw_server(lambda one: one.as_usual()) as server, reaching(server.url("/mcp")) as used:
        with pytest.raises(Exception, match="JSON cannot say them"):
            await used.call("t", Context(tool="t", call_id="1"), number=float("nan"))
        assert (await used.call("t")).text == "ok"


@pytest.mark.parametrize("url", ["ftp://x/mcp", "http://u:p@x/", "http://x:0/", "http://127.1/", "mcp"])
def test_an_address_that_cannot_be_one_is_refused_at_once(url: str) -> None:
    with pytest.raises(ConfigError, match="its url cannot be used"):
        HttpSpec(name="up", url=url)
