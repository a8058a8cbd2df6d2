"""Servers under test, each as a process of its own."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Final

from tests.conformance.programs import ROOT

FIXTURE: Final = (sys.executable, "-m", "tests.conformance.fixture")

_ADDRESS: Final = re.compile(r"http://\S+/mcp")

_END_SECONDS: Final = 15


@contextmanager
def gateway(settings: str) -> Iterator[str]:
    """``pegboard serve --http`` on a free port with these settings, as ``pegboard.toml`` has them; its address."""
    with tempfile.TemporaryDirectory() as folder:
        config = Path(folder) / "pegboard.toml"
        config.write_text(settings, encoding="utf-8")
        with serving(pegboard("serve", "--http", "127.0.0.1:0", "--config", str(config))) as address:
            yield address


@contextmanager
def serving(command: Sequence[str]) -> Iterator[str]:
    """A server that tells its address on stderr; it ends with the block. Raises RuntimeError when it tells none."""
    said: list[str] = []
    with subprocess.Popen(command, cwd=ROOT, stderr=subprocess.PIPE, text=True, env=source_first()) as process:
        assert process.stderr is not None
        try:
            address = _address(process.stderr, said)
            # A server whose stderr nobody reads would stand still one day.
            reader = threading.Thread(target=said.extend, args=(process.stderr,), daemon=True)
            reader.start()
            yield address
        except BaseException:
            sys.stderr.writelines(said)
            raise
        finally:
            _end(process)
        reader.join(_END_SECONDS)


def pegboard(*arguments: str) -> list[str]:
    """The command line of Pegboard."""
    return [sys.executable, "-m", "pegboard", *arguments]


def source_first() -> dict[str, str]:
    """Our environment, in which ``pegboard`` is that of this checkout."""
    return {**os.environ, "PYTHONPATH": str(ROOT / "src")}


def _address(stderr: IO[str], said: list[str]) -> str:
    for line in stderr:
        said.append(line)
        if found := _ADDRESS.search(line):
            return found[0]
    raise RuntimeError("The server ended before it told an address.")


def _end(process: subprocess.Popen[str]) -> None:
    process.terminate()
    try:
        process.wait(_END_SECONDS)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
