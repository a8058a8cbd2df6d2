"""Several processes on one file of boards; the processes are in ``children``."""

from __future__ import annotations

import json
import os
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from tests.stores.children import COMMITS, KILLS, PROCESSES

pytestmark = [
    pytest.mark.skipif(not hasattr(os, "fork"), reason="the processes are forked from one with everything loaded"),
    pytest.mark.timeout(900),  # the work is some tens of seconds; a busy machine takes its time over it
]

Run = Callable[[str], dict[str, Any]]


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "state" / "boards.sqlite3"


@pytest.fixture
def run(root: Path, file: Path) -> Run:
    """``run(what)``: the report of what the processes did."""

    def run(what: str) -> dict[str, Any]:
        command = [sys.executable, "-W", "error", "-m", "tests.stores.children", what, str(file)]
        done = subprocess.run(command, cwd=root, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        report: dict[str, Any] = json.loads(done.stdout)
        return report

    return run


def intact(file: Path) -> bool:
    """Whether SQLite finds nothing wrong with the file."""
    with closing(sqlite3.connect(file)) as connection:
        return bool(connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)])


def test_four_processes_make_one_new_file_at_the_same_moment(run: Run, file: Path) -> None:
    report = run("opening")
    assert report == {"codes": [0] * PROCESSES, "pins": [["a"]] * PROCESSES}
    assert not list(file.parent.glob("*.unreadable-*"))
    assert intact(file)


def test_four_processes_commit_to_one_board_and_nothing_is_lost(run: Run, file: Path) -> None:
    report = run("racing")
    assert report["codes"] == [0] * PROCESSES
    for number, said in enumerate(report["said"]):
        wanted = [f"t{number}_{i}" for i in range(COMMITS)]
        assert said == wanted
        assert [name for name in report["pins"] if name in said] == wanted
    assert len(set(report["pins"])) == len(report["pins"]) == PROCESSES * COMMITS
    assert report["generation"] == 1 + PROCESSES * COMMITS
    assert intact(file)


def test_a_process_that_is_killed_loses_nothing_acknowledged_and_leaves_nothing_half_done(run: Run, file: Path) -> None:
    report = run("killing")
    assert report["kills"] == KILLS
    assert report["cut"] > KILLS / 3, "hardly any process was killed while it worked"
    assert report["acknowledged"] > KILLS
    assert intact(file)
