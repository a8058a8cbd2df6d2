"""A file of Python tools as a source."""

from __future__ import annotations

import asyncio
import threading
from pathlib import Path

import pytest

from pegboard import Pegboard, ToolResult
from pegboard.sources.python_file import PythonFile
from tests.sources.servers import PATIENCE

pytestmark = pytest.mark.anyio

TOOLS = """
from pegboard import tool

@tool
def {name}() -> str:
    return "{name}"
"""


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "tools.py"


def names(source: PythonFile) -> list[str]:
    return [tool.name for tool in source.registry.tools()]


async def ready(source: PythonFile) -> None:
    async with asyncio.timeout(PATIENCE):
        await source.ready()


async def test_its_tools_belong_to_it(file: Path) -> None:
    file.write_text(TOOLS.format(name="one"))
    source = PythonFile("mine", file)
    assert source.status().state == "idle"
    async with Pegboard(sources=[source]) as peg:
        await ready(source)
        assert [(tool.name, tool.source) for tool in peg.catalog.all()] == [("one", "mine")]
        assert (source.status().state, source.status().kind, source.status().tools) == ("ready", "python", 1)
    assert source.status().state == "stopped"


async def test_a_file_that_fails_says_why_and_where(file: Path) -> None:
    file.write_text("ok = 1\nraise OSError('the disk is full')\n")
    source = PythonFile("mine", file)
    await ready(source)
    status = source.status()
    assert status.state == "failed"
    assert str(file) in status.reason
    assert "line 2" in status.reason
    assert "the disk is full" in status.reason


async def test_a_file_that_breaks_later_keeps_its_tools(file: Path) -> None:
    file.write_text(TOOLS.format(name="one"))
    source = PythonFile("mine", file)
    await ready(source)
    file.write_text("nonsense(")
    source.reload()
    await ready(source)
    assert names(source) == ["one"]
    assert source.status().state == "ready"
    assert "those of before it changed" in source.status().notes[0]
    file.write_text(TOOLS.format(name="two"))
    source.reload()
    await ready(source)
    assert names(source) == ["two"]
    assert not source.status().notes


async def test_code_that_changed_behind_an_equal_definition_is_what_runs(file: Path) -> None:
    file.write_text(TOOLS.format(name="one"))
    source = PythonFile("mine", file)
    async with Pegboard(sources=[source]) as peg:
        await peg.ready(60)
        board = await peg.open()
        before = await board.call("one")
        changed = TOOLS.format(name="one").replace("return ", "return 'changed ' + ")
        file.write_text(changed)
        source.reload()
        await ready(source)
        after = await board.call("one")
    assert isinstance(before, ToolResult)
    assert isinstance(after, ToolResult)
    assert after.text == f"changed {before.text}"


async def test_a_slow_file_holds_up_neither_the_loop_nor_the_end(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    release = threading.Event()
    monkeypatch.setattr(threading, "pegboard_test_release", release, raising=False)
    file.write_text("import threading\nthreading.pegboard_test_release.wait(30)\n" + TOOLS.format(name="one"))
    source = PythonFile("mine", file)
    await source.start()
    await asyncio.sleep(0.05)
    assert source.status().state == "starting"
    await source.stop()
    assert source.status().state == "stopped"
    release.set()
    assert names(source) == []
