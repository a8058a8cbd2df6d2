"""OpenAPI documents as sources: real files, and a real server on loopback that gives documents and answers calls."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from pegboard import Pegboard
from pegboard.http_tools.openapi.options import ImportOptions
from pegboard.http_tools.secrets import GivenSecrets
from pegboard.http_tools.tool import Client, HttpRuntime
from pegboard.net.egress import EgressPolicy
from pegboard.sources.data_tools import DataToolSpec
from pegboard.sources.openapi import OpenApiDocument
from pegboard.sources.openapi_spec import OpenApiSpec, default_name
from tests.net.loopback import Exchange, serving

pytestmark = pytest.mark.anyio

PING = {"get": {"operationId": "ping"}}


def document(*servers: str, **paths: Any) -> str:
    given = {f"/{name}": item for name, item in (paths or {"ping": PING}).items()}
    return json.dumps({"openapi": "3.0.3", "servers": [{"url": url} for url in servers], "paths": given})


def source_of(
    file: Path | None = None, *, url: str = "", shown: DataToolSpec | None = None, **options: Any
) -> OpenApiDocument:
    def runtime(client: Client) -> HttpRuntime:
        return HttpRuntime(client=client, policy=EgressPolicy.allowing(), secrets=GivenSecrets({"T": "t"}))

    spec = OpenApiSpec(
        name="api", file=file, url=url, options=ImportOptions(**options), shown=shown or DataToolSpec(prefix="api")
    )
    return OpenApiDocument(spec, runtime)


async def serve_document(exchange: Exchange, text: str) -> None:
    """A document at /spec/openapi.json, and the target at any other address."""
    await exchange.reply((text if exchange.path == "/spec/openapi.json" else exchange.path).encode())


async def test_its_operations_are_called_at_the_operators_server(tmp_path: Path) -> None:
    async def answer(exchange: Exchange) -> None:
        await serve_document(exchange, "")

    async with serving(answer) as server:
        (tmp_path / "o.json").write_text(document("https://elsewhere.example"))
        source = source_of(tmp_path / "o.json", server=server.url("/v1"))
        async with Pegboard(sources=[source]) as peg:
            await peg.ready()
            board = await peg.open()
            answered = (await board.call("api__ping", {})).to_wire()
            assert answered["content"] == [{"type": "text", "text": "/v1/ping"}]


async def test_a_server_that_only_the_document_names_is_guarded_in_full(tmp_path: Path) -> None:
    async def answer(exchange: Exchange) -> None:
        await serve_document(exchange, "")

    async with serving(answer) as server:
        (tmp_path / "o.json").write_text(document(server.url()))
        source = source_of(tmp_path / "o.json")
        async with Pegboard(sources=[source]) as peg:
            await peg.ready()
            board = await peg.open()
            assert (await board.call("api__ping", {})).to_wire()["isError"]
            assert "ping cannot reach its address" in source.status().notes[0]
    assert server.connections == 0


async def test_a_document_is_fetched_from_the_operators_address_and_relative_servers_are_its_own() -> None:
    async def answer(exchange: Exchange) -> None:
        await serve_document(exchange, document("../v2"))

    async with (
        serving(answer) as server,
        Pegboard(sources=[source_of(url=server.url("/spec/openapi.json"))]) as peg,
    ):
        await peg.ready()
        board = await peg.open()
        answered = (await board.call("api__ping", {})).to_wire()
        assert answered["content"] == [{"type": "text", "text": "/v2/ping"}]


async def test_a_document_that_is_not_there_is_told() -> None:
    async def answer(exchange: Exchange) -> None:
        await exchange.reply(b"no", status=404)

    async with serving(answer) as server:
        source = source_of(url=server.url("/o.json"))
        await source.ready()
        assert source.status().state == "failed"
        assert "status 404" in source.status().reason
        await source.stop()


async def test_a_redirect_is_followed_by_the_guards_rules_only() -> None:
    async def answer(exchange: Exchange) -> None:
        await exchange.reply(b"", f"Location: {inside.url('/o.json')}", status=302)

    async def never(exchange: Exchange) -> None:
        await exchange.reply(document("https://a.example").encode())

    async with serving(never) as inside, serving(answer) as server:
        source = source_of(url=server.url("/o.json"))
        await source.ready()
        assert source.status().state == "failed"
        assert "is not over https" in source.status().reason
        await source.stop()
    assert inside.connections == 0


async def test_what_is_set_aside_left_out_or_renamed_stands_in_the_status(tmp_path: Path) -> None:
    post = {"operationId": "bad", "requestBody": {"content": {"application/json": {"schema": {"$ref": "x.json"}}}}}
    paths = {"ping": {**PING, "post": post, "delete": {"operationId": "drop"}}, "a": {"get": {}}, "b": {"get": {}}}
    (tmp_path / "o.json").write_text(document("https://a.example", **paths))
    source = source_of(tmp_path / "o.json", methods=("get", "post"))
    await source.ready()
    status = source.status()
    assert (status.state, status.tools, status.kind, status.prefix) == ("ready", 3, "openapi", "api")
    (problem,) = status.problems
    assert problem.name == "api__bad"
    assert "POST /ping (bad)" in problem.reason
    assert "never followed" in problem.reason
    assert status.excluded == {"drop": "DELETE is not among the methods"}
    assert any("GET /a, GET /b: it has no operationId" in note for note in status.notes)
    await source.stop()


async def test_a_document_that_breaks_keeps_the_tools_of_before(tmp_path: Path) -> None:
    file = tmp_path / "o.json"
    file.write_text(document("https://a.example", ping=PING, pong={"get": {"operationId": "pong"}}))
    source = source_of(file)
    await source.ready()
    file.write_text("{")
    source.reload()
    await source.ready()
    assert source.status().tools == 2
    assert "its tools are those of before" in source.status().notes[0]
    broken = {"get": {"operationId": "pong", "parameters": [{"$ref": "#/nowhere"}]}}
    file.write_text(document("https://b.example", ping=PING, pong=broken))
    source.reload()
    await source.ready()
    urls = {name: one.request.url for name, one in source.definitions.items()}
    assert urls == {"api__ping": "https://b.example/ping", "api__pong": "https://a.example/pong"}
    assert any("pong stays as it was" in note for note in source.status().notes)
    await source.stop()


async def test_a_local_document_without_an_address_says_how_to_give_one(tmp_path: Path) -> None:
    (tmp_path / "o.json").write_text(document("/v1"))
    source = source_of(tmp_path / "o.json")
    await source.ready()
    assert 'server = "https://HOST/v1"' in source.status().reason
    await source.stop()


async def test_a_secret_that_many_tools_need_is_told_once(tmp_path: Path) -> None:
    paths = {name: {"get": {"operationId": name}} for name in ("a", "b", "c", "d")}
    (tmp_path / "o.json").write_text(document("https://a.example", **paths))
    source = source_of(tmp_path / "o.json", headers={"Authorization": "Bearer {{secret.K}}"})
    await source.ready()
    assert source.status().notes == ("api__a, api__b and 2 more need the secret 'K', which is not set",)
    await source.stop()


async def test_visibility_and_approval_are_the_operators(tmp_path: Path) -> None:
    paths = {"a": {"get": {"operationId": "a"}, "post": {"operationId": "b"}}}
    (tmp_path / "o.json").write_text(document("https://a.example", **paths))
    shown = DataToolSpec(prefix="", visibility={"a": "always"}, approval={"a": "exec"})
    source = source_of(tmp_path / "o.json", shown=shown)
    await source.ready()
    found = {tool.name: (str(tool.visibility), str(tool.approval)) for tool in source.registry.tools()}
    assert found == {"a": ("always", "exec"), "b": ("on-demand", "write")}
    await source.stop()


def test_only_what_the_operator_wrote_is_allowed() -> None:
    secrets: dict[str, Any] = {
        "k": {"client_id": "I", "client_secret": "S", "token_url": "http://127.0.0.1:3/token"},
        "b": "B",
    }
    options = ImportOptions(server="http://127.0.0.1:2/v1", secrets=secrets)
    spec = OpenApiSpec(name="api", url="http://127.0.0.1:1/o.json", options=options)
    assert {str(origin) for origin in spec.allowed(EgressPolicy.allowing()).origins} == {
        "http://127.0.0.1:1",
        "http://127.0.0.1:2",
        "http://127.0.0.1:3",
    }


@pytest.mark.parametrize(
    ("document", "name"),
    [
        ("specs/petstore3.yaml", "petstore3"),
        ("openapi.json", "openapi"),
        ("specs/stripe/openapi.yaml", "stripe"),
        ("https://api.github.com/openapi.json", "github"),
        ("https://x.example/specs/orders.v2.json", "orders"),
        ("http://127.0.0.1:8080/openapi.json", "127_0_0_1_8080"),
        ("http://localhost:8080/", "localhost_8080"),
        ("http://[::1]:80/v1/openapi.json", "1_80"),
        ("http://127.0.0.1/shop.json", "shop"),
    ],
)
def test_a_source_is_called_by_what_tells_most_of_its_document(document: str, name: str) -> None:
    assert default_name(document) == name
