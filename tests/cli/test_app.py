from __future__ import annotations

import json
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from pegboard.cli.app import _guarded
from pegboard.cli.exits import Exit
from pegboard.cli.options import Common
from tests.cli.conftest import PATIENCE, Run, alive, client_file, command, page, pids, process

HEAVY = {"mcp", "mcp_types", "pydantic", "pydantic_core", "numpy", "rich", "jsonschema_rs", "starlette", "uvicorn"}
LOADED = """
import sys
from pegboard.cli.app import run
code = run(sys.argv[1:])
print(",".join(sorted({name.partition(".")[0] for name in sys.modules})), file=sys.stderr)
sys.exit(code)
"""


@pytest.mark.parametrize("words", [["--version"], ["--help"], ["call", "--help"], ["serve", "-h"]], ids=" ".join)
def test_help_and_version_load_nothing_heavy(words: list[str]) -> None:
    program = [sys.executable, "-c", LOADED, *words]
    done = subprocess.run(program, capture_output=True, text=True, timeout=PATIENCE, check=True)
    assert not HEAVY & set(done.stderr.strip().split(","))


def test_the_program_is_the_same_by_module_and_by_name() -> None:
    done = process("--version")
    assert (done.returncode, done.stdout.split()[0], done.stderr) == (0, "pegboard", "")


def test_without_a_command_the_help_is_printed(pegboard: Run) -> None:
    done = pegboard()
    assert done.code == 2
    for name in ("serve", "list", "find", "show", "call", "status", "stats", "demo"):
        assert f"  {name} " in done.out


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["nothing"], "nothing"),
        (["list", "--nothing"], "--nothing"),
        (["find"], "QUERY"),
        (["call"], "NAME"),
        (["serve", "--http", "web"], "--http"),
    ],
)
def test_a_wrong_command_line_is_one_line_with_the_way_to_the_help(pegboard: Run, words: list[str], said: str) -> None:
    done = pegboard(*words)
    assert (done.code, done.out, done.err.count("\n")) == (2, "", 1)
    assert said in done.err
    assert "--help" in done.err
    assert pegboard("--json", *words).json["error"]["code"] == "usage"


def test_common_options_may_stand_on_either_side(pegboard: Run, shop: Path) -> None:
    assert pegboard("--json", "list").json == pegboard("list", "--json").json


def failing(error: BaseException) -> Callable[..., int]:
    def command(common: Common) -> Exit:
        raise error

    return _guarded(command, logs=False)


def test_a_fault_of_our_own_is_one_line_and_a_file(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    assert failing(ValueError("why"))(Common()) == Exit.INTERNAL
    said = capsys.readouterr().err
    [log] = tmp_path.glob("pegboard-*.log")
    assert said.count("\n") == 1
    assert "ValueError: why" in said
    assert str(log) in said
    assert "Traceback" in log.read_text("utf-8")


def test_a_fault_is_shown_whole_with_debug(capsys: pytest.CaptureFixture[str]) -> None:
    failing(ValueError("why"))(Common(debug=True))
    assert "Traceback" in capsys.readouterr().err


def test_an_interrupted_command_says_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    assert failing(KeyboardInterrupt())(Common()) == Exit.INTERRUPTED
    assert capsys.readouterr() == ("", "")


def test_a_reader_that_leaves_ends_the_command_quietly(shop: Path) -> None:
    # More than a pipe holds, so that writing has to wait for the reader.
    many = "".join(f"\n@tool\ndef tool_{i}() -> str:\n    '''{'x' * 190}'''\n    return ''\n" for i in range(1500))
    with (shop / "tools.py").open("a", encoding="utf-8") as file:
        file.write(many)
    with subprocess.Popen(command("list"), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as running:
        assert running.stdout is not None
        assert running.stderr is not None
        running.stdout.readline()
        running.stdout.close()
        said = running.stderr.read()
        assert running.wait(PATIENCE) == Exit.PIPE_CLOSED
    assert "Error" not in said
    assert "Traceback" not in said


@pytest.mark.skipif(sys.platform == "win32", reason="the shell is that of POSIX")
@pytest.mark.parametrize(
    ("redirected", "code", "said"), [("<&-", 2, "not JSON"), (">&-", 0, ""), ("2>&-", 0, ""), (">&- 2>&-", 0, "")]
)
def test_closed_streams_are_no_fault(shop: Path, redirected: str, code: int, said: str) -> None:
    words = "call track -" if "<" in redirected else "list"
    line = f'"{sys.executable}" -m pegboard {words} {redirected}'
    done = subprocess.run(["sh", "-c", line], cwd=shop, capture_output=True, text=True, timeout=PATIENCE, check=False)
    assert done.returncode == code
    assert said in done.stderr
    assert "Traceback" not in done.stderr


def test_ctrl_c_ends_a_wait_and_every_upstream(here: Path) -> None:
    file = client_file(here, files=page("read"), silent={"silent_at": "initialize"})
    with subprocess.Popen(
        command("list", "--from", str(file), "--wait", "60"), stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as running:
        until(lambda: pids(here, "silent") and pids(here, "files"))
        running.send_signal(signal.SIGINT)
        out, _ = running.communicate(timeout=PATIENCE)
    assert (running.returncode, out) == (Exit.INTERRUPTED, b"")
    until(lambda: not any(alive(pid) for name in ("silent", "files") for pid in pids(here, name)))


def test_a_command_leaves_no_upstream_behind(pegboard: Run, here: Path) -> None:
    file = client_file(here, files=page("read"))
    assert json.loads(pegboard("list", "--from", str(file), "--json").out)["total"] == 1
    assert pids(here, "files")
    assert not any(alive(pid) for pid in pids(here, "files"))


def until(holds: Callable[[], Any]) -> None:
    """Wait until something holds."""
    end = time.monotonic() + PATIENCE
    while not holds():
        assert time.monotonic() < end, "it never came to hold"
        time.sleep(0.02)


def test_a_misspelt_command_is_answered_with_one_question(pegboard: Run) -> None:
    assert pegboard("lst").err == "Error: No such command 'lst'. Did you mean 'list'? See: pegboard --help\n"
