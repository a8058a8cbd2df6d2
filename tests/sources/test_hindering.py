"""What makes every call of an HTTP tool fail, told before anybody calls it: real files, a real server on loopback."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from pegboard import Pegboard
from pegboard.auth import Principal
from pegboard.context_map import ContextMap, Origin
from pegboard.explaining import Aspect, Explanation, why_not
from pegboard.http_tools.secrets import ChainedSecrets, EnvironmentSecrets, FileSecrets, SecretProvider
from pegboard.http_tools.tool import Client, HttpRuntime
from pegboard.net.egress import EgressPolicy
from pegboard.sources.data_tools import DataToolSpec
from pegboard.sources.http import HttpToolFile
from tests.net.loopback import Exchange, serving

pytestmark = pytest.mark.anyio

TOOL = """\
name = "ping"
description = "Ping."
secret_headers = ["Authorization"]
[request]
url = "{url}"
headers = {{ Authorization = "Bearer {{{{secret.KEY}}}}" }}
body = {{ tenant = "{{{{ctx.tenant_id}}}}" }}
method = "POST"
"""
CONTEXT = {"tenant_id": "acme"}
SET = EnvironmentSecrets({"KEY": "k"})


async def asked(
    folder: Path,
    url: str,
    *,
    origins: list[str] | None = None,
    secrets: SecretProvider = SET,
    context: Mapping[str, Any] = CONTEXT,
    principal: Principal | None = None,
    map_: ContextMap | None = None,
) -> Explanation:
    """Why the tool ``crm__ping`` is not called, which sends to ``url``."""
    (folder / "t.toml").write_text(TOOL.format(url=url), "utf-8")
    policy = EgressPolicy.allowing(origins=origins or [])

    def runtime(client: Client) -> HttpRuntime:
        return HttpRuntime(client=client, policy=policy, secrets=secrets)

    source = HttpToolFile("crm", folder / "t.toml", runtime, spec=DataToolSpec(prefix="crm"), environ={})
    async with Pegboard(sources=[source], context=map_) as peg:
        await peg.ready()
        return await why_not(peg, await peg.open(principal, context=context), "crm__ping")


def whats(explanation: Explanation) -> list[str]:
    """What keeps it from being called."""
    return [one.what for one in explanation.findings if Aspect.CALLED in one.keeps_from]


async def answer(exchange: Exchange) -> None:
    await exchange.reply(b"fine")


async def test_nothing_hinders_a_tool_whose_server_listens_and_nothing_is_sent_to_find_out(tmp_path: Path) -> None:
    heard: list[Exchange] = []

    async def hear(exchange: Exchange) -> None:
        heard.append(exchange)

    async with serving(hear) as server:
        told = await asked(tmp_path, server.url("/ping"), origins=[server.url()])
    assert whats(told) == []
    assert "callable" in told.verdicts
    assert not heard


async def test_an_address_where_nobody_listens_is_told_with_what_to_do(tmp_path: Path) -> None:
    async with serving(answer) as server:
        url = server.url("/ping")
    told = await asked(tmp_path, url, origins=[url])
    assert whats(told) == ["address_away"]
    assert url.removesuffix("/ping") in told.findings[0].message
    assert str(tmp_path / "t.toml") in told.findings[0].mend


async def test_an_address_that_the_guard_refuses_is_told_with_the_setting_that_allows_it(tmp_path: Path) -> None:
    async with serving(answer) as server:
        told = await asked(tmp_path, server.url("/ping"))
        origin = server.url().rstrip("/")
    assert whats(told) == ["address_refused"]
    assert f'origins = ["{origin}"]' in told.findings[0].mend
    assert "not callable" in told.verdicts


async def test_a_secret_that_is_not_set_is_told_with_every_place_for_it(tmp_path: Path) -> None:
    secrets = ChainedSecrets([EnvironmentSecrets({}, prefix="PEG_"), FileSecrets(tmp_path)])
    async with serving(answer) as server:
        told = await asked(tmp_path, server.url(), origins=[server.url()], secrets=secrets)
    assert whats(told) == ["secret_unset"]
    assert told.findings[0].mend == f"Set it: the environment variable PEG_KEY or the file {tmp_path / 'KEY'}."


async def test_a_value_of_the_context_is_missing_unless_the_board_or_the_principal_has_it(tmp_path: Path) -> None:
    ann = Principal(id="ann", tenant="acme")
    mapped = ContextMap({"tenant_id": Origin(claim="tenant")})
    async with serving(answer) as server:
        where: dict[str, Any] = {"url": server.url(), "origins": [server.url()]}
        told = await asked(tmp_path, **where, context={})
        assert whats(await asked(tmp_path, **where, context={"tenant_id": ""})) == ["context_missing"]
        assert whats(await asked(tmp_path, **where, context={}, principal=ann, map_=mapped)) == []
    assert whats(told) == ["context_missing"]
    assert "--ctx tenant_id=VALUE" in told.findings[0].mend
    assert "[context]" in told.findings[0].mend


async def test_everything_that_hinders_is_told_at_once(tmp_path: Path) -> None:
    told = await asked(tmp_path, "http://127.0.0.1:9/", secrets=EnvironmentSecrets({}), context={})
    assert whats(told) == ["secret_unset", "context_missing", "address_refused"]
    assert all(one.mend for one in told.findings)


async def test_a_call_that_fails_names_the_tool_as_the_caller_did(tmp_path: Path) -> None:
    (tmp_path / "t.toml").write_text(TOOL.format(url="https://api.example.com/"), "utf-8")

    def runtime(client: Client) -> HttpRuntime:
        return HttpRuntime(client=client, secrets=EnvironmentSecrets({}))

    source = HttpToolFile("crm", tmp_path / "t.toml", runtime, spec=DataToolSpec(prefix="crm"), environ={})
    async with Pegboard(sources=[source]) as peg:
        await peg.ready()
        (content,) = (await (await peg.open()).call("crm__ping", {})).to_wire()["content"]
    assert content["text"].startswith("'crm__ping' needs the secret 'KEY'")
