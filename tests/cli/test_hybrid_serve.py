"""``serve`` with the hybrid ranker: what it makes before anybody searches. Other commands make nothing ahead."""

from __future__ import annotations

import json
import subprocess
import time
from pathlib import Path

import pytest

from tests.cli.conftest import PATIENCE, Run, command

ENCODER = """
import sys

import numpy as np

class Letters:
    identity, dimension = "letters", 26

    def encode(self, texts):
        print(*texts, sep="\\n", file=sys.stderr, flush=True)
        return np.array([[text.lower().count(chr(97 + n)) for n in range(26)] for text in texts], float)

encoder = Letters()
"""
TRACK = "track: Tell where an order is. (order)"


@pytest.fixture
def hybrid(shop: Path) -> Path:
    """The shop's configuration with the hybrid ranker, and an encoder that says what it is given."""
    (shop / "letters.py").write_text(ENCODER, "utf-8")
    with (shop / "pegboard.toml").open("a", encoding="utf-8") as file:
        file.write('\n[cache]\npath = "cache"\n\n[search]\nranker = "hybrid"\nencoder = "letters.py"\n')
    return shop


def told(running: subprocess.Popen[str], line: str) -> list[str]:
    """What it says on stderr up to a line."""
    lines: list[str] = []
    assert running.stderr is not None
    while line not in lines:
        text = running.stderr.readline()
        assert text, f"it ended before it said {line!r}: {lines}"
        lines.append(text.rstrip("\n"))
    return lines


def test_a_gateway_makes_vectors_before_anybody_searches_and_of_what_is_added(hybrid: Path) -> None:
    with subprocess.Popen(
        command("serve"), stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as running:
        told(running, TRACK)
        with (hybrid / "tools.py").open("a", encoding="utf-8") as file:
            file.write('\n@tool\ndef added() -> str:\n    """New."""\n    return "here"\n')
        assert TRACK not in told(running, "added: New.")
        out, err = running.communicate(timeout=PATIENCE)
        assert (running.returncode, out, err) == (0, "", "")
    assert list((hybrid / "cache").glob("*.vectors"))


def test_a_gateway_ends_in_good_order_while_the_model_is_at_work(shop: Path) -> None:
    with (shop / "pegboard.toml").open("a", encoding="utf-8") as file:
        file.write('\n[cache]\npath = "cache"\n\n[search]\nranker = "hybrid"\n')
    with (shop / "tools.py").open("a", encoding="utf-8") as file:
        file.write("\n\ndef some() -> str:\n    return ''\n\n\nfor n in range(3000):\n")
        file.write("    globals()[f'tool_{n}'] = tool(name=f'tool_{n}', description=f'Number {n}')(some)\n")
    params = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "x", "version": "1"}}
    first = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": params}
    with subprocess.Popen(
        command("serve"), stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as running:
        assert running.stdin is not None
        assert running.stdout is not None
        running.stdin.write(json.dumps(first) + "\n")
        running.stdin.flush()
        assert "serverInfo" in running.stdout.readline()
        kept = shop / "cache"
        while not list(kept.glob("*.vectors")):  # the first are written after two seconds; all take half a minute
            assert running.poll() is None
            time.sleep(0.1)
        _, err = running.communicate(timeout=PATIENCE)
        assert (running.returncode, err) == (0, "printed while loading\n")


@pytest.mark.parametrize("words", [("list",), ("stats",), ("show", "track")])
def test_a_command_that_does_not_search_encodes_nothing(hybrid: Path, pegboard: Run, words: tuple[str, ...]) -> None:
    done = pegboard(*words)
    assert done.code == 0
    assert TRACK not in done.err
    assert TRACK in pegboard("find", "parcel").err
