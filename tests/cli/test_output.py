from __future__ import annotations

import os
import pty
import subprocess
import sys
from pathlib import Path

import pytest

from pegboard.cli.output import Output
from tests.cli.conftest import PATIENCE, client_file, command, page


def on_terminal(*words: str, **environment: str) -> str:
    """What a command line prints on a terminal of 60 columns: both streams."""
    main, side = pty.openpty()
    terminal = {"TERM": "xterm", "COLUMNS": "60", "LINES": "24"}
    alone = {key: value for key, value in os.environ.items() if key not in ("NO_COLOR", "FORCE_COLOR")}
    process = subprocess.Popen(
        command(*words), stdin=side, stdout=side, stderr=side, env=alone | terminal | environment
    )
    os.close(side)
    shown = b""
    # A terminal without a process ends in an error on some systems, in nothing on others.
    while chunk := _read(main):
        shown += chunk
    os.close(main)
    process.wait(PATIENCE)
    return shown.decode()


def _read(descriptor: int) -> bytes:
    try:
        return os.read(descriptor, 65536)
    except OSError:
        return b""


def test_columns_are_aligned_and_whole_in_a_pipe(capsys: pytest.CaptureFixture[str]) -> None:
    Output().rows([("a", "1", "x" * 300), ("long", "20", "y\nz")], head=("name", "count", "text"), numbers={1})
    assert capsys.readouterr().out.splitlines() == [
        "name  count  text",
        "a         1  " + "x" * 300,
        "long     20  y z",
    ]


def test_rows_are_indented_on_every_line(capsys: pytest.CaptureFixture[str]) -> None:
    Output().rows([("a", "1"), ("b", "2")], head=("name", "count"), indent=2)
    assert capsys.readouterr().out.splitlines() == ["  name  count", "  a     1", "  b     2"]


def test_no_rows_print_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    Output().rows([], head=("name",))
    assert capsys.readouterr().out == ""


def test_an_error_is_a_line_on_stderr_or_a_document(capsys: pytest.CaptureFixture[str]) -> None:
    Output().error("Wrong.", code="wrong", hint="Mend it.")
    assert capsys.readouterr() == ("", "Error: Wrong. Mend it.\n")
    Output(json=True).error("Wrong.", code="wrong", data={"where": 7})
    assert capsys.readouterr() == (
        '{\n  "error": {\n    "code": "wrong",\n    "message": "Wrong.",\n    "where": 7\n  }\n}\n',
        "",
    )


def test_a_terminal_gets_colour_fitted_columns_and_no_strangers_escapes(shop: Path) -> None:
    shown = on_terminal("list")
    assert "\x1b[36m" in shown
    assert r"\x1b[31msomething" in shown
    assert "\x1b[31m" not in shown
    assert "[bold]" not in shown
    assert all(len(line) < 140 for line in shown.splitlines())


@pytest.mark.parametrize(("length", "whole"), [(30, True), (50, False)])
def test_a_name_is_broken_only_where_it_leaves_no_room(shop: Path, length: int, whole: bool) -> None:
    with (shop / "tools.py").open("a", encoding="utf-8") as file:
        file.write(f'\n\n@tool(name="{"n" * length}")\ndef named() -> str:\n    """{"Words of it. " * 9}"""\n')
    assert ("n" * length in on_terminal("list")) is whole


def test_the_output_of_a_tool_cannot_steer_a_terminal(shop: Path) -> None:
    assert r"\x1b]0;owned\x07done" in on_terminal("call", "hostile")


def test_colour_is_left_out_when_asked(shop: Path) -> None:
    assert "\x1b[36m" not in on_terminal("list", NO_COLOR="1")


def test_a_terminal_shows_which_upstreams_are_starting(here: Path) -> None:
    file = client_file(here, files=page("read"), silent={"silent_at": "initialize"})
    shown = on_terminal("list", "--from", str(file), "--wait", "6")
    assert "ready, 1 tool" in shown
    assert "starting" in shown
    assert "files__read" in shown


SLOW = {"silent_at": "initialize"}


def test_upstreams_that_take_long_are_named_on_stderr(here: Path) -> None:
    file = client_file(here, slow=SLOW)
    done = subprocess.run(
        command("list", "--from", str(file), "--wait", "6"),
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
    )
    assert done.stderr.startswith("Waiting for slow\n")
    assert done.stdout == ""


def test_progress_is_left_out_where_it_would_stand_in_the_result(here: Path) -> None:
    file = client_file(here, slow=SLOW)
    done = subprocess.run(
        command("list", "--from", str(file), "--wait", "2"),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=PATIENCE,
        check=False,
    )
    assert "Waiting" not in done.stdout
    assert "slow is not ready" in done.stdout


def test_text_that_the_encoding_lacks_is_escaped(shop: Path) -> None:
    (shop / "tools.py").write_text(
        'from pegboard import tool\n\n@tool\ndef one() -> str:\n    """東京."""\n    return ""\n'
    )
    environment = os.environ | {"PYTHONIOENCODING": "ascii", "PYTHONUTF8": "0"}
    program = [sys.executable, "-m", "pegboard", "list"]
    done = subprocess.run(program, capture_output=True, text=True, env=environment, timeout=PATIENCE, check=False)
    assert (done.returncode, done.stdout) == (0, "one  \\u6771\\u4eac.\n")
