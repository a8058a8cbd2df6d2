"""``pegboard usage``: what a real board has learned, told, taken elsewhere and forgotten."""

from __future__ import annotations

import asyncio
import json
import stat
from pathlib import Path

import pytest

from pegboard import Pegboard
from pegboard.cli.options import Common
from pegboard.cli.session import opened
from pegboard.config import load
from pegboard.config.wire import build
from pegboard.stores.sqlite_file import SqliteFile
from tests.cli.conftest import Run

KEYS = """
[store]
path = "boards.sqlite3"

[usage]
learn = true

[principals.ann]
tenant = "acme"
"""


@pytest.fixture
def taught(shop: Path) -> Path:
    """A folder whose tools were searched for and called, by nobody in particular and by a principal."""
    file = shop / "pegboard.toml"
    file.write_text(file.read_text() + KEYS)
    asyncio.run(_use(build(load(file).settings).peg, load(file).settings.principals))
    return shop


async def _use(peg: Pegboard, principals: object) -> None:
    ann = principals["ann"]  # type: ignore[index]
    async with peg:
        await peg.ready(60)
        for principal, query, tool, arguments in (
            (None, "tell where a track is; compensation, refund", "refund", {"order": "7", "amount": 1.5}),
            (ann, "parcel refund", "track", {"order": "7"}),
        ):
            board = await peg.open(principal)
            await board.call("find_tools", {"query": query})
            await board.call("call_tool", {"name": tool, "arguments": arguments})


def test_what_was_learned_is_told_and_used_by_find(taught: Path, pegboard: Run) -> None:
    shown = pegboard("usage", "show")
    assert (shown.code, shown.lines[1:]) == (
        0,
        ["refund          compens refund track", "track   acme    parcel refund"],
    )
    one = pegboard("usage", "show", "track")
    assert one.lines == ["track (tenant acme)", "  parcel  1.00  1 principal", "  refund  1.00  1 principal"]
    assert pegboard("usage", "show", "--tenant", "other").code == 4
    assert pegboard("find", "compensation", "--json").json["tools"][0]["name"] == "refund"
    explained = pegboard("find", "compensation", "--explain")
    assert any(line.split()[:3] == ["used", explained.lines[1].split()[2], "compens"] for line in explained.lines)
    assert pegboard("status", "--json").json["usage"]["state"] == "ready"


def test_find_waits_for_what_was_learned_longer_than_a_gateway(
    taught: Path, pegboard: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("pegboard.usage.learning.PATIENCE", 0.0)
    assert pegboard("find", "compensation", "--json").json["tools"][0]["name"] == "refund"


def test_what_was_learned_goes_elsewhere_and_is_forgotten(taught: Path, pegboard: Run) -> None:
    assert pegboard("usage", "export", "--output", "learned.jsonl").lines == ["learned.jsonl: 5 rows"]
    file = taught / "learned.jsonl"
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    text = file.read_text("utf-8")
    assert pegboard("usage", "export").out == text
    assert [json.loads(line)["tenant"] for line in text.splitlines()] == [None, None, None, "acme", "acme"]
    assert pegboard("usage", "export", "--output", "learned.jsonl").code == 2
    assert pegboard("usage", "clear").code == 6
    assert pegboard("usage", "clear", "--as", "ann", "--yes").lines == ["forgot 2 rows"]
    assert pegboard("usage", "clear", "--tool", "refund", "--yes", "--json").json == {"forgotten": 3}
    nothing = pegboard("usage", "show")
    assert (nothing.code, nothing.out) == (4, "")
    for _ in range(2):
        assert pegboard("usage", "import", "learned.jsonl").lines == ["took in 5 rows"]
        assert pegboard("usage", "export").out == text


def test_that_nothing_was_learned_of_a_tool_is_told(taught: Path, pegboard: Run) -> None:
    done = pegboard("usage", "clear", "--tool", "nosuch", "--yes")
    assert (done.code, done.lines) == (0, ["forgot 0 rows"])
    assert "Nothing was learned of a tool 'nosuch'." in done.err
    elsewhere = pegboard("usage", "clear", "--tool", "refund", "--tenant", "acme", "--yes")
    assert "Nothing was learned of a tool 'refund' in the tenant 'acme'." in elsewhere.err
    theirs = pegboard("usage", "clear", "--tool", "refund", "--as", "ann", "--yes", "--json")
    assert (theirs.json, "of a tool 'refund' from 'ann'." in theirs.err) == ({"forgotten": 0}, True)
    assert "Nothing" not in pegboard("usage", "clear", "--tool", "refund", "--yes").err


def test_a_line_that_is_wrong_takes_nothing_in(taught: Path, pegboard: Run) -> None:
    (taught / "bad.jsonl").write_text('{"tenant": null}\n')
    done = pegboard("usage", "import", "bad.jsonl")
    assert done.code != 0
    assert 'bad.jsonl:1: "tool" is missing' in done.err


def test_a_configuration_that_keeps_nothing_says_so(shop: Path, pegboard: Run) -> None:
    file = shop / "pegboard.toml"
    file.write_text(file.read_text() + '\n[store]\npath = "memory"\n')
    done = pegboard("usage", "show")
    assert (done.code, "is not kept" in done.err) == (3, True)


@pytest.mark.parametrize("command", [("usage", "show"), ("find", "refund")])
def test_a_store_that_cannot_be_read_is_kept_aside_and_told(
    taught: Path, pegboard: Run, command: tuple[str, ...]
) -> None:
    before = b"no database at all, " * 300
    (taught / "boards.sqlite3").write_bytes(before)
    done = pegboard(*command)
    (aside,) = taught.glob("boards.sqlite3.unreadable-*")
    assert aside.read_bytes() == before
    assert f"{aside}: a database file" in done.err


def test_a_store_that_breaks_once_added_tools_are_read_is_told_too(
    taught: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    common = Common(config=taught / "pegboard.toml")

    async def search() -> None:
        async with opened(common) as now:
            (taught / "boards.sqlite3").write_bytes(b"no database at all, " * 300)
            board = await now.board()
            await board.find("refund")
            now.tell_amiss(common)

    asyncio.run(search())
    (aside,) = SqliteFile(taught / "boards.sqlite3", patience=0).earlier_broken()
    assert f"{aside}: a database file" in " ".join(capsys.readouterr().err.split())
