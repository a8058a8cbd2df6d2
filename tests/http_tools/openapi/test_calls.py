"""Operations called: a real server on loopback gets what the document asks for, in place, style and media type."""

from __future__ import annotations

import base64
import json
from typing import Any
from urllib.parse import parse_qsl

import pytest

from pegboard import Pegboard
from pegboard.http_tools.openapi.importing import import_openapi
from pegboard.http_tools.openapi.options import ImportOptions
from pegboard.http_tools.secrets import GivenSecrets
from pegboard.http_tools.tool import HttpRuntime, HttpTool
from pegboard.net.client import HttpClient
from pegboard.net.egress import EgressPolicy
from pegboard.registry import ToolRegistry
from tests.http_tools.openapi.things import document, imported, only, swagger, with_body
from tests.net.loopback import Exchange, serving

pytestmark = pytest.mark.anyio

STRING = {"type": "string"}
STRINGS = {"type": "array", "items": STRING}
OBJECT = {"type": "object"}
SECRETS = {"KEY": "k-1", "LOGIN_USERNAME": "ann", "LOGIN_PASSWORD": "pa:ss"}


async def sent(told: dict[str, Any], arguments: dict[str, Any], name: str = "it", **options: Any) -> Exchange:
    """What the server got for one call of a document's tool."""

    async def answer(exchange: Exchange) -> None:
        await exchange.reply(b'{"ok": true}', "Content-Type: application/json")

    async with serving(answer) as server, HttpClient() as client:
        found = import_openapi(told, ImportOptions(server=server.url("/v1"), **options))
        assert not found.failed, found.failed
        policy = EgressPolicy.allowing(origins=[server.url()])
        runtime = HttpRuntime(client=client, policy=policy, secrets=GivenSecrets(SECRETS))
        registry = ToolRegistry("api")
        registry.register(*(HttpTool(one, runtime).tool for one in found.definitions))
        async with Pegboard([registry]) as peg:
            board = await peg.open()
            result = (await board.call(name, arguments)).to_wire()
        assert not result.get("isError"), result
        (exchange,) = server.exchanges
        return exchange


def get(path: str, *parameters: dict[str, Any], **more: Any) -> dict[str, Any]:
    return document({path: {"get": {"operationId": "it", "parameters": list(parameters), **more}}})


def post(operation: dict[str, Any]) -> dict[str, Any]:
    return document({"/x": {"post": {"operationId": "it", **operation}}})


def parameter(name: str, where: str, schema: Any = STRING, **more: Any) -> dict[str, Any]:
    return {"name": name, "in": where, "schema": schema, **more}


@pytest.mark.parametrize(
    ("told", "arguments", "target"),
    [
        (get("/a/{pet-id}", parameter("pet-id", "path")), {"pet-id": "a/b c"}, "/v1/a/a%2Fb%20c"),
        (get("/a/{p}", parameter("p", "path", STRINGS, style="label")), {"p": ["x", "y"]}, "/v1/a/.x,y"),
        (
            get("/a/{p}", parameter("p", "path", STRINGS, style="matrix", explode=True)),
            {"p": ["x", "y"]},
            "/v1/a/;p=x;p=y",
        ),
        (
            get("/a/{p}/b/{q}", parameter("p", "path"), parameter("q", "path", {"type": "integer"})),
            {"p": "x", "q": 3.0},
            "/v1/a/x/b/3",
        ),
        (get("/a", parameter("tags", "query", STRINGS)), {"tags": ["x", "y&z"]}, "/v1/a?tags=x&tags=y%26z"),
        (
            get("/a", parameter("tags", "query", STRINGS, style="pipeDelimited", explode=False)),
            {"tags": ["x", "y"]},
            "/v1/a?tags=x%7Cy",
        ),
        (
            get("/a", parameter("f", "query", OBJECT, style="deepObject", explode=True)),
            {"f": {"a": "1", "b": "2"}},
            "/v1/a?f%5Ba%5D=1&f%5Bb%5D=2",
        ),
        (get("/a", parameter("f", "query", OBJECT)), {"f": {"a": "1", "b": "2"}}, "/v1/a?a=1&b=2"),
        (get("/a", parameter("filter[x]", "query")), {"filter_x": "1"}, "/v1/a?filter%5Bx%5D=1"),
        (
            get("/a", {"name": "q", "in": "query", "content": {"application/json": {"schema": OBJECT}}}),
            {"q": {"a": 1}},
            "/v1/a?q=%7B%22a%22%3A1%7D",
        ),
        (get("/a", parameter("s", "query"), parameter("n", "query")), {"s": None, "n": ""}, "/v1/a?n="),
        (get("/a?fixed=1", parameter("q", "query")), {"q": "2"}, "/v1/a?fixed=1&q=2"),
    ],
)
async def test_parameters_stand_in_the_address(told: Any, arguments: Any, target: str) -> None:
    assert (await sent(told, arguments)).path.replace("|", "%7C") == target


async def test_headers_and_cookies_are_sent_as_they_are_spelt() -> None:
    told = get(
        "/a",
        parameter("X-Tags", "header", STRINGS),
        parameter("X-Count", "header", {"type": "integer"}),
        parameter("sid", "cookie"),
        parameter("theme", "cookie"),
    )
    got = await sent(told, {"X-Tags": ["a", "b"], "X-Count": 3, "sid": "s 1", "theme": "dark"})
    assert (got.header("x-tags"), got.header("x-count")) == ("a,b", "3")
    assert (got.header("cookie") or "").split("; ") == ["sid=s%201", "theme=dark"]


@pytest.mark.parametrize(
    ("schema", "media", "arguments", "body"),
    [
        (
            {"type": "object", "properties": {"a-b": STRING, "n": OBJECT}},
            "application/json",
            {"a-b": "x"},
            {"a-b": "x"},
        ),
        (
            {"type": "object", "properties": {"a": STRING}},
            "application/merge-patch+json",
            {"a": "{{b}}"},
            {"a": "{{b}}"},
        ),
        (STRINGS, "application/json", {"body": ["a"]}, ["a"]),
        (STRING, "application/json", {"body": "true"}, "true"),
        ({"type": "boolean"}, "application/json", {"body": False}, False),
        ({**OBJECT, "additionalProperties": True}, "application/json", {"body": {"any": [1]}}, {"any": [1]}),
        ({"type": "string", "nullable": True}, "application/json", {"body": None}, None),
    ],
)
async def test_a_body_of_json_is_the_value(schema: Any, media: str, arguments: Any, body: Any) -> None:
    got = await sent(post(with_body(schema, media)), arguments)
    assert json.loads(got.body) == body
    assert got.header("content-type") == media


async def test_a_form_has_its_members_as_pairs() -> None:
    properties = {"a": STRING, "tags": STRINGS, "n": {"type": "integer"}}
    body = with_body({"type": "object", "properties": properties}, "application/x-www-form-urlencoded")
    got = await sent(post(body), {"a": "x y&z", "tags": ["1", "2"], "n": 0})
    assert parse_qsl(got.body.decode()) == [("a", "x y&z"), ("tags", "1"), ("tags", "2"), ("n", "0")]


async def test_a_form_that_is_open_is_one_argument() -> None:
    body = with_body({"type": "object", "additionalProperties": STRING}, "application/x-www-form-urlencoded")
    got = await sent(post(body), {"body": {"a": "1", "b": "2"}})
    assert parse_qsl(got.body.decode()) == [("a", "1"), ("b", "2")]


async def test_a_file_of_a_multipart_body_arrives_as_it_is() -> None:
    properties = {"file": {"type": "string", "format": "binary"}, "meta": OBJECT, "title": STRING}
    body = with_body({"type": "object", "required": ["file"], "properties": properties}, "multipart/form-data")
    data = b"\x00\r\n--\xff"
    file = {"data": base64.b64encode(data).decode(), "filename": "a.bin"}
    got = await sent(post(body), {"file": file, "meta": {"k": 1}, "title": "T"})
    assert (got.header("content-type") or "").startswith("multipart/form-data; boundary=")
    assert data in got.body
    assert b'filename="a.bin"' in got.body
    assert b'{"k":1}' in got.body


@pytest.mark.parametrize("media", ["text/plain", "text/csv; charset=utf-8", "application/xml"])
async def test_a_body_of_text_is_the_text(media: str) -> None:
    got = await sent(post(with_body(STRING, media)), {"body": "<é>\n"})
    assert got.body == "<é>\n".encode()
    assert (got.header("content-type") or "").startswith(media.partition(";")[0])


async def test_a_body_of_bytes_is_given_as_base64() -> None:
    body = with_body({"type": "string", "format": "binary"}, "application/octet-stream")
    got = await sent(post(body), {"body": {"data": base64.b64encode(b"\x00\x01").decode()}})
    assert got.body == b"\x00\x01"


async def test_a_body_that_may_be_left_out_is() -> None:
    told = post(with_body({"type": "object", "properties": {"a": STRING}}, required=False))
    assert (await sent(told, {})).body == b""
    assert json.loads((await sent(told, {"a": "x"})).body) == {"a": "x"}
    assert json.loads((await sent(post(with_body({"type": "object", "properties": {"a": STRING}})), {})).body) == {}


@pytest.mark.parametrize(
    ("scheme", "where"),
    [
        ({"type": "apiKey", "in": "header", "name": "X-Key"}, ("x-key", "k-1")),
        ({"type": "http", "scheme": "bearer"}, ("authorization", "Bearer k-1")),
        ({"type": "apiKey", "in": "cookie", "name": "sid"}, ("cookie", "sid=k-1")),
    ],
)
async def test_who_calls_is_proved_by_the_scheme(scheme: Any, where: tuple[str, str]) -> None:
    told = {**get("/a", security=[{"s": []}]), "components": {"securitySchemes": {"s": scheme}}}
    got = await sent(told, {}, secrets={"s": "KEY"})
    assert got.header(where[0]) == where[1]


async def test_a_key_of_the_query_and_a_login_are_sent_together() -> None:
    schemes = {"login": {"type": "http", "scheme": "basic"}, "s": {"type": "apiKey", "in": "query", "name": "key"}}
    told = {**get("/a", security=[{"s": [], "login": []}]), "components": {"securitySchemes": schemes}}
    got = await sent(told, {}, secrets={"s": "KEY"})
    assert got.path == "/v1/a?key=k-1"
    assert got.header("authorization") == "Basic " + base64.b64encode(b"ann:pa:ss").decode()


async def test_a_document_of_2_0_is_sent_alike() -> None:
    parameters = [
        {"name": "id", "in": "path", "type": "integer", "required": True},
        {"name": "csv", "in": "query", **STRINGS},
        {"name": "multi", "in": "query", "collectionFormat": "multi", **STRINGS},
        {"name": "ssv", "in": "query", "collectionFormat": "ssv", **STRINGS},
        {"name": "f", "in": "formData", "type": "string"},
    ]
    told = swagger({"/a/{id}": {"post": {"operationId": "it", "parameters": parameters}}})
    values = ["x", "y"]
    got = await sent(told, {"id": 7, "csv": values, "multi": values, "ssv": values, "f": "v"})
    assert got.path == "/v1/a/7?csv=x,y&multi=x&multi=y&ssv=x%20y"
    assert got.body == b"f=v"


async def test_one_name_in_three_places_goes_to_each() -> None:
    body = with_body({"type": "object", "required": ["id"], "properties": {"id": {"type": "integer"}}})
    item = {"operationId": "it", "parameters": [parameter("id", "path"), parameter("id", "query")], **body}
    got = await sent(document({"/u/{id}": {"put": item}}), {"id": "p", "query_id": "q", "body_id": 8})
    assert (got.path, json.loads(got.body)) == ("/v1/u/p?id=q", {"id": 8})


async def test_a_reply_of_json_is_asked_for_where_there_are_others() -> None:
    responses: dict[str, Any] = {"200": {"content": {"application/xml": {}, "application/json": {}}}}
    assert (await sent(get("/a", responses=responses), {})).header("accept") == "application/json"


def headed(**headers: Any) -> dict[str, Any]:
    """An operation with a body of two parts that have these headers."""
    properties = {"photo": {"type": "string", "format": "binary"}, "note": STRING}
    schema = {"type": "object", "required": ["photo"], "properties": properties}
    encoding = {name: {"headers": headers} for name in properties}
    return with_body(schema, "multipart/form-data", encoding=encoding)


async def test_headers_of_parts_are_arguments_and_arrive_with_their_parts() -> None:
    told = headed(**{"X-Rights": {"schema": {"type": "string", "enum": ["free", "paid"]}, "required": True}})
    definition = only(told)
    assert definition.parameters["required"] == ["photo", "photo_X-Rights"]
    assert definition.parameters["properties"]["photo_X-Rights"] == {
        "type": "string",
        "enum": ["free", "paid"],
        "description": "Sent as a header of a part of the body, 'photo: X-Rights'.",
    }
    paths = {"/x": {"post": {"operationId": "it", "responses": {}, **told}}}
    got = await sent(document(paths), {"photo": "QUJD", "photo_X-Rights": "free", "note": "n"})
    photo, note = got.body.split(b'name="note"')
    assert b"\r\nX-Rights: free\r\n\r\nABC\r\n" in photo
    assert b"X-Rights" not in note


@pytest.mark.parametrize(
    ("kinds", "note"),
    [
        (["application/json"], ""),
        (["application/json", "multipart/form-data"], "multipart/form-data is sent, and not application/json"),
        (
            ["text/csv", "multipart/form-data", "application/json"],
            "multipart/form-data is sent, and not text/csv or application/json",
        ),
        (["Multipart/Form-Data; boundary=x", "multipart/form-data"], ""),
    ],
)
def test_which_of_several_media_types_is_sent_is_said_and_each_of_the_others_once(kinds: list[str], note: str) -> None:
    schema = {"type": "object", "properties": {"photo": {"type": "string", "format": "binary"}}}
    body = {"content": {kind: {"schema": schema} for kind in kinds}}
    (operation,) = imported({"/x": {"post": {"operationId": "it", "requestBody": body, "responses": {}}}}).operations
    assert [one for one in operation.notes if "is sent" in one] == ([note] if note else [])


def test_what_is_no_header_of_a_part_is_left_out_with_a_note() -> None:
    headers = {
        "Content-Type": {"schema": STRING},
        "Content-Disposition": {"schema": STRING},
        "X-List": {"schema": STRINGS},
        "X-Json": {"content": {"application/json": {"schema": {}}}},
        "a b": {"schema": STRING},
        "X-Far": {"$ref": "https://a.example/far.json"},
        "X-Ok": {"schema": {"type": "integer"}},
    }
    found = imported({"/x": {"post": {"operationId": "it", "responses": {}, **headed(**headers)}}})
    (operation,) = found.operations
    assert set(operation.definition.parameters["properties"]) == {"photo", "note", "photo_X-Ok", "note_X-Ok"}
    notes = " ".join(operation.notes)
    for left in ("Content-Disposition", "X-List", "X-Json", "a b", "X-Far"):
        assert f"the header {left!r} of the part 'photo' is left out: " in notes
    assert "Content-Type" not in notes
