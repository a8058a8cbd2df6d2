"""The request that a call would send: as a call sends it, without any secret, and without sending anything."""

from __future__ import annotations

import pytest

from pegboard.errors import CallError
from pegboard.http_tools.definition import HttpDefinition
from pegboard.http_tools.files import load_text
from pegboard.http_tools.preview import preview
from pegboard.http_tools.secrets import GivenSecrets
from pegboard.http_tools.tool import HttpRuntime
from pegboard.net.client import HttpClient
from pegboard.net.egress import EgressPolicy
from tests.net.scripted import Network

pytestmark = pytest.mark.anyio

SECRET = "sk-the-secret-value"
TEXT = """\
name = "pay"
description = "Pay."
parameters = [{ name = "order" }, { name = "amount", type = "number" }, { name = "note", required = false }]
secret_headers = ["Authorization"]
[request]
method = "POST"
url = "https://shop.example.com/orders/{{order}}/pay"
headers = { Authorization = "Bearer {{secret.KEY}}", X-Tenant = "{{ctx.tenant_id}}" }
query = { note = "{{note}}" }
body = { amount = "{{amount}}" }
"""


def definition(text: str = TEXT) -> HttpDefinition:
    (found,) = load_text(text).definitions
    return found


class Around:
    """A runtime whose network notes what is sent. Lives as long as its block."""

    def __init__(self, policy: EgressPolicy | None = None, **secrets: str) -> None:
        self.network = Network(answer=lambda request: b"")
        self.client = HttpClient(network=self.network)
        self.runtime = HttpRuntime(client=self.client, policy=policy or EgressPolicy(), secrets=GivenSecrets(secrets))

    async def __aenter__(self) -> HttpRuntime:
        return self.runtime

    async def __aexit__(self, *error: object) -> None:
        await self.client.aclose()
        assert self.network.requests == []


async def test_the_request_is_the_one_that_a_call_sends_but_for_its_secrets() -> None:
    async with Around(KEY=SECRET) as runtime:
        seen = await preview(definition(), {"order": "a/b", "amount": 2.5}, {"tenant_id": "acme"}, runtime)
    assert (seen.method, seen.url) == ("POST", "https://shop.example.com/orders/a%2Fb/pay")
    assert seen.headers == {
        "Authorization": "Bearer [secret]",
        "X-Tenant": "acme",
        "Content-Type": "application/json",
    }
    assert (seen.body, seen.notes) == ('{"amount":2.5}', ())
    assert SECRET not in repr(seen)


async def test_what_would_keep_it_from_being_sent_is_noted() -> None:
    inside = EgressPolicy.allowing(hosts=["other.example.com"])
    async with Around(inside) as runtime:
        seen = await preview(definition(), {"order": "1", "amount": 1}, {"tenant_id": "a"}, runtime)
    assert [note.split(":")[0] for note in seen.notes] == [
        "The secret 'KEY' is not set",
        "The address would be refused",
    ]


@pytest.mark.parametrize(
    ("arguments", "context", "told"),
    [
        ({"order": "1"}, {"tenant_id": "a"}, "amount: missing"),
        ({"order": "1", "amount": "2"}, {"tenant_id": "a"}, "amount: expected number"),
        ({"order": "..", "amount": 1}, {"tenant_id": "a"}, "cannot be empty, '.' or '..'"),
        ({"order": "1", "amount": 1}, {}, "needs the value of the call's context 'tenant_id'"),
        ({"order": "1", "amount": 1, "tenant_id": "evil"}, {}, "tenant_id"),
    ],
)
async def test_a_call_that_would_be_refused_is_refused_alike(
    arguments: dict[str, object], context: dict[str, str], told: str
) -> None:
    async with Around(KEY=SECRET) as runtime:
        with pytest.raises(CallError) as caught:
            await preview(definition(), arguments, context, runtime)
    assert told in str(caught.value)
    assert SECRET not in f"{caught.value} {caught.value.data}"
