from __future__ import annotations

from base64 import urlsafe_b64encode
from pathlib import Path
from typing import Any

import pytest

from pegboard.errors import DefinitionError
from pegboard.http_tools.authored import authored
from pegboard.http_tools.dump import as_text, lean
from pegboard.http_tools.openapi.importing import import_openapi
from pegboard.http_tools.openapi.options import ImportOptions
from pegboard.http_tools.written_secrets import called_secrets, shape_of, shaped_secrets
from tests.http_tools.things import told

CORPUS = Path(__file__).resolve().parents[3] / "shared" / "corpora" / "openapi"
NO_DOCUMENT = "k8s-custom-objects-swagger2.json"

TAIL = "Ab3dE9xY2fGh1JkL4mN5pQ7rS8tUvWzA0bC6dE3f"
CAPITALS = "ABCDEFGH2345QRST"
JWT = ".".join(
    urlsafe_b64encode(part).decode().rstrip("=") for part in (b'{"alg":"HS256"}', b'{"sub":"1234567"}', b"x" * 20)
)
"""Put together here, so that nobody takes one of them for a real one."""

SECRETS = {
    "a key": f"sk-live-{TAIL}",
    "a key of a project": f"sk-proj-{TAIL}",
    "a key of a payment service": f"sk_live_{TAIL}",
    "GitHub": f"ghp_{TAIL}",
    "GitHub, fine": f"github_pat_{TAIL}",
    "GitLab": f"glpat-{TAIL[:20]}",
    "Slack": f"xoxb-{TAIL}",
    "a webhook": f"https://hooks.slack.com/services/T0{TAIL[:8]}/B0{TAIL[:8]}/{TAIL}",
    "AWS": f"AKIA{CAPITALS}",
    "Google": f"AIza{TAIL[:35]}",
    "Hugging Face": f"hf_{TAIL}",
    "SendGrid": f"SG.{TAIL[:22]}.{TAIL}",
    "JWT": JWT,
    "bearer": f"Bearer {TAIL}",
    "basic": "Basic dXNlcjpwYXNzd29yZA==",
    "a private key": "-----BEGIN RSA PRIVATE KEY-----",
}


def refused(**fields: Any) -> dict[str, str]:
    """The problems of a definition on its way into a store, by key."""
    with pytest.raises(DefinitionError) as caught:
        authored(as_text(told(**fields), "json"), "t.json")
    for secret in SECRETS.values():
        assert secret not in f"{caught.value}{caught.value.data}"
    return {one["key"]: f"{one['message']} {one['hint']}" for one in caught.value.data["problems"]}


@pytest.mark.parametrize("secret", SECRETS.values(), ids=SECRETS)
@pytest.mark.parametrize(
    ("key", "make"),
    [
        ("request.headers.X-Foo", lambda text: {"headers": {"X-Foo": text, "X-Bar": "plain"}}),
        ("request.query.q", lambda text: {"query": {"q": text}}),
        ("request.query.q.1", lambda text: {"query": {"q": ["plain", text]}}),
        ("request.body.a.0.b", lambda text: {"body": {"a": [{"b": text}]}}),
        ("request.auth.0.secret", lambda text: {"auth": [{"type": "bearer", "secret": text}]}),
    ],
)
def test_what_looks_like_a_secret_is_refused_with_its_place_and_the_fix(key: str, make: Any, secret: str) -> None:
    (found,) = (problems := refused(**make(secret)))
    assert found == key
    assert "{{secret.NAME}}" in problems[key]


def test_a_secret_is_found_beside_other_text_and_placeholders() -> None:
    parameters = {"type": "object", "properties": {"a": {"type": "string"}}}
    texts = {"X-A": f"key={SECRETS['GitHub']}; v=1", "X-B": f"{{{{a}}}} {SECRETS['a key']}{{{{a}}}}"}
    assert list(refused(parameters=parameters, headers=texts)) == ["request.headers.X-A", "request.headers.X-B"]


def test_a_secret_in_the_path_the_default_of_an_argument_or_a_name_is_found_too() -> None:
    assert list(refused(url=f"https://a.example/{SECRETS['GitHub']}/x")) == ["request.url"]
    properties = {"a": {"type": "string", "default": SECRETS["JWT"]}}
    assert list(refused(parameters={"type": "object", "properties": properties})) == ["parameters.properties.a.default"]
    assert list(refused(body={SECRETS["AWS"]: 1})) == ["request.body.a name"]


def test_every_secret_of_a_definition_is_told_at_once() -> None:
    found = refused(headers={"X-A": SECRETS["JWT"], "Authorization": SECRETS["bearer"]}, body=SECRETS["a private key"])
    assert list(found) == ["request.headers.Authorization", "request.headers.X-A", "request.body"]


def test_user_and_password_in_an_address_are_refused_wherever_it_stands() -> None:
    assert "request.body.next" in refused(body={"next": "https://user:hunter2@a.example/"})
    with pytest.raises(DefinitionError, match="has user or password in it"):
        authored(as_text(told(url="https://user:hunter2@a.example/"), "json"), "t.json")


@pytest.mark.parametrize(
    "text",
    [
        *("", "risk-assessment-for-large-customers-2024", "sk-learn-classification-model", "desk-0123456789abcdefgh"),
        *("ghp_short", "glass-0123456789", "eyJust.a.word", "AKIAMARA", "Bearer {{secret.KEY}}", "Bearer of good news"),
        *("Basic", "basic {{a}}", "token: none", "application/vnd.api+json; version=2024-01-01T00:00:00Z"),
        *("550e8400-e29b-41d4-a716-446655440000", "https://a.example:8443/x@y", "https://a.example/?t=12:30@noon"),
    ],
)
def test_what_only_resembles_a_secret_is_none(text: str) -> None:
    assert shape_of(text) == ""


def test_a_description_may_show_how_a_secret_looks() -> None:
    assert authored(as_text(told(description=f"Takes {SECRETS['GitHub']}."), "json"), "t.json").written


@pytest.mark.skipif(not CORPUS.is_dir(), reason="the published documents are not here")
def test_no_operation_of_published_documents_is_taken_for_a_secret() -> None:
    options = ImportOptions(address="https://docs.example.com/openapi.json")
    seen = 0
    for file in sorted(CORPUS.iterdir()):
        if file.name == NO_DOCUMENT:
            continue
        for definition in import_openapi(file.read_text("utf-8"), options).definitions:
            seen += 1
            assert not [*shaped_secrets(lean(definition.to_json())), *called_secrets(definition)], definition.name
    assert seen > 1_900
