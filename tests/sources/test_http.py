"""Files of HTTP tools as sources: real files, and a real server on loopback."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from pegboard import Pegboard
from pegboard.http_tools.secrets import GivenSecrets
from pegboard.http_tools.tool import Client, HttpRuntime
from pegboard.net.egress import EgressPolicy
from pegboard.sources.data_tools import DataToolSpec
from pegboard.sources.http import HttpToolFile
from tests.net.loopback import Exchange, serving

pytestmark = pytest.mark.anyio

TOOL = '[[tools]]\nname = "{name}"\ndescription = "Tool {name}."\nurl = "{url}"\n'


def source_of(path: Path, *, origin: str | None = None, **spec: Any) -> HttpToolFile:
    policy = EgressPolicy.allowing(origins=[origin] if origin else [])

    def runtime(client: Client) -> HttpRuntime:
        return HttpRuntime(client=client, policy=policy, secrets=GivenSecrets({}))

    return HttpToolFile("crm", path, runtime, spec=DataToolSpec(**spec), environ={})


def write(path: Path, *names: str, url: str = "https://api.example.com/x") -> None:
    path.write_text("".join(TOOL.format(name=name, url=url) for name in names), "utf-8")


async def test_its_tools_are_called_and_its_connections_closed(tmp_path: Path) -> None:
    async def answer(exchange: Exchange) -> None:
        await exchange.reply(b"fine")

    async with serving(answer) as server:
        write(tmp_path / "t.toml", "ping", url=server.url("/ping"))
        async with Pegboard(sources=[source_of(tmp_path / "t.toml", origin=server.url())]) as peg:
            await peg.ready()
            board = await peg.open()
            assert (await board.call("ping", {})).to_wire()["content"] == [{"type": "text", "text": "fine"}]
    assert server.connections == 1


async def test_a_broken_tool_is_set_aside_with_all_its_mistakes(tmp_path: Path) -> None:
    write(tmp_path / "t.toml", "good", "bad")
    text = (tmp_path / "t.toml").read_text().replace('"Tool bad."', '""') + "timeout = -1\n"
    (tmp_path / "t.toml").write_text(text)
    source = source_of(tmp_path / "t.toml")
    await source.ready()
    status = source.status()
    assert (status.state, status.tools, status.kind) == ("ready", 1, "http")
    (problem,) = status.problems
    assert problem.name == "bad"
    assert "t.toml:7: tools[1].description" in problem.reason
    assert "t.toml:9: tools[1].timeout" in problem.reason
    await source.stop()


async def test_what_was_good_before_a_broken_edit_stays_as_it_was(tmp_path: Path) -> None:
    path = tmp_path / "t.toml"
    write(path, "a", "b")
    source = source_of(path)
    await source.ready()
    before = {tool.name: tool for tool in source.registry.tools()}
    path.write_text(path.read_text().replace('"Tool a."', '""').replace('"Tool b."', '"Better."'))
    source.reload()
    await source.ready()
    after = {tool.name: tool for tool in source.registry.tools()}
    assert after["a"].description == before["a"].description
    assert after["b"].description == "Better."
    assert any(note.startswith("a stays as it was: ") for note in source.status().notes)
    path.write_text("[[tools]\n")
    source.reload()
    await source.ready()
    assert {tool.name for tool in source.registry.tools()} == {"a", "b"}
    assert any("not TOML" in note for note in source.status().notes)
    path.write_text(TOML_GONE)
    source.reload()
    await source.ready()
    assert [tool.name for tool in source.registry.tools()] == ["b"]
    assert not source.status().notes
    await source.stop()


TOML_GONE = TOOL.format(name="b", url="https://api.example.com/x")


async def test_a_file_that_was_never_good_has_failed(tmp_path: Path) -> None:
    source = source_of(tmp_path / "none.toml")
    await source.ready()
    assert source.status().state == "failed"
    assert "there is no such file" in source.status().reason
    await source.stop()


async def test_names_visibility_and_approval_are_as_told(tmp_path: Path) -> None:
    write(tmp_path / "t.toml", "get_a", "get_b", "drop")
    spec: dict[str, Any] = {"visibility": {"*_a": "always"}, "approval": {"get_*": "exec"}, "exclude": ("drop",)}
    source = source_of(tmp_path / "t.toml", prefix="crm", **spec)
    await source.ready()
    told = {tool.name: (tool.bare_name, tool.visibility, tool.approval) for tool in source.registry.tools()}
    assert told == {
        "crm__get_a": ("get_a", "always", "exec"),
        "crm__get_b": ("get_b", "on-demand", "exec"),
    }
    assert source.status().excluded == {"drop": "the exclude pattern 'drop' leaves it out"}
    await source.stop()


async def test_what_no_call_can_mend_is_noted_before_any_call(tmp_path: Path) -> None:
    text = TOOL.format(name="a", url="http://localhost:8080/x")
    (tmp_path / "t.toml").write_text(f'{text}headers = {{ X-K = "{{{{secret.K}}}}" }}\nsecret_headers = ["X-K"]\n')
    source = source_of(tmp_path / "t.toml")
    await source.ready()
    absent, unreachable = source.status().notes
    assert absent == "a needs the secret 'K', which is not set"
    assert unreachable.startswith("a cannot reach its address: http://localhost:8080 is not over https;")
    await source.stop()
