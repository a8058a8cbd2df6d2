"""What is said when something outside is missing."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.conformance.programs import CannotRunError, programs


def executable(folder: Path, name: str, script: str) -> None:
    folder.mkdir(exist_ok=True)
    program = folder / name
    program.write_text(f"#!/bin/sh\n{script}\n", encoding="utf-8")
    program.chmod(0o755)


@pytest.fixture
def path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder that is all of PATH."""
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    return tmp_path / "bin"


def test_without_npm_it_says_how_to_get_it(path: Path, tmp_path: Path) -> None:
    with pytest.raises(CannotRunError, match=r"npm is not on PATH.*apt-get install npm"):
        programs(tmp_path / "cache")


def test_what_npm_could_not_do_is_told_in_its_own_words_and_tried_again(path: Path, tmp_path: Path) -> None:
    executable(path, "npm", "echo network unreachable >&2; exit 1")
    for _ in range(2):
        with pytest.raises(CannotRunError, match=r"(?s)within reach\?.*network unreachable"):
            programs(tmp_path / "cache")


def test_a_node_that_is_new_enough_is_used(path: Path, tmp_path: Path) -> None:
    executable(path, "node", "echo v22.19.0")
    executable(path, "npm", 'echo "$@" > asked')
    found = programs(tmp_path / "cache")
    assert found.node == path / "node"
    asked = (tmp_path / "cache" / "asked").read_text("utf-8")
    assert "@modelcontextprotocol/conformance@" in asked
    assert "--ignore-scripts" in asked
    assert "node-" not in asked


def test_an_older_node_is_passed_over(path: Path, tmp_path: Path) -> None:
    executable(path, "node", "echo v20.20.2")
    executable(path, "npm", "exit 0")
    assert programs(tmp_path / "cache").node.is_relative_to(tmp_path / "cache" / "node_modules")


def test_what_is_installed_is_not_installed_again(path: Path, tmp_path: Path) -> None:
    executable(path, "node", "echo v24.1.0")
    executable(path, "npm", "echo once >> asked")
    for _ in range(2):
        programs(tmp_path / "cache")
    assert (tmp_path / "cache" / "asked").read_text("utf-8") == "once\n"
