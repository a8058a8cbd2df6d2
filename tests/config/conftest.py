"""Files to load, in a folder of their own, with a home and an environment of their own."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from pegboard.config import Loaded, load

Write = Callable[[str, str], Path]
Load = Callable[..., Loaded]


def spec_of(loaded: Loaded, name: str) -> Any:
    """What an upstream is, of either kind."""
    return loaded.settings.upstreams[name].spec


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home folder that is nobody's."""
    folder = tmp_path / "home"
    folder.mkdir()
    monkeypatch.setenv("HOME", str(folder))
    return folder


@pytest.fixture
def write(tmp_path: Path) -> Write:
    """``write(name, text)``: a file below the test's folder."""

    def write(name: str, text: str) -> Path:
        file = tmp_path / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, "utf-8")
        return file

    return write


@pytest.fixture
def load_text(write: Write, tmp_path: Path, home: Path) -> Load:
    """``load_text(text, name="pegboard.toml", **environ)``: what a file with this text comes to."""

    def load_text(text: str, name: str = "pegboard.toml", **environ: str) -> Loaded:
        return load(write(name, text), environ=environ, folder=tmp_path / "work")

    return load_text
