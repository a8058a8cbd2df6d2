from __future__ import annotations

import os
import re
import sys
from pathlib import Path
from typing import Any

import pytest

from pegboard.errors import UpstreamError
from pegboard.sources.mcp import StdioSpec
from pegboard.sources.mcp.launch import environment_of, launch_of

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="the paths and variables are those of POSIX")

OURS = {"PATH": os.environ["PATH"], "HOME": "/home/me", "LC_ALL": "C.UTF-8", "API_TOKEN": "secret", "WANTED": "yes"}


def spec(command: str = sys.executable, **fields: Any) -> StdioSpec:
    return StdioSpec(name="up", command=command, **fields)


def test_the_child_gets_a_safe_base_and_what_was_given_but_not_our_environment() -> None:
    env = environment_of(spec(env={"MY_KEY": "k"}), OURS)
    assert env == {"PATH": OURS["PATH"], "HOME": "/home/me", "LC_ALL": "C.UTF-8", "MY_KEY": "k"}


def test_named_variables_are_handed_down_and_given_ones_win() -> None:
    env = environment_of(spec(env={"WANTED": "mine"}, inherit_env=["WANTED", "API_TOKEN", "ABSENT"]), OURS)
    assert (env["WANTED"], env["API_TOKEN"], "ABSENT" in env) == ("mine", "secret", False)


def test_shell_functions_are_not_handed_down() -> None:
    assert "LC_X" not in environment_of(spec(), {"LC_X": "() { :;}; echo"})


def test_a_bare_command_is_looked_up_on_the_childs_own_path(tmp_path: Path) -> None:
    program = tmp_path / "serve-notes"
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    assert launch_of(spec("serve-notes", env={"PATH": str(tmp_path)}), OURS).argv == (str(program),)
    with pytest.raises(UpstreamError, match="not found on PATH"):
        launch_of(spec("serve-notes"), OURS)


def test_a_relative_command_is_looked_up_in_the_childs_folder(tmp_path: Path) -> None:
    program = tmp_path / "serve"
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    assert launch_of(spec("./serve", cwd=tmp_path), OURS).argv == (str(program),)


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"command": "no-such-program"}, "command 'no-such-program' was not found on PATH. Install it"),
        ({"command": "/no/such/program"}, "command '/no/such/program' does not exist"),
        ({"command": "/tmp"}, "command '/tmp' is a folder"),
        ({"command": __file__}, f"command {__file__!r} may not be run"),
        ({"command": " "}, "its command is empty"),
        ({"cwd": "/no/such/folder"}, "the working folder '/no/such/folder' does not exist"),
        ({"cwd": __file__}, f"the working folder {__file__!r} is not a folder"),
        ({"command": "a\x00b"}, "'command' holds a NUL character"),
        ({"args": ["a\x00b"]}, "'args' holds a NUL character"),
        ({"env": {"A": "b\x00"}}, "'env' holds a NUL character"),
        ({"cwd": "/tmp\x00"}, "'cwd' holds a NUL character"),
        ({"env": {"A=B": "c"}}, "'A=B' cannot name an environment variable"),
    ],
)
def test_what_cannot_be_started_is_refused_with_its_reason(fields: dict[str, Any], message: str) -> None:
    with pytest.raises(UpstreamError, match=re.escape(message)) as caught:
        launch_of(spec(**fields), OURS)
    assert "Upstream 'up'" in str(caught.value)
    assert caught.value.hint
