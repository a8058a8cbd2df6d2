from __future__ import annotations

import json
from typing import Any
from urllib.parse import parse_qsl, unquote, urlsplit

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pegboard.errors import CallError, InvalidArgumentsError, ToolError
from pegboard.http_tools.filling import Values
from pegboard.http_tools.template import template_of
from tests.http_tools.things import URL, call, define

pytestmark = pytest.mark.anyio

X = {"properties": {"x": {"type": "string"}}}


def parameter(kind: str, **more: Any) -> dict[str, Any]:
    return {"properties": {"x": {"type": kind, **more}}}


@pytest.mark.golden("insika_data_tool_request/url_float_1e15", "insika_data_tool_request/url_float_1e16")
@pytest.mark.parametrize(("value", "text"), [(1e15, "1000000000000000.0"), (1e16, "1e%2B16"), (-0.5, "-0.5")])
async def test_numbers_in_a_path_are_written_as_json_writes_them(value: float, text: str) -> None:
    called = await call(define(url=f"{URL}/{{{{x}}}}", parameters=parameter("number")), {"x": value})
    assert called.request.path == f"/v1/{text}"


@pytest.mark.golden("insika_data_tool_request/url_missing_optional", "insika_data_tool_request/url_null_optional")
@pytest.mark.parametrize("arguments", [{}, {"x": None}, {"x": ""}, {"x": "."}, {"x": ".."}])
async def test_a_path_is_never_shorter_than_it_was_written(arguments: dict[str, Any]) -> None:
    called = await call(define(url="http://8.8.8.8/items/{{x}}/end", parameters=X), arguments)
    assert called.result.is_error
    assert "x: " in called.text
    assert not called.connects


@pytest.mark.parametrize("value", ["%2e", "..%2f", "a/..", "\\..", "...", "%2e%2e"])
async def test_what_only_looks_like_dots_stays_one_segment(value: str) -> None:
    called = await call(define(url="http://8.8.8.8/items/{{x}}/end", parameters=X), {"x": value})
    _, items, segment, end = called.request.path.split("/")
    assert (items, unquote(segment), end) == ("items", value, "end")


@pytest.mark.parametrize("value", [".", "%2e"])
async def test_dots_that_only_come_together_in_the_path_are_refused(value: str) -> None:
    called = await call(define(url="http://8.8.8.8/a/.{{x}}", parameters=X), {"x": value})
    assert called.result.is_error is (value == ".")


@pytest.mark.golden("insika_data_tool_request/query_static_value_not_encoded")
async def test_static_texts_of_a_query_are_encoded_too() -> None:
    called = await call(define(query={"q": "a b&c=d", "a&b": "1"}))
    assert called.request.path == "/v1?q=a%20b%26c%3Dd&a%26b=1"


@pytest.mark.golden(
    "insika_data_tool_request/query_missing_optional_sends_empty",
    "insika_data_tool_request/query_null_optional_sends_empty",
)
@pytest.mark.parametrize("arguments", [{}, {"x": None}])
async def test_a_pair_whose_value_is_absent_is_not_sent(arguments: dict[str, Any]) -> None:
    called = await call(define(query={"q": "{{x}}", "r": "a {{x}}", "lang": "en"}, parameters=X), arguments)
    assert called.request.path == "/v1?lang=en"


async def test_an_empty_text_is_a_value() -> None:
    called = await call(define(query={"q": "{{x}}"}, headers={"X-A": "{{x}}"}, parameters=X), {"x": ""})
    assert called.request.path == "/v1?q="
    assert called.request.header("X-A") == ""


@pytest.mark.golden(
    "insika_data_tool_request/query_url_ends_with_question_mark",
    "insika_data_tool_request/query_url_has_fragment",
)
@pytest.mark.parametrize(
    ("url", "path"), [("?", "?b=2"), ("#frag", "?b=2"), ("?a=1#frag?x", "?a=1&b=2"), ("?a", "?a&b=2")]
)
async def test_a_query_is_joined_to_what_the_address_has(url: str, path: str) -> None:
    called = await call(define(url=URL + url, query={"b": "2"}))
    assert called.request.path == f"/v1{path}"


async def test_a_placeholder_in_the_addresses_own_query_stays_one_value() -> None:
    definition = define(url=f"{URL}?a={{{{x}}}}&b=1", parameters=X)
    assert (await call(definition, {"x": "1&admin=true"})).request.path == "/v1?a=1%26admin%3Dtrue&b=1"
    assert (await call(definition, {})).request.path == "/v1?b=1"


async def test_a_list_is_sent_as_a_pair_for_each_item() -> None:
    schema = parameter("array", items={"type": "integer"})
    called = await call(define(query={"id": "{{x}}", "k": ["a", "b"]}, parameters=schema), {"x": [1, 2]})
    assert called.request.path == "/v1?id=1&id=2&k=a&k=b"


@pytest.mark.golden("insika_data_tool_request/header_not_percent_encoded")
async def test_a_header_carries_any_script_as_utf_8() -> None:
    called = await call(define(headers={"X-A": "n={{x}}"}, parameters=X), {"x": 'a b/é&"日'})
    assert called.request.header("x-a") == 'n=a b/é&"日'


@pytest.mark.parametrize("value", ["a\r\nX-Evil: 1", "a\nb", "a\rb", "a\x00b", "a\x7fb"])
async def test_no_header_gains_a_line(value: str) -> None:
    called = await call(define(headers={"X-Note": "{{x}}"}, parameters=X), {"x": value})
    assert called.result.is_error
    assert "x: has a line break or control character, which the header 'X-Note' cannot hold" in called.text
    assert "Evil" not in called.text
    assert not called.connects


async def test_a_header_whose_value_is_absent_is_not_sent() -> None:
    assert (await call(define(headers={"X-A": "v {{x}}"}, parameters=X))).request.header("X-A") is None


@pytest.mark.golden(
    "insika_data_tool_request/body_string_without_quotes_in_template",
    "insika_data_tool_request/body_string_raw_position_changes_structure",
)
@pytest.mark.parametrize("value", ["hello", "1,2,null", '"]}', "{{x}}", "a\n"])
async def test_a_text_outside_of_quotes_is_one_text_all_the_same(value: str) -> None:
    called = await call(define(method="POST", body='{"ids":[{{x}}]}', parameters=X), {"x": value})
    assert json.loads(called.request.body) == {"ids": [value]}


@pytest.mark.golden("insika_data_tool_request/body_null_optional_quoted")
@pytest.mark.parametrize("body", ['{"q":"{{x}}","r":[{{x}}, 1],"s":1}', {"q": "{{x}}", "r": ["{{x}}", 1], "s": 1}])
async def test_a_member_whose_value_is_absent_is_not_sent(body: Any) -> None:
    called = await call(define(method="POST", body=body, parameters=X))
    assert json.loads(called.request.body) == {"r": [1], "s": 1}


@pytest.mark.golden("insika_tool_definition_build/request_body_hash_is_ruby_inspect")
async def test_a_body_that_is_written_as_a_table_is_sent_as_json() -> None:
    called = await call(define(method="POST", body={"a": 1, "b": [True, None, "é"]}))
    assert called.request.body == '{"a":1,"b":[true,null,"é"]}'.encode()


@pytest.mark.golden("insika_http_client/post_without_content_type")
@pytest.mark.parametrize(
    ("body", "headers", "announced"),
    [
        ({"a": 1}, {}, "application/json"),
        ('{"a":1}', {}, "application/json"),
        ({"a": 1}, {"content-type": "application/vnd.api+json"}, "application/vnd.api+json"),
        ("plain", {}, "text/plain; charset=utf-8"),
    ],
)
async def test_a_body_is_announced_as_what_it_is(body: Any, headers: dict[str, str], announced: str) -> None:
    called = await call(define(method="POST", body=body, headers=headers))
    assert called.request.header("content-type") == announced


@pytest.mark.parametrize(
    ("kind", "value"), [("integer", 5), ("number", 2.5), ("boolean", False), ("object", {"a": [1]}), ("string", "5")]
)
async def test_values_land_in_json_with_their_type(kind: str, value: Any) -> None:
    for body in ({"v": "{{x}}"}, '{"v": {{x}}}'):
        called = await call(define(method="POST", body=body, parameters=parameter(kind)), {"x": value})
        assert json.loads(called.request.body) == {"v": value}


async def test_in_quotes_of_a_written_text_a_value_is_text() -> None:
    called = await call(define(method="POST", body='{"v":"{{x}}"}', parameters=parameter("integer")), {"x": 5})
    assert called.request.body == b'{"v":"5"}'


async def test_a_form_is_encoded_as_one() -> None:
    headers = {"Content-Type": "application/x-www-form-urlencoded"}
    for body in ({"q": "a {{x}}", "n": 1}, "q=a {{x}}&n=1"):
        called = await call(define(method="POST", body=body, headers=headers, parameters=X), {"x": "b&c=d é"})
        assert called.request.body == b"q=a+b%26c%3Dd+%C3%A9&n=1"


async def test_plain_text_takes_values_only_where_it_is_announced_as_such() -> None:
    definition = define(method="POST", body="Hello {{x}}", headers={"Content-Type": "text/plain"}, parameters=X)
    assert (await call(definition, {"x": "<b>"})).request.body == b"Hello <b>"


@pytest.mark.golden("insika_data_tool_request/ctx_missing_everywhere")
@pytest.mark.parametrize(
    "place",
    [
        {"url": f"{URL}/{{{{ctx.tenant_id}}}}"},
        {"headers": {"X": "{{ctx.tenant_id}}"}},
        {"query": {"t": "{{ctx.tenant_id}}"}},
        {"method": "POST", "body": {"t": "{{ctx.tenant_id}}"}},
    ],
)
@pytest.mark.parametrize("context", [{}, {"tenant_id": None}, {"tenant_id": ""}])
async def test_a_request_without_its_tenant_is_not_sent(place: dict[str, Any], context: dict[str, Any]) -> None:
    called = await call(define(**place), {"tenant_id": "evil", "ctx.tenant_id": "evil"}, context=context)
    assert called.result.is_error
    assert "'tenant_id'" in called.text
    assert not called.connects


async def test_the_context_is_the_callers_whatever_the_arguments_say() -> None:
    definition = define(headers={"X": "{{ctx.tenant_id}}/{{tenant_id}}"}, parameters=[{"name": "tenant_id"}])
    called = await call(definition, {"tenant_id": "evil", "ctx": {"tenant_id": "evil"}}, context={"tenant_id": "acme"})
    assert called.request.header("X") == "acme/evil"


async def test_lossless_text_forms_stay_as_written_in_texts_and_become_numbers_in_json() -> None:
    fields = {"arguments": "lossless", "method": "POST", "parameters": parameter("integer")}
    called = await call(define(url=f"{URL}/{{{{x}}}}", body={"n": "{{x}}"}, **fields), {"x": "007"})
    assert (called.request.path, called.request.body) == ("/v1/007", b'{"n":7}')
    refused = await call(define(url=f"{URL}/{{{{x}}}}", **{**fields, "arguments": "strict"}), {"x": "007"})
    assert refused.result.is_error


TEXTS = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=30)


@given(TEXTS)
def test_whatever_a_value_holds_it_stays_in_its_place(value: str) -> None:
    definition = define(
        url="http://8.8.8.8/a/{{x}}/z?own={{x}}",
        method="POST",
        query={"q": "{{x}}"},
        body={"b": "{{x}}", "t": "-{{x}}-"},
        parameters=X,
    )
    try:
        built = template_of(definition).build(Values({"x": value}))
    except CallError:
        assert value in (".", "..")
        return
    parts = urlsplit(built.url)
    assert (parts.scheme, parts.netloc, parts.fragment) == ("http", "8.8.8.8", "")
    assert [unquote(segment) for segment in parts.path.split("/")] == ["", "a", value, "z"]
    assert parse_qsl(parts.query, keep_blank_values=True) == [("own", value), ("q", value)]
    assert json.loads(built.body) == {"b": value, "t": f"-{value}-"}


@pytest.mark.parametrize("name", ["Cookie", "cookie"])
def test_a_value_begins_no_other_cookie(name: str) -> None:
    parameters = {"type": "object", "properties": {"lang": {"type": "string"}}, "required": ["lang"]}
    template = template_of(define(parameters=parameters, headers={name: "sid=1; lang={{lang}}"}))
    assert template.build(Values({"lang": "pt"})).headers == {name: "sid=1; lang=pt"}
    with pytest.raises(InvalidArgumentsError, match="another cookie") as caught:
        template.build(Values({"lang": "pt; sid=2"}))
    assert "sid=2" not in str(caught.value)


def test_a_host_that_is_not_chosen_is_asked_for() -> None:
    parameters = {"type": "object", "properties": {"r": {"type": "string", "enum": ["a", "b"]}}, "required": []}
    template = template_of(define(parameters=parameters, url="https://{{r}}.example.com/"))
    assert template.build(Values({"r": "b"})).url == "https://b.example.com/"
    with pytest.raises(InvalidArgumentsError, match="r: is needed for the host"):
        template.build(Values({}))


@pytest.mark.parametrize("value", ["half \ud800", float("nan"), float("inf"), object(), {"a": ["\udfff"]}])
@pytest.mark.parametrize(
    "place", [{"url": f"{URL}/{{{{ctx.tenant_id}}}}"}, {"method": "POST", "body": {"t": "{{ctx.tenant_id}}"}}]
)
def test_a_value_of_the_context_that_no_request_can_hold_is_refused(place: dict[str, Any], value: Any) -> None:
    template = template_of(define(**place))
    with pytest.raises(ToolError, match=r"cannot be called: ctx\.tenant_id holds "):
        template.build(Values({}, {"tenant_id": value}, {}))
