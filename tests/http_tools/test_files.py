from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pegboard.errors import DefinitionError
from pegboard.http_tools.definition import HttpDefinition
from pegboard.http_tools.dump import Format, dumped
from pegboard.http_tools.files import Loaded, load_file, load_text
from pegboard.http_tools.manifest import manifest_of
from tests.http_tools.things import define

DEFAULTS: dict[str, Any] = {
    "base_url": "https://api.example.com",
    "path_template": "/api/{endpoint}",
    "method": "POST",
    "headers": {"Authorization": "Bearer {{secret.API_KEY}}"},
    "secret_headers": ["Authorization"],
    "timeout": 20,
    "tags": ["base"],
}


def loaded(tool: Any, *, defaults: dict[str, Any] | None = None, **environ: str) -> Loaded:
    """A manifest with one tool."""
    told = {"defaults": DEFAULTS if defaults is None else defaults, "tools": [tool]}
    return load_text(json.dumps(told), "m.json", environ=environ)


def only(tool: Any, *, defaults: dict[str, Any] | None = None, **environ: str) -> HttpDefinition:
    found = loaded({"name": "search", "description": "Search", **tool}, defaults=defaults, **environ)
    assert not found.problems
    return found.definitions[0]


TOML = """\
name = "find_city"
description = "Find a city."
side_effect = false
parameters = [
    { name = "city", description = "Its name." },
    { name = "limit", type = "integer", required = false },
]

[request]
url = "https://api.example.com/cities"
query = { q = "{{city}}", n = "{{limit}}" }
"""
YAML = """\
name: find_city
description: Find a city.
side_effect: false
parameters:
  - {name: city, description: Its name.}
  - {name: limit, type: integer, required: false}
request:
  url: https://api.example.com/cities
  query: {q: "{{city}}", n: "{{limit}}"}
"""
JSON = """\
{ // one tool
  "name": "find_city",
  "description": "Find a city.",
  "side_effect": false,
  "parameters": [{"name": "city", "description": "Its name."}, {"name": "limit", "type": "integer", "required": false}],
  "url": "https://api.example.com/cities",
  "query": {"q": "{{city}}", "n": "{{limit}}"},
}
"""


def test_toml_yaml_and_json_say_the_same() -> None:
    texts = {"t.toml": TOML, "t.yaml": YAML, "t.json": JSON}
    found = [load_text(text, name) for name, text in texts.items()]
    assert [one.problems for one in found] == [(), (), ()]
    assert found[0].definitions == found[1].definitions == found[2].definitions
    assert found[0].definitions[0].parameters["required"] == ["city"]


@pytest.mark.parametrize(
    ("text", "name", "line"),
    [
        (TOML.replace("{{limit}}", "{{limt}}"), "t.toml", 11),
        (YAML.replace("{{limit}}", "{{limt}}"), "t.yaml", 9),
        (JSON.replace("{{limit}}", "{{limt}}"), "t.json", 7),
    ],
)
def test_a_mistake_is_told_with_file_line_key_and_fix(text: str, name: str, line: int) -> None:
    (problem,) = load_text(text, name).problems
    told = f"{name}:{line}: {'request.' if 'json' not in name else ''}query.n: "
    assert str(problem) == f"{told}there is no parameter 'limt' for its placeholder. Did you mean 'limit'?"
    assert problem.entry == "find_city"


def test_a_mistake_that_comes_from_the_defaults_is_told_where_they_are() -> None:
    text = (
        "defaults:\n  headers:\n    X-A: '{{nope}}'\ntools:\n  - {name: a, description: A, url: https://a.example/}\n"
    )
    (problem,) = load_text(text, "m.yaml").problems
    assert (problem.line, problem.key, problem.entry) == (3, "defaults.headers.X-A", "a")


def test_one_bad_tool_is_set_aside_and_the_others_work() -> None:
    tools = [{"name": name, "description": "d", "endpoint": name} for name in ("a", "b", "c")]
    tools[1]["description"] = ""
    found = load_text(json.dumps({"defaults": DEFAULTS, "tools": [*tools, "x", {"name": "a", **tools[2]}]}), "m.json")
    assert [one.name for one in found.definitions] == ["a", "c"]
    assert [(problem.key, problem.entry) for problem in found.errors] == [
        ("tools[1].description", "b"),
        ("tools[3]", ""),
        ("tools[4].name", "c"),
    ]


def test_a_key_that_json_has_twice_sets_its_tool_aside() -> None:
    good = '{"name": "a", "description": "A", "url": "https://a.example/"}'
    bad = '{"name": "b", "description": "B", "url": "https://a.example/", "url": "https://evil.example/"}'
    found = load_text(f'{{"tools": [{good}, {bad}]}}', "m.json")
    assert [one.name for one in found.definitions] == ["a"]
    assert "is given twice" in str(found.errors[0])
    assert load_text(bad, "t.json").unread


@pytest.mark.parametrize(
    ("text", "name"), [("name = ", "t.toml"), ("a: [", "t.yaml"), ("{", "t.json"), ("- 1", "t.yml")]
)
def test_a_file_that_cannot_be_understood_has_one_problem_and_no_tool(text: str, name: str) -> None:
    found = load_text(text, name)
    assert (found.unread, found.definitions, len(found.problems)) == (True, (), 1)


def test_a_file_that_is_not_there_says_so(tmp_path: Path) -> None:
    (problem,) = load_file(tmp_path / "none.toml").problems
    assert "there is no such file" in str(problem)


@pytest.mark.golden("insika_tool_manifest_definition/timeout_is_lost")
@pytest.mark.parametrize(("own", "timeout"), [({}, 20), ({"timeout": 9}, 9)])
def test_a_manifest_says_how_long_its_requests_may_take(own: dict[str, Any], timeout: int) -> None:
    assert only({"endpoint": "search", **own}).timeout == timeout


@pytest.mark.golden("insika_tool_manifest_definition/endpoint_not_encoded")
@pytest.mark.parametrize(
    ("endpoint", "path"),
    [("a b/c?d", "a%20b/c%3Fd"), ("a#b", "a%23b"), ("items/{{id}}", "items/{{id}}"), ("x:y@z", "x:y@z"), (7, "7")],
)
def test_an_endpoint_stays_in_the_path(endpoint: Any, path: str) -> None:
    definition = only({"endpoint": endpoint, "parameters": [{"name": "id"}]})
    assert definition.request.url == f"https://api.example.com/api/{path}"


@pytest.mark.golden("insika_tool_manifest_definition/no_slash_added")
@pytest.mark.parametrize("base", ["https://api.example.com", "https://api.example.com/"])
@pytest.mark.parametrize("template", ["v1/{endpoint}", "/v1/{endpoint}"])
def test_base_and_path_are_joined_with_one_slash(base: str, template: str) -> None:
    defaults = {**DEFAULTS, "base_url": base, "path_template": template}
    assert only({"endpoint": "x"}, defaults=defaults).request.url == "https://api.example.com/v1/x"


@pytest.mark.golden("insika_tool_manifest_definition/secret_header_name_case_differs")
def test_a_tools_own_header_takes_the_place_of_a_default_in_any_case() -> None:
    found = loaded({"name": "a", "description": "A", "endpoint": "x", "headers": {"authorization": "Bearer literal"}})
    assert [problem.key for problem in found.errors] == ["tools[0].headers.authorization"]
    own = {"headers": {"authorization": "Basic {{secret.OTHER}}"}}
    assert only({"endpoint": "x", **own}).request.headers == own["headers"]


@pytest.mark.golden("insika_tool_manifest_definition/env_value_with_secret_ref_in_secret_header_not_expanded")
@pytest.mark.parametrize("place", ["headers", "query", "body"])
def test_a_variable_brings_no_placeholder_in(place: str) -> None:
    tool = {"name": "a", "description": "A", "url": "https://a.example/", place: {"X": "{{env.SNEAKY}}"}}
    found = loaded(tool, defaults={}, SNEAKY="{{secret.API_KEY}}")
    assert [problem.key for problem in found.errors] == [f"tools[0].{place}.X"]
    assert "API_KEY" not in str(found.errors[0])


@pytest.mark.parametrize("value", ['a "quoted"\\ one', "x\ny", "é"])
def test_a_variable_is_one_text_in_a_body_that_is_text(value: str) -> None:
    definition = only(
        {"url": "https://a.example/", "body": '{"r":"{{env.R}}"}', "method": "POST"}, defaults={}, R=value
    )
    assert json.loads(definition.request.body) == {"r": value}


@pytest.mark.parametrize("environ", [{}, {"HOST": " "}])
def test_a_variable_that_is_not_set_is_a_mistake(environ: dict[str, str]) -> None:
    found = loaded({"name": "a", "description": "A", "url": "{{env.HOST}}/x"}, defaults={}, **environ)
    assert "{{env.HOST}} names a variable that is not set, or is blank" in str(found.errors[0])


@pytest.mark.golden("insika_tool_manifest_from_h/manifest_list", "insika_tool_manifest_from_h/manifest_string")
@pytest.mark.parametrize("value", [[], "x", 5])
def test_a_manifest_is_an_object(value: Any) -> None:
    (mistake,) = manifest_of(value).mistakes
    assert "a manifest: an object" in str(mistake)


SCHEMA = {"type": "object", "properties": {"q": {"type": "string"}}, "required": ["q"]}


@pytest.mark.parametrize(
    "envelope",
    [
        {"type": "function", "function": {"name": "fn", "description": "FD", "parameters": SCHEMA}},
        {"name": "fn", "description": "FD", "input_schema": SCHEMA},
        {"name": "fn", "description": "FD", "inputSchema": SCHEMA, "annotations": {"readOnlyHint": True}},
    ],
)
def test_descriptions_of_tools_from_elsewhere_are_understood(envelope: dict[str, Any]) -> None:
    found = loaded({**envelope, "endpoint": "e"})
    assert not found.problems
    definition = found.definitions[0]
    assert (definition.name, definition.description, definition.parameters) == ("fn", "FD", SCHEMA)


FORMATS: tuple[Format, ...] = ("json", "yaml", "toml")
FULL: dict[str, Any] = {
    "url": "https://a.example/{{q}}?x={{q}}",
    "method": "PUT",
    "headers": {"X-Key": "{{secret.K}}", "X-B": "yes"},
    "query": {"l": ["{{q}}", "no"], "n": "1"},
    "body": {"on": "{{q}}", "deep": [{"a": 1.5, "b": "2026-01-31"}, True, "\u2028 ''' \" \\ \n"]},
    "parameters": SCHEMA,
    "secret_headers": ["X-Key"],
    "response": {"extract": "json_path", "path": "$.a[0]"},
    "timeout": 2.5,
    "group": "g",
    "tags": ["no", "1"],
    "side_effect": False,
    "halt_when": {"json_path": "a", "equals": ["true", ""], "say": {"json_path": "b"}},
    "evidence": {"kind": "p", "items": "a.b"},
    "arguments": "lossless",
}


@pytest.mark.parametrize("format", FORMATS)
@pytest.mark.parametrize("fields", [{}, FULL, {"body": '{"a": {{q}}}', "parameters": SCHEMA, "method": "POST"}])
def test_what_was_written_is_read_as_the_same_definition(format: Format, fields: dict[str, Any]) -> None:
    definition = define(**fields)
    found = load_text(dumped(definition, format), f"t.{format}")
    assert (found.problems, found.definitions) == ((), (definition,))


BODIES = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53), 2**53) | st.text(st.characters(exclude_categories=["Cs", "Cc"])),
    lambda inner: st.lists(inner) | st.dictionaries(st.text("abc -:#é'\"", max_size=5), inner),
    max_leaves=8,
)


@settings(deadline=None)
@given(BODIES)
def test_any_body_survives_being_written_and_read(body: Any) -> None:
    if "{{" in json.dumps(body):
        return
    definition = define(method="POST", body={"b": body})
    for form in FORMATS:
        try:
            text = dumped(definition, form)
        except DefinitionError:
            assert (form, "null" in json.dumps(body)) == ("toml", True)
            continue
        assert load_text(text, f"t.{form}").definitions == (definition,)


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        ("t.yaml", "timeout: 0x" + "f" * 6_000, "too many digits"),
        ("t.yaml", "timeout: " + "9" * 6_000, "got inf"),
        ("t.toml", "timeout = " + "9" * 6_000, "too many digits"),
        ("t.json", '{"body": ' + "[" * 150 + "]" * 150 + "}", "nest deeper than 100 levels"),
        ("t.toml", "body = " + "[" * 150 + "]" * 150, "nest deeper than 100 levels"),
        ("t.json", '{"parameters": {"type": "object", "properties": {}, "required": [["q"]]}}', "a list of names"),
    ],
)
def test_what_no_definition_can_hold_is_a_mistake_of_the_file(name: str, text: str, said: str) -> None:
    loaded = load_text(text, name)
    assert not loaded.definitions
    assert any(said in str(problem) for problem in loaded.errors)
