"""What ``pegboard find`` costs as a process of its own: with nothing kept, and with what upstreams listed before."""

from __future__ import annotations

import json
import os
import sys
import tempfile
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Any, Final

from benchmarks.processes import COLUMNS, rows
from benchmarks.report import Table

TOOLS: Final = 2_000
SERVERS: Final = 4
RUNS: Final = 5
SERVER: Final = Path(__file__).resolve().parent.parent / "tests" / "fixtures" / "recorded_server.py"
FIND: Final = ["-m", "pegboard", "find", "look up what the weather will be tomorrow", "--limit", "5"]


def run(corpora: Path) -> list[Table]:
    """Whole processes, in turn; the upstreams are real processes that list recorded definitions."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        configure(folder, list(islice(definitions(corpora), TOOLS)))
        environ = {**os.environ, "XDG_STATE_HOME": str(folder / "state")}
        environ.pop("PYTHONDONTWRITEBYTECODE", None)
        environ["PYTHONPYCACHEPREFIX"] = str(folder / "compiled")
        contenders = {"pegboard find --fresh": [*FIND, "--fresh"], "pegboard find": FIND}
        found = rows(contenders, RUNS, folder, environ)
    note = (
        f"{TOOLS:,} recorded definitions of {SERVERS} upstreams, which `--fresh` starts, and which are kept otherwise. "
        f"Whole processes in turn, the least of {RUNS} runs each; upstreams count to the processor's time."
    )
    return [Table("Cold find", COLUMNS, found, note)]


def definitions(corpora: Path) -> Iterator[dict[str, Any]]:
    """Recorded definitions, each under a name of its own."""
    number = 0
    for path in sorted((corpora / "mcp").glob("*.json")):
        for tool in json.loads(path.read_text("utf-8"))["tools"]:
            number += 1
            yield {**tool, "name": f"{tool['name'][:40]}_{number}"}


def configure(folder: Path, tools: list[dict[str, Any]]) -> None:
    """A configuration of several servers that share the tools out among them."""
    lines = []
    for place in range(SERVERS):
        recording = folder / f"server{place}.json"
        about = {"serverInfo": {"name": recording.stem, "version": "1"}}
        recording.write_text(json.dumps({"initialize": about, "tools": tools[place::SERVERS]}), "utf-8")
        words = json.dumps([str(SERVER), str(recording)])
        lines.append(f"[upstreams.{recording.stem}]\ncommand = {json.dumps(sys.executable)}\nargs = {words}\n")
    (folder / "pegboard.toml").write_text("\n".join(lines), "utf-8")
