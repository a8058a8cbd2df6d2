"""Random operations and values, sent to a real server: it understands exactly what was given.

Left out, because no text could tell them: an empty list or object, which is absent; one empty text alone in a path; and
what is refused, because it would arrive as another value: the delimiter inside of an item where the delimiter itself is
encoded (blank, pipe, tab) or nothing is (headers), blanks around a header's texts, and brackets in names of
``deepObject``. That those are refused, and nothing is sent, is held too.
"""

from __future__ import annotations

import json
import ssl
from base64 import b64encode
from collections.abc import Iterator
from typing import Any
from urllib.parse import unquote, unquote_plus

import anyio
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from pegboard import Pegboard, ToolRegistry, ToolResult
from pegboard.http_tools.reading import read_definition
from pegboard.http_tools.request import STYLES
from pegboard.http_tools.tool import HttpRuntime, HttpTool
from pegboard.net.client import HttpClient
from pegboard.net.egress import EgressPolicy
from tests.http_tools import decoding
from tests.http_tools.decoding import ABSENT
from tests.http_tools.echo import Echo, echoing

pytestmark = pytest.mark.anyio

TLS = ssl.create_default_context()
"""Made once, since that takes longer than a request; nothing here uses it."""


@pytest.fixture(scope="module")
def echo() -> Iterator[Echo]:
    with echoing() as server:
        yield server


async def send(echo: Echo, request: dict[str, Any], properties: dict[str, Any], arguments: dict[str, Any]) -> Any:
    """Call an operation; the request that arrived, or the error's code where nothing did."""
    parts = {key: part for key, part in request.items() if key != "path"}
    value = {
        "name": "op",
        "description": "An operation",
        "parameters": {"type": "object", "properties": properties, "required": []},
        "request": {"method": "POST", **parts, "url": echo.url + request.get("path", "/")},
    }
    read = read_definition(value, imported=True)
    assert read.definition is not None, [str(mistake) for mistake in read.mistakes]
    echo.requests.clear()
    async with HttpClient(tls=TLS) as client:
        runtime = HttpRuntime(client=client, policy=EgressPolicy.allowing(origins=[echo.url]))
        registry = ToolRegistry("http")
        registry.register(HttpTool(read.definition, runtime).tool)
        result = await (await Pegboard([registry]).open()).call("op", arguments)
    assert isinstance(result, ToolResult)
    if result.is_error:
        assert not echo.requests
        return result.structured["error"]["code"]
    (request,) = echo.requests  # type: ignore[assignment]
    return request


TEXTS = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=8)
SPECIAL = st.text(" ,;|.=&%+[]/?#\t\"'\\é漢\n..", max_size=5)
STRINGS = TEXTS | SPECIAL | st.sampled_from([".", "..", "a b", "%2E", "a,b", "a&b=c", "true", "null", "1.5"])
SCALARS: dict[str, st.SearchStrategy[Any]] = {
    "string": STRINGS,
    "integer": st.integers(-(2**60), 2**60),
    "number": st.floats(allow_nan=False, allow_infinity=False).filter(lambda one: not one.is_integer()),
    "boolean": st.booleans(),
}


@st.composite
def typed(draw: st.DrawFn) -> tuple[dict[str, Any], Any]:
    """A schema of a scalar, a list or an object, and a value of it."""
    kind = draw(st.sampled_from(list(SCALARS)))
    shape = draw(st.sampled_from(["scalar", "array", "object"]))
    if shape == "scalar":
        return {"type": kind}, draw(SCALARS[kind])
    if shape == "array":
        return {"type": "array", "items": {"type": kind}}, draw(st.lists(SCALARS[kind], max_size=4))
    members = st.dictionaries(STRINGS.filter(bool), SCALARS[kind], max_size=4)
    return {"type": "object", "additionalProperties": {"type": kind}}, draw(members)


@st.composite
def nested(draw: st.DrawFn, depth: int = 3) -> tuple[dict[str, Any], Any]:
    """A schema of an object of some depth, and a value of it without anything empty."""
    names = draw(st.lists(STRINGS.filter(bool), min_size=1, max_size=3, unique=True))
    properties, value = {}, {}
    for name in names:
        schema, inner = draw(nested(depth - 1) if depth and draw(st.booleans()) else typed())
        if inner not in ([], {}):
            properties[name], value[name] = schema, inner
    return {"type": "object", "properties": properties}, value


def texts_in(value: Any) -> list[str]:
    """Every text that stands between delimiters."""
    if isinstance(value, dict):
        return [text for name, one in value.items() for text in (name, *texts_in(one))]
    if isinstance(value, list):
        return [text for one in value for text in texts_in(one)]
    return [value] if isinstance(value, str) else []


MARKS = {"spaceDelimited": " ", "pipeDelimited": "|", "tabDelimited": "\t"}


def ambiguous(where: str, style: str, explode: bool, value: Any) -> bool:
    """Whether no text could tell the value from another one."""
    texts, compound = texts_in(value), isinstance(value, (dict, list))
    if style == "deepObject":
        return any(set("[]") & set(name) for name in names_in(value))
    exploded_pairs = explode and where in ("query", "cookie")
    if compound and not exploded_pairs and style in MARKS and any(MARKS[style] in text for text in texts):
        return True
    if where != "header":
        return False
    if compound and style == "simple" and any("," in text for text in texts):
        return True
    if compound and explode and isinstance(value, dict) and any("=" in name for name in value):
        return True
    whole = texts if not compound else [texts[0], texts[-1], *texts] if texts else []
    control = any(char != "\t" and (ord(char) < 32 or ord(char) == 127) for text in texts for char in text)
    return control or any(text != text.strip(" \t") for text in whole) or lost_ends(style, explode, value)


def lost_ends(style: str, explode: bool, value: Any) -> bool:
    """Whether a header would begin or end with a delimiter that is a blank."""
    if not isinstance(value, (dict, list)) or (explode and isinstance(value, dict)):
        return False
    texts = [one for pair in value.items() for one in pair] if isinstance(value, dict) else value
    return len(texts) > 1 and style in ("spaceDelimited", "tabDelimited") and "" in (texts[0], texts[-1])


def names_in(value: Any) -> list[str]:
    if isinstance(value, dict):
        return [found for name, one in value.items() for found in (name, *names_in(one))]
    return [found for one in value for found in names_in(one)] if isinstance(value, list) else []


PLACES = [(where, style, explode) for where, styles in STYLES.items() for style in styles for explode in (False, True)]
EXAMPLES = settings(
    deadline=None, max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow]
)


@pytest.mark.parametrize(("where", "style", "explode"), PLACES)
def test_a_service_understands_exactly_what_was_given(echo: Echo, where: str, style: str, explode: bool) -> None:
    @EXAMPLES
    @given(nested() if style == "deepObject" else typed(), st.booleans())
    def check(drawn: tuple[dict[str, Any], Any], reserved: bool) -> None:
        schema, value = drawn
        name = "x-é" if where in ("path", "query") else "x-Name"
        place: dict[str, Any] = {"param": "arg", "name": name, "in": where, "style": style, "explode": explode}
        place["allow_reserved"] = reserved and where == "query"
        request = {"path": "/before/{{arg}}/after" if where == "path" else "/op", "parameters": [place]}
        came = anyio.run(send, echo, request, {"arg": schema}, {"arg": value})
        if ambiguous(where, style, explode, value):
            assert came == "invalid_arguments"
            return
        if value in ([], {}):
            assert came == "invalid_arguments" if where == "path" else came.query == ""
            return
        if came == "invalid_arguments" and where == "path":
            assert empty_segment(style, explode, value)
            return
        found = understood(came, where, name, style, explode, schema)
        assert found == value
        assert type(found) is type(value)

    check()


def empty_segment(style: str, explode: bool, value: Any) -> bool:
    """Whether a value would be a segment that names another resource."""
    if isinstance(value, dict) or style == "matrix":
        return False
    texts, between = texts_in(value), "." if style == "label" and explode else ","
    return ("." if style == "label" else "") + between.join(texts) in ("", ".", "..") and len(texts) > 0


def understood(came: Any, where: str, name: str, style: str, explode: bool, schema: Any) -> Any:
    if where == "path":
        before, segment, after = came.path.removeprefix("/").split("/")
        assert (before, after) == ("before", "after")
        return decoding.in_path(segment, "x-%C3%A9", style, explode, schema)
    if where == "header":
        return decoding.in_header(came.header(name), style, explode, schema)
    pairs = came.query.split("&") if where == "query" else came.header("Cookie").split("; ")
    return decoding.in_pairs(pairs, name, style, explode, schema)


@pytest.mark.parametrize("style", STYLES["query"])
@pytest.mark.parametrize("explode", [False, True])
def test_a_form_is_understood_in_every_style(echo: Echo, style: str, explode: bool) -> None:
    @EXAMPLES
    @given(nested() if style == "deepObject" else typed(), st.booleans())
    def check(drawn: tuple[dict[str, Any], Any], whole: bool) -> None:
        schema, value = drawn
        request = {
            "body": "{{arg}}" if whole else {"m": "{{arg}}"},
            "body_type": "application/x-www-form-urlencoded",
            "encoding": {"m": {"style": style, "explode": explode}},
        }
        argument = {"m": value} if whole else value
        properties = {"arg": {"type": "object", "properties": {"m": schema}} if whole else schema}
        came = anyio.run(send, echo, request, properties, {"arg": argument})
        if ambiguous("query", style, explode, value):
            assert came == "invalid_arguments"
            return
        assert came.header("Content-Type") == "application/x-www-form-urlencoded"
        pairs = came.body.decode("ascii").split("&") if came.body else []
        found = decoding.in_pairs(pairs, "m", style, explode, schema, unquote_plus)
        assert found == (ABSENT if value in ([], {}) else value)

    check()


JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53), 2**53) | STRINGS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(STRINGS, inner, max_size=3),
    max_leaves=6,
)


def test_any_json_body_arrives_as_it_was(echo: Echo) -> None:
    @EXAMPLES
    @given(JSON, st.sampled_from(["application/json", "application/merge-patch+json", "application/vnd.x+json; v=1"]))
    def check(value: Any, kind: str) -> None:
        came = anyio.run(send, echo, {"body": "{{arg}}", "body_type": kind}, {"arg": {}}, {"arg": value})
        assert came.header("Content-Type") == kind
        assert json.loads(came.body) == value

    check()


def test_any_parts_arrive_as_they_were(echo: Echo) -> None:

    @EXAMPLES
    @given(
        st.dictionaries(TEXTS.filter(lambda name: name and "%" not in name), STRINGS, min_size=1, max_size=3),
        st.lists(st.binary(max_size=40) | st.just(b"\r\n--x\r\n--"), max_size=3),
        JSON,
        TEXTS,
    )
    def check(fields: dict[str, str], files: list[bytes], told: Any, filename: str) -> None:
        if any(ord(char) < 32 or ord(char) == 127 for name in fields for char in name if char not in "\r\n"):
            return
        fields = {f"f{name}": text for name, text in fields.items()}
        given_files = [{"data": b64encode(data).decode(), "filename": filename} for data in files]
        value = {**fields, "files": given_files, "told": {"in": told}}
        request = {
            "body": "{{arg}}",
            "body_type": "multipart/form-data",
            "encoding": {"files": {"file": True, "content_type": "image/*"}},
        }
        came = anyio.run(send, echo, request, {"arg": {"type": "object"}}, {"arg": value})
        parts = decoding.parts_of(came.body, came.header("Content-Type"))
        sent = {name: text.encode() for name, text in fields.items()}
        assert {name: data for name, _, kind, data in parts if not kind} == sent
        assert [data for name, _, kind, data in parts if kind == "application/octet-stream"] == files
        (other,) = [data for name, _, kind, data in parts if kind == "application/json"]
        assert json.loads(other) == {"in": told}
        assert all(file and "/" not in file for name, file, kind, _ in parts if name == "files")

    check()


async def test_several_parameters_stand_beside_one_another(echo: Echo) -> None:
    places = [
        {"param": "id", "name": "id", "in": "path"},
        {"param": "ids", "name": "ids", "in": "query", "explode": False},
        {"param": "f", "name": "f", "in": "query", "style": "deepObject", "explode": True},
        {"param": "json", "name": "j", "in": "query", "content_type": "application/json"},
        {"param": "h", "name": "X-H", "in": "header"},
        {"param": "a", "name": "a", "in": "cookie"},
        {"param": "b", "name": "b", "in": "cookie", "explode": False},
    ]
    properties: dict[str, Any] = {name: {} for name in ("id", "ids", "f", "json", "h", "a", "b")}
    arguments = {
        "id": "x/../y?z#",
        "ids": ["1,2", "3"],
        "f": {"a": {"b": [1, {"c": "&"}]}, "d": None},
        "json": {"k": ["v&"]},
        "h": ["p", "q"],
        "a": "1; admin=1",
        "b": ["x", "y"],
    }
    request = {"path": "/v/{{id}}?own=1", "query": {"fixed": "é"}, "parameters": places, "method": "GET"}
    came = await send(echo, request, properties, arguments)
    assert came.path == "/v/x%2F..%2Fy%3Fz%23"
    pairs = came.query.split("&")
    assert pairs[:3] == ["own=1", "fixed=%C3%A9", "ids=1%2C2,3"]
    assert [unquote(pair) for pair in pairs[3:5]] == ["f[a][b][0]=1", "f[a][b][1][c]=&"]
    assert json.loads(unquote(pairs[5].partition("=")[2])) == arguments["json"]
    assert came.header("X-H") == "p,q"
    assert came.header("Cookie") == "a=1%3B%20admin%3D1; b=x,y"


@pytest.mark.parametrize("where", ["query", "header", "cookie"])
async def test_null_and_nothing_leave_a_parameter_out(echo: Echo, where: str) -> None:
    place = {"param": "arg", "name": "x", "in": where}
    several: list[dict[str, Any]] = [{}, {"arg": None}, {"arg": []}, {"arg": {}}]
    for arguments in several:
        came = await send(echo, {"parameters": [place]}, {"arg": {}}, arguments)
        assert (came.query, came.header("x"), came.header("cookie")) == ("", None, None)


@pytest.mark.parametrize("style", ["simple", "pipeDelimited", "spaceDelimited", "tabDelimited"])
@pytest.mark.parametrize("value", [["a", " ", "b"], ["a", "\t", "b"], {"a": 0, " ": 0}])
async def test_no_item_of_a_header_is_a_blank(echo: Echo, style: str, value: Any) -> None:
    place = {"param": "arg", "name": "x-name", "in": "header", "style": style}
    assert await send(echo, {"parameters": [place]}, {"arg": {}}, {"arg": value}) == "invalid_arguments"


@pytest.mark.parametrize("value", [None, "", ".", "..", [], {}, [""], ["."], [".."]])
@pytest.mark.parametrize("style", ["simple", "label"])
async def test_a_path_never_names_another_resource(echo: Echo, style: str, value: Any) -> None:
    place = {"param": "arg", "name": "arg", "in": "path", "style": style}
    request = {"path": "/a/{{arg}}", "parameters": [place]}
    came = await send(echo, request, {"arg": {}}, {"arg": value})
    if style == "label" and value in ("..", [".."]):
        assert came.path == "/a/..."
    else:
        assert came == "invalid_arguments"


@pytest.mark.parametrize("where", ["query", "cookie"])
@pytest.mark.parametrize("name", ["key", "other", "other[x]", "fixed"])
async def test_an_objects_members_stand_for_no_other_parameter(echo: Echo, where: str, name: str) -> None:
    places = [{"param": "obj", "name": "obj", "in": where}, {"param": "other", "name": "other", "in": where}]
    fixed = {"query": {"fixed": "1"}} if where == "query" else {"headers": {"Cookie": "fixed=1"}}
    request = {"parameters": [*places, {"param": "key", "name": "key", "in": where}], **fixed}
    properties: dict[str, Any] = {"obj": {}, "other": {}, "key": {}}
    assert await send(echo, request, properties, {"obj": {name: "1"}}) == "invalid_arguments"
    assert await send(echo, request, properties, {"obj": {"mine": "1"}}) != "invalid_arguments"


@pytest.mark.parametrize(
    ("kind", "value", "sent", "announced"),
    [
        ("text/plain", "é\n", "é\n", "text/plain; charset=utf-8"),
        ("text/csv", 'a,"b"', 'a,"b"', "text/csv; charset=utf-8"),
        ("application/xml", "<a>é</a>", "<a>é</a>", "application/xml"),
        ("application/json", "a text", '"a text"', "application/json"),
        ("application/json", 5, "5", "application/json"),
        ("application/json", None, "null", "application/json"),
        ("image/png", "iVBORw==", "\ufffdPNG", "image/png"),
        ("application/pdf", {"data": "JVBERg"}, "%PDF", "application/pdf"),
    ],
)
async def test_a_body_of_one_argument_is_written_by_its_type(
    echo: Echo, kind: str, value: Any, sent: str, announced: str
) -> None:
    came = await send(echo, {"body": "{{arg}}", "body_type": kind}, {"arg": {}}, {"arg": value})
    assert (came.body.decode("utf-8", "replace"), came.header("Content-Type")) == (sent, announced)


@pytest.mark.parametrize("kind", ["application/json", "text/plain", "image/png"])
async def test_a_body_that_is_not_given_is_not_sent(echo: Echo, kind: str) -> None:
    came = await send(echo, {"body": "{{arg}}", "body_type": kind}, {"arg": {}}, {})
    assert (came.body, came.header("Content-Type")) == (b"", None)


@pytest.mark.parametrize(
    "kind", ["application/json", "application/x-www-form-urlencoded", "multipart/form-data", "application/x-y+json"]
)
async def test_an_optional_body_without_any_member_is_not_sent(echo: Echo, kind: str) -> None:
    request = {"body": {"a": "{{a}}", "b": "{{b}}"}, "body_type": kind, "body_optional": True}
    came = await send(echo, request, {"a": {}, "b": {}}, {})
    assert (came.body, came.header("Content-Type")) == (b"", None)
    came = await send(echo, request, {"a": {}, "b": {}}, {"b": "1"})
    assert came.body
    assert came.header("Content-Type").startswith(kind)
