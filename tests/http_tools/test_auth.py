"""Who calls, proved to a real server that repeats everything it received: what comes back is told nowhere."""

from __future__ import annotations

import asyncio
import json
import logging
from base64 import b64decode
from collections.abc import Iterator, Mapping
from typing import Any
from urllib.parse import parse_qs, quote, quote_plus

import pytest

from pegboard import Board, Pegboard, ToolRegistry
from pegboard.http_tools.definition import HttpDefinition
from pegboard.http_tools.dump import dumped
from pegboard.http_tools.filling import Values
from pegboard.http_tools.preview import preview
from pegboard.http_tools.secrets import GivenSecrets
from pegboard.http_tools.template import template_of
from pegboard.http_tools.tokens import Tokens
from pegboard.http_tools.tool import HttpRuntime, HttpTool, secret_names
from pegboard.net.client import HttpClient
from pegboard.net.egress import EgressPolicy
from pegboard.receipts import Receipt
from tests.http_tools.echo import Answer, Echo, Request, echoing, repeated
from tests.http_tools.things import define, mistakes
from tests.test_masking import SPELLINGS

pytestmark = pytest.mark.anyio

SECRETS = {
    "K": 'k3y+/=&"<>%é;, z',
    "PLAIN": "s3cr3t+/=pl4in",
    "U": "us3r@name",
    "P": "p4ss:w/ord+=",
    "ID": "cli3nt/id",
    "CS": "cl13nt+s3cret&=",
}
TOKEN = "t0k3n.abc-DEF_123~+/=="


@pytest.fixture
def echo() -> Iterator[Echo]:
    with echoing() as server:
        yield server


class Service:
    """A service with an address of tokens. Lives inside one test. ``refused`` are tokens that it takes no more."""

    def __init__(self, echo: Echo, **reply: Any) -> None:
        self.reply: dict[str, Any] = {"access_token": TOKEN, "token_type": "Bearer", "expires_in": 3600, **reply}
        self.status = 200
        self.fetches: list[Request] = []
        self.refused: set[str] = set()
        self.numbered = False
        echo.answer = self.answer

    def answer(self, request: Request) -> Answer | None:
        if request.path == "/token":
            self.fetches.append(request)
            told = dict(self.reply)
            if self.numbered:
                told["access_token"] = f"{TOKEN}{len(self.fetches)}"
            return self.status, {}, json.dumps(told).encode()
        if (request.header("Authorization") or "").removeprefix("Bearer ") in self.refused:
            return 401, {}, repeated(request)
        return None


CLIENT = {"type": "client_credentials", "client_id": "ID", "client_secret": "CS", "scopes": ["read", "write all"]}


def operation(echo: Echo, *auth: dict[str, Any], **fields: Any) -> HttpDefinition:
    told = [{**one, "token_url": f"{echo.url}/token"} if one["type"] == "client_credentials" else one for one in auth]
    return define(**{"url": f"{echo.url}/op", "auth": told, **fields})


class Receipts:
    """Keeps them. Lives inside one test."""

    def __init__(self) -> None:
        self.all: list[Receipt] = []

    def write(self, receipt: Receipt) -> None:
        self.all.append(receipt)


async def board_of(client: HttpClient, echo: Echo, definition: HttpDefinition, **runtime: Any) -> Board:
    made = {"policy": EgressPolicy.allowing(origins=[echo.url]), "secrets": GivenSecrets(SECRETS), **runtime}
    registry = ToolRegistry("http")
    registry.register(HttpTool(definition, HttpRuntime(client=client, **made)).tool)
    return await Pegboard([registry]).open()


async def call(echo: Echo, definition: HttpDefinition, arguments: dict[str, Any] | None = None, **runtime: Any) -> Any:
    async with HttpClient() as client:
        board = await board_of(client, echo, definition, **runtime)
        return (await board.call(definition.name, arguments or {})).to_wire()


async def test_a_key_stands_where_it_is_said_to(echo: Echo) -> None:
    for where in ("header", "query", "cookie"):
        secret = "PLAIN" if where == "header" else "K"
        await call(echo, operation(echo, {"type": "api_key", "in": where, "name": "X-Key", "secret": secret}))
    header, query, cookie = echo.requests
    assert header.header("X-Key") == SECRETS["PLAIN"]
    assert parse_qs(query.query) == {"X-Key": [SECRETS["K"]]}
    assert cookie.header("Cookie") == f"X-Key={quote(SECRETS['K'], safe='')}"


async def test_a_key_that_a_cookie_can_hold_is_sent_as_it_is(echo: Echo) -> None:
    await call(echo, operation(echo, {"type": "api_key", "in": "cookie", "name": "sid", "secret": "PLAIN"}))
    assert echo.requests[0].header("Cookie") == f"sid={SECRETS['PLAIN']}"


async def test_all_ways_apply_together(echo: Echo) -> None:
    ways = [
        {"type": "basic", "username": "U", "password": "P"},
        {"type": "api_key", "in": "query", "name": "a", "secret": "K"},
        {"type": "api_key", "in": "cookie", "name": "b", "secret": "PLAIN"},
    ]
    await call(echo, operation(echo, *ways))
    (request,) = echo.requests
    scheme, _, packed = str(request.header("Authorization")).partition(" ")
    assert (scheme, b64decode(packed).decode()) == ("Basic", f"{SECRETS['U']}:{SECRETS['P']}")
    assert parse_qs(request.query) == {"a": [SECRETS["K"]]}
    assert request.header("Cookie") == f"b={SECRETS['PLAIN']}"


async def test_a_user_without_a_password_has_an_empty_one(echo: Echo) -> None:
    await call(echo, operation(echo, {"type": "basic", "username": "PLAIN"}))
    packed = str(echo.requests[0].header("Authorization")).removeprefix("Basic ")
    assert b64decode(packed).decode() == f"{SECRETS['PLAIN']}:"


@pytest.mark.parametrize("in_body", [False, True])
async def test_a_token_is_asked_for_as_oauth_has_it(echo: Echo, in_body: bool) -> None:
    service = Service(echo)
    result = await call(echo, operation(echo, {**CLIENT, "in_body": in_body}))
    assert not result["isError"]
    (fetch,) = service.fetches
    form = parse_qs(fetch.body.decode(), strict_parsing=True)
    assert form["grant_type"] == ["client_credentials"]
    assert form["scope"] == ["read write all"]
    if in_body:
        assert (form["client_id"], form["client_secret"]) == ([SECRETS["ID"]], [SECRETS["CS"]])
        assert fetch.header("Authorization") is None
    else:
        packed = b64decode(str(fetch.header("Authorization")).removeprefix("Basic ")).decode()
        assert packed == f"{quote_plus(SECRETS['ID'])}:{quote_plus(SECRETS['CS'])}"
    assert echo.requests[-1].header("Authorization") == f"Bearer {TOKEN}"


async def test_a_token_is_asked_for_with_what_the_service_wants_beside(echo: Echo) -> None:
    service = Service(echo)
    extra = {"audience": "https://shop.example/é &x", "resource": ["a", "b"]}
    async with HttpClient() as client:
        board = await board_of(client, echo, operation(echo, {**CLIENT, "extra": extra}))
        assert not (await board.call("t", {})).to_wire()["isError"]
    form = parse_qs(service.fetches[0].body.decode(), strict_parsing=True)
    assert (form["audience"], form["resource"]) == (["https://shop.example/é &x"], ["a", "b"])


async def test_tokens_for_several_audiences_are_several() -> None:
    asked: list[bytes] = []

    class Reply:
        status, body = 200, json.dumps({"access_token": TOKEN}).encode()

    async def post(url: str, headers: Mapping[str, str], body: bytes) -> Any:
        asked.append(body)
        return Reply()

    tokens = Tokens()
    for audience in ("a", "b", "a"):
        told = {**CLIENT, "token_url": "https://a.example/token", "extra": {"audience": audience}}
        (auth,) = define(auth=told).request.auth
        await tokens.get(auth, SECRETS, post)
    assert [parse_qs(body.decode())["audience"] for body in asked] == [["a"], ["b"]]


async def test_a_token_is_kept_until_shortly_before_its_end(echo: Echo) -> None:
    service, now = Service(echo, expires_in=100), [0.0]
    async with HttpClient() as client:
        board = await board_of(client, echo, operation(echo, CLIENT), tokens=Tokens(clock=lambda: now[0]))
        fetched = []
        for moment in (0, 50, 89, 91, 180, 182):
            now[0] = float(moment)
            await board.call("t", {})
            fetched.append(len(service.fetches))
    assert fetched == [1, 1, 1, 2, 2, 3]


async def test_calls_at_once_share_one_fetch(echo: Echo) -> None:
    service = Service(echo)
    async with HttpClient() as client:
        board = await board_of(client, echo, operation(echo, CLIENT))
        results = await asyncio.gather(*(board.call("t", {}) for _ in range(12)))
    assert not any(result.to_wire()["isError"] for result in results)
    assert len(service.fetches) == 1


async def test_who_gives_up_does_not_take_the_token_from_the_others() -> None:
    asked, go = asyncio.Event(), asyncio.Event()

    class Reply:
        status, body = 200, json.dumps({"access_token": TOKEN}).encode()

    async def post(url: str, headers: Mapping[str, str], body: bytes) -> Any:
        asked.set()
        await go.wait()
        return Reply()

    tokens = Tokens()
    (auth,) = define(auth={**CLIENT, "token_url": "https://a.example/token"}).request.auth
    first = asyncio.ensure_future(tokens.get(auth, SECRETS, post))
    await asked.wait()
    second = asyncio.ensure_future(tokens.get(auth, SECRETS, post))
    await asyncio.sleep(0)
    first.cancel()
    await asyncio.wait([first])
    go.set()
    assert await second == TOKEN
    assert first.cancelled()


async def test_a_token_that_is_refused_is_fetched_anew_once(echo: Echo) -> None:
    service = Service(echo)
    service.numbered = True
    service.refused = {f"{TOKEN}1"}
    async with HttpClient() as client:
        board = await board_of(client, echo, operation(echo, CLIENT, method="POST", body={"a": 1}))
        first = (await board.call("t", {})).to_wire()
        again = (await board.call("t", {})).to_wire()
    assert (first["isError"], again["isError"], len(service.fetches)) == (False, False, 2)
    sent = [request for request in echo.requests if request.path == "/op"]
    assert [request.header("Authorization") for request in sent] == [f"Bearer {TOKEN}{n}" for n in (1, 2, 2)]
    assert {request.body for request in sent} == {b'{"a":1}'}


async def test_who_is_refused_with_a_new_token_too_is_told_so(echo: Echo) -> None:
    service = Service(echo)
    service.refused = {TOKEN}
    result = await call(echo, operation(echo, CLIENT))
    assert result["structuredContent"]["error"]["status"] == 401
    assert (len(service.fetches), len(echo.requests)) == (2, 4)


async def test_a_changed_secret_wants_a_token_of_its_own(echo: Echo) -> None:
    service, secrets = Service(echo), dict(SECRETS)

    class Changing:
        async def get(self, name: str) -> str | None:
            return secrets.get(name)

    async with HttpClient() as client:
        board = await board_of(client, echo, operation(echo, CLIENT), secrets=Changing())
        await board.call("t", {})
        secrets["CS"] = "another-one"
        await board.call("t", {})
    assert len(service.fetches) == 2


@pytest.mark.parametrize(
    ("status", "reply", "said"),
    [
        (401, {"error": "invalid_client"}, "the address of tokens answered HTTP 401: invalid_client."),
        (400, {"error": f"x {SECRETS['CS']}"}, "the address of tokens answered HTTP 400."),
        (302, {}, "the address of tokens answered HTTP 302."),
        (200, {"access_token": None}, "the address of tokens answered without one."),
        (200, {"access_token": "a b\r\nX: y"}, "the address of tokens answered without one."),
        (200, {"token_type": "mac"}, "the address of tokens gave one of another type than bearer."),
    ],
)
async def test_without_a_token_the_call_says_why_and_sends_nothing(
    echo: Echo, status: int, reply: dict[str, Any], said: str, caplog: pytest.LogCaptureFixture
) -> None:
    service = Service(echo, **reply)
    service.status = status
    result = await call(echo, operation(echo, CLIENT))
    error = result["structuredContent"]["error"]
    assert (error["code"], error["message"]) == ("service_failed", f"No access token: {said}")
    assert error["hint"] == "This is for the operator to mend: no argument can."
    assert [request.path for request in echo.requests] == ["/token"]
    assert_nothing_told(json.dumps(result) + caplog.text)


async def test_the_address_of_tokens_is_held_against_the_same_rules(echo: Echo) -> None:
    definition = define(url=f"{echo.url}/op", auth={**CLIENT, "token_url": "http://127.0.0.1:1/token"})
    error = (await call(echo, definition))["structuredContent"]["error"]
    assert (error["code"], echo.requests) == ("request_refused", [])
    assert error["message"] == "No access token: This address cannot be reached from here."


async def test_arguments_that_cannot_be_sent_fetch_no_token(echo: Echo) -> None:
    service = Service(echo)
    parameters = {"type": "object", "properties": {"id": {"type": "string"}}, "required": ["id"]}
    definition = operation(echo, CLIENT, url=f"{echo.url}/{{{{id}}}}", parameters=parameters)
    result = await call(echo, definition, {"id": ".."})
    assert result["structuredContent"]["error"]["code"] == "invalid_arguments"
    assert service.fetches == []


@pytest.mark.parametrize("life", [None, "3600", 3600.5, True, "soon", [], -5, 1e300, 10**400])
async def test_how_long_a_token_lives_may_be_told_in_any_way(echo: Echo, life: Any) -> None:
    Service(echo, expires_in=life)
    assert not (await call(echo, operation(echo, CLIENT)))["isError"]


WAYS: dict[str, dict[str, Any]] = {
    "key in a header": {"type": "api_key", "in": "header", "name": "X-Key", "secret": "PLAIN"},
    "key in the query": {"type": "api_key", "in": "query", "name": "key", "secret": "K"},
    "key in a cookie": {"type": "api_key", "in": "cookie", "name": "sid", "secret": "K"},
    "bearer": {"type": "bearer", "secret": "PLAIN"},
    "basic": {"type": "basic", "username": "U", "password": "P"},
    "client credentials": CLIENT,
}


def secrets_here() -> list[str]:
    """Everything that is secret here."""
    return [*SECRETS.values(), TOKEN, f"{SECRETS['U']}:{SECRETS['P']}"]


def forms() -> set[str]:
    """The spellings of all of them."""
    return {spelt(secret) for secret in secrets_here() for spelt in SPELLINGS.values()}


MARKS = ("k3y", "s3cr3t", "us3r", "p4ss", "cli3nt", "cl13nt", "s3cret", "t0k3n")
"""What stays as it is in the spellings that only change marks."""


def assert_nothing_told(text: str) -> None:
    for hidden in (*forms(), *MARKS):
        assert hidden not in text


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("status", [200, 302, 400, 500])
@pytest.mark.parametrize("extract", ["body_raw", "json_path"])
async def test_what_comes_back_is_told_nowhere(
    echo: Echo, way: str, status: int, extract: str, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    service = Service(echo)
    told: list[str] = []

    def answer(request: Request) -> Answer | None:
        if request.path == "/token":
            return service.answer(request)
        back = {name: request.header(name) or "" for name in ("Authorization", "X-Key", "Cookie")}
        texts = [spelt(text) for text in (request.target, *back.values()) for spelt in SPELLINGS.values()]
        told.extend(texts)
        location = quote(f"/login?next={quote(request.target, safe='')}", safe="/?=%&")
        return status, {"Location": location}, json.dumps({"m": texts}).encode()

    echo.answer = answer
    response = {"extract": extract, "path": "m"} if extract == "json_path" else {"extract": extract}
    definition = operation(echo, WAYS[way], response=response)
    receipts, events = Receipts(), list[Any]()
    async with HttpClient() as client:
        runtime = HttpRuntime(
            client=client,
            policy=EgressPolicy.allowing(origins=[echo.url]),
            secrets=GivenSecrets(SECRETS),
            events=events.append,
        )
        registry = ToolRegistry("http")
        registry.register((tool := HttpTool(definition, runtime)).tool)
        board = await Pegboard([registry], receipts=receipts).open()
        result = (await board.call("t", {})).to_wire()
        dry = await preview(definition, {}, {}, runtime)
    assert any(form in text for text in told for form in forms())
    assert receipts.all
    assert events
    built = template_of(definition).build(Values({}, {}, SECRETS, dict.fromkeys(definition.request.auth, TOKEN)))
    everything = [result, [repr(one) for one in (*receipts.all, *events, tool, tool.tool, runtime, built, dry)]]
    everything += [repr(definition), [dumped(definition, form) for form in ("json", "yaml", "toml")], caplog.text]
    everything += [repr(runtime.tokens), repr(vars(runtime.tokens))]
    assert_nothing_told(json.dumps(everything, ensure_ascii=False, default=repr))


@pytest.mark.parametrize("way", WAYS)
async def test_nothing_secret_goes_to_another_origin(echo: Echo, way: str) -> None:
    service = Service(echo)
    with echoing() as other:

        def answer(request: Request) -> Answer | None:
            if request.path == "/token":
                return service.answer(request)
            return 307, {"Location": f"{other.url}/stolen"}, b""

        echo.answer = answer
        policy = EgressPolicy.allowing(origins=[echo.url, other.url])
        result = await call(echo, operation(echo, WAYS[way]), policy=policy)
        assert result["isError"]
        assert other.requests == []


async def test_a_redirect_of_the_address_of_tokens_is_not_followed(echo: Echo) -> None:
    with echoing() as other:
        echo.answer = lambda request: (307, {"Location": f"{other.url}/token"}, b"")
        policy = EgressPolicy.allowing(origins=[echo.url, other.url])
        await call(echo, operation(echo, CLIENT), policy=policy)
        assert other.requests == []


@pytest.mark.parametrize("value", ["a\r\nX-Evil: 1", "a\nb", " padded ", "\x00abc"])
@pytest.mark.parametrize("way", ["key in a header", "bearer"])
async def test_a_secret_that_no_header_can_hold_is_refused_and_not_told(echo: Echo, way: str, value: str) -> None:
    result = await call(echo, operation(echo, WAYS[way]), secrets=GivenSecrets({"PLAIN": value}))
    assert "'PLAIN'" in result["content"][0]["text"]
    assert value.strip() not in json.dumps(result)
    assert echo.requests == []


@pytest.mark.parametrize("way", ["basic", "key in the query", "key in a cookie", "client credentials"])
async def test_a_secret_that_is_no_text_is_refused_and_not_told(echo: Echo, way: str) -> None:
    service = Service(echo)
    result = await call(echo, operation(echo, WAYS[way]), secrets=GivenSecrets(dict.fromkeys(SECRETS, "a\udcffbcd")))
    assert result["structuredContent"]["error"]["code"] == "tool_error"
    assert "is no text in UTF-8, which requests are written in" in result["content"][0]["text"]
    assert "bcd" not in json.dumps(result)
    assert (echo.requests, service.fetches) == ([], [])


async def test_without_its_secret_a_tool_says_so_and_sends_nothing(echo: Echo) -> None:
    result = await call(echo, operation(echo, WAYS["basic"]), secrets=GivenSecrets({"U": "x"}))
    assert "needs the secret 'P', which is not set" in result["content"][0]["text"]
    assert echo.requests == []


def test_the_secrets_of_a_definition_are_known_by_name(echo: Echo) -> None:
    definition = operation(echo, WAYS["basic"], WAYS["key in the query"])
    assert secret_names(definition) == ["U", "P", "K"]


@pytest.mark.parametrize(
    ("fields", "at"),
    [
        ({"auth": [WAYS["bearer"]], "headers": {"authorization": "x"}}, "request.auth.0.type"),
        ({"auth": [WAYS["key in the query"]], "query": {"key": "x"}}, "request.auth.0.name"),
        ({"auth": [WAYS["key in the query"]], "url": "https://a.example/?key=x"}, "request.auth.0.name"),
        ({"auth": [{**WAYS["key in a header"], "name": "a b"}]}, "request.auth.0.name"),
        ({"auth": [{**WAYS["key in a header"], "name": "Host"}]}, "request.auth.0.name"),
        (
            {"auth": [{**CLIENT, "token_url": "https://a.example/", "extra": {"scope": "x"}}]},
            "request.auth.0.extra.scope",
        ),
        (
            {"auth": [{**CLIENT, "token_url": "https://a.example/", "extra": {"audience": "{{ctx.tenant_id}}"}}]},
            "request.auth.0.extra.audience",
        ),
        ({"auth": [{**CLIENT, "token_url": "https://a.example/", "extra": {"a": ""}}]}, "request.auth.0.extra.a"),
        ({"auth": [{**CLIENT, "token_url": "https://a.example/", "extra": {"a": {}}}]}, "request.auth.0.extra.a.0"),
        ({"auth": [{**CLIENT, "token_url": "https://a.example/", "extra": "x"}]}, "request.auth.0.extra"),
        ({"auth": [{**CLIENT, "token_url": "ftp://a.example/"}]}, "request.auth.0.token_url"),
        ({"auth": [{**CLIENT, "token_url": "https://u:p@a.example/"}]}, "request.auth.0.token_url"),
        ({"auth": [{**CLIENT, "token_url": "https://{{ctx.tenant_id}}.example/"}]}, "request.auth.0.token_url"),
    ],
)
def test_what_would_clash_is_a_mistake(fields: dict[str, Any], at: str) -> None:
    assert list(mistakes(**fields)) == [at]
