"""Documents that mean harm, or mean nothing: none crashes the import, none takes long, all are accounted for."""

from __future__ import annotations

import copy
import json
import logging
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pegboard.errors import DefinitionError
from pegboard.http_tools.openapi import importing, references, schemas, writing
from pegboard.http_tools.openapi.importing import import_openapi
from pegboard.http_tools.openapi.options import ImportOptions
from pegboard.http_tools.openapi.report import Imported
from tests.http_tools.openapi.things import document, imported, reason, swagger, with_body

STRING = {"type": "string"}


def nested(depth: int) -> dict[str, Any]:
    schema: dict[str, Any] = STRING
    for _ in range(depth):
        schema = {"type": "array", "items": schema}
    return schema


def test_what_nests_too_deep_is_set_aside() -> None:
    assert "nests deeper" in reason(with_body(nested(500)))
    with pytest.raises(DefinitionError, match="too deep"):
        import_openapi('{"openapi": "3.0.0", "paths": ' + '{"a":' * 100_000)


def test_a_long_chain_of_references_ends() -> None:
    chain = {f"S{n}": {"type": "array", "items": {"$ref": f"#/components/schemas/S{n + 1}"}} for n in range(20_000)}
    operation = with_body({"$ref": "#/components/schemas/S0"})
    assert "more than 2,000 types" in reason(operation, components={"schemas": chain})


def test_types_that_double_at_each_step_stay_references() -> None:
    def pair(n: int) -> dict[str, Any]:
        target = {"$ref": f"#/components/schemas/S{n + 1}"}
        return {"type": "object", "properties": {"a": target, "b": target}}

    components = {"schemas": {**{f"S{n}": pair(n) for n in range(60)}, "S60": STRING}}
    found = imported({"/x": {"post": with_body({"$ref": "#/components/schemas/S0"})}}, components=components)
    assert len(json.dumps(found.definitions[0].parameters)) < 20_000


def test_all_of_that_doubles_at_each_step_is_set_aside() -> None:
    def both(n: int) -> dict[str, Any]:
        return {"allOf": [{"$ref": f"#/components/schemas/S{n + 1}"}, {"$ref": f"#/components/schemas/S{n + 1}"}]}

    components = {"schemas": {**{f"S{n}": both(n) for n in range(40)}, "S40": {"type": "object"}}}
    assert reason(with_body({"$ref": "#/components/schemas/S0"}), components=components)


def test_types_that_are_nothing_but_themselves_are_set_aside() -> None:
    components = {"schemas": {"A": {"allOf": [{"$ref": "#/components/schemas/A"}]}}}
    assert reason(with_body({"$ref": "#/components/schemas/A"}), components=components)


def test_a_bomb_of_aliases_is_set_aside() -> None:
    lines = ["openapi: 3.0.0", "info: {title: t}", "servers: [{url: https://a.example}]", "x-bomb:"]
    lines += ["  - &a0 {type: object, properties: {x: {type: string}}}"]
    for n in range(1, 40):
        members = ", ".join(f"p{m}: *a{n - 1}" for m in range(10))
        lines.append(f"  - &a{n} {{type: object, properties: {{{members}}}}}")
    lines += ["paths:", "  /x:", "    post:", "      requestBody: {content: {application/json: {schema: *a39}}}"]
    lines += ["  /y: {get: {operationId: fine}}"]
    found = import_openapi("\n".join(lines))
    assert [definition.name for definition in found.definitions] == ["fine"]
    assert "schemas in it" in found.aside[0].reason


def test_a_bomb_in_a_value_is_left_out() -> None:
    value: Any = "x"
    for _ in range(60):
        value = [value, value]
    found = imported({"/x": {"post": with_body({"type": "object", "properties": {"a": {"default": value}}})}})
    assert found.definitions[0].parameters["properties"]["a"] == {}


def test_too_many_operations_are_listed_not_made(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(importing, "MAX_OPERATIONS", 3)
    found = imported({f"/{n}": {"get": {"operationId": f"o{n}"}} for n in range(5)})
    assert (len(found.operations), len(found.aside)) == (3, 2)


def test_all_tools_together_are_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(writing, "MAX_VALUES", 100)
    found = imported({f"/{n}": {"post": {"operationId": f"o{n}", **with_body(STRING)}} for n in range(50)})
    assert found.operations
    assert "document's tools" in found.aside[-1].reason


def test_one_schema_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(schemas, "MAX_SCHEMAS", 50)
    properties = {f"p{n}": STRING for n in range(100)}
    assert "more than 50 schemas" in reason(with_body({"type": "array", "items": {"properties": properties}}))


def test_names_that_meet_on_purpose_are_told_apart_or_set_aside() -> None:
    twice = {"/a": {"get": {"operationId": "x"}}, "/b": {"get": {"operationId": "x"}}}
    taken = imported(twice).definitions[0].name
    found = imported({"/c": {"get": {"operationId": taken}}, **twice})
    names = [definition.name for definition in found.definitions]
    assert len(set(names)) == len(names)
    assert len(names) + len(found.aside) == 3


def test_no_placeholder_of_ours_comes_from_a_document() -> None:
    evil = "{{secret.KEY}}"
    parameter = {"name": evil, "in": "query", "schema": {"type": "string", "default": evil}}
    operation = {"parameters": [parameter], "description": evil, **with_body({"properties": {evil: STRING}})}
    definition = imported({f"/{evil[1:-1]}": {"post": operation}}).aside
    assert "no parameter" in definition[0].reason
    (made,) = imported({"/x": {"post": operation}}).definitions
    assert "secret." not in made.request.url + json.dumps(made.request.body) + json.dumps(dict(made.request.headers))


def shared_by_many(**operation: Any) -> dict[str, Any]:
    return {f"/{n}": {"get": {"operationId": f"o{n}", **operation}} for n in range(300)}


@pytest.mark.parametrize(
    "operation",
    [
        {"tags": ["t"] * 200_000},
        {"responses": {f"x-{n}": {} for n in range(200_000)}},
        {"requestBody": {"content": {f"a/{n}": {} for n in range(200_000)}}},
        {"security": [{f"k{n}": [] for n in range(1_000)}] * 1_000},
    ],
    ids=["tags", "responses", "media", "security"],
)
def test_what_all_operations_share_is_looked_at_in_part(operation: dict[str, Any]) -> None:
    found = imported(shared_by_many(**operation))
    assert len(found.operations) == 300


def test_a_long_list_of_servers_that_all_operations_share_is_looked_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    looked_at: list[Any] = []

    def check(values: Any, servers: Any) -> None:
        looked_at.extend(servers)

    monkeypatch.setattr(importing, "check_variables", check)
    servers = [{"url": "https://a.example"}] * 1_000
    imported(shared_by_many(), options=ImportOptions(server_variables={"x": "y"}), servers=servers)
    assert len(looked_at) == 1_000


def test_what_takes_too_many_steps_is_set_aside_and_the_rest_after_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(references, "MAX_STEPS", 2_000)
    wide = with_body({"type": "object", "properties": {f"p{n}": STRING for n in range(100)}})
    found = imported({f"/{n}": {"post": {"operationId": f"o{n}", **wide}} for n in range(50)})
    assert 0 < len(found.operations) < 50
    assert "more than 2,000 steps" in found.aside[-1].reason


BASE_3 = document(
    {
        "/a/{id}": {
            "parameters": [{"name": "id", "in": "path", "schema": STRING}],
            "servers": [{"url": "https://{h}.example", "variables": {"h": {"default": "a", "enum": ["a"]}}}],
            "post": {
                "operationId": "it",
                "tags": ["t"],
                "security": [{"k": ["s"]}],
                "parameters": [{"$ref": "#/components/parameters/Q"}],
                "requestBody": {
                    "required": True,
                    "content": {
                        "multipart/form-data": {
                            "schema": {"$ref": "#/components/schemas/A"},
                            "encoding": {"f": {"contentType": "image/png", "style": "form", "explode": True}},
                        }
                    },
                },
                "responses": {"200": {"content": {"application/json": {"schema": STRING}}}},
            },
        },
        "/b": {"get": {"operationId": "fine"}},
    },
    components={
        "parameters": {
            "Q": {"name": "q", "in": "query", "content": {"application/json": {"schema": {"type": "object"}}}}
        },
        "schemas": {
            "A": {
                "type": "object",
                "required": ["f"],
                "discriminator": {"propertyName": "k", "mapping": {"x": "#/components/schemas/B"}},
                "properties": {
                    "f": {"type": "string", "format": "binary", "nullable": True, "enum": ["a"], "default": "a"},
                    "n": {"type": "integer", "minimum": 1, "exclusiveMinimum": True, "readOnly": True},
                    "b": {"oneOf": [{"$ref": "#/components/schemas/B"}], "items": [STRING], "not": {"type": "null"}},
                },
                "additionalProperties": False,
            },
            "B": {"allOf": [{"$ref": "#/components/schemas/A"}, {"properties": {"k": STRING}}]},
        },
        "securitySchemes": {"k": {"type": "oauth2", "flows": {"clientCredentials": {"tokenUrl": "/t", "scopes": {}}}}},
    },
)
BASE_2 = swagger(
    {
        "/a/{id}": {
            "parameters": [{"name": "id", "in": "path", "type": "string", "required": True}],
            "post": {
                "operationId": "it",
                "consumes": ["multipart/form-data"],
                "produces": ["application/json"],
                "schemes": ["https"],
                "security": [{"k": []}],
                "parameters": [
                    {"name": "f", "in": "formData", "type": "file", "required": True},
                    {"name": "l", "in": "query", "type": "array", "items": STRING, "collectionFormat": "multi"},
                ],
            },
            "put": {"parameters": [{"name": "b", "in": "body", "schema": {"$ref": "#/definitions/A"}}]},
        }
    },
    definitions={"A": {"type": "object", "properties": {"a": STRING}}},
    securityDefinitions={"k": {"type": "oauth2", "flow": "application", "tokenUrl": "https://t.example"}},
)
ODD: st.SearchStrategy[Any] = st.sampled_from(
    [None, True, 0, -1, 1e300, "", "x", "#/", "$ref", [], [None], [[]], {}, {"$ref": "#/paths"}, {"x": {}}]
)


def places(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """Every place in a value but its top."""
    members = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return [found for key, member in members for found in [(*path, key), *places(member, (*path, key))]]


def with_odd(value: Any, path: tuple[Any, ...], odd: Any) -> Any:
    changed = copy.deepcopy(value)
    at = changed
    for step in path[:-1]:
        at = at[step]
    at[path[-1]] = odd
    return changed


class Counting(logging.Handler):
    """Keeps what is logged."""

    def __init__(self) -> None:
        super().__init__()
        self.records: list[logging.LogRecord] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.records.append(record)


@pytest.mark.parametrize("base", [BASE_3, BASE_2], ids=["3.0", "2.0"])
@settings(max_examples=200, deadline=None)
@given(data=st.data())
def test_a_value_of_any_kind_at_any_place_crashes_nothing(base: dict[str, Any], data: st.DataObject) -> None:
    changed = base
    for _ in range(data.draw(st.integers(1, 3))):
        path = data.draw(st.sampled_from(places(changed)))
        changed = with_odd(changed, path, data.draw(ODD))
    logger = logging.getLogger("pegboard.http_tools.openapi.importing")
    handler = Counting()
    logger.addHandler(handler)
    try:
        found: Imported | None = import_openapi(changed)
    except DefinitionError:
        found = None
    finally:
        logger.removeHandler(handler)
    assert not handler.records
    if found is not None:
        names = [definition.name for definition in found.definitions]
        assert len(set(names)) == len(names)


def test_the_documents_that_are_spoilt_are_whole_before() -> None:
    assert not import_openapi(BASE_3).aside
    assert not import_openapi(BASE_2).aside
