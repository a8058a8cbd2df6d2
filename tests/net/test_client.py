"""The client over a scripted network: only look-ups and sockets below the guard are not real."""

from __future__ import annotations

import logging
from collections.abc import Sequence

import anyio
import httpcore2
import pytest

from pegboard.errors import (
    ConfigError,
    EgressError,
    RefusedReplyError,
    RefusedRequestError,
    RequestTimeoutError,
    UnreachableError,
)
from pegboard.net.client import HttpClient, HttpLimits, TrustedProxy
from pegboard.net.egress import EgressPolicy
from pegboard.net.guard import GuardedBackend, GuardedUrl, Reach, first_to_answer
from pegboard.net.refusals import REFUSED
from pegboard.net.urls import parse
from tests.net.scripted import Names, Network, Received, reply
from tests.runners.egress_adapter import tls

pytestmark = pytest.mark.anyio

PUBLIC = "93.184.215.14"
OTHER = "1.1.1.1"
ANY = EgressPolicy.allowing(schemes=["http", "https"])


def names(**more: Sequence[str]) -> Names:
    """Look-ups of some hosts; keyword ``a_example`` stands for a.example."""
    known = {"a.example": [[PUBLIC]], "b.example": [[OTHER]], "inside.example": [["10.0.0.5"]]}
    return Names(known | {host.replace("_", "."): [list(answers)] for host, answers in more.items()})


def client(network: Network, resolver: Names | None = None, **settings: object) -> HttpClient:
    return HttpClient(network=network, resolver=resolver or names(), tls=tls(), **settings)  # type: ignore[arg-type]


def redirecting(steps: dict[str, str], status: int = 302) -> Network:
    """A network whose servers redirect from addresses to locations, and answer everything else."""

    def answer(request: Received) -> bytes:
        here = f"{request.header('host')}{request.path}"
        return reply(status, b"", ("Location", steps[here])) if here in steps else reply(200, b"here", ("X-Seen", "1"))

    return Network(answer)


async def refused(http: HttpClient, url: str, rule: str, policy: EgressPolicy = ANY, redirects: int = 0) -> str:
    """Ask, expect a refusal by this rule, and give its detail."""
    with pytest.raises(RefusedRequestError) as caught:
        await http.request("GET", url, policy=policy, redirects=redirects)
    assert caught.value.rule == rule
    return caught.value.detail


async def test_the_socket_goes_to_the_checked_address_and_the_name_stays_everywhere_else() -> None:
    network = Network(lambda request: reply(200, b"hello", ("Content-Type", "text/plain")))
    async with client(network) as http:
        got = await http.request("GET", "https://A.example:8443/x?q=1#f", policy=ANY, headers={"X-Key": "k"})
    assert (got.status, got.body, got.header("content-type"), got.hops) == (200, b"hello", "text/plain", 0)
    assert got.target.url == "https://a.example:8443/x?q=1"
    assert network.connects == [PUBLIC]
    assert network.names_checked == ["a.example"]
    (request,) = network.requests
    assert (request.path, request.header("host"), request.header("x-key")) == ("/x?q=1", "a.example:8443", "k")
    assert request.header("accept-encoding") == "gzip, deflate"


async def test_a_name_with_one_address_inside_is_not_connected_to_at_all() -> None:
    network = Network()
    async with client(network, names(a_example=[PUBLIC, "10.0.0.1"])) as http:
        assert "10.0.0.1, which is private" in await refused(http, "https://a.example/", "address")
    assert network.connects == []


async def test_an_open_connection_is_used_again_without_another_look_up() -> None:
    network, resolver = Network(), Names({"a.example": [[PUBLIC], ["127.0.0.1"]]})
    async with client(network, resolver) as http:
        for _ in range(3):
            await http.request("GET", "https://a.example/", policy=ANY)
    assert (network.connects, resolver.asked) == ([PUBLIC], ["a.example"])


async def test_a_new_connection_is_checked_anew() -> None:
    network = Network(lambda request: reply(200, b"", ("Connection", "close")))
    async with client(network, Names({"a.example": [[PUBLIC], ["127.0.0.1"]]})) as http:
        await http.request("GET", "https://a.example/", policy=ANY)
        await refused(http, "https://a.example/", "address")
    assert network.connects == [PUBLIC]


async def test_a_connection_that_one_policy_allowed_is_no_way_in_for_another() -> None:
    network = Network()
    inside = EgressPolicy.allowing(private_hosts={"inside.example": ["10.0.0.0/24"]})
    async with client(network) as http:
        await http.request("GET", "https://inside.example/", policy=inside)
        await refused(http, "https://inside.example/", "address", EgressPolicy())
        again = EgressPolicy.allowing(private_hosts={"inside.example": ["10.0.0.0/24"]})
        await http.request("GET", "https://inside.example/", policy=again)
    assert network.connects == ["10.0.0.5"]
    assert len(network.requests) == 2


async def test_redirects_are_replies_unless_asked_for() -> None:
    network = redirecting({"a.example/": "https://b.example/"})
    async with client(network) as http:
        got = await http.request("GET", "https://a.example/", policy=ANY)
    assert (got.status, got.header("Location")) == (302, "https://b.example/")
    assert network.connects == [PUBLIC]


async def test_a_redirect_to_another_origin_takes_no_secrets_along() -> None:
    network = redirecting({"a.example/": "https://b.example/there"}, status=307)
    headers = {"Authorization": "Bearer s3cret", "X-Api-Key": "s3cret", "Cookie": "c=1", "Accept": "text/plain"}
    async with client(network) as http:
        got = await http.request("POST", "https://a.example/", policy=ANY, headers=headers, body=b"{}", redirects=1)
    first, second = network.requests
    assert (got.hops, got.target.url) == (1, "https://b.example/there")
    assert all(first.header(name) == value for name, value in headers.items())
    assert b"s3cret" not in repr(second).encode()
    assert (second.method, second.body, second.header("accept")) == ("POST", b"{}", "text/plain")
    assert second.header("cookie") is None


@pytest.mark.parametrize(
    ("location", "rule"),
    [
        ("https://inside.example/", "address"),
        ("https://127.0.0.1/", "address"),
        ("https://localhost/", "name"),
        ("https://b.example:22/", "port"),
        ("http://b.example/", "redirect"),
        ("file:///etc/passwd", "scheme"),
        ("https://u:p@b.example/", "syntax"),
        ("", "redirect"),
    ],
)
async def test_every_hop_passes_all_rules(location: str, rule: str) -> None:
    network = redirecting({"a.example/": "https://b.example/", "b.example/": location})
    async with client(network) as http:
        await refused(http, "https://a.example/", rule, redirects=5)
    assert network.connects == [PUBLIC, OTHER]


async def test_only_so_many_redirects_are_followed_and_never_more_than_five() -> None:
    network = redirecting({f"a.example/{n}": f"/{n + 1}" for n in range(20)})
    async with client(network) as http:
        await refused(http, "https://a.example/0", "redirect", redirects=2)
        assert len(network.requests) == 3
        await refused(http, "https://a.example/0", "redirect", redirects=99)
        assert len(network.requests) == 3 + 6
        assert (await http.request("GET", "https://a.example/15", policy=ANY, redirects=5)).hops == 5


async def test_two_locations_are_none() -> None:
    network = Network(lambda request: reply(302, b"", ("Location", "/a"), ("Location", "/b")))
    async with client(network) as http:
        await refused(http, "https://a.example/", "redirect", redirects=5)
    assert len(network.requests) == 1


async def test_a_redirect_cannot_use_what_was_allowed_to_an_address_of_the_operators() -> None:
    policy = EgressPolicy.allowing(
        schemes=["http", "https"], origins=["http://localhost:9000", "http://localhost:9001"]
    )
    steps = {
        "a.example/": "http://localhost:9000/",
        "localhost:9000/": "/own",
        "localhost:9000/x": "http://localhost:9001/",
    }
    network = redirecting(steps)
    async with client(network, names(localhost=["127.0.0.1"])) as http:
        got = await http.request("GET", "http://localhost:9000/", policy=policy, redirects=5)
        assert (got.hops, got.target.path) == (1, "/own")
        await refused(http, "http://a.example/", "name", policy, redirects=5)
        await refused(http, "http://localhost:9000/x", "name", policy, redirects=5)
    assert network.connects == ["127.0.0.1", PUBLIC]


async def test_cookies_are_not_kept() -> None:
    network = Network(lambda request: reply(302, b"", ("Location", "/next"), ("Set-Cookie", "id=1; Path=/")))
    async with client(network) as http:
        await refused(http, "https://a.example/", "redirect", redirects=2)
    assert [request.header("cookie") for request in network.requests] == [None] * 3


async def test_nothing_of_the_environment_is_used(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "http_proxy", "https_proxy", "all_proxy"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")
    monkeypatch.setenv("SSL_CERT_FILE", "/nowhere")
    monkeypatch.setenv("NETRC", "/nowhere")
    network = Network()
    async with HttpClient(network=network, resolver=names()) as http:
        await http.request("GET", "https://a.example/", policy=ANY)
    assert network.connects == [PUBLIC]
    assert network.requests[0].header("authorization") is None


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("X-Key", "s3cret\r\nHost: evil.example"),
        ("X-Key", "s3cret\n"),
        ("X-Key", "s3cret\0"),
        ("X-Key", " s3cret"),
        ("X-Key", "s3cret\ud800"),
        ("X Key", "s3cret"),
        ("X-Key:", "s3cret"),
        ("", "s3cret"),
        ("Host", "s3cret"),
        ("content-length", "7"),
        ("Transfer-Encoding", "chunked"),
        ("Proxy-Authorization", "Basic s3cret"),
    ],
)
async def test_headers_that_would_change_the_message_are_refused_without_a_word_of_their_value(
    name: str, value: str, caplog: pytest.LogCaptureFixture
) -> None:
    network = Network()
    async with client(network) as http:
        with pytest.raises(RefusedRequestError) as caught:
            await http.request("GET", "https://a.example/", policy=ANY, headers={name: value})
    assert caught.value.rule == "header"
    assert "s3cret" not in f"{caught.value}{caught.value.detail}{caplog.text}"
    assert network.connects == []


@pytest.mark.parametrize("method", ["CONNECT", "TRACE", "GET / HTTP/1.1\r\n", ""])
async def test_other_methods_are_refused(method: str) -> None:
    async with client(Network()) as http:
        with pytest.raises(RefusedRequestError):
            await http.request(method, "https://a.example/", policy=ANY)


@pytest.mark.parametrize(
    ("wire", "rule"),
    [
        (reply(200, b"x" * 2_001), "size"),
        (b"HTTP/1.1 200 OK\r\nContent-Length: 999999999999999\r\n\r\n", "size"),
        (b"HTTP/1.1 200 OK\r\n\r\n" + b"x" * 2_001, "size"),
        (reply(200, b"", *((f"X-{n}", "v" * 100) for n in range(50))), "size"),
        (b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n", "protocol"),
        (b"SSH-2.0-OpenSSH_9.2\r\n", "protocol"),
        (b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\nhello", "protocol"),
        (b"HTTP/1.1 200 OK\r\nContent-Length: 50\r\n\r\nhello", "protocol"),
        (b"", "protocol"),
        (reply(200, b"x", ("Content-Encoding", "br")), "coding"),
        (reply(200, b"x", ("Content-Encoding", "gzip")), "coding"),
    ],
)
async def test_replies_that_are_too_large_or_broken_are_refused(wire: bytes, rule: str) -> None:
    limits = HttpLimits(body_bytes=2_000, header_bytes=4_000)
    async with client(Network(lambda request: wire), limits=limits) as http:
        with pytest.raises(RefusedReplyError) as caught:
            await http.request("GET", "https://a.example/", policy=ANY)
    assert caught.value.rule == rule


async def test_a_reply_to_head_may_speak_of_any_length() -> None:
    network = Network(lambda request: b"HTTP/1.1 200 OK\r\nContent-Length: 999999999\r\n\r\n")
    async with client(network) as http:
        got = await http.request("HEAD", "https://a.example/", policy=ANY)
    assert (got.status, got.body) == (200, b"")


async def test_the_next_address_is_tried_when_one_refuses() -> None:
    network = Network(fails=[PUBLIC])
    async with client(network, names(a_example=[PUBLIC, OTHER])) as http:
        assert (await http.request("GET", "https://a.example/", policy=ANY)).status == 200
    assert network.connects == [PUBLIC, OTHER]


class Silent(Network):
    """A network where one address never answers."""

    async def connect_tcp(self, host: str, port: int, *more: object, **named: object) -> httpcore2.AsyncNetworkStream:
        if host == PUBLIC:
            self.connects.append(host)
            await anyio.sleep_forever()
        return await super().connect_tcp(host, port)


async def test_the_next_address_is_tried_beside_one_that_says_nothing() -> None:
    network = Silent()
    async with client(network, names(a_example=[PUBLIC, OTHER])) as http:
        assert (await http.request("GET", "https://a.example/", policy=ANY)).status == 200
    assert network.connects == [PUBLIC, OTHER]


async def test_a_connection_that_won_too_late_is_closed() -> None:
    class Opened(httpcore2.AsyncNetworkStream):
        closed = False

        async def aclose(self) -> None:
            self.closed = True

    stream, winner_opened = Opened(), anyio.Event()

    async def open_one(address: str) -> httpcore2.AsyncNetworkStream:
        if address == OTHER:
            winner_opened.set()
            return stream
        with anyio.CancelScope(shield=True):  # an attempt that cannot be given up at once
            await winner_opened.wait()
            outer.cancel()
            await anyio.sleep(0.01)
        raise httpcore2.ConnectError

    with anyio.CancelScope() as outer:
        await first_to_answer([PUBLIC, OTHER], open_one)
    assert outer.cancelled_caught
    assert stream.closed


async def test_a_knock_opens_a_checked_connection_sends_nothing_and_closes_it() -> None:
    class Opened(httpcore2.AsyncNetworkStream):
        closed = False

        async def aclose(self) -> None:
            self.closed = True

    class Open(Network):
        stream = Opened()

        async def connect_tcp(self, host: str, port: int, *more: object, **named: object) -> Opened:
            self.connects.append(host)
            return self.stream

    network = Open()
    async with client(network) as http:
        await http.knock("https://a.example/x", policy=ANY)
        assert (network.connects, network.stream.closed) == ([PUBLIC], True)
        with pytest.raises(RefusedRequestError):
            await http.knock("https://inside.example/", policy=ANY)
    assert network.connects == [PUBLIC]
    async with client(Network(fails=[PUBLIC])) as http:
        with pytest.raises(UnreachableError):
            await http.knock("https://a.example/", policy=ANY)


async def test_when_nobody_answers_the_request_was_not_refused() -> None:
    async with client(Network(fails=[PUBLIC, OTHER]), names(a_example=[PUBLIC, OTHER])) as http:
        with pytest.raises(UnreachableError) as caught:
            await http.request("GET", "https://a.example/", policy=ANY)
    assert (caught.value.code, caught.value.rule) == ("unreachable", "network")
    assert "script" not in str(caught.value)


async def test_an_attempt_to_connect_once_more_looks_up_and_checks_once_more() -> None:
    network = Network(fails=[PUBLIC])
    resolver = Names({"a.example": [[PUBLIC], ["10.0.0.1"]], "b.example": [[PUBLIC], [OTHER]]})
    async with client(network, resolver, retries=1) as http:
        await refused(http, "https://a.example/", "address")
        await http.request("GET", "https://b.example/", policy=ANY)
    assert network.connects == [PUBLIC, PUBLIC, OTHER]


async def test_a_look_up_that_hangs_or_fails_reads_like_any_refusal() -> None:
    class Hanging(Names):
        async def resolve(self, host: str, port: int) -> Sequence[str]:
            await anyio.sleep_forever()
            return []

    told = []
    for resolver in (Hanging({}), Names({}), Names({"a.example": [[]]}), Names({"a.example": [["10.0.0.1"]]})):
        async with client(Network(), resolver, limits=HttpLimits(lookup_seconds=0.05)) as http:
            with pytest.raises(RefusedRequestError) as caught:
                await http.request("GET", "https://a.example/", policy=ANY)
            told.append(caught.value.to_json())
    assert told == [{"error": {"code": "request_refused", "message": REFUSED}}] * 4


async def test_the_time_limit_holds_for_the_whole() -> None:
    async with client(Silent(), names(a_example=[PUBLIC]), limits=HttpLimits(total_seconds=0.05)) as http:
        with pytest.raises(RequestTimeoutError):
            await http.request("GET", "https://a.example/", policy=ANY)


@pytest.mark.parametrize("value", [0, -1, float("nan"), float("inf")])
def test_a_limit_that_bounds_nothing_is_refused(value: float) -> None:
    with pytest.raises(ConfigError, match="total_seconds"):
        HttpLimits(total_seconds=value)


async def test_the_log_tells_the_operator_the_rule_and_the_fix_but_no_query(caplog: pytest.LogCaptureFixture) -> None:
    async with client(Network()) as http:
        with caplog.at_level(logging.WARNING, "pegboard.net"):
            await refused(http, "https://inside.example/path?token=s3cret", "address")
    (record,) = caplog.records
    assert "rule 'address': inside.example is at 10.0.0.5, which is private" in record.getMessage()
    assert "allow the host together with the range" in record.getMessage()
    assert "s3cret" not in caplog.text
    assert "path" not in caplog.text


async def test_what_the_guard_refuses_never_reaches_a_socket() -> None:
    reach = Reach(names(), Network(), 1.0)
    backend = GuardedBackend(parse("https://a.example/"), ANY, reach)
    with pytest.raises(RefusedRequestError, match=REFUSED):
        await backend.connect_tcp("b.example", 443)
    with pytest.raises(RefusedRequestError, match=REFUSED):
        await backend.connect_tcp("a.example", 80)
    with pytest.raises(RefusedRequestError, match=REFUSED):
        await backend.connect_unix_socket("/run/docker.sock")


async def test_a_literal_address_is_checked_where_the_socket_is_opened_too() -> None:
    network = Network()
    backend = GuardedBackend(parse("https://10.0.0.5/"), ANY, Reach(names(), network, 1.0))
    with pytest.raises(RefusedRequestError, match=REFUSED):
        await backend.connect_tcp("10.0.0.5", 443)
    assert network.connects == []


async def test_a_request_without_a_policy_gets_no_connection() -> None:
    network = Network()
    async with client(network) as http:
        with pytest.raises(RefusedRequestError):
            await http._pool.handle_async_request(httpcore2.Request("GET", "https://a.example/"))
    assert network.connects == []


def test_addresses_are_the_same_to_the_pool_only_under_equal_policies() -> None:
    target = parse("https://a.example/x")
    one = GuardedUrl(target, ANY).origin
    assert one == GuardedUrl(parse("https://a.example/y"), EgressPolicy.allowing(schemes=["https", "http"])).origin
    assert one != GuardedUrl(target, EgressPolicy()).origin
    assert one != httpcore2.URL("https://a.example/x").origin
    assert one != GuardedUrl(parse("https://a.example:8443/x"), ANY).origin


PROXY = TrustedProxy(url="http://proxy.corp:3128", user="me", password="pw")


async def test_through_a_trusted_proxy_only_the_proxy_is_connected_to_and_looked_up() -> None:
    network, resolver = Network(), names(proxy_corp=["10.9.9.9"])
    async with client(network, resolver, proxy=PROXY) as http:
        await http.request("GET", "http://inside.example/x?q", policy=ANY)
        await http.request("GET", "https://inside.example/x", policy=ANY)
    assert set(network.connects) == {"10.9.9.9"}
    assert set(resolver.asked) == {"proxy.corp"}
    plain, tunnel, inner = network.requests
    assert (plain.path, plain.header("host")) == ("http://inside.example:80/x?q", "inside.example")
    assert (tunnel.method, tunnel.path) == ("CONNECT", "inside.example:443")
    assert (inner.path, inner.header("host"), inner.header("proxy-authorization")) == ("/x", "inside.example", None)
    assert plain.header("proxy-authorization") == tunnel.header("proxy-authorization") == "Basic bWU6cHc="
    assert network.names_checked == ["inside.example"]


@pytest.mark.parametrize(
    ("url", "rule"),
    [
        ("https://127.0.0.1/", "address"),
        ("https://localhost/", "name"),
        ("https://a.example:22/", "port"),
        ("http://a.example/", "scheme"),
        ("https://b.example/", "host list"),
        ("https://[2606:4700::1]/", "address"),
    ],
)
async def test_through_a_trusted_proxy_all_other_rules_hold(url: str, rule: str) -> None:
    network = Network()
    policy = EgressPolicy.allowing(hosts=["a.example", "127.0.0.1", "localhost", "2606:4700::1"])
    async with client(network, names(proxy_corp=["10.9.9.9"]), proxy=PROXY) as http:
        await refused(http, url, rule, policy)
    assert network.connects == []


@pytest.mark.parametrize("url", ["socks5://localhost:1080", "localhost:3128", "http://me:pw@localhost:3128"])
def test_a_proxy_that_is_written_wrong_is_refused(url: str) -> None:
    with pytest.raises(ConfigError, match="proxy's address") as caught:
        HttpClient(proxy=TrustedProxy(url=url), tls=tls())
    assert "pw" not in str(caught.value)


def test_every_error_of_the_family_says_what_to_do_next_by_its_code() -> None:
    kinds = (RefusedRequestError, UnreachableError, RequestTimeoutError, RefusedReplyError)
    assert all(issubclass(kind, EgressError) for kind in kinds)
    assert len({kind.code for kind in kinds}) == len(kinds)
