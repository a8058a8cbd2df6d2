"""Where ``pegboard.toml`` is looked for."""

from __future__ import annotations

from pathlib import Path

import pytest

from pegboard.config import config_places, find_config
from pegboard.config.paths import state_folder


def test_what_is_given_is_taken_even_if_it_is_not_there(home: Path) -> None:
    assert find_config("~/x.toml") == home / "x.toml"


def test_the_current_folder_comes_before_the_user(tmp_path: Path, home: Path) -> None:
    user = tmp_path / "xdg" / "pegboard" / "pegboard.toml"
    environ = {"XDG_CONFIG_HOME": str(tmp_path / "xdg")}
    assert find_config(folder=tmp_path, environ=environ) is None
    user.parent.mkdir(parents=True)
    user.touch()
    assert find_config(folder=tmp_path, environ=environ) == user
    (tmp_path / "pegboard.toml").touch()
    assert find_config(folder=tmp_path, environ=environ) == tmp_path / "pegboard.toml"


def test_each_platform_has_its_places(home: Path) -> None:
    def users(platform: str, **environ: str) -> list[str]:
        return [str(place) for place in config_places(Path("/w"), environ=environ, platform=platform)[1:]]

    assert users("linux") == [f"{home}/.config/pegboard/pegboard.toml"]
    assert users("linux", XDG_CONFIG_HOME="/x") == ["/x/pegboard/pegboard.toml"]
    assert users("darwin")[1] == f"{home}/Library/Application Support/pegboard/pegboard.toml"
    assert users("win32", APPDATA="/roaming") == ["/roaming/pegboard/pegboard.toml"]


def test_each_platform_has_a_place_for_what_is_remembered(home: Path) -> None:
    def place(platform: str, **environ: str) -> str:
        return str(state_folder(environ, platform=platform))

    assert place("linux") == f"{home}/.local/state/pegboard"
    assert place("linux", XDG_STATE_HOME="/x") == "/x/pegboard"
    assert place("linux", XDG_STATE_HOME="not/absolute") == f"{home}/.local/state/pegboard"
    assert place("darwin") == f"{home}/Library/Application Support/pegboard"
    assert place("win32", LOCALAPPDATA="/local") == "/local/pegboard"


def test_without_a_home_there_is_no_place_for_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pegboard.config.paths.home", lambda: Path("~"))
    assert state_folder({}, platform="linux") is None
    assert str(state_folder({"XDG_STATE_HOME": "/x"}, platform="linux")) == "/x/pegboard"
