"""Changes of configuration files, applied while the upstreams run: real processes, real files."""

from __future__ import annotations

import asyncio
import json
import logging
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from pathlib import Path

import pytest

from pegboard.config import Loaded, load
from pegboard.config.watch import Reloader
from pegboard.config.wire import build
from pegboard.peg import Pegboard
from tests.config.conftest import Write
from tests.sources.servers import FIXTURES, PATIENCE, page, until

pytestmark = pytest.mark.anyio

TOOLS = """
from pegboard import tool

@tool
def {name}() -> str:
    return "{name}"
"""


class Running:
    """A Pegboard and its reloader on files of one folder. Lives inside one test."""

    def __init__(self, folder: Path, write: Write) -> None:
        self.folder = folder
        self.write = write
        self.loaded = self.load()
        wired = build(self.loaded.settings, environ={})
        self.peg: Pegboard = wired.peg
        self.reloader = Reloader(wired, self.loaded, self.load, environ={})

    def load(self) -> Loaded:
        return load(self.folder / "pegboard.toml", environ={}, folder=self.folder)

    def replace(self, name: str, text: str) -> None:
        """Write a file the way editors do: a new one, moved over the old one."""
        self.write(f"{name}.new", text).replace(self.folder / name)

    async def reload(self, **files: str) -> None:
        for name, text in files.items():
            self.replace({"own": "pegboard.toml", "client": "client.json", "tools": "tools.py"}[name], text)
        await self.reloader.reload()
        async with asyncio.timeout(PATIENCE):
            await self.peg.ready()

    def tools(self) -> set[str]:
        return {tool.name for tool in self.peg.catalog.all()}

    def pids(self, name: str) -> list[int]:
        """The processes that were started for an upstream, in order."""
        lines = (self.folder / f"{name}.jsonl").read_text().splitlines()
        return [entry["pid"] for entry in map(json.loads, lines) if "pid" in entry]


def entry(folder: Path, name: str, *, extra: str = "") -> str:
    """The table of a scripted server that offers one tool, ``NAME__greet``."""
    (folder / f"{name}.json").write_text(json.dumps({"pages": [page("greet", "extra")]}))
    args = [str(FIXTURES / "scripted_server.py"), str(folder / f"{name}.json"), str(folder / f"{name}.jsonl")]
    return (
        f"[upstreams.{name}]\ncommand = '{sys.executable}'\nargs = {json.dumps(args)}\nexclude = ['extra']\n{extra}\n"
    )


def client(folder: Path, *names: str) -> str:
    """A client's file with such servers."""
    servers = {}
    for name in names:
        entry(folder, name)
        args = [str(FIXTURES / "scripted_server.py"), str(folder / f"{name}.json"), str(folder / f"{name}.jsonl")]
        servers[name] = {"command": sys.executable, "args": args, "disabledTools": ["extra"]}
    return json.dumps({"mcpServers": servers})


@asynccontextmanager
async def running(folder: Path, write: Write, text: str) -> AsyncIterator[Running]:
    write("pegboard.toml", text)
    now = Running(folder, write)
    async with now.peg as peg:
        async with asyncio.timeout(PATIENCE):
            await peg.ready()
        yield now


async def test_only_what_changed_is_touched(tmp_path: Path, write: Write) -> None:
    same, changed, gone = (entry(tmp_path, name) for name in ("same", "changed", "gone"))
    async with running(tmp_path, write, same + changed + gone) as now:
        assert now.tools() == {"same__greet", "changed__greet", "gone__greet"}
        await now.reload(
            own=entry(tmp_path, "new") + "\n# moved\n" + same + entry(tmp_path, "changed", extra="prefix = 'x'")
        )
        assert now.tools() == {"same__greet", "x__greet", "new__greet"}
        assert {name: len(now.pids(name)) for name in ("same", "changed", "gone", "new")} == {
            "same": 1,
            "changed": 2,
            "gone": 1,
            "new": 1,
        }


@pytest.mark.parametrize(
    "broken",
    [
        "[upstreams.up",
        "[upstreams.up]\ncommand = 5",
        "[upstrems.up]\ncommand = 'x'",
        "[upstreams.up]\ncommand = 'x'\nargs = ['${NOT_SET}']",
        "upstreams = 5",
    ],
)
async def test_a_mistake_leaves_everything_running_and_is_told(
    tmp_path: Path, write: Write, broken: str, caplog: pytest.LogCaptureFixture
) -> None:
    good = entry(tmp_path, "up")
    async with running(tmp_path, write, good) as now:
        with caplog.at_level(logging.WARNING, "pegboard"):
            await now.reload(own=broken)
        assert now.tools() == {"up__greet"}
        assert bool(now.reloader.error) is ("[upstreams.up\n" in f"{broken}\n")
        assert now.reloader.error or now.reloader.problems
        assert f"{tmp_path}/pegboard.toml:" in caplog.text
        await now.reload(own=good)
        assert now.reloader.error is None
        assert not now.reloader.problems
        assert len(now.pids("up")) == 1


async def test_a_broken_import_leaves_its_servers_running(tmp_path: Path, write: Write) -> None:
    imports = "[[import]]\nfile = 'client.json'\n"
    write("client.json", client(tmp_path, "one", "two"))
    async with running(tmp_path, write, imports) as now:
        for text in ('{"mcpServers": {', "", "{}", '{"mcpServers": []}', '{"mcpServers": {"one": 1, "two": {}}}'):
            await now.reload(client=text)
            assert now.reloader.problems
            assert now.tools() == {"one__greet", "two__greet"}
        await now.reload(client=client(tmp_path, "one", "two"))
        assert not now.reloader.problems
        assert len(now.pids("one")) == 1
        await now.reload(own="[[import]]\nflie = 'client.json'\n")
        assert now.tools() == {"one__greet", "two__greet"}
        await now.reload(own=imports, client=client(tmp_path, "two"))
        assert now.tools() == {"two__greet"}


async def test_a_disabled_entry_is_stopped(tmp_path: Path, write: Write) -> None:
    async with running(tmp_path, write, entry(tmp_path, "up")) as now:
        await now.reload(own=entry(tmp_path, "up", extra="disabled = true"))
        assert now.tools() == set()


async def test_python_files_run_anew_when_they_change_and_keep_their_tools_when_they_break(
    tmp_path: Path, write: Write
) -> None:
    write("tools.py", TOOLS.format(name="first"))
    async with running(tmp_path, write, "[[python]]\nfile = 'tools.py'") as now:
        assert now.tools() == {"first"}
        await now.reload(tools=TOOLS.format(name="second_one"))
        assert now.tools() == {"second_one"}
        await now.reload(tools="def broken(:")
        assert now.tools() == {"second_one"}
        assert "those of before it changed" in now.peg.sources[0].status().notes[0]
        await now.reload(own="[[python]]\nfiel = 'tools.py'")
        assert now.tools() == {"second_one"}
        await now.reload(own="")
        assert now.tools() == set()


async def test_other_settings_wait_for_the_next_start_and_it_is_said(
    tmp_path: Path, write: Write, caplog: pytest.LogCaptureFixture
) -> None:
    async with running(tmp_path, write, "") as now:
        with caplog.at_level(logging.WARNING, "pegboard"):
            await now.reload(own="[limits]\npage = 7")
        assert "limits changed in the configuration: that holds from the next start on" in caplog.text
        assert now.peg.limits.page != 7


async def test_changes_are_seen_wherever_they_are_made(tmp_path: Path, write: Write) -> None:
    first, second = client(tmp_path, "one"), client(tmp_path, "two")
    write("store/v1/client.json", first)
    write("store/v2/client.json", second)
    (tmp_path / "client.json").symlink_to(tmp_path / "store/v1/client.json")
    async with running(tmp_path, write, "[[import]]\nfile = 'client.json'\n") as now:
        task = asyncio.create_task(now.reloader.run())
        try:
            await until(lambda: now.tools() == {"one__greet"})
            (tmp_path / "new").symlink_to(tmp_path / "store/v2/client.json")
            (tmp_path / "new").replace(tmp_path / "client.json")
            await until(lambda: now.tools() == {"two__greet"})
            write("store/v2/client.json", client(tmp_path, "two", "three"))
            await until(lambda: now.tools() == {"two__greet", "three__greet"})
            now.replace("pegboard.toml", "[[import]]\nfile = 'later/client.json'\n")
            await until(lambda: now.reloader.problems)
            write("later/client.json", first)
            await until(lambda: now.tools() == {"one__greet"})
        finally:
            task.cancel()
            with suppress(asyncio.CancelledError):
                await task
        assert len(now.pids("two")) == 1


RULES = """
[gateway]
principal = "ann"
[principals.ann]
[[python]]
file = "tools.py"
[[policy.rules]]
principals = ["ann"]
names = ["{names}"]
{effect} = ["discover", "invoke"]
"""


async def test_a_new_policy_holds_at_once_for_boards_that_are_open(tmp_path: Path, write: Write) -> None:
    write("tools.py", TOOLS.format(name="one") + TOOLS.format(name="two"))
    write("pegboard.toml", RULES.format(names="*", effect="allow"))
    running = Running(tmp_path, write)
    told = []
    async with running.peg as peg:
        await peg.ready(PATIENCE)
        peg.on_change(lambda: told.append("changed"))
        board = await peg.open(running.loaded.settings.principal)
        board.pin("one")
        await board.commit()
        assert "one" in board.listing().names
        await running.reload(own=RULES.format(names="two", effect="allow"))
        assert told
        assert {tool.name for tool in (await board.view()).tools} == {"two"}
        assert "one" not in board.listing().names
        assert (await board.call("one")).is_error  # type: ignore[union-attr]


async def test_a_policy_with_a_mistake_leaves_the_last_good_one(
    tmp_path: Path, write: Write, caplog: pytest.LogCaptureFixture
) -> None:
    write("tools.py", TOOLS.format(name="one") + TOOLS.format(name="two"))
    good = RULES.format(names="one", effect="allow")
    write("pegboard.toml", good)
    running = Running(tmp_path, write)
    async with running.peg as peg:
        await peg.ready(PATIENCE)
        board = await peg.open(running.loaded.settings.principal)
        for broken in (good.replace("names", "nmaes"), good.replace("policy", "polcy"), good.replace("[[pol", "[pol")):
            await running.reload(own=broken)
            assert running.reloader.error is not None
            assert {tool.name for tool in (await board.view()).tools} == {"one"}
        assert "the configuration stays as it was" in caplog.text
        await running.reload(own=RULES.format(names="two", effect="allow"))
        assert {tool.name for tool in (await board.view()).tools} == {"two"}


async def test_a_policy_that_is_gone_from_the_file_holds_until_the_next_start(
    tmp_path: Path, write: Write, caplog: pytest.LogCaptureFixture
) -> None:
    write("tools.py", TOOLS.format(name="one") + TOOLS.format(name="two"))
    rules = RULES.format(names="one", effect="allow")
    write("pegboard.toml", rules)
    running = Running(tmp_path, write)
    async with running.peg as peg:
        await peg.ready(PATIENCE)
        board = await peg.open(running.loaded.settings.principal)
        await running.reload(own=rules[: rules.index("[[policy")])
        assert {tool.name for tool in (await board.view()).tools} == {"one"}
        assert "the last one holds until the next start" in caplog.text
        await running.reload(own=RULES.format(names="two", effect="allow"))
        assert {tool.name for tool in (await board.view()).tools} == {"two"}
