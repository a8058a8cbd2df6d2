"""What the demo's servers work on: a small git repository, and the configuration that names them all."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from pegboard.cli.demo.servers import DemoError, Server

COMMITS: Final = (
    ("Ada Example", "Add the order form", "orders.txt", "order form\n"),
    ("Grace Example", "Round amounts to cents", "amounts.txt", "two decimals\n"),
    ("Ada Example", "Send refunds the same day", "refunds.txt", "same day\n"),
)
"""Author, message, file and content of each commit, oldest first."""

_HEAD: Final = "# Made by `pegboard demo`; every value in it may be changed.\n"


def prepare_folder(folder: Path) -> Path:
    """The demo's folder, made where it is missing, as an absolute path; git ignores what is in it."""
    folder = folder.expanduser().absolute()
    try:
        folder.mkdir(parents=True, exist_ok=True)
        (folder / ".gitignore").write_text("*\n", "utf-8")
    except OSError as error:
        raise DemoError(f"The folder {folder} cannot be used: {error}.", hint="Name another with --dir.") from error
    return folder


def make_repository(folder: Path) -> Path:
    """A fresh git repository with the commits of ``COMMITS``. Raises DemoError when git does not do as told."""
    repository = folder / "repository"
    if repository.exists():
        shutil.rmtree(repository)
    repository.mkdir()
    _git(repository, "init", "--quiet", "--initial-branch=main")
    for day, (author, message, name, content) in enumerate(COMMITS, start=1):
        (repository / name).write_text(content, "utf-8")
        _git(repository, "add", name)
        _git(repository, "commit", "--quiet", "--no-gpg-sign", "-m", message, author=author, day=day)
    return repository


def write_config(folder: Path, servers: Sequence[Server]) -> Path:
    """The ``pegboard.toml`` that names the servers."""
    tables = [_table(server, folder) for server in servers]
    path = folder / "pegboard.toml"
    path.write_text("\n".join([_HEAD, *tables]), "utf-8")
    return path


def _table(server: Server, folder: Path) -> str:
    arguments = [argument.replace("{folder}", str(folder)) for argument in server.arguments]
    lines = [f"[upstreams.{server.name}]", f"command = {_quoted(str(server.command(folder)))}"]
    if arguments:
        lines.append(f"args = [{', '.join(map(_quoted, arguments))}]")
    return "\n".join([*lines, f"cwd = {_quoted(str(folder))}", ""])


def _quoted(text: str) -> str:
    """A TOML string: JSON's escapes are a part of TOML's."""
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")


def _git(repository: Path, *arguments: str, author: str = "Demo", day: int = 1) -> None:
    email = f"{author.partition(' ')[0].lower()}@example.com"
    who = {"NAME": author, "EMAIL": email, "DATE": f"2026-01-0{day}T09:00:00Z"}
    roles = {f"GIT_{role}_{key}": value for role in ("AUTHOR", "COMMITTER") for key, value in who.items()}
    # A person's own settings, hooks and templates have no part in this.
    alone = {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1", "GIT_DIR": str(repository / ".git")}
    try:
        subprocess.run(  # noqa: S603 - every word of it is ours
            ["git", *arguments],  # noqa: S607 - git is where PATH has it
            cwd=repository,
            env=os.environ | roles | alone,
            check=True,
            capture_output=True,
            timeout=60,
        )
    except FileNotFoundError:
        raise DemoError("The demo needs git, and there is none on PATH.", hint="Install git.") from None
    except subprocess.SubprocessError as error:
        said = (getattr(error, "stderr", None) or b"").decode("utf-8", "replace").strip()
        raise DemoError(f"git {arguments[0]} failed in {repository}: {said or error}.") from error
