"""Who calls: security schemes and the names of secrets."""

from __future__ import annotations

from typing import Any

import pytest

from pegboard.errors import DefinitionError
from pegboard.http_tools.openapi.options import ImportOptions
from pegboard.http_tools.openapi.report import Operation
from pegboard.http_tools.request import Auth
from tests.http_tools.openapi.things import imported

SCHEMES: dict[str, Any] = {
    "appKey": {"type": "apiKey", "in": "query", "name": "key"},
    "token": {"type": "http", "scheme": "Bearer"},
    "login": {"type": "http", "scheme": "basic"},
    "machine": {"type": "oauth2", "flows": {"clientCredentials": {"tokenUrl": "https://t.example/token"}}},
    "person": {"type": "oauth2", "flows": {"authorizationCode": {"tokenUrl": "https://t.example/token"}}},
    "open": {"type": "openIdConnect", "openIdConnectUrl": "https://t.example"},
    "digest": {"type": "http", "scheme": "digest"},
    "mutual": {"type": "mutualTLS"},
    "ref": {"$ref": "#/components/securitySchemes/token"},
}


def operation(security: Any, secrets: Any = None, top: Any = None, **more: Any) -> Operation:
    paths = {"/x": {"get": {"operationId": "it", **({} if security is None else {"security": security}), **more}}}
    options = ImportOptions(secrets=secrets or {}, address="https://docs.example/o.json")
    return imported(paths, options=options, components={"securitySchemes": SCHEMES}, security=top).operations[0]


def auth(security: Any, secrets: Any = None, top: Any = None) -> tuple[Auth, ...]:
    return operation(security, secrets, top).definition.request.auth


@pytest.mark.parametrize(
    ("scheme", "secrets", "sent"),
    [
        ("appKey", None, Auth(kind="api_key", where="query", name="key", secret="APP_KEY")),
        ("appKey", "MINE", Auth(kind="api_key", where="query", name="key", secret="MINE")),
        ("token", None, Auth(kind="bearer", secret="TOKEN")),
        ("ref", None, Auth(kind="bearer", secret="REF")),
        ("login", None, Auth(kind="basic", username="LOGIN_USERNAME", password="LOGIN_PASSWORD")),
        ("login", "ME", Auth(kind="basic", username="ME_USERNAME", password="ME_PASSWORD")),
        ("login", {"username": "U", "password": "P"}, Auth(kind="basic", username="U", password="P")),
        (
            "machine",
            {"client_id": "I", "client_secret": "S", "scopes": ["a"], "extra": {"audience": "x", "r": ["1", "2"]}},
            Auth(
                kind="client_credentials",
                token_url="https://t.example/token",
                client_id="I",
                extra=(("audience", "x"), ("r", "1"), ("r", "2")),
                client_secret="S",
                scopes=("a",),
            ),
        ),
        ("machine", "TOKEN_I_HAVE", Auth(kind="bearer", secret="TOKEN_I_HAVE")),
        ("person", None, Auth(kind="bearer", secret="PERSON")),
        ("open", None, Auth(kind="bearer", secret="OPEN")),
    ],
)
def test_a_scheme_is_a_way_of_proving_who_calls(scheme: str, secrets: Any, sent: Auth) -> None:
    assert auth([{scheme: ["read"] if scheme != "machine" else []}], {scheme: secrets} if secrets else None) == (sent,)


def test_scopes_are_those_that_the_operation_asks_for() -> None:
    assert auth([{"machine": ["read", "write"]}])[0].scopes == ("read", "write")


def test_all_schemes_of_an_alternative_are_sent_together() -> None:
    assert [one.kind for one in auth([{"appKey": [], "token": []}])] == ["api_key", "bearer"]


def test_the_first_alternative_all_of_whose_secrets_are_named_is_taken_else_the_first() -> None:
    alternatives: list[dict[str, list[str]]] = [{"appKey": []}, {"token": [], "login": []}, {"token": []}]
    assert [one.kind for one in auth(alternatives)] == ["api_key"]
    assert [one.kind for one in auth(alternatives, {"token": "T"})] == ["bearer"]
    assert [one.kind for one in auth(alternatives, {"token": "T", "login": "L"})] == ["bearer", "basic"]
    assert [one.kind for one in auth([{"digest": []}, *alternatives])] == ["api_key"]


def test_an_alternative_that_asks_for_nothing_is_taken_where_no_secret_is_named() -> None:
    assert auth([{"token": []}, {}]) == ()
    assert [one.kind for one in auth([{"token": []}, {}], {"token": "T"})] == ["bearer"]


def test_the_operation_goes_before_the_document() -> None:
    assert [one.kind for one in auth(None, top=[{"token": []}])] == ["bearer"]
    assert auth([], top=[{"token": []}]) == ()


@pytest.mark.parametrize("scheme", ["digest", "mutual", "missing"])
def test_a_scheme_that_cannot_be_sent_is_told(scheme: str) -> None:
    found = operation([{scheme: []}])
    assert found.definition.request.auth == ()
    assert scheme in found.notes[0]


def test_a_key_is_never_an_argument() -> None:
    parameter = {"name": "key", "in": "query", "required": True, "schema": {"type": "string"}}
    assert operation([{"appKey": []}], parameters=[parameter]).definition.parameters["properties"] == {}


def test_a_secret_for_a_scheme_that_there_is_not_is_refused() -> None:
    with pytest.raises(DefinitionError, match="Did you mean 'token'"):
        operation([], {"tokn": "T"})


@pytest.mark.parametrize("security", [5, "token", [5], [{"token": 5}], {"token": []}])
def test_security_of_the_wrong_kind_crashes_nothing(security: Any) -> None:
    assert isinstance(operation(security).definition.request.auth, tuple)


ELSEWHERE = {"type": "oauth2", "flows": {"clientCredentials": {"tokenUrl": "https://t.example/token"}}}


@pytest.mark.parametrize(
    ("server", "address", "token_url", "sent"),
    [
        ("", "", "", True),
        ("https://mine.example/v1", "", "", False),
        ("https://mine.example/v1", "https://docs.example/o.json", "", False),
        ("https://t.example/v1", "", "", True),
        ("https://mine.example/v1", "https://t.example/o.json", "", True),
        ("https://mine.example/v1", "", "https://t.example/token", True),
        ("https://t.example:8443/v1", "", "", False),
    ],
)
def test_no_word_of_a_document_leads_a_secret_elsewhere_than_the_operator_does(
    server: str, address: str, token_url: str, sent: bool
) -> None:
    named = {"client_id": "I", "client_secret": "S", **({"token_url": token_url} if token_url else {})}
    options = ImportOptions(secrets={"m": named}, server=server, address=address)
    paths = {"/x": {"get": {"operationId": "it", "security": [{"m": []}]}}}
    [made] = imported(paths, options=options, components={"securitySchemes": {"m": ELSEWHERE}}).operations
    assert bool(made.definition.request.auth) is sent
    assert any("elsewhere than its server is" in note and "token_url" in note for note in made.notes) is not sent


def test_an_address_of_tokens_that_is_none_harms_nothing() -> None:
    broken = {"type": "oauth2", "flows": {"clientCredentials": {"tokenUrl": "//[x"}}}
    paths = {"/x": {"get": {"operationId": "it", "security": [{"m": []}]}}}
    [made] = imported(paths, components={"securitySchemes": {"m": broken}}).operations
    assert [one.kind for one in made.definition.request.auth] == ["bearer"]
