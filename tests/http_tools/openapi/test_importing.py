"""Operations as definitions: addresses, arguments, bodies, what is said of them, and what is set aside."""

from __future__ import annotations

from typing import Any

import pytest

from pegboard.errors import DefinitionError
from pegboard.http_tools.definition import HttpDefinition
from pegboard.http_tools.openapi.importing import import_openapi
from pegboard.http_tools.openapi.options import ImportOptions
from pegboard.http_tools.reading import read_definition
from pegboard.http_tools.request import Auth, Encoding, Place
from tests.http_tools.openapi.things import document, imported, only, reason, swagger, takes, with_body

STRING = {"type": "string"}


def parameter(name: str, where: str, **more: Any) -> dict[str, Any]:
    return {"name": name, "in": where, "schema": STRING, **more}


def test_an_operation_is_a_request_with_its_parameters_in_their_places() -> None:
    operation = {
        "parameters": [
            parameter("id", "path"),
            parameter("X-Trace", "header", required=True),
            parameter("tags", "query", schema={"type": "array", "items": STRING}, style="form", explode=False),
            parameter("sid", "cookie"),
            parameter("filter", "query", style="deepObject", explode=True, schema={"type": "object"}),
        ]
    }
    definition = only(operation, method="get", path="/things/{id}/parts")
    assert definition.request.url == "https://api.example.com/v1/things/{{id}}/parts"
    assert definition.request.method == "GET"
    assert definition.request.parameters == (
        Place(param="id", name="id", where="path"),
        Place(param="X-Trace", name="X-Trace", where="header"),
        Place(param="tags", name="tags", where="query", explode=False),
        Place(param="sid", name="sid", where="cookie"),
        Place(param="filter", name="filter", where="query", style="deepObject", explode=True),
    )
    assert definition.parameters["required"] == ["id", "X-Trace"]
    assert definition.parameters["additionalProperties"] is False
    assert not definition.side_effect


def test_parameters_of_the_path_are_merged_by_name_and_place_and_the_operations_own_win() -> None:
    shared = [parameter("tenant", "path"), parameter("limit", "query", schema={"type": "integer", "maximum": 10})]
    own = [parameter("limit", "query", schema={"type": "integer", "maximum": 50})]
    item = {"parameters": shared, "get": {"operationId": "a", "parameters": own}, "post": {"operationId": "b"}}
    a, b = imported({"/t/{tenant}": item}).definitions
    assert takes(a, {"tenant": "x", "limit": 20})
    assert not takes(b, {"tenant": "x", "limit": 20})


def test_references_to_parameters_bodies_and_paths_are_followed() -> None:
    components = {
        "parameters": {"One": parameter("one", "path")},
        "requestBodies": {"B": {"$ref": "#/components/requestBodies/C"}, "C": with_body(STRING)["requestBody"]},
        "pathItems": {
            "P": {
                "parameters": [{"$ref": "#/components/parameters/One"}],
                "post": {"operationId": "it", "requestBody": {"$ref": "#/components/requestBodies/B"}},
            }
        },
    }
    found = imported({"/a/{one}": {"$ref": "#/components/pathItems/P"}}, components=components)
    assert list(found.definitions[0].parameters["properties"]) == ["one", "body"]


def test_a_placeholder_without_a_parameter_sets_the_operation_aside() -> None:
    assert "{lost}" in reason({"operationId": "it"}, path="/x/{lost}")


def test_a_parameter_that_the_path_does_not_have_is_left_out_with_a_note() -> None:
    found = imported({"/x": {"get": {"operationId": "it", "parameters": [parameter("id", "path")]}}})
    assert found.definitions[0].parameters["properties"] == {}
    assert "left out" in found.operations[0].notes[0]


@pytest.mark.parametrize("name", ["Accept", "content-type", "AUTHORIZATION", "Host", "Content-Length"])
def test_headers_that_are_settings_are_no_arguments(name: str) -> None:
    assert only({"parameters": [parameter(name, "header", required=True)]}).parameters["properties"] == {}


def test_braces_of_the_document_never_become_placeholders_of_ours() -> None:
    found = imported(
        {"/x/{secret.KEY}": {"get": {"operationId": "it", "parameters": [parameter("secret.KEY", "path")]}}}
    )
    assert found.definitions[0].request.url == "https://api.example.com/v1/x/{{secret_KEY}}"
    assert "there is no parameter" in reason({}, path="/x/{{secret.KEY}}")


@pytest.mark.parametrize(
    ("path", "sent"),
    [
        ("/a b/ü", "/a%20b/%C3%BC"),
        ("/a?fixed=1", "/a?fixed=1"),
        ("/a#part", "/a"),
        ("bare", "/bare"),
        ("/a/}{", "/a/%7D%7B"),
        ("/", "/"),
    ],
)
def test_what_a_path_has_itself_is_encoded(path: str, sent: str) -> None:
    assert only({}, path=path).request.url == f"https://api.example.com/v1{sent}"


class TestNamesOfArguments:
    def test_one_name_in_several_places_gives_several_arguments(self) -> None:
        body = {"type": "object", "required": ["id"], "properties": {"id": {"type": "integer"}, "n": STRING}}
        operation = {**with_body(body), "parameters": [parameter("id", "path"), parameter("id", "query")]}
        definition = only(operation, path="/u/{id}")
        assert definition.request.url.endswith("/u/{{id}}")
        assert [(place.param, place.where) for place in definition.request.parameters] == [
            ("id", "path"),
            ("query_id", "query"),
        ]
        assert definition.request.body == {"id": "{{body_id}}", "n": "{{n}}"}
        assert "as a query parameter, 'id'" in definition.parameters["properties"]["query_id"]["description"]

    def test_names_that_models_cannot_give_become_legal_and_say_what_they_were(self) -> None:
        wires = ["filter[status]", "filter_status", "$top", "@type", "ids[]", "naïve", "x" * 80, "ctx.tenant_id"]
        definition = only({"parameters": [parameter(name, "query") for name in wires]}, method="get")
        names = list(definition.parameters["properties"])
        assert len(set(names)) == len(wires)
        assert all(len(name) <= 64 and name.replace("_", "").isalnum() and name.isascii() for name in names)
        assert [place.name for place in definition.request.parameters] == wires
        assert "'filter[status]'" in definition.parameters["properties"]["query_filter_status"]["description"]

    def test_a_body_and_a_parameter_called_body_are_kept_apart(self) -> None:
        definition = only({**with_body(STRING), "parameters": [parameter("body", "query")]})
        assert definition.request.body == "{{body_body}}"
        assert definition.request.parameters[0].param == "query_body"


class TestBodies:
    def test_the_members_of_an_object_are_arguments(self) -> None:
        schema = {"type": "object", "required": ["a"], "properties": {"a": STRING, "b": {"type": "integer"}}}
        definition = only(with_body(schema))
        assert definition.request.body == {"a": "{{a}}", "b": "{{b}}"}
        assert definition.request.body_type == "application/json"
        assert definition.parameters["required"] == ["a"]
        assert not takes(definition, {"a": "x", "c": 1})

    @pytest.mark.parametrize(
        "schema",
        [
            STRING,
            {"type": "array", "items": STRING},
            {},
            True,
            {"type": "object"},
            {"type": "object", "properties": {"a": STRING}, "additionalProperties": STRING},
            {"type": "object", "properties": {"a": STRING}, "additionalProperties": True},
            {"type": "object", "properties": {"a": STRING}, "minProperties": 1},
            {"type": "object", "properties": {"a": STRING}, "patternProperties": {"^x": STRING}},
            {"type": "object", "properties": {"a": STRING}, "required": ["b"]},
            {"type": "object", "properties": {"{{a}}": STRING}},
            {"oneOf": [{"type": "object", "properties": {"a": STRING}}]},
            {"allOf": [{"type": "object", "properties": {"a": STRING}}, {"not": {"required": ["b"]}}]},
            {"allOf": [{"properties": {"a": STRING}, "additionalProperties": False}, {"properties": {"b": STRING}}]},
            {"type": "object", "properties": {"k": STRING}, "discriminator": {"propertyName": "k"}},
            {"$ref": "#/components/schemas/Tree"},
        ],
    )
    def test_what_is_more_than_its_members_is_one_argument(self, schema: Any) -> None:
        tree = {"anyOf": [STRING, {"type": "array", "items": {"$ref": "#/components/schemas/Tree"}}]}
        definition = only(with_body(schema), components={"schemas": {"Tree": tree}})
        assert definition.request.body == "{{body}}"
        assert definition.parameters["required"] == ["body"]

    def test_the_sum_of_objects_has_the_members_of_all_and_what_each_asks(self) -> None:
        components = {"schemas": {"Base": {"type": "object", "required": ["a"], "properties": {"a": STRING}}}}
        more = {"properties": {"a": {"maxLength": 3}, "b": {"type": "integer"}}}
        definition = only(with_body({"allOf": [{"$ref": "#/components/schemas/Base"}, more]}), components=components)
        assert definition.request.body == {"a": "{{a}}", "b": "{{b}}"}
        assert takes(definition, {"a": "xyz"})
        assert not takes(definition, {"a": "long"})
        assert not takes(definition, {"b": 1})

    def test_a_body_that_may_be_left_out_is_sent_only_where_an_argument_is_given(self) -> None:
        free = {"type": "object", "properties": {"a": STRING}}
        assert only(with_body(free, required=False)).request.body_optional
        assert not only(with_body(free)).request.body_optional
        needed = only(with_body({**free, "required": ["a"]}, required=False))
        assert not needed.request.body_optional
        assert needed.parameters["required"] == ["a"]
        whole = only(with_body(STRING, required=False))
        assert whole.request.body_optional
        assert whole.parameters["required"] == []

    @pytest.mark.parametrize(
        ("media", "sent"),
        [
            (["application/xml", "application/json"], "application/json"),
            (["text/plain", "application/vnd.api+json; v=1"], "application/vnd.api+json; v=1"),
            (["application/json; charset=utf-8"], "application/json; charset=utf-8"),
            (["multipart/form-data", "application/x-www-form-urlencoded"], "application/x-www-form-urlencoded"),
            (["*/*"], "application/json"),
            (["text/*"], "text/plain"),
            (["application/octet-stream", "text/plain"], "text/plain"),
        ],
    )
    def test_of_several_media_types_the_one_that_says_most_is_sent(self, media: list[str], sent: str) -> None:
        content = {kind: {"schema": {"type": "object", "properties": {"a": STRING}}} for kind in media}
        assert only({"requestBody": {"content": content}}).request.body_type == sent

    def test_files_of_a_multipart_body_are_told_from_texts(self) -> None:
        properties = {
            "file": {"type": "string", "format": "binary", "description": "The picture."},
            "more": {"type": "array", "items": {"type": "string", "format": "binary"}},
            "raw": {"contentMediaType": "image/png"},
            "title": STRING,
            "meta": {"type": "object"},
        }
        encoding = {
            "meta": {"contentType": "application/vnd.meta+json"},
            "file": {"contentType": "image/png, image/jpeg"},
        }
        body = with_body({"type": "object", "properties": properties}, "multipart/form-data", encoding=encoding)
        definition = only(body)
        assert definition.request.encoding == {
            "file": Encoding(file=True, content_type="image/png"),
            "more": Encoding(file=True),
            "raw": Encoding(file=True),
            "meta": Encoding(content_type="application/vnd.meta+json"),
        }
        assert definition.parameters["properties"]["file"]["description"].startswith("The picture.")

    def test_bytes_are_one_argument(self) -> None:
        definition = only(with_body({"type": "string", "format": "binary"}, "application/octet-stream"))
        assert definition.request.body == "{{body}}"
        assert definition.request.body_type == "application/octet-stream"

    def test_a_kind_of_multipart_that_is_not_known_is_set_aside(self) -> None:
        assert "multipart/mixed" in reason(with_body({"type": "object"}, "multipart/mixed"))


class TestDescriptions:
    @pytest.mark.parametrize(
        ("operation", "told"),
        [
            ({"description": "Long text", "summary": "Short"}, "Long text"),
            ({"description": "", "summary": "Short"}, "Short"),
            ({"description": "  "}, "POST /x"),
            ({"description": 5, "summary": ["s"]}, "POST /x"),
        ],
    )
    def test_it_is_the_description_or_the_summary_or_method_and_path(self, operation: Any, told: str) -> None:
        assert only(operation).description == told

    def test_group_and_tags_are_the_operations_tags(self) -> None:
        definition = only({"tags": ["pets", 5, "cats", "pets"]})
        assert (definition.group, definition.tags) == ("pets", ("pets", "cats"))


class TestTwoPointZero:
    def operation(self, *parameters: Any, **more: Any) -> HttpDefinition:
        paths = {"/x/{id}": {"post": {"operationId": "it", "parameters": list(parameters), **more}}}
        found = import_openapi(swagger(paths, definitions={"Pet": {"type": "object", "properties": {"n": STRING}}}))
        assert not found.aside
        return found.definitions[0]

    def test_parameters_have_their_schema_beside_their_name(self) -> None:
        listed = {"type": "array", "items": STRING}
        definition = self.operation(
            {"name": "id", "in": "path", "required": True, "type": "integer", "minimum": 1},
            {"name": "csv", "in": "query", **listed},
            {"name": "multi", "in": "query", "collectionFormat": "multi", **listed},
            {"name": "pipes", "in": "query", "collectionFormat": "pipes", **listed},
            {"name": "tsv", "in": "query", "collectionFormat": "tsv", **listed},
            {"name": "H", "in": "header", "collectionFormat": "csv", **listed},
        )
        places = {place.param: (place.style, place.explode) for place in definition.request.parameters}
        assert places == {
            "id": ("simple", False),
            "csv": ("form", False),
            "multi": ("form", True),
            "pipes": ("pipeDelimited", False),
            "tsv": ("tabDelimited", False),
            "H": ("simple", False),
        }
        assert definition.parameters["properties"]["id"] == {"type": "integer", "minimum": 1}
        assert definition.request.url == "https://api.example.com/v1/x/{{id}}"

    def test_a_body_is_sent_as_what_is_consumed(self) -> None:
        identity = {"name": "id", "in": "path", "required": True, "type": "string"}
        body = {"name": "pet", "in": "body", "required": True, "schema": {"$ref": "#/definitions/Pet"}}
        definition = self.operation(identity, body, consumes=["application/vnd.pet+json"])
        assert definition.request.body == {"n": "{{n}}"}
        assert definition.request.body_type == "application/vnd.pet+json"

    def test_fields_of_a_form_are_its_members_and_a_file_makes_it_multipart(self) -> None:
        identity = {"name": "id", "in": "path", "required": True, "type": "string"}
        text = {"name": "t", "in": "formData", "type": "string", "required": True, "description": "T."}
        form = self.operation(identity, text)
        assert form.request.body_type == "application/x-www-form-urlencoded"
        assert form.parameters["properties"]["t"] == {"type": "string", "description": "T."}
        upload = self.operation(identity, text, {"name": "f", "in": "formData", "type": "file"})
        assert upload.request.body_type == "multipart/form-data"
        assert upload.request.encoding["f"].file

    def test_security_definitions_are_understood(self) -> None:
        definitions = {
            "b": {"type": "basic"},
            "o": {"type": "oauth2", "flow": "application", "tokenUrl": "https://t.example/"},
        }
        paths = {"/x": {"get": {"operationId": "it", "security": [{"b": [], "o": ["read"]}]}}}
        auth = import_openapi(swagger(paths, securityDefinitions=definitions)).definitions[0].request.auth
        assert auth == (
            Auth(kind="basic", username="B_USERNAME", password="B_PASSWORD"),
            Auth(
                kind="client_credentials",
                token_url="https://t.example/",
                client_id="O_CLIENT_ID",
                client_secret="O_CLIENT_SECRET",
                scopes=("read",),
            ),
        )


class TestOperatorsHeaders:
    def test_they_are_sent_and_take_the_place_of_parameters(self) -> None:
        options = ImportOptions(headers={"X-Version": "7", "Authorization": "Bearer {{secret.API}}"})
        schemes = {"securitySchemes": {"k": {"type": "apiKey", "in": "header", "name": "X-Key"}}}
        operation = {"operationId": "it", "parameters": [parameter("x-version", "header")], "security": [{"k": []}]}
        found = imported({"/x": {"get": operation}}, options=options, components=schemes).definitions[0]
        assert found.request.headers == {"X-Version": "7", "Authorization": "Bearer {{secret.API}}"}
        assert found.secret_headers == ("Authorization",)
        assert found.request.auth == ()
        assert found.parameters["properties"] == {}


class TestWhatIsSetAside:
    @pytest.mark.parametrize(
        ("operation", "why"),
        [(5, "no object"), (None, "no object"), ([], "no object")],
    )
    def test_what_is_no_operation_is_listed(self, operation: Any, why: str) -> None:
        assert why in reason(operation)

    def test_one_bad_operation_leaves_the_others(self) -> None:
        bad = with_body({"$ref": "https://evil.example/x"})
        found = imported({"/a": {"get": {"operationId": "a"}, "post": {"operationId": "b", **bad}}, "/c": 5})
        assert [definition.name for definition in found.definitions] == ["a"]
        assert [(str(one), one.operation_id) for one in found.aside] == [("* /c", ""), ("POST /a", "b")]
        assert "POST /a (b) was set aside" in "\n".join(found.lines())

    def test_trace_is_not_sent(self) -> None:
        assert "TRACE" in reason({}, method="trace")


def test_every_tool_reads_back_from_what_it_is_written_as() -> None:
    body = with_body(
        {"type": "object", "properties": {"f": {"type": "string", "format": "binary"}}}, "multipart/form-data"
    )
    operation = {**body, "parameters": [parameter("q", "query", style="pipeDelimited"), parameter("X-A", "header")]}
    definition = only(operation)
    assert read_definition(definition.to_json(), imported=True).definition == definition


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", "an object is wanted"),
        ("[]", "an object is wanted"),
        ("{}", "names no version"),
        ('{"openapi": "3.0.0"}', "no 'paths'"),
        ('{"swagger": "1.2", "paths": {}}', "not known"),
        ('{"openapi": true, "paths": {}}', "names no version"),
        ("a: [", "cannot be read"),
        ("swagger: 2.0\npaths: []", "no 'paths'"),
    ],
)
def test_what_is_no_document_is_refused_with_the_reason(text: str, why: str) -> None:
    with pytest.raises(DefinitionError, match=why):
        import_openapi(text)


@pytest.mark.parametrize("version", ["3.0", "3.1.0", "3.2.0", 3.1, "3.0.0-rc1"])
def test_every_version_of_3_is_read(version: Any) -> None:
    assert import_openapi(document({"/x": {"get": {"operationId": "it"}}}, version=version)).definitions
