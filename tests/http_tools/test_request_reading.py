from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pegboard.http_tools.dump import Format, dumped
from pegboard.http_tools.files import load_text
from pegboard.http_tools.request import STYLES, Auth, Encoding, Place
from tests.http_tools.things import define, mistakes

PARAMETERS = {
    "type": "object",
    "properties": {
        "ids": {"type": "array", "items": {"type": "integer"}},
        "filter": {"type": "object", "properties": {"color": {"type": "string"}}},
        "photo": {"type": "object"},
    },
    "required": [],
}
FULL: dict[str, Any] = {
    "url": "https://a.example/items/{{ids}}",
    "method": "POST",
    "parameters": PARAMETERS,
    "places": [
        {"param": "ids", "name": "ids", "in": "path", "style": "matrix", "explode": True},
        {"param": "filter", "name": "f", "in": "query", "style": "deepObject", "explode": True},
        {"param": "ids", "name": "n", "in": "query", "explode": False, "allow_reserved": True},
        {"param": "ids", "name": "X-Ids", "in": "header"},
        {"param": "filter", "name": "c", "in": "cookie", "content_type": "application/json"},
    ],
    "body": {"filter": "{{filter}}", "photo": "{{photo}}"},
    "body_type": "multipart/form-data",
    "body_optional": True,
    "encoding": {"photo": {"file": True, "content_type": "image/png"}, "filter": {"style": "form", "explode": False}},
    "auth": [
        {"type": "api_key", "in": "query", "name": "key", "secret": "K"},
        {"type": "basic", "username": "U", "password": "P"},
    ],
}


@pytest.mark.parametrize("format", ["json", "yaml", "toml"])
def test_a_request_with_everything_is_read_as_it_was_written(format: Format) -> None:
    definition = define(**FULL)
    found = load_text(dumped(definition, format), f"t.{format}")
    assert (found.problems, found.definitions) == ((), (definition,))


def test_what_a_place_does_not_say_is_as_openapi_has_it() -> None:
    places = [{"param": "ids", "in": where} for where in ("query", "header", "cookie")]
    made = define(parameters=PARAMETERS, places=places).request.parameters
    assert [(place.name, place.style, place.explode) for place in made] == [
        ("ids", "form", True),
        ("ids", "simple", False),
        ("ids", "form", True),
    ]
    assert made[0] == Place(param="ids", name="ids", where="query", style="form", explode=True)
    assert made[0].to_json() == {"param": "ids", "name": "ids", "in": "query"}


@pytest.mark.parametrize(
    ("place", "at", "said"),
    [
        ("ids", "", "wanted an object"),
        ({"param": "ids"}, ".in", "Use one of: path, query, header, cookie."),
        ({"param": "ids", "in": "qery"}, ".in", "Did you mean 'query'?"),
        ({"in": "query"}, ".param", "Name the argument"),
        ({"param": "ids", "in": "query", "style": "matrix"}, ".style", "Use one of: form, spaceDelimited"),
        ({"param": "ids", "in": "query", "explode": "maybe"}, ".explode", "wanted true or false"),
    ],
)
def test_a_mistake_in_a_place_is_told_where_it_stands(place: Any, at: str, said: str) -> None:
    (told,) = mistakes(parameters=PARAMETERS, places=[place]).items()
    assert told[0] == f"request.parameters.0{at}"
    assert said in told[1]


@pytest.mark.parametrize(
    ("auth", "at", "said"),
    [
        ("bearer", "", "wanted a list of objects"),
        (["bearer"], ".0", "wanted an object"),
        ({"type": "oauth"}, ".type", "Use one of: api_key, bearer, basic, client_credentials."),
        ([{"type": "bearer"}], ".0.secret", "Write the name of a secret, never its value."),
        ([{"type": "api_key", "in": "path", "name": "k", "secret": "K"}], ".0.in", "header, query, cookie"),
        ([{"type": "api_key", "in": "query", "secret": "K"}], ".0.name", "what the key is called"),
        ([{"type": "client_credentials", "client_id": "I", "client_secret": "S"}], ".0.token_url", "the address"),
    ],
)
def test_a_mistake_in_who_calls_is_told_where_it_stands(auth: Any, at: str, said: str) -> None:
    (told,) = mistakes(auth=auth).items()
    assert told[0] == f"request.auth{at}"
    assert said in told[1]


def test_a_style_that_no_member_of_a_body_can_have_is_a_mistake() -> None:
    fields = {**FULL, "encoding": {"filter": {"style": "label"}}}
    assert mistakes(**fields).keys() == {"request.encoding.filter.style"}


def test_a_manifest_says_once_who_calls_and_a_tool_may_say_otherwise() -> None:
    text = """
defaults:
  base_url: https://a.example
  path_template: "{endpoint}"
  auth: {type: bearer, secret: K}
tools:
  - {name: a, description: A, endpoint: a}
  - {name: b, description: B, endpoint: b, auth: []}
  - {name: c, description: C, request: {url: "https://a.example/", auth: [{type: bearer, secret: C}]}}
"""
    found = load_text(text, "m.yaml")
    assert found.problems == ()
    bearer = [tuple(one.secret for one in definition.request.auth) for definition in found.definitions]
    assert bearer == [("K",), (), ("C",)]


WORDS = st.text("abcXYZ-_ é\"'", min_size=1, max_size=6).map(str.strip).filter(bool)
ENCODINGS = st.builds(
    Encoding,
    content_type=st.sampled_from(["", "text/plain", "application/json"]),
    style=st.sampled_from(["", *STYLES["query"]]),
    explode=st.sampled_from([None, True, False]),
    allow_reserved=st.booleans(),
    file=st.booleans(),
    headers=st.dictionaries(st.sampled_from(["X-A", "x-b", "Content-ID"]), WORDS, max_size=2),
)
AUTHS = st.one_of(
    st.builds(Auth, kind=st.just("bearer"), secret=WORDS),
    st.builds(Auth, kind=st.just("basic"), username=WORDS, password=st.just("") | WORDS),
    st.builds(
        Auth,
        kind=st.just("client_credentials"),
        token_url=st.just("https://a.example/token"),
        client_id=WORDS,
        client_secret=WORDS,
        scopes=st.lists(WORDS, unique=True).map(tuple),
        in_body=st.booleans(),
        extra=st.dictionaries(WORDS, st.lists(WORDS, min_size=1, max_size=2, unique=True), max_size=2).map(
            lambda found: tuple((name, text) for name, texts in found.items() for text in texts)
        ),
    ),
)


@settings(deadline=None, max_examples=40)
@given(st.dictionaries(WORDS, ENCODINGS, max_size=3), AUTHS)
def test_encodings_and_ways_of_proving_who_calls_survive_being_written_and_read(
    encodings: dict[str, Encoding], auth: Auth
) -> None:
    definition = define(
        method="POST",
        body=dict.fromkeys(encodings, "x") or {"a": "x"},
        body_type="multipart/form-data",
        encoding={name: one.to_json() for name, one in encodings.items()},
        auth=[auth.to_json()],
    )
    assert definition.request.encoding == encodings
    assert definition.request.auth == (auth,)
    for form in ("json", "yaml", "toml"):
        assert load_text(dumped(definition, form), f"t.{form}").definitions == (definition,)


BODY: dict[str, Any] = {"method": "POST", "parameters": PARAMETERS}


@pytest.mark.parametrize(
    ("fields", "at", "said"),
    [
        ({"places": [{"param": "id", "in": "query"}]}, "request.parameters.0.param", "Did you mean 'ids'?"),
        ({"places": [{"param": "ids", "in": "path"}]}, "request.parameters.0.param", "Write {{ids}} where it stands."),
        (
            {"places": [{"param": "ids", "in": "query"}], "query": {"ids": "1"}},
            "request.parameters.0.name",
            "from the query",
        ),
        ({"places": [{"param": "ids", "in": "header", "name": "Host"}]}, "request.parameters.0.name", "by the client"),
        ({"places": [{"param": "ids", "in": "header", "name": "a b"}]}, "request.parameters.0.name", "cannot be"),
        (
            {"places": [{"param": "ids", "in": "header", "name": "content-type"}]},
            "request.parameters.0.name",
            "Write it as body_type.",
        ),
        ({"places": [{"param": "ids", "in": "cookie", "name": "a;b"}]}, "request.parameters.0.name", "of a cookie"),
        (
            {"places": [{"param": "ids", "in": "query", "content_type": "json"}]},
            "request.parameters.0.content_type",
            "no media type",
        ),
        ({"body": "{{ids}}", "body_type": "json"}, "request.body_type", "no media type"),
        ({"body": "{{ids}}", "body_type": "text/plain; charset=latin1"}, "request.body_type", "in UTF-8"),
        (
            {"body": "{{ids}}", "body_type": "text/plain", "headers": {"Content-Type": "text/plain"}},
            "request.body_type",
            "Keep one.",
        ),
        (
            {"body": {"a": "{{ids}}"}, "headers": {"Content-Type": "multipart/form-data"}},
            "request.headers.Content-Type",
            'Write body_type = "multipart/form-data" instead.',
        ),
        ({"body": {"a": "{{ids}}"}, "body_type": "image/png"}, "request.body", 'Write "{{file}}"'),
        ({"body": ["{{ids}}"], "body_type": "multipart/form-data"}, "request.body", "an object of names and values"),
        (
            {
                "body": {"a": "{{ids}}"},
                "body_type": "application/x-www-form-urlencoded",
                "encoding": {"a": {"file": True}},
            },
            "request.encoding.a.file",
            "a form cannot hold a file",
        ),
        (
            {
                "body": {"a": "{{ids}}"},
                "body_type": "multipart/form-data",
                "encoding": {"a": {"content_type": "x\r\nX-Evil: 1"}},
            },
            "request.encoding.a.content_type",
            "no media type",
        ),
    ],
)
def test_what_cannot_go_together_is_told_where_it_stands(fields: dict[str, Any], at: str, said: str) -> None:
    (told,) = mistakes(**BODY, **fields).items()
    assert told[0] == at
    assert said in told[1]


PARTS: dict[str, Any] = {
    "method": "POST",
    "parameters": PARAMETERS,
    "body": {"a": "x"},
    "body_type": "multipart/form-data",
}


@pytest.mark.parametrize(
    ("headers", "at", "said"),
    [
        ({"a b": "x"}, "a b", "cannot be the name of a header"),
        ({"Content-Disposition": "x"}, "Content-Disposition", "is set from the member itself"),
        ({"content-type": "x"}, "content-type", "the type is said as content_type"),
        ({"X-A": "x", "x-a": "y"}, "x-a", "is given twice"),
        ({"X-A": "a\r\nX-Evil: 1"}, "X-A", "holds a line break"),
        ({"X-A": "{{nothing}}"}, "X-A", "there is no parameter 'nothing'"),
        ({"X-A": "{{ids}}"}, "X-A", "is an array, which the header 'X-A' cannot hold"),
        ({"X-A": "{{secret.K}}"}, "X-A", "stands outside of a secret header"),
        ({"X-A": "{{}}"}, "X-A", "is no placeholder"),
    ],
)
def test_a_header_of_a_part_that_cannot_be_sent_is_a_mistake(headers: dict[str, str], at: str, said: str) -> None:
    found = mistakes(**PARTS, encoding={"a": {"headers": headers}})
    assert list(found) == [f"request.encoding.a.headers.{at}"]
    assert said in found[f"request.encoding.a.headers.{at}"]


def test_only_parts_have_headers() -> None:
    form = {**PARTS, "body_type": "application/x-www-form-urlencoded"}
    assert list(mistakes(**form, encoding={"a": {"headers": {"X-A": "x"}}})) == ["request.encoding.a.headers"]
