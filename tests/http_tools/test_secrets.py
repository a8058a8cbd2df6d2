from __future__ import annotations

from pathlib import Path

import pytest

from pegboard.errors import ConfigError
from pegboard.http_tools.secrets import (
    ChainedSecrets,
    EnvironmentSecrets,
    FileSecrets,
    GivenSecrets,
    KeyringSecrets,
)

pytestmark = pytest.mark.anyio


async def test_a_secret_is_a_variable_as_it_is_at_the_call() -> None:
    environ = {"APP_K": "one", "APP_BLANK": "  "}
    secrets = EnvironmentSecrets(environ, prefix="APP_")
    assert await secrets.get("K") == "one"
    environ["APP_K"] = "two"
    assert await secrets.get("K") == "two"
    assert [await secrets.get(name) for name in ("BLANK", "NONE")] == [None, None]


@pytest.mark.parametrize(
    ("data", "value"), [(b"v\n", "v"), (b"v\r\n", "v"), (b" v ", " v "), (b"", None), (b"\xff", None)]
)
async def test_a_secret_is_a_file_less_its_last_line_break(tmp_path: Path, data: bytes, value: str | None) -> None:
    (tmp_path / "K").write_bytes(data)
    assert await FileSecrets(tmp_path).get("K") == value


@pytest.mark.parametrize("name", ["../outside", "/etc/hostname", "", ".", "..", "a/b", "a\x00b"])
async def test_a_name_that_is_a_path_is_no_secret(tmp_path: Path, name: str) -> None:
    (tmp_path / "inside").mkdir()
    (tmp_path / "outside").write_text("secret")
    assert await FileSecrets(tmp_path / "inside").get(name) is None


async def test_a_file_that_is_too_large_is_no_secret(tmp_path: Path) -> None:
    (tmp_path / "K").write_bytes(b"x" * 65_537)
    assert await FileSecrets(tmp_path).get("K") is None


async def test_the_first_that_has_a_secret_gives_it() -> None:
    chain = ChainedSecrets([GivenSecrets({"A": ""}), GivenSecrets({"A": "1", "B": "2"}), GivenSecrets({"B": "3"})])
    assert [await chain.get(name) for name in "ABC"] == ["1", "2", None]


async def test_a_secret_may_be_in_the_keyring() -> None:
    keyring = pytest.importorskip("keyring")
    backend = pytest.importorskip("keyring.backend")

    class Memory(backend.KeyringBackend):  # type: ignore[misc, name-defined]  # untyped where it is not installed
        priority = 1

        def get_password(self, service: str, name: str) -> str | None:
            if name == "LOCKED":
                raise RuntimeError("locked, and here is what it holds: v")
            return {("pegboard", "K"): "v"}.get((service, name))

        def set_password(self, service: str, name: str, password: str) -> None:
            raise NotImplementedError

    before = keyring.get_keyring()
    keyring.set_keyring(Memory())
    try:
        secrets = KeyringSecrets()
        assert [await secrets.get(name) for name in ("K", "NONE", "LOCKED")] == ["v", None, None]
    finally:
        keyring.set_keyring(before)


def test_without_the_extra_the_keyring_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "keyring", None)
    with pytest.raises(ConfigError, match=r"pegboard\[keyring\]"):
        KeyringSecrets()


def test_no_repr_shows_a_secret() -> None:
    assert "hush" not in repr(GivenSecrets({"K": "hush"}))
