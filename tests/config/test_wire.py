"""Settings to a wired Pegboard."""

from __future__ import annotations

import asyncio
import json
import sys
from dataclasses import fields
from pathlib import Path

import pytest

from pegboard import Bm25Ranker, LexicalRanker
from pegboard.config import Level, Settings
from pegboard.config.model import GatewayKeys
from pegboard.config.paths import file_names
from pegboard.config.wire import DEPTH_VARIABLE, MAX_DEPTH, build, gateway_settings, secrets_of
from pegboard.errors import ConfigError
from pegboard.gateway.settings import GatewaySettings
from pegboard.stores import SqlPinStore
from tests.config.conftest import Load, Write
from tests.sources.servers import FIXTURES, PATIENCE, page

pytestmark = pytest.mark.anyio

TOOLS = '''
from pegboard import tool

@tool
def double(number: int) -> int:
    """Twice a number."""
    return 2 * number
'''


@pytest.fixture
def server(write: Write, tmp_path: Path) -> str:
    """The lines of a scripted server's entry: one tool ``greet``; it logs the variables KEY and PEGBOARD_DEPTH."""
    script = {"pages": [page("greet")], "env": ["KEY", DEPTH_VARIABLE]}
    write("script.json", json.dumps(script))
    args = [str(FIXTURES / "scripted_server.py"), str(tmp_path / "script.json"), str(tmp_path / "log.jsonl")]
    return f"command = '{sys.executable}'\nargs = {json.dumps(args)}\n"


async def test_a_file_becomes_a_pegboard_whose_tools_can_be_called(
    load_text: Load, write: Write, server: str, tmp_path: Path
) -> None:
    write("tools.py", TOOLS)
    text = f"[upstreams.up]\n{server}env = {{ KEY = '${{KEY}}' }}\n[[python]]\nfile = 'tools.py'"
    wired = build(load_text(text, KEY="value").settings, environ={})
    assert not wired.problems
    async with wired.peg as peg, asyncio.timeout(PATIENCE):
        assert await peg.ready() == ()
        assert {tool.name: tool.source for tool in peg.catalog.all()} == {"double": "tools.py", "up__greet": "up"}
        board = await peg.open()
        assert (await board.call("double", {"number": 4})).text == "8"  # type: ignore[union-attr]
        assert (await board.call("up__greet", {})).text == "ok"  # type: ignore[union-attr]
    log = [json.loads(line) for line in (tmp_path / "log.jsonl").read_text().splitlines()]
    assert {"KEY": "value", DEPTH_VARIABLE: "1"}.items() <= str_items(log)


def test_boards_are_kept_where_the_file_says(load_text: Load, tmp_path: Path, home: Path) -> None:
    def place(text: str, **environ: str) -> Path | None:
        store = build(load_text(text, **environ).settings, environ={}).peg.store
        return store.path if isinstance(store, SqlPinStore) else None

    assert place('[store]\npath = "kept.sqlite3"') == tmp_path / "kept.sqlite3"
    assert place('[store]\npath = "~/kept.db"') == home / "kept.db"
    assert place("", XDG_STATE_HOME=str(tmp_path)) == tmp_path / "pegboard" / "boards.sqlite3"
    assert place('[store]\npath = "memory"') is None
    assert place('[store]\npath = ":memory:"') is None
    store = build(load_text("[store]\nkeep = 7.5").settings, environ={}).peg.store
    assert isinstance(store, SqlPinStore)
    assert store.keep_days == 7.5


def str_items(log: list[dict[str, object]]) -> set[tuple[str, str]]:
    """Every pair of texts in the entries of a log, whatever they stand in."""
    found: set[tuple[str, str]] = set()
    for entry in log:
        for holder in (entry, *(value for value in entry.values() if isinstance(value, dict))):
            found |= {(key, value) for key, value in holder.items() if isinstance(value, str)}
    return found


async def test_sources_that_fail_take_nothing_away(load_text: Load, write: Write, server: str) -> None:
    write("broken.py", "import no_such_module")
    write("tools.py", TOOLS)
    text = f"""
    [upstreams.missing]
    command = "no-such-program-anywhere"
    [upstreams.up]
    {server}
    [[python]]
    file = "broken.py"
    [[python]]
    file = "tools.py"
    """
    wired = build(load_text(text).settings, environ={})
    async with wired.peg as peg, asyncio.timeout(PATIENCE):
        await peg.ready()
        assert {tool.name for tool in peg.catalog.all()} == {"double", "up__greet"}
        states = {source.name: source.status() for source in peg.sources}
        assert "No module named 'no_such_module'" in states["broken.py"].reason
        assert "no-such-program-anywhere" in states["missing"].reason
        assert [name for name, status in states.items() if status.state == "failed"] == ["broken.py", "missing"]


def test_settings_reach_the_pegboard(load_text: Load) -> None:
    text = 'collisions = "first"\n[limits]\npage = 7\n[search]\nranker = "bm25"\n[profiles]\nmodern = ["find_tools"]'
    peg = build(load_text(text).settings, environ={}).peg
    assert peg.limits.page == 7
    assert isinstance(peg.ranker, Bm25Ranker)
    assert peg.profiles["modern"] == ("find_tools",)
    assert len(peg.profiles["session"]) > 1
    assert isinstance(build(Settings(), environ={}).peg.ranker, LexicalRanker)


def test_the_gateway_is_told_what_the_file_says(load_text: Load) -> None:
    settings = load_text("[gateway]\nname = 'x'\nboards = true\nready_wait = 0\nmax_message = 2000").settings
    told = gateway_settings(settings)
    assert (told.name, told.boards, told.ready_wait, told.max_message) == ("x", True, 0.0, 2000)
    assert gateway_settings(Settings()) == GatewaySettings()
    assert {one.name for one in fields(GatewaySettings)} - GatewayKeys.keys_known().keys() == {"version"}


def test_a_lazy_upstream_is_not_started_with_the_others(load_text: Load) -> None:
    settings = load_text("[upstreams.a]\ncommand = 'a'\nlazy = true\n[upstreams.b]\ncommand = 'b'").settings
    assert [upstream.lazy for upstream in settings.upstreams.values()] == [True, False]


def test_upstreams_with_one_prefix_are_told(load_text: Load) -> None:
    text = (
        "[upstreams.'a b']\ncommand = 'x'\n[upstreams.'a/b']\ncommand = 'y'\n[upstreams.c]\ncommand='z'\nprefix=false"
    )
    (problem,) = build(load_text(text).settings, environ={}).problems
    assert (problem.line, problem.level) == (3, Level.WARNING)
    assert "'a_b', as those of 'a b'" in problem.message
    assert not build(load_text(f"collisions = 'prefix'\n{text}").settings, environ={}).problems


def test_pegboard_behind_itself_without_end_is_refused() -> None:
    build(Settings(), environ={DEPTH_VARIABLE: str(MAX_DEPTH)})
    build(Settings(), environ={DEPTH_VARIABLE: "nonsense"})
    with pytest.raises(ConfigError, match="started itself 4 times over"):
        build(Settings(), environ={DEPTH_VARIABLE: str(MAX_DEPTH + 1)})


def test_python_files_have_names_that_tell_them_apart() -> None:
    files = [Path("/a/tools.py"), Path("/b/tools.py"), Path("/b/other.py"), Path("/a/tools.py")]
    assert list(file_names(files, taken=["other.py"]).values()) == ["tools.py", "b/tools.py", "b/other.py"]


def test_secrets_are_the_values_of_env(load_text: Load) -> None:
    settings = load_text("[upstreams.a]\ncommand = 'x'\nenv = { A = 'sk-1', B = '${B}' }", B="sk-2").settings
    assert secrets_of(settings) == {"sk-1", "sk-2"}


def test_what_is_inherited_under_a_telling_name_is_a_secret_too(load_text: Load) -> None:
    names = [
        "GITHUB_TOKEN",
        "api_key",
        "DB_PASSWORD",
        "PASS",
        "JAVA_HOME",
        "COMPASS_DIR",
        "BYPASS",
        "KEYBOARD",
        "AUTHOR",
        "UNSET_SECRET",
    ]
    settings = load_text(f"[upstreams.a]\ncommand = 'x'\ninherit_env = {names}").settings
    environ = {name: f"value of {name}" for name in names if name != "UNSET_SECRET"} | {"OTHER_TOKEN": "not inherited"}
    hidden = {"GITHUB_TOKEN", "api_key", "DB_PASSWORD", "PASS"}
    assert secrets_of(settings, environ=environ) == {f"value of {name}" for name in hidden}
