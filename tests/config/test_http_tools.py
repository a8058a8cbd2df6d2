"""``[http]`` and ``[[http_tools]]``: what they come to, and changes while everything runs."""

from __future__ import annotations

from pathlib import Path

import pytest

from pegboard.config import load
from pegboard.config.watch import Reloader
from pegboard.config.wire import build, secrets_provider
from pegboard.errors import ConfigError
from pegboard.net.client import HttpClient
from tests.config.conftest import Load, Write
from tests.net.scripted import Network, Received, reply

pytestmark = pytest.mark.anyio

TOOL = """\
name = "{name}"
description = "{about}"
url = "https://8.8.8.8/{name}"
headers = {{ X-Tenant = "{{{{ctx.team}}}}", X-Key = "{{{{secret.KEY}}}}" }}
secret_headers = ["X-Key"]
"""
MAIN = """\
[store]
path = "memory"

[http]
schemes = ["http"]
secrets_prefix = "APP_"

[context]
team = "blue"

[[http_tools]]
file = "a.toml"
prefix = "svc"
"""


def tool(name: str, about: str = "A tool.") -> str:
    return TOOL.format(name=name, about=about).replace("https:", "http:")


async def test_a_call_reaches_the_service_with_context_and_secret(write: Write, tmp_path: Path) -> None:
    write("a.toml", tool("ping"))
    loaded = load(write("pegboard.toml", MAIN), strict=True)
    network = Network(answer=lambda request: reply(body=b"fine"))
    wired = build(loaded.settings, environ={"APP_KEY": "k"}, http_client=lambda: HttpClient(network=network))
    async with wired.peg as peg:
        await peg.ready()
        board = await peg.open()
        result = await board.call("svc__ping", {})
        own = await (await peg.open(context={"team": "red"})).call("svc__ping", {})
    assert (result.to_wire()["isError"], own.to_wire()["isError"]) == (False, False)

    def sent(request: Received) -> tuple[str, str | None, str | None]:
        return request.path, request.header("X-Tenant"), request.header("X-Key")

    assert [sent(request) for request in network.requests] == [("/ping", "blue", "k"), ("/ping", "red", "k")]


async def test_files_are_read_again_when_they_change(write: Write, tmp_path: Path) -> None:
    write("a.toml", tool("ping", "First."))
    file = write("pegboard.toml", MAIN)
    loaded = load(file)
    wired = build(loaded.settings, environ={})
    reloader = Reloader(wired, loaded, lambda: load(file), environ={})
    peg = wired.peg

    async def told(**files: str) -> dict[str, str]:
        for name, text in files.items():
            write(f"{name}.toml", text)
        await reloader.reload()
        await peg.ready()
        return {one.name: one.description for one in peg.catalog.all()}

    async with peg:
        await peg.ready()
        assert await told() == {"svc__ping": "First."}
        assert await told(a=tool("ping", "Second.")) == {"svc__ping": "Second."}
        assert await told(a=tool("ping", "")) == {"svc__ping": "Second."}
        assert await told(pegboard=MAIN.replace('"svc"', '"other"'), a=tool("ping", "Third.")) == {
            "other__ping": "Third."
        }
        more = f'{MAIN}\n[[http_tools]]\nfile = "b.toml"\n'
        assert await told(pegboard=more, b=tool("pong")) == {"svc__ping": "Third.", "pong": "A tool."}
        assert await told(pegboard=more.replace("file =", "flie =")) == {"svc__ping": "Third.", "pong": "A tool."}
        assert await told(pegboard="[store]\npath = 'memory'\n") == {}


@pytest.mark.parametrize(
    ("line", "key"),
    [
        ('origins = ["nonsense"]', "http.origins"),
        ('networks = ["10.1.2.3/8"]', "http.networks"),
        ('private_hosts = { "a.corp" = ["x"] }', "http.private_hosts"),
        ('hosts = ["http://a"]', "http.hosts"),
        ('schemes = ["ftp"]', "http.schemes[0]"),
        ("ports = [0]", "http.ports[0]"),
        ('secrets = ["files"]', "http.secrets"),
    ],
)
def test_a_mistake_in_what_may_be_reached_is_told_and_allows_nothing(load_text: Load, line: str, key: str) -> None:
    loaded = load_text(f"[http]\n{line}\n")
    (problem,) = loaded.errors
    assert problem.key == key
    assert loaded.settings.http.policy == load_text("").settings.http.policy


async def test_secrets_are_looked_for_in_the_order_that_is_told(write: Write, load_text: Load) -> None:
    write("keys/A", "from the file")
    settings = load_text('[http]\nsecrets = ["files", "environment"]\nsecrets_folder = "keys"\n').settings
    provider = secrets_provider(settings, {"A": "from the environment", "B": "b"})
    assert [await provider.get(name) for name in ("A", "B", "C")] == ["from the file", "b", None]


def test_a_keyring_that_is_not_installed_stops_the_start(load_text: Load, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "keyring", None)
    with pytest.raises(ConfigError, match="keyring"):
        secrets_provider(load_text('[http]\nsecrets = ["keyring"]\n').settings)
