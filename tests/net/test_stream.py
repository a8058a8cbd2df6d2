"""Replies that come in pieces, against servers on loopback."""

from __future__ import annotations

import asyncio
import gzip
import socket
import struct

import pytest

from pegboard.errors import EgressError, RefusedReplyError, RefusedRequestError, RequestTimeoutError, UnreachableError
from pegboard.net.client import HttpClient, HttpLimits
from pegboard.net.egress import EgressPolicy
from pegboard.net.urls import parse
from tests.net.loopback import Exchange, Server, serving
from tests.runners.egress_adapter import tls

pytestmark = pytest.mark.anyio

STREAM = b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n"


def client(**limits: float) -> HttpClient:
    return HttpClient(tls=tls(), limits=HttpLimits(**limits))  # type: ignore[arg-type]


async def got(http: HttpClient, server: Server, method: str = "GET", **named: object) -> tuple[int, bytes]:
    """Status and body of one request to a server that the operator wrote."""
    policy = EgressPolicy.allowing(origins=[server.url()])
    async with http.stream(method, parse(server.url()), policy=policy, **named) as reply:  # type: ignore[arg-type]
        return reply.status, b"".join([piece async for piece in reply.pieces])


async def test_an_address_that_the_policy_does_not_allow_is_not_connected_to() -> None:
    async def answer(exchange: Exchange) -> None:
        await exchange.reply()

    async with serving(answer) as server, client() as http:
        for url in (server.url(), server.url(scheme="https")):
            with pytest.raises(RefusedRequestError):
                async with http.stream("GET", parse(url), policy=EgressPolicy()):
                    pass
    assert server.connections == 0


async def test_redirects_are_not_followed_and_cookies_not_kept() -> None:
    async def luring(exchange: Exchange) -> None:
        await exchange.reply(b"", "Location: /elsewhere", "Set-Cookie: id=1; Path=/", status=307)

    async with serving(luring) as server, client() as http:
        assert [await got(http, server) for _ in range(2)] == [(307, b"")] * 2
    assert [exchange.path for exchange in server.exchanges] == ["/", "/"]
    assert server.exchanges[1].header("cookie") is None


async def test_what_was_packed_arrives_unpacked() -> None:
    async def packing(exchange: Exchange) -> None:
        await exchange.reply(gzip.compress(b"a" * 1_000), "Content-Encoding: gzip")

    async with serving(packing) as server, client() as http:
        assert await got(http, server) == (200, b"a" * 1_000)


async def test_a_stream_may_be_longer_and_last_longer_than_any_body() -> None:
    async def streaming(exchange: Exchange) -> None:
        await exchange.say(STREAM)
        for _ in range(100):
            await exchange.say(b"data: " + b"x" * 1_000 + b"\n\n")
        exchange.writer.close()

    async with serving(streaming) as server, client(body_bytes=10_000) as http:
        assert len((await got(http, server))[1]) == 100 * 1_008


async def test_a_stream_that_is_left_early_closes_its_connection() -> None:
    async def endless(exchange: Exchange) -> None:
        await exchange.say(STREAM)
        while True:
            await exchange.say(b"data: x\n\n")
            await asyncio.sleep(0.001)

    async with serving(endless) as server, client() as http:
        policy = EgressPolicy.allowing(origins=[server.url()])
        async with http.stream("GET", parse(server.url()), policy=policy) as reply:
            assert b"data: x" in await anext(aiter(reply.pieces))
        await server.gone.wait()


async def test_a_stream_that_falls_silent_is_given_up_where_that_is_asked() -> None:
    async def silent(exchange: Exchange) -> None:
        await exchange.say(STREAM + b"data: x\n\n")
        await asyncio.sleep(600)

    async with serving(silent) as server, client() as http:
        with pytest.raises(RequestTimeoutError):
            await got(http, server, quiet_seconds=0.1)


@pytest.mark.parametrize(
    ("said", "error", "rule"),
    [
        (b"", RefusedReplyError, "protocol"),
        (b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhalf", RefusedReplyError, "protocol"),
        (
            b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n",
            RefusedReplyError,
            "protocol",
        ),
    ],
)
async def test_a_reply_that_breaks_off_is_an_error_of_ours(said: bytes, error: type[EgressError], rule: str) -> None:
    async def breaking(exchange: Exchange) -> None:
        await exchange.say(said)
        exchange.writer.close()

    async with serving(breaking) as server, client() as http:
        with pytest.raises(error) as caught:
            await got(http, server)
    assert caught.value.rule == rule


async def test_a_connection_that_is_torn_is_told_from_one_that_never_was() -> None:
    async def tearing(exchange: Exchange) -> None:
        # Without lingering, what ends is torn: the other side is told of no orderly end.
        exchange.writer.get_extra_info("socket").setsockopt(
            socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0)
        )
        exchange.writer.transport.abort()

    async with serving(tearing) as server, client() as http:
        with pytest.raises(EgressError) as torn:
            await got(http, server, "POST", body=b"{}")
    async with client() as http:
        with pytest.raises(UnreachableError) as refused:
            await got(http, server)
    assert (torn.value.rule, refused.value.rule) == ("connection", "network")


async def test_a_message_is_framed_and_no_header_of_it_can_be_given() -> None:
    async def answer(exchange: Exchange) -> None:
        await exchange.reply()

    async with serving(answer) as server, client() as http:
        await got(http, server, "POST", body=b"{}", headers={"X-Key": "k"})
        for name in ("Host", "Content-Length", "Upgrade"):
            with pytest.raises(RefusedRequestError):
                await got(http, server, headers={name: "1"})
    [sent] = server.exchanges
    assert (sent.body, sent.header("content-length"), sent.header("x-key")) == (b"{}", "2", "k")
