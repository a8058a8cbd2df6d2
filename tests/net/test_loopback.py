"""The client against real servers on loopback."""

from __future__ import annotations

import asyncio
import gzip
import sys
import zlib
from collections.abc import Sequence

import pytest

from pegboard.errors import EgressError, RefusedReplyError, RefusedRequestError, RequestTimeoutError, UnreachableError
from pegboard.net.client import HttpClient, HttpLimits, TrustedProxy
from pegboard.net.egress import EgressPolicy
from pegboard.net.resolver import SystemResolver
from tests.net.loopback import Exchange, serving
from tests.net.scripted import Names
from tests.runners.egress_adapter import tls

pytestmark = pytest.mark.anyio

OPEN = EgressPolicy.allowing(schemes=["http"], networks=["127.0.0.0/8"])
LIMITS = HttpLimits(body_bytes=1_000_000, header_bytes=16_384, total_seconds=20)


def client(**settings: object) -> HttpClient:
    return HttpClient(**({"tls": tls(), "limits": LIMITS} | settings))  # type: ignore[arg-type]


async def answering(exchange: Exchange) -> None:
    await exchange.reply(exchange.path.encode())


async def failing(url: str, kind: type[EgressError], limits: HttpLimits = LIMITS) -> str:
    """The rule by which a request to a server that misbehaves fails."""
    async with client(limits=limits) as http:
        with pytest.raises(kind) as caught:
            await http.request("GET", url, policy=OPEN)
    return caught.value.rule


async def test_an_address_of_the_operators_is_reached_on_loopback_and_its_neighbours_are_not() -> None:
    async with serving(answering) as own, serving(answering) as other, client() as http:
        policy = EgressPolicy.allowing(origins=[own.url()])
        assert (await http.request("GET", own.url("/x"), policy=policy)).body == b"/x"
        with pytest.raises(RefusedRequestError):
            await http.request("GET", other.url("/x"), policy=policy)
        with pytest.raises(RefusedRequestError):
            await http.request("GET", own.url("/x", host="localhost"), policy=policy)
    assert (own.connections, other.connections) == (1, 0)


async def test_a_name_is_looked_up_by_the_system() -> None:
    async with serving(answering) as server, client() as http:
        url = server.url("/x", host="localhost")
        assert (await http.request("GET", url, policy=EgressPolicy.allowing(origins=[url]))).body == b"/x"
    assert server.exchanges[0].header("host") == f"localhost:{server.port}"


async def test_what_the_system_cannot_look_up_is_refused() -> None:
    async with client() as http:
        with pytest.raises(RefusedRequestError) as caught:
            await http.request("GET", "https://no-such-name.invalid/", policy=EgressPolicy())
    assert caught.value.rule == "resolution"


async def test_more_look_ups_than_threads_wait_their_turn() -> None:
    resolver = SystemResolver(max_lookups=1)
    found = await asyncio.gather(*(resolver.resolve("127.0.0.1", port) for port in range(1, 9)))
    assert found == [["127.0.0.1"]] * 8


async def test_redirects_lead_from_server_to_server_without_secrets() -> None:
    async def last(exchange: Exchange) -> None:
        await exchange.reply(b"arrived")

    async with serving(last) as end:

        async def middle(exchange: Exchange) -> None:
            where = "/own" if exchange.path == "/" else end.url("/end")
            await exchange.reply(b"moved", f"Location: {where}", status=302)

        async with serving(middle) as start, client() as http:
            headers = {"Authorization": "Bearer s3cret", "Accept": "text/plain"}
            got = await http.request("GET", start.url(), policy=OPEN, headers=headers, redirects=2)
    assert (got.body, got.hops, got.target.url) == (b"arrived", 2, end.url("/end"))
    assert [exchange.header("authorization") for exchange in start.exchanges] == ["Bearer s3cret"] * 2
    assert end.exchanges[0].header("authorization") is None
    assert end.exchanges[0].header("accept") == "text/plain"


async def test_a_redirect_from_a_permitted_address_does_not_lead_inside() -> None:
    async with serving(answering) as inside:

        async def luring(exchange: Exchange) -> None:
            await exchange.reply(b"", f"Location: {inside.url()}", status=307)

        async with serving(luring) as outside, client() as http:
            policy = EgressPolicy.allowing(schemes=["http"], origins=[outside.url(), inside.url()])
            with pytest.raises(RefusedRequestError):
                await http.request("POST", outside.url(), policy=policy, body=b"{}", redirects=5)
    assert (outside.connections, inside.connections) == (1, 0)


async def test_one_connection_serves_many_requests_though_the_name_moved_and_a_new_one_is_checked() -> None:
    policy = EgressPolicy.allowing(schemes=["http"], private_hosts={"api.example": ["127.0.0.1/32"]})
    names = Names({"api.example": [["127.0.0.1"], ["127.0.0.2"]]})

    async def ending(exchange: Exchange) -> None:
        last = exchange.path == "/last"
        await exchange.reply(b"", *(["Connection: close"] if last else []))

    async with serving(ending) as server, client(resolver=names) as http:
        for path in ("/a", "/b", "/last"):
            await http.request("GET", server.url(path, host="api.example"), policy=policy)
        assert (server.connections, len(names.asked)) == (1, 1)
        with pytest.raises(RefusedRequestError) as caught:
            await http.request("GET", server.url("/d", host="api.example"), policy=policy)
    assert (caught.value.rule, server.connections) == ("address", 1)


@pytest.mark.skipif(sys.platform == "darwin", reason="macOS has 127.0.0.1 alone on loopback")
async def test_the_address_that_listens_is_found_among_several() -> None:
    async with serving(answering, host="127.0.0.2") as server:
        names = Names({"api.example": [["127.0.0.3", "127.0.0.2"]]})
        async with client(resolver=names) as http:
            assert (await http.request("GET", server.url("/x", host="api.example"), policy=OPEN)).body == b"/x"
    assert server.connections == 1


async def test_a_port_where_nobody_listens_is_unreachable() -> None:
    async with serving(answering) as server:
        pass
    assert await failing(server.url(), UnreachableError) == "network"


async def test_proxies_of_the_environment_see_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    async with serving(answering) as proxy, serving(answering) as server:
        for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy", "HTTPS_PROXY", "https_proxy"):
            monkeypatch.setenv(name, proxy.url())
        async with client() as http:
            assert (await http.request("GET", server.url("/x"), policy=OPEN)).body == b"/x"
    assert (proxy.connections, server.connections) == (0, 1)


async def test_a_trusted_proxy_gets_every_request() -> None:
    async with serving(answering) as proxy, client(proxy=TrustedProxy(url=proxy.url())) as http:
        got = await http.request("GET", "http://api.example/x", policy=EgressPolicy.allowing(schemes=["http"]))
    assert got.body == b"http://api.example:80/x"


FIELDS = b"X-Field: " + b"v" * 1_000 + b"\r\n"


@pytest.mark.parametrize(
    ("opening", "again", "rule"),
    [
        (b"HTTP/1.1 200 OK\r\n", FIELDS, "protocol"),
        (b"HTTP/1.1 200 OK\r\nX-Field: ", b"v" * 1_000, "protocol"),
        (b"HTTP/1.1 200 OK\r\n\r\n", b"x" * 10_000, "size"),
        (b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n", b"3e8\r\n" + b"x" * 1_000 + b"\r\n", "size"),
        (b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3", b"0" * 1_000, "protocol"),
        (b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n", FIELDS, "protocol"),
    ],
    ids=["headers", "one header", "body", "chunks", "chunk size", "trailers"],
)
async def test_floods_are_cut_off(opening: bytes, again: bytes, rule: str) -> None:
    async def flooding(exchange: Exchange) -> None:
        await exchange.say(opening)
        while True:  # until the client leaves
            await exchange.say(again)

    async with serving(flooding) as server:
        assert await failing(server.url(), RefusedReplyError) == rule
        await server.gone.wait()


async def test_headers_above_the_limit_are_refused_though_they_end() -> None:
    async def large(exchange: Exchange) -> None:
        await exchange.reply(b"", *(f"X-{n}: {'v' * 1_000}" for n in range(20)))

    async with serving(large) as server:
        assert await failing(server.url(), RefusedReplyError) == "size"


@pytest.mark.parametrize("part", [b"x", b"HTTP/1.1 103 Early Hints\r\n\r\n"], ids=["body", "early hints"])
async def test_a_reply_that_trickles_ends_with_the_time_limit(part: bytes) -> None:
    async def trickling(exchange: Exchange) -> None:
        if part == b"x":
            await exchange.say(b"HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n")
        while True:
            await exchange.say(part)
            await asyncio.sleep(0.01)

    async with serving(trickling) as server:
        assert await failing(server.url(), RequestTimeoutError, HttpLimits(total_seconds=0.3)) == "time"
        await server.gone.wait()


async def test_a_server_that_says_nothing_ends_with_the_time_limit() -> None:
    async with serving(lambda exchange: asyncio.sleep(5)) as server:
        assert await failing(server.url(), RequestTimeoutError, HttpLimits(total_seconds=0.2)) == "time"


def packed(coding: str) -> bytes:
    """A piece of a stream that unpacks to about a thousand times its size."""
    wrapping = {"gzip": zlib.MAX_WBITS | 16, "deflate": zlib.MAX_WBITS}[coding]
    packer = zlib.compressobj(wbits=wrapping)
    return packer.compress(b"\0" * 20_000_000) + packer.flush(zlib.Z_SYNC_FLUSH)


@pytest.mark.parametrize(
    ("codings", "bomb"),
    [
        ("gzip", packed("gzip")),
        ("deflate", packed("deflate")),
        ("gzip, gzip", gzip.compress(packed("gzip"))),
        ("br", b"\x1b" * 1_000),
        ("zstd", b"\x28\xb5\x2f\xfd" * 1_000),
    ],
    ids=["gzip", "deflate", "gzip twice", "br", "zstd"],
)
async def test_bombs_are_stopped_whatever_their_coding(codings: str, bomb: bytes) -> None:
    async def bombing(exchange: Exchange) -> None:
        await exchange.reply(bomb, f"Content-Encoding: {codings}")

    async with serving(bombing) as server:
        rule = await failing(server.url(), RefusedReplyError)
    assert rule == ("coding" if codings in ("br", "zstd") else "size")
    assert server.exchanges[0].header("accept-encoding") == "gzip, deflate"


async def test_what_was_packed_is_unpacked() -> None:
    async def packing(exchange: Exchange) -> None:
        await exchange.reply(gzip.compress(b"hello " * 1_000), "Content-Encoding: gzip")

    async with serving(packing) as server, client() as http:
        assert (await http.request("GET", server.url(), policy=OPEN)).body == b"hello " * 1_000


async def test_a_connection_on_which_a_reply_was_refused_is_not_used_again() -> None:
    async def answer(exchange: Exchange) -> None:
        await exchange.reply(b"x" * (2_000_000 if exchange.path == "/large" else 2))

    async with serving(answer) as server, client() as http:
        with pytest.raises(RefusedReplyError):
            await http.request("GET", server.url("/large"), policy=OPEN)
        assert (await http.request("GET", server.url("/small"), policy=OPEN)).body == b"xx"
    assert server.connections == 2


async def test_many_requests_at_once_share_the_pool() -> None:
    async with serving(answering) as server, client(connections=4) as http:
        paths: Sequence[str] = [f"/{n}" for n in range(40)]
        got = await asyncio.gather(*(http.request("GET", server.url(path), policy=OPEN) for path in paths))
    assert [reply.body.decode() for reply in got] == list(paths)
    assert server.connections <= 4
