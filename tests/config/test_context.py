"""``[context]``: what it comes to, and what is wrong in it."""

from __future__ import annotations

import pytest

from pegboard.context_map import Origin
from tests.config.conftest import Load

BASE = '[store]\npath = "memory"\n'


def test_a_text_stands_for_itself_and_a_table_says_where_from(load_text: Load) -> None:
    settings = load_text(
        f'{BASE}[context]\nstore_id = "berlin"\ntenant_id = {{ claim = "tenant" }}\n'
        'chat_id = { header = "X-Chat" }\nregion = { value = "eu" }\n'
    ).settings
    assert settings.context == {
        "store_id": Origin(value="berlin"),
        "tenant_id": Origin(claim="tenant"),
        "chat_id": Origin(header="X-Chat"),
        "region": Origin(value="eu"),
    }
    assert settings.context_names == ("chat_id", "agent_id", "tenant_id", "store_id", "region")


@pytest.mark.parametrize(
    ("line", "key", "told"),
    [
        ('x = { claim = "a", header = "B" }', "context.x.claim", "exactly one of claim, header and value"),
        ("x = {}", "context.x.claim", "exactly one of claim, header and value"),
        ("x = 5", "context.x", "wanted text, or a table with claim, header or value, got 5"),
        ('x = ""', "context.x", "wanted text that is not empty"),
        ('"a-b" = "x"', "context.a-b", "letters, digits and _"),
        ('x = { clam = "a" }', "context.x.clam", "Did you mean claim?"),
        ('x = { header = "authorization" }', "context.x.header", "proves who the client is"),
        ('x = { header = "Cookie" }', "context.x.header", "proves who the client is"),
    ],
)
def test_a_mistake_leaves_its_value_out_and_the_others_in(load_text: Load, line: str, key: str, told: str) -> None:
    loaded = load_text(f'{BASE}[context]\n{line}\ny = "kept"\n')
    (problem,) = loaded.errors
    assert (problem.key, problem.line) == (key, 4)
    assert told in str(problem)
    assert loaded.settings.context == {"y": Origin(value="kept")}


def test_a_principal_has_the_claims_that_the_file_gives_it(load_text: Load) -> None:
    settings = load_text(f'{BASE}[principals.ann]\ntenant = "acme"\nclaims = {{ region = "eu" }}\n').settings
    assert dict(settings.principals["ann"].claims) == {"region": "eu"}
