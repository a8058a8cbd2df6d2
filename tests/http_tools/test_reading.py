from __future__ import annotations

from typing import Any

import pytest

from pegboard.http_tools.reading import read_definition
from tests.http_tools.things import URL, define, mistakes, mistakes_of, told


def test_a_definition_with_many_mistakes_is_told_all_of_them() -> None:
    wrong = mistakes_of(
        {
            "name": "no good",
            "parameters": [{"name": "a", "type": "date"}, {"name": "a b"}],
            "request": {"url": "ftp://x", "method": "FETCH"},
            "timeout": 0,
            "response": {"extract": "json_path"},
            "halt_when": {"json_path": "a..b", "equals": []},
        }
    )
    assert wrong.keys() == {
        *("name", "description", "parameters.0.type", "parameters.1.name", "request.method", "timeout"),
        *("response.path", "halt_when.json_path", "halt_when.equals"),
    }


def test_a_mistake_in_one_part_hides_none_in_another() -> None:
    value = {"name": "", "request": {"url": "https://a.example/{{x}}", "method": "FETCH", "headers": {"Host": "b"}}}
    assert mistakes_of(value).keys() == {"name", "description", "request.url", "request.method", "request.headers.Host"}


def test_a_mistake_says_what_is_wrong_and_how_to_mend_it() -> None:
    assert mistakes(query={"q": "{{querry}}"}, parameters=[{"name": "query"}]) == {
        "request.query.q": "there is no parameter 'querry' for its placeholder. Did you mean 'query'?"
    }


@pytest.mark.golden("insika_tool_definition_build/flat_required_string_false")
@pytest.mark.parametrize(("given", "required"), [("false", []), ("0", []), ("true", ["q"]), (True, ["q"]), (None, [])])
def test_flags_may_have_been_made_texts_by_a_form(given: Any, required: list[str]) -> None:
    assert define(parameters=[{"name": "q", "required": given}]).parameters["required"] == required


@pytest.mark.golden("insika_tool_definition_build/side_effect_zero")
@pytest.mark.parametrize("given", [0, 1, "yes", [], {}])
def test_what_is_no_flag_is_a_mistake(given: Any) -> None:
    assert "side_effect" in mistakes(side_effect=given)


@pytest.mark.golden(
    "insika_tool_definition_build/timeout_string_hex",
    "insika_tool_definition_build/timeout_string_octal",
    "insika_tool_definition_build/timeout_negative",
    "insika_tool_definition_build/timeout_zero",
    "insika_tool_definition_errors/timeout_word",
)
@pytest.mark.parametrize("given", ["0x10", "010", -5, 0, "soon", True, float("inf"), float("nan"), "1_0", [], "1e3"])
def test_a_timeout_is_a_number_above_0(given: Any) -> None:
    assert "seconds above 0" in mistakes(timeout=given)["timeout"]


@pytest.mark.golden(
    "insika_tool_definition_build/timeout_float_truncates",
    "insika_tool_definition_build/timeout_half_second_becomes_zero",
)
@pytest.mark.parametrize(("given", "timeout"), [(2.9, 2.9), (0.5, 0.5), (12, 12), ("12", 12), ("2.5", 2.5)])
def test_fractions_of_a_second_are_kept(given: Any, timeout: float) -> None:
    assert define(timeout=given).timeout == timeout


@pytest.mark.golden(
    "insika_tool_definition_build/request_url_placeholder_in_host",
    "insika_tool_definition_build/request_url_whole_host_placeholder",
    "insika_data_tool_request/url_host_chosen_by_model",
)
@pytest.mark.parametrize(
    "url",
    [
        *(
            "https://{{host}}.example.com/x",
            "https://{{host}}/x",
            "https://a.b:{{host}}/",
            "{{host}}://a.b/",
            "{{host}}",
        ),
        *("https://{{ctx.tenant_id}}.example.com/", "https://{{host}}@a.b/"),
    ],
)
def test_no_argument_and_no_context_chooses_where_a_request_goes(url: str) -> None:
    assert "request.url" in mistakes(url=url, parameters=[{"name": "host"}])


def enum_of(*hosts: Any) -> dict[str, Any]:
    return {"type": "object", "properties": {"region": {"type": "string", "enum": list(hosts)}}, "required": ["region"]}


def test_a_parameter_with_a_fixed_list_may_stand_in_the_host() -> None:
    assert not mistakes(url="https://{{region}}.example.com/", parameters=enum_of("eu", "us"))


@pytest.mark.parametrize(
    "hosts", [("eu", "evil.test/"), ("evil.test?", "eu"), ("evil.test#", "eu"), ("eu", "a@b"), ("eu", 5), ("", "eu")]
)
def test_each_of_a_fixed_list_must_be_a_host(hosts: tuple[Any, ...]) -> None:
    assert "request.url" in mistakes(url="https://{{region}}.example.com/", parameters=enum_of(*hosts))


@pytest.mark.golden(
    "insika_tool_definition_build/request_url_query_with_space",
    "insika_tool_definition_build/request_url_query_with_newline",
    "insika_tool_definition_build/request_url_without_host",
    "insika_tool_definition_build/request_url_opaque",
)
@pytest.mark.parametrize(
    ("url", "why"),
    [
        ("https://a.example/v1?q=a b", "blanks or control characters"),
        ("https://a.example/v1?q=a\nb", "blanks or control characters"),
        ("https:/x", "must be http:// or https:// and a host"),
        ("https:x", "must be http:// or https:// and a host"),
        ("https:///x", "names no host"),
        ("https://user:pw@a.example/", "user or password"),
        ("https://a.example/{id}", "single brace"),
        ("https://a_b!c/", "cannot be a host"),
        ("https://a.example:99999/", "cannot be a host"),
    ],
)
def test_an_address_is_checked_when_the_definition_is_read(url: str, why: str) -> None:
    assert why in mistakes(url=url)["request.url"]


@pytest.mark.golden("insika_tool_definition_build/request_placeholder_like_but_not")
@pytest.mark.parametrize("text", ["{{a+b}}", "{{}}", "{{ }}", "{{a b}}", "{{a"])
@pytest.mark.parametrize("place", ["headers", "query", "body"])
def test_double_braces_without_a_placeholder_are_a_typing_mistake(place: str, text: str) -> None:
    value = {"X": text}
    wrong = mistakes(**{place: value}, parameters=[{"name": "q"}])
    assert "is no placeholder" in next(iter(wrong.values()))
    (told,) = mistakes(**{place: {"X": "{{a-b}}"}}, parameters=[{"name": "q"}]).values()
    assert "no parameter 'a-b'" in told


@pytest.mark.golden(
    "insika_tool_definition_build/request_placeholder_in_header_name_not_checked",
    "insika_data_tool_request/query_placeholder_in_key_literal",
)
@pytest.mark.parametrize("place", ["headers", "query", "body"])
def test_names_in_a_request_are_written_out(place: str) -> None:
    assert mistakes(**{place: {"X-{{q}}": "v"}}, parameters=[{"name": "q"}])


@pytest.mark.golden("insika_data_tool_request/header_static_crlf_not_stripped")
def test_a_header_with_a_line_break_is_a_mistake() -> None:
    assert "line break" in mistakes(headers={"X-A": "a\r\nX-Evil: 1"})["request.headers.X-A"]


@pytest.mark.parametrize("name", ["Host", "content-length", "Transfer-Encoding", "Connection"])
def test_headers_that_frame_a_message_are_the_clients(name: str) -> None:
    assert "set by the client" in mistakes(headers={name: "x"})[f"request.headers.{name}"]


def test_a_header_that_is_given_twice_is_a_mistake_in_any_case() -> None:
    assert mistakes(headers={"X-A": "1", "x-a": "2"})


@pytest.mark.golden(
    "insika_data_tool_request/url_list_value",
    "insika_data_tool_request/url_object_value",
    "insika_data_tool_request/header_list",
)
@pytest.mark.parametrize(
    ("place", "kind"),
    [
        ({"url": f"{URL}/{{{{x}}}}"}, {"type": "array", "items": {"type": "string"}}),
        ({"url": f"{URL}/{{{{x}}}}"}, {"type": "object"}),
        ({"url": f"{URL}?a={{{{x}}}}"}, {"type": "object"}),
        ({"headers": {"X-A": "{{x}}"}}, {"type": "array", "items": {"type": "string"}}),
        ({"query": {"q": "{{x}}"}}, {"type": "object"}),
        ({"query": {"q": "{{x}}"}}, {"type": "array", "items": {"type": "object"}}),
        ({"query": {"q": "a {{x}}"}}, {"type": "array", "items": {"type": "string"}}),
    ],
)
def test_lists_and_objects_do_not_stand_where_only_text_can(place: dict[str, Any], kind: dict[str, Any]) -> None:
    assert mistakes(**place, parameters={"properties": {"x": kind}})


@pytest.mark.golden(
    "insika_tool_definition_errors/flat_element_is_string",
    "insika_tool_definition_errors/flat_element_is_null",
    "insika_tool_definition_errors/request_headers_list",
    "insika_tool_definition_errors/request_headers_string",
    "insika_tool_definition_errors/response_string",
    "insika_tool_definition_errors/halt_say_string",
    "insika_tool_definition_errors/halt_string",
    "insika_tool_definition_errors/hash_is_string",
)
@pytest.mark.parametrize(
    ("value", "at"),
    [
        (told(parameters=["q"]), "parameters.0"),
        (told(parameters=[None]), "parameters.0"),
        (told(headers=["a"]), "request.headers"),
        (told(headers="X: y"), "request.headers"),
        (told(response="status"), "response"),
        (told(halt_when={"json_path": "a", "equals": "x", "say": "Done"}), "halt_when.say"),
        (told(halt_when="status=DONE"), "halt_when"),
        ("x", ""),
    ],
)
def test_what_is_no_object_where_one_is_wanted_is_a_mistake(value: Any, at: str) -> None:
    assert "wanted an object" in mistakes_of(value)[at]


@pytest.mark.golden("insika_tool_definition_errors/halt_false")
def test_false_means_that_no_reply_ends_the_turn() -> None:
    assert define(halt_when=False).halt_when is None


@pytest.mark.golden("insika_tool_definition_build/halt_say_text_blank_accepted")
def test_a_blank_text_cannot_be_said() -> None:
    when = {"json_path": "a", "equals": "x", "say": {"text": "   "}}
    assert "cannot be said" in mistakes(halt_when=when)["halt_when.say.text"]


@pytest.mark.golden(
    "insika_data_tool_result/path_empty_segments",
    "insika_data_tool_result/path_trailing_dot",
    "insika_data_tool_result/path_only_dot",
)
@pytest.mark.parametrize("path", ["data..name", "data.", ".", ".a", "a b", "a[0]", "$[", "$.a | $.b", "$.a[?]"])
def test_a_path_that_is_none_is_a_mistake(path: str) -> None:
    assert "response.path" in mistakes(response={"extract": "json_path", "path": path})


@pytest.mark.parametrize("path", ["data", "a.b-c.d", "$.a[0].b", "$..id", "$['a b']"])
def test_dotted_paths_and_jsonpath_are_paths(path: str) -> None:
    assert define(response={"extract": "json_path", "path": path}).path == path


@pytest.mark.parametrize(
    ("fields", "at"),
    [
        ({"url": f"{URL}/{{{{secret.K}}}}"}, "request.url"),
        ({"query": {"k": "{{secret.K}}"}}, "request.query.k"),
        ({"headers": {"X-Plain": "{{secret.K}}"}}, "request.headers.X-Plain"),
        ({"body": {"k": "{{secret.K}}"}, "method": "POST"}, "request.body"),
        ({"headers": {"Authorization": "Bearer abc"}}, "request.headers.Authorization"),
        ({"headers": {"authorization": "Bearer abc"}}, "request.headers.authorization"),
        ({"headers": {"Authorization": "Bearer {{secret.}}"}}, "request.headers.Authorization"),
    ],
)
def test_a_secret_stands_in_a_secret_header_and_nowhere_else(fields: dict[str, Any], at: str) -> None:
    assert "secret" in mistakes(**fields, secret_headers=["Authorization"])[at]


def test_unknown_keys_are_left_out_with_a_warning() -> None:
    read = read_definition({**told(tmeout=5), "request": {"url": URL, "querry": {}}})
    assert read.definition is not None
    assert [str(mistake) for mistake in read.mistakes] == [
        "'tmeout' is not known here, and is left out. Did you mean 'timeout'?",
        "'querry' is not known here, and is left out. Did you mean 'query'?",
    ]


def test_imported_parameters_may_be_any_schema_and_have_any_name() -> None:
    schema = {"type": "object", "properties": {"Page-Size": {"anyOf": [{"type": "integer"}, {"type": "null"}]}}}
    assert mistakes(parameters=schema)
    read = read_definition(told(parameters=schema), imported=True)
    assert read.definition is not None
    assert read.definition.parameters["properties"] == schema["properties"]


def test_a_schema_that_is_none_is_a_mistake_with_its_place() -> None:
    wrong = mistakes(parameters={"properties": {"q": {"type": "string", "minLength": "5"}}})
    assert list(wrong) == ["parameters.properties.q.minLength"]


@pytest.mark.golden("insika_tool_definition_build/request_query_list_is_ruby_inspect")
def test_a_query_may_have_several_values_of_one_name() -> None:
    assert define(query={"ids": ["a", "b"]}).request.query == {"ids": ("a", "b")}


def nested(depth: int, *, in_lists: bool = False) -> Any:
    value: Any = 1
    for _ in range(depth):
        value = [value] if in_lists else {"a": value}
    return value


def schema_of(depth: int) -> Any:
    schema: Any = {"type": "string"}
    for _ in range(depth):
        schema = {"type": "object", "properties": {"a": schema}}
    return schema


@pytest.mark.parametrize("depth", [101, 500, 100_000])
@pytest.mark.parametrize("in_lists", [True, False])
@pytest.mark.parametrize("key", ["body", "query", "headers", "encoding", "auth", "parameters"])
def test_what_nests_too_deep_is_a_mistake_with_its_key(key: str, in_lists: bool, depth: int) -> None:
    place = "places" if key == "parameters" else key
    found = mistakes(**{place: nested(depth, in_lists=in_lists)})
    assert list(found) == [f"request.{key}"]
    assert "nest deeper than 100 levels" in found[f"request.{key}"]


@pytest.mark.parametrize("field", ["name", "parameters", "response", "halt_when", "evidence", "tags", "timeout"])
def test_what_nests_too_deep_outside_of_the_request_is_a_mistake_too(field: str) -> None:
    assert list(mistakes(**{field: nested(500)})) == [field]
    assert list(mistakes(parameters=schema_of(500))) == ["parameters"]


def test_a_body_may_nest_a_hundred_deep() -> None:
    assert define(body=nested(100)).request.body == nested(100)
