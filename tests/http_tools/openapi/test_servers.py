"""Where requests go: servers and their variables, relative addresses, and the operator's word."""

from __future__ import annotations

from typing import Any

import pytest

from pegboard.errors import DefinitionError
from pegboard.http_tools.openapi.importing import import_openapi
from pegboard.http_tools.openapi.options import ImportOptions
from pegboard.http_tools.openapi.spelling import CONFIGURED, TYPED, Spelling
from tests.http_tools.openapi.things import document, swagger

PATHS = {"/ping": {"get": {"operationId": "ping"}}}
VARIABLES = {"ver": {"default": "v2", "enum": ["v2", "v3"]}, "port": {"default": 8080}, "none": {}}


def url(servers: Any, paths: Any = PATHS, **options: Any) -> str:
    """The address that the one operation is sent to."""
    found = import_openapi({**document(paths), "servers": servers}, ImportOptions(**options))
    assert found.definitions, found.aside
    return found.definitions[0].request.url


@pytest.mark.parametrize(
    ("server", "address", "whole"),
    [
        ("https://a.example/v1/", "", "https://a.example/v1/ping"),
        ("https://a.example", "", "https://a.example/ping"),
        ("//a.example/v1", "", "https://a.example/v1/ping"),
        ("//a.example/v1", "http://docs.example/o.json", "http://a.example/v1/ping"),
        ("/v1", "https://docs.example/spec/o.json", "https://docs.example/v1/ping"),
        ("v1", "https://docs.example/spec/o.json", "https://docs.example/spec/v1/ping"),
        ("../v1/", "https://docs.example/spec/o.json", "https://docs.example/v1/ping"),
        ("https://a.example:{port}/{ver}", "", "https://a.example:8080/v2/ping"),
    ],
)
def test_a_server_is_made_whole(server: str, address: str, whole: str) -> None:
    assert url([{"url": server, "variables": VARIABLES}], address=address) == whole


def test_without_servers_requests_go_to_where_the_document_came_from() -> None:
    assert url([], address="https://docs.example/spec/o.json") == "https://docs.example/ping"


def test_the_innermost_servers_count() -> None:
    def server(name: str) -> list[dict[str, str]]:
        return [{"url": f"https://{name}.example"}, {"url": "https://second.example"}]

    operation = {"operationId": "ping"}
    assert url(server("top"), {"/ping": {"get": operation}}) == "https://top.example/ping"
    item: dict[str, Any] = {"servers": server("path"), "get": operation}
    assert url(server("top"), {"/ping": item}) == "https://path.example/ping"
    item = {"servers": server("path"), "get": {**operation, "servers": server("own")}}
    assert url(server("top"), {"/ping": item}) == "https://own.example/ping"


def test_the_operators_server_takes_the_place_of_all() -> None:
    paths = {"/ping": {"servers": [{"url": "https://path.example"}], "get": {"operationId": "ping"}}}
    assert url([{"url": "/v1"}], paths, server="http://127.0.0.1:8000/api/") == "http://127.0.0.1:8000/api/ping"


def test_values_of_variables_are_the_operators_where_they_are_allowed() -> None:
    servers = [{"url": "https://a.example/{ver}", "variables": VARIABLES}]
    assert url(servers, server_variables={"ver": "v3"}) == "https://a.example/v3/ping"


@pytest.mark.parametrize(
    ("server", "options", "why"),
    [
        ("https://a.example/{ver}", {"server_variables": {"ver": "v9"}}, "'ver' cannot be 'v9'"),
        ("https://a.example/{none}", {}, "'none' has no value"),
        ("https://a.example/{unknown}", {}, "'unknown' has no value"),
        ("https://a.example/{ver}", {"server_variables": {"verr": "v9"}}, "'verr'"),
        ("/v1", {}, 'server = "https://HOST/v1"'),
        ("ftp://a.example", {}, "cannot be used"),
        ("https://user:pass@a.example", {}, "cannot be used"),
        ("https://a.example", {"server": "a.example"}, "'a.example' cannot be used"),
        ("https://a.example", {"server": "https://a.example?x=1"}, "query"),
    ],
)
def test_a_document_without_an_address_to_send_to_is_refused(server: str, options: Any, why: str) -> None:
    with pytest.raises(DefinitionError) as caught:
        url([{"url": server, "variables": VARIABLES}], **options)
    assert why in str(caught.value)


@pytest.mark.parametrize(
    ("spelling", "server", "variable", "path"),
    [
        (CONFIGURED, 'server = "https://HOST/v1"', 'server_variables = { v = "VALUE" }', 'exclude_paths = ["/odd{x}"]'),
        (TYPED, "--server https://HOST/v1", "--server-variable v=VALUE", "--exclude-path '/odd{x}'"),
    ],
)
def test_every_operation_that_is_set_aside_has_a_fix_that_can_be_typed_where_it_is_read(
    spelling: Spelling, server: str, variable: str, path: str
) -> None:
    def at(url: str) -> dict[str, Any]:
        return {"servers": [{"url": url}], "get": {}}

    paths = {
        "/fine": at("https://a.example"),
        "/relative": at("/v1"),
        "/variable": at("https://a.example/{v}"),
        "/odd{x}": at("https://a.example"),
        "/path": 1,
        "/soap": {**at("https://a.example"), "trace": {}},
    }
    found = import_openapi(document(paths), ImportOptions(spelling=spelling))
    mends = {str(one): one.mend for one in found.failed}
    assert len(mends) == 5
    assert all(mends.values())
    assert server in mends["GET /relative"]
    assert variable in mends["GET /variable"]
    assert path in mends["GET /odd{x}"]
    assert all(any(mend in line for line in found.lines()) for mend in mends.values())


def test_an_operation_without_an_address_is_set_aside_beside_others() -> None:
    here = {"servers": [{"url": "https://a.example"}], "get": {"operationId": "here"}}
    paths = {"/here": here, "/there": {"get": {"operationId": "there"}}}
    found = import_openapi({**document(paths), "servers": [{"url": "/v1"}]})
    assert [definition.name for definition in found.definitions] == ["here"]
    assert "relative" in found.aside[0].reason


@pytest.mark.parametrize(
    ("top", "whole"),
    [
        ({"schemes": ["http", "https"]}, "https://api.example.com/v1/ping"),
        ({"schemes": ["http"]}, "http://api.example.com/v1/ping"),
        ({"schemes": []}, "https://api.example.com/v1/ping"),
        ({"basePath": "/"}, "https://api.example.com/ping"),
        ({"basePath": None}, "https://api.example.com/ping"),
    ],
)
def test_the_parts_of_an_address_in_2_0_make_a_server(top: Any, whole: str) -> None:
    assert import_openapi(swagger(PATHS, **top)).definitions[0].request.url == whole


def test_a_document_of_2_0_without_a_host_is_relative() -> None:
    with pytest.raises(DefinitionError, match="relative"):
        import_openapi(swagger(PATHS, host=""))
    found = import_openapi(swagger(PATHS, host=""), ImportOptions(address="https://docs.example/o.json"))
    assert found.definitions[0].request.url == "https://docs.example/v1/ping"


@pytest.mark.parametrize("url", ["https://a.exa\nmple", "https://a.example/a\r\nX: y", "https://a\t.example"])
def test_no_control_character_makes_another_address_of_a_server(url: str) -> None:
    with pytest.raises(DefinitionError, match="control character"):
        import_openapi({**document({"/x": {"get": {"operationId": "it"}}}), "servers": [{"url": url}]})
