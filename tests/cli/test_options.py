from __future__ import annotations

import pytest

from pegboard.cli.options import reordered


@pytest.mark.parametrize(
    ("words", "wanted"),
    [
        (["--json", "list"], ["list", "--json"]),
        (["--config", "a.toml", "find", "x"], ["find", "--config", "a.toml", "x"]),
        (["--config=a.toml", "--debug", "list", "--json"], ["list", "--config=a.toml", "--debug", "--json"]),
        (["--from", "a", "--from", "b", "list"], ["list", "--from", "a", "--from", "b"]),
        (["list", "--json"], ["list", "--json"]),
        (["call", "x", "--", "--json"], ["call", "x", "--", "--json"]),
        (["--version"], ["--version"]),
        (["--json", "--version"], ["--json", "--version"]),
        (["--config"], ["--config"]),
        ([], []),
    ],
)
def test_common_options_may_stand_before_the_command(words: list[str], wanted: list[str]) -> None:
    assert reordered(words) == wanted
