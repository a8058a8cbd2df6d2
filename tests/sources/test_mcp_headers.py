from __future__ import annotations

import base64

import pytest

from pegboard.errors import UpstreamError
from pegboard.http_tools.secrets import GivenSecrets
from pegboard.sources.mcp.headers import faults, filled, secret_parts, secrets_in_address

pytestmark = pytest.mark.anyio

URL = "https://example.com/mcp"


@pytest.mark.parametrize(
    ("headers", "says"),
    [
        ({"a b": "x"}, "'a b' cannot be the name of a header"),
        ({"Host": "x"}, "the header 'Host' is set by Pegboard"),
        ({"Mcp-Session-Id": "x"}, "the header 'Mcp-Session-Id' is set by Pegboard"),
        ({"mcp-param-region": "x"}, "the header 'mcp-param-region' is set by Pegboard"),
        ({"Accept": "x"}, "the header 'Accept' is set by Pegboard"),
        ({"X-A": "1", "x-a": "2"}, "the header 'x-a' is given twice"),
        ({"X-A": "1\r\nX-B: 2"}, "the header 'X-A' holds a line break or control character"),
        ({"X-A": "{{ctx.chat_id}}"}, "the header 'X-A' refers to 'ctx.chat_id', and only secrets can stand there"),
        ({"X-A": "{{secret.}}"}, "the header 'X-A' refers to 'secret.', and only secrets can stand there"),
        ({"X-A": "{{secret KEY}}"}, "the header 'X-A' holds {{secret KEY}}, which is no placeholder"),
    ],
)
def test_what_is_wrong_with_headers_is_told_by_name(headers: dict[str, str], says: str) -> None:
    [(name, what, hint)] = faults(headers)
    assert name in headers
    assert what == says
    assert hint


def test_headers_that_can_be_sent_have_no_faults() -> None:
    assert not list(faults({"Authorization": "Bearer {{secret.KEY}}", "X-Team": "a b", "User-Agent": "me"}))


async def test_secrets_are_filled_in_and_masked_by_themselves_and_within_their_header() -> None:
    secrets = GivenSecrets({"USER": "ada-lovelace", "KEY": "s3cret-value"})
    found = await filled("up", URL, {"Cookie": "u={{secret.USER}}; k={{ secret.KEY }}", "X-Team": "platform"}, secrets)
    assert found.values == {"Cookie": "u=ada-lovelace; k=s3cret-value", "X-Team": "platform"}
    assert found.scrubber.text("s3cret-value of ada-lovelace at platform") == "[secret] of [secret] at platform"
    assert "s3cret" not in repr(found)


@pytest.mark.parametrize(
    ("value", "says"), [(None, "the secret 'KEY' is not set"), ("a\nb", "the secret 'KEY' holds a line break")]
)
async def test_a_secret_that_cannot_be_sent_is_named(value: str | None, says: str) -> None:
    class One:
        async def get(self, name: str) -> str | None:
            return value

    with pytest.raises(UpstreamError, match=says):
        await filled("up", URL, {"X-Key": "{{secret.KEY}}"}, One())


def test_what_is_written_in_a_header_that_tells_of_a_credential_is_secret_too() -> None:
    basic = base64.b64encode(b"ada:open sesame").decode()
    assert set(secret_parts({"Authorization": "Bearer abcdefgh-token"})) == {
        "Bearer abcdefgh-token",
        "abcdefgh-token",
    }
    assert "open sesame" in set(secret_parts({"authorization": f"Basic {basic}"}))
    assert "not base64!" not in set(secret_parts({"authorization": "Basic not base64!"})) - {"Basic not base64!"}
    assert set(secret_parts({"x-api-key": "abcdefghi"})) == {"abcdefghi"}
    assert not set(secret_parts({"X-Team": "platform-team", "Accept-Language": "en"}))


def test_keys_in_addresses_are_secret() -> None:
    assert secrets_in_address("https://x/mcp?api_key=abcdefgh&v=1#k=hgfedcba") == ["abcdefgh"]
