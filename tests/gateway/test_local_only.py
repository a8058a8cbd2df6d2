"""Which requests over HTTP are answered, by what they say of their host and their page."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from pegboard.gateway.local_only import LOCAL_NAMES, is_of, is_page_of
from tests.gateway.served import served
from tests.gateway.test_http import ACCEPT, CLIENT, rpc, serving

HOSTS = ["localhost", "LocalHost", "127.0.0.1", "[::1]"]
FOREIGN = [
    "",
    "evil.example",
    "localhost.evil.example",
    "localhost.",
    "localhost:",
    "localhost:x",
    "localhost:65536",
    "localhost:+1",
    "localhost:1:2",
    "localhost:1@evil.example",
    "localhost:1/evil.example",
    "localhost:1?evil.example",
    "localhost:1#evil.example",
    "localhost:1 evil.example",
    "localhost:1,evil.example",
    "localhost:1\\evil.example",
    "localhost:\u0661",
    "user@localhost",
    " localhost",
    "localhost\n",
    "::1",
    "[::1",
    "[::1]1",
    "[::1%25lo]",
    "127.0.0.2",
    "127.1",
]


@pytest.mark.parametrize("host", HOSTS)
def test_this_machines_names_are_taken_with_any_port_or_none(host: str) -> None:
    assert all(is_of(host + port, LOCAL_NAMES) for port in ("", ":1", ":65535"))
    assert all(is_page_of(f"{scheme}://{host}:9", LOCAL_NAMES) for scheme in ("http", "https"))


@pytest.mark.parametrize("host", FOREIGN)
def test_anything_else_is_not_one_of_them(host: str) -> None:
    assert not is_of(host, LOCAL_NAMES)
    assert not is_page_of(f"http://{host}", LOCAL_NAMES)


@pytest.mark.parametrize(
    "origin", ["null", "localhost", "ftp://localhost", "http:localhost", "http://localhost/", "http:///localhost", ""]
)
def test_an_origin_is_a_scheme_and_a_host_and_nothing_else(origin: str) -> None:
    assert not is_page_of(origin, LOCAL_NAMES)


async def status(address: str, *headers: str) -> int:
    """The status of a raw request with these lines as its headers."""
    place = urlsplit(address)
    body = json.dumps(rpc("initialize", CLIENT))
    lines = [f"POST {place.path} HTTP/1.1", *headers, *(f"{name}: {value}" for name, value in ACCEPT.items())]
    request = "\r\n".join([*lines, f"Content-Length: {len(body)}", "Connection: close", "", body])
    reader, writer = await asyncio.open_connection(place.hostname, place.port)
    writer.write(request.encode())
    answer = await asyncio.wait_for(reader.read(), 30)
    writer.close()
    await writer.wait_closed()
    return int(answer.split()[1])


@pytest.mark.anyio
async def test_raw_requests_are_held_to_it(tmp_path: Path) -> None:
    async with serving(served(tmp_path)) as address:
        assert await status(address, "Host: localhost:1") == 200
        assert await status(address, "Host: localhost", "Origin: http://127.0.0.1:3") == 200
        assert await status(address, "Host: localhost:1@evil.example") == 421
        assert await status(address, "Host: localhost:1.evil.example") == 421
        assert await status(address, "Host: localhost", "Origin: http://localhost:1@evil.example") == 403
        assert await status(address, "Host: localhost", "Origin:") == 403
        twice = ("Origin: http://localhost", "Origin: http://evil.example")
        assert await status(address, "Host: localhost", *twice) == 403
        assert await status(address, "Host: localhost", "Host: evil.example") in (400, 421)
        assert await status(address) in (400, 421)
