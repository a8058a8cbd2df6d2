"""Whether a command would start Pegboard itself."""

from __future__ import annotations

import shlex

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pegboard.config.itself import starts_pegboard


def of(line: str) -> bool:
    command, *args = shlex.split(line)
    return starts_pegboard(command, args)


@pytest.mark.parametrize(
    "line",
    [
        "pegboard serve",
        "/home/ada/.local/bin/pegboard serve --from x.json",
        "./pegboard",
        "Pegboard.EXE serve",
        r"'C:\Users\ada\bin\pegboard.exe' serve",
        "python -m pegboard serve",
        "python3.12 -u -X dev -m pegboard",
        "/usr/bin/python3 -mpegboard",
        "py -3 -m pegboard.cli",
        "python /opt/venv/bin/pegboard serve",
        "python -W error /src/pegboard/__main__.py",
        "uvx pegboard serve",
        "uvx pegboard@latest serve",
        "uvx 'pegboard[semantic]==0.1' serve",
        "uvx --from git+https://example.com/pegboard pegboard serve",
        "uvx --python 3.12 --with extra pegboard",
        "uv tool run pegboard",
        "uv run pegboard serve",
        "uv --directory /src run python -m pegboard",
        "uv run --directory /src --with x pegboard",
        "pipx run pegboard",
        "pipx run --spec pegboard==1 pegboard serve",
        "npx -y pegboard serve",
        "pnpm dlx pegboard",
        "poetry run pegboard",
        "hatch -e dev run pegboard",
        "env pegboard serve",
        "/usr/bin/env -i PATH=/bin TOKEN=x pegboard serve",
        "env -u HOME python3 -m pegboard",
        "env -S 'pegboard serve'",
        "nice -n 10 pegboard",
        "timeout -k 5 30 pegboard serve",
        "sudo -u ada pegboard",
        "stdbuf -oL pegboard",
        "sh -c 'pegboard serve'",
        "bash -lc 'cd /srv && TOKEN=x exec pegboard serve'",
        "bash -c 'source venv/bin/activate; uvx pegboard'",
        "cmd /c pegboard serve",
        "cmd /C npx -y pegboard",
        "sh -c 'env A=b nice uv run python -m pegboard serve'",
    ],
)
def test_it_is_seen_through_wrappers(line: str) -> None:
    assert of(line)


@pytest.mark.parametrize(
    "line",
    [
        "npx -y @modelcontextprotocol/server-filesystem /srv/pegboard",
        "pegboard-notes",
        "my-pegboard serve",
        "python -m pegboard_extras",
        "python server.py pegboard",
        "python -m http.server pegboard",
        "uvx --from pegboard other-server",
        "uvx --with pegboard other-server",
        "uv run server.py pegboard",
        "uv --directory /src/pegboard run other",
        "uv --project pegboard run other",
        "npx -p pegboard other",
        "npx -y @acme/pegboard",
        "env PEGBOARD=pegboard other",
        "env -C pegboard other",
        "timeout 30 other pegboard",
        "sh -c 'echo pegboard'",
        "sh -c 'cd pegboard && other'",
        "sh -c 'broken \"quote'",
        "cat pegboard",
        "node pegboard/index.js",
        "sh",
        "env",
        "uvx",
        "python",
        "python -m",
    ],
)
def test_other_servers_are_left_alone(line: str) -> None:
    assert not of(line)


words = st.sampled_from(
    ["env", "sh", "-c", "uvx", "uv", "run", "-m", "python", "--from", "A=b", ";", "", "'", "timeout"]
)


@given(st.lists(words, min_size=1, max_size=12))
def test_no_command_line_is_too_odd_to_look_at(line: list[str]) -> None:
    assert not starts_pegboard(line[0], line[1:])
