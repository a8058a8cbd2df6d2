from __future__ import annotations

import base64
import hashlib
import json
import os
import subprocess
import sys
import tomllib
import zipfile
from pathlib import Path
from typing import Any

import pytest

from pegboard.cli.demo.client import connected
from pegboard.cli.demo.material import COMMITS, make_repository, prepare_folder, write_config
from pegboard.cli.demo.servers import SERVERS, DemoError, Server, install
from pegboard.cli.demo.story import handshake_client, modern_client, savings
from pegboard.cli.demo.telling import Story
from pegboard.cli.output import Output
from tests.cli.conftest import SCRIPTED, Run, alive, pids

TIME = {
    "pages": [
        {
            "tools": [
                {
                    "name": "get_current_time",
                    "description": "Get the current time.",
                    "inputSchema": {"type": "object", "properties": {"timezone": {"type": "string"}}},
                }
            ]
        }
    ],
    "calls": {"get_current_time": {"result": {"content": [{"type": "text", "text": "2026-01-01T09:00:00+09:00"}]}}},
}
LOG = "\n".join(f"Author: {author}\nMessage: '{message}'" for author, message, *_ in COMMITS)
GIT = {
    "pages": [
        {
            "tools": [
                {
                    "name": "git_log",
                    "description": "Show the log of commits.",
                    "inputSchema": {"type": "object", "properties": {"repo_path": {"type": "string"}}},
                }
            ]
        }
    ],
    "calls": {"git_log": {"result": {"content": [{"type": "text", "text": LOG}]}}},
}
STAND_INS = (
    Server(name="time", requirements=(), program="time", tools=1),
    Server(name="git", requirements=(), program="git", tools=1),
)


def stand_in(folder: Path, server: Server, script: dict[str, Any]) -> None:
    """Put a scripted server where the installed one would be."""
    path = folder / f"{server.name}.json"
    path.write_text(json.dumps(script), "utf-8")
    program = server.command(folder)
    program.parent.mkdir(parents=True)
    line = f'exec "{sys.executable}" "{SCRIPTED}" "{path}" "{folder / server.name}.jsonl"'
    program.write_text(f"#!/bin/sh\n{line}\n", "utf-8")
    program.chmod(0o755)


def prepared(folder: Path, **scripts: dict[str, Any]) -> Path:
    """A folder with stand-ins; its configuration."""
    for server in STAND_INS:
        stand_in(folder, server, scripts[server.name])
    return write_config(folder, STAND_INS)


@pytest.mark.anyio
async def test_the_story_holds_for_clients_of_both_eras(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    config = prepared(here, time=TIME, git=GIT)
    story = Story(Output())
    await handshake_client(story, config, STAND_INS)
    await modern_client(story, config, STAND_INS, here)
    story.step("What it saves")
    savings(
        story,
        {"everything": {"tools": 2, "tokens": 1000}, "shown": {"definitions": 5, "tokens": 90}, "saved_percent": 91.0},
    )
    told = capsys.readouterr().out
    for words in ("tools/list_changed", "was unloaded", "Add the order form (Ada Example)", "91.0 % less"):
        assert words in told
    assert story.checks == 12
    assert len(told.splitlines()) < 60
    running = [pid for name in ("time", "git") for pid in pids(here, name) if alive(pid)]
    assert not running


@pytest.mark.anyio
async def test_a_server_that_fails_ends_the_story_with_its_name(here: Path) -> None:
    config = prepared(here, time=TIME, git={"quit_at": "start"})
    with pytest.raises(DemoError, match=r"wanted 2 tools .* got 1 .*'git' failed.* See the log"):
        await handshake_client(Story(Output(), hint="See the log"), config, STAND_INS)


@pytest.mark.anyio
async def test_a_tool_that_answers_otherwise_ends_the_story(here: Path) -> None:
    wrong = TIME | {"calls": {"get_current_time": {"result": {"content": [{"type": "text", "text": "noon"}]}}}}
    config = prepared(here, time=wrong, git=GIT)
    with pytest.raises(DemoError, match=r"Step 4.*wanted a time in UTC\+09:00, got noon"):
        await handshake_client(Story(Output()), config, STAND_INS)


@pytest.mark.anyio
async def test_a_gateway_that_does_not_start_is_quoted(here: Path) -> None:
    (here / "broken.toml").write_text("not toml", "utf-8")
    with pytest.raises(DemoError, match=r"broken\.toml"):
        async with connected(here / "broken.toml", "legacy"):
            pass


def test_too_small_a_saving_fails(here: Path) -> None:
    told = {"everything": {"tools": 1, "tokens": 100}, "shown": {"definitions": 5, "tokens": 60}, "saved_percent": 40.0}
    story = Story(Output())
    story.step("What it saves")
    with pytest.raises(DemoError, match=r"at least half saved, got 40\.0 %"):
        savings(story, told)


def test_in_json_the_steps_are_kept_instead_of_printed(capsys: pytest.CaptureFixture[str]) -> None:
    story = Story(Output(json=True))
    story.step("Begin")
    story.line("a\nline " + "x" * 200)
    assert capsys.readouterr().out == ""
    [step] = story.steps
    assert step["title"] == "Begin"
    assert step["lines"][0].startswith("a line ")
    assert len(step["lines"][0]) == 110


def test_the_repository_is_made_anew_and_by_nobodys_settings(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    hook = here / "hooks" / "pre-commit"
    hook.parent.mkdir()
    hook.write_text("#!/bin/sh\nexit 1\n", "utf-8")
    hook.chmod(0o755)
    (here / "gitconfig").write_text(f"[commit]\n\tgpgsign = true\n[core]\n\thooksPath = {hook.parent}\n", "utf-8")
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(here / "gitconfig"))
    first = make_repository(here)
    (first / "stray.txt").write_text("x", "utf-8")
    again = make_repository(here)
    assert not (again / "stray.txt").exists()
    log = subprocess.run(
        ["git", "log", "--reverse", "--format=%an|%s"], cwd=again, capture_output=True, text=True, check=True
    )
    assert log.stdout.splitlines() == [f"{author}|{message}" for author, message, *_ in COMMITS]


def test_without_git_it_is_said(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(here))
    with pytest.raises(DemoError, match="needs git"):
        make_repository(here)


def test_the_configuration_names_every_server_by_its_whole_path(tmp_path: Path) -> None:
    folder = tmp_path / 'a "quoted" \\ folder'
    folder.mkdir()
    told = tomllib.loads(write_config(folder, SERVERS).read_text("utf-8"))["upstreams"]
    assert list(told) == ["time", "git", "sqlite", "word"]
    assert told["git"]["args"] == ["--repository", f"{folder}/repository"]
    assert all(Path(entry["command"]).is_relative_to(folder) for entry in told.values())


def test_a_folder_that_cannot_be_used_is_named(tmp_path: Path, pegboard: Run) -> None:
    (tmp_path / "file").write_text("x", "utf-8")
    with pytest.raises(DemoError, match="--dir"):
        prepare_folder(tmp_path / "file")
    done = pegboard("demo", "--dir", str(tmp_path / "file"))
    assert (done.code, done.out) == (1, "")
    assert "--dir" in done.err


def wheel(folder: Path, name: str) -> None:
    """A package with a program of its own name that prints a word."""
    info = f"{name}-1.0.dist-info"
    files = {
        f"{name}.py": "def main():\n    print('installed')\n",
        f"{info}/METADATA": f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n",
        f"{info}/WHEEL": "Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
        f"{info}/entry_points.txt": f"[console_scripts]\n{name} = {name}:main\n",
    }
    record = []
    with zipfile.ZipFile(folder / f"{name}-1.0-py3-none-any.whl", "w") as archive:
        for path, text in files.items():
            digest = base64.urlsafe_b64encode(hashlib.sha256(text.encode()).digest()).decode().rstrip("=")
            record.append(f"{path},sha256={digest},{len(text)}")
            archive.writestr(path, text)
        archive.writestr(f"{info}/RECORD", "\n".join([*record, f"{info}/RECORD,,", ""]))


@pytest.fixture
def index(here: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of packages, the only place that pip looks at."""
    folder = here / "packages"
    folder.mkdir()
    monkeypatch.setenv("PIP_CONFIG_FILE", os.devnull)
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(folder))
    wheel(folder, "pegtest")
    return folder


@pytest.mark.usefixtures("index")
def test_a_server_is_installed_once_and_again_when_another_is_wanted(here: Path) -> None:
    server = Server(name="one", requirements=("pegtest==1.0",), program="pegtest", tools=1)
    told: list[str] = []
    install([server], here, told.append)
    assert told[-1] == "one: installed pegtest==1.0"
    ran = subprocess.run([server.command(here)], capture_output=True, text=True, check=True)
    assert ran.stdout == "installed\n"

    told.clear()
    install([server], here, told.append)
    assert told == []

    other = Server(name="one", requirements=("pegtest>=1",), program="pegtest", tools=1)
    install([other], here, told.append)
    assert told[-1] == "one: installed pegtest>=1"


@pytest.mark.usefixtures("index")
def test_what_cannot_be_installed_is_said_with_pips_words_and_the_rest_stays(here: Path) -> None:
    fine = Server(name="fine", requirements=("pegtest==1.0",), program="pegtest", tools=1)
    missing = Server(name="missing", requirements=("no-such-package==1.0",), program="x", tools=1)
    with pytest.raises(DemoError, match=r"no-such-package==1\.0 could not be installed.*install-missing\.log"):
        install([missing, fine], here, lambda line: None)
    assert fine.command(here).is_file()
    assert not missing.command(here).exists()
