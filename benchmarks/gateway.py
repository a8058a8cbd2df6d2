"""What the gateway adds to a call and costs to start, beside the upstream alone and beside FastMCP's proxy."""

from __future__ import annotations

import statistics
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from benchmarks.engines import FASTMCP
from benchmarks.environments import python_with
from benchmarks.report import Table
from benchmarks.wire import Wire

HERE = Path(__file__).resolve().parent
ECHO = [sys.executable, str(HERE / "echo_server.py")]
PEER = FASTMCP

WARM_UP = 30
ROUNDS = 20
CALLS = 25
AT_ONCE = 16
BATCHES = 10
STARTS = 3


@dataclass
class Contender:
    """One way to reach the same tool. Lives as long as the run."""

    label: str
    command: list[str]
    tool: str
    calls: list[float] = field(default_factory=list)
    rates: list[float] = field(default_factory=list)
    starts: list[float] = field(default_factory=list)
    memory: float = 0.0

    @property
    def latency(self) -> float:
        """Median seconds of one call."""
        return statistics.median(self.calls)

    @property
    def rate(self) -> float:
        """Median calls a second, 16 at once."""
        return statistics.median(self.rates)


def run() -> list[Table]:
    """Measure the contenders in turn, round by round, so that the machine's moods hit all alike."""
    with tempfile.TemporaryDirectory() as folder:
        contenders = [
            Contender("upstream alone", ECHO, "echo"),
            Contender("Pegboard", pegboard_command(Path(folder)), "echo__echo"),
            Contender("FastMCP proxy", fastmcp_command(), "echo"),
        ]
        with ExitStack() as stack:
            wires = [stack.enter_context(ready(contender)) for contender in contenders]
            for _ in range(ROUNDS):
                for contender, wire in zip(contenders, wires, strict=True):
                    contender.calls += [one_call(wire, contender.tool) for _ in range(CALLS)]
            for _ in range(BATCHES):
                for contender, wire in zip(contenders, wires, strict=True):
                    contender.rates.append(AT_ONCE / batch(wire, contender.tool))
            for contender, wire in zip(contenders, wires, strict=True):
                contender.memory = wire.memory
        for _ in range(STARTS):
            for contender in contenders:
                contender.starts.append(start(contender))
    return [calls_table(*contenders), starts_table(contenders)]


@contextmanager
def ready(contender: Contender) -> Iterator[Wire]:
    """A warm session with a contender."""
    with Wire(contender.command) as wire:
        for _ in range(WARM_UP):
            one_call(wire, contender.tool)
        yield wire


def one_call(wire: Wire, tool: str) -> float:
    """Seconds from the request to its answer."""
    began = time.perf_counter()
    wire.request("tools/call", call_of(tool))
    return time.perf_counter() - began


def batch(wire: Wire, tool: str) -> float:
    """Seconds for a number of calls sent at once."""
    began = time.perf_counter()
    wire.wait({wire.send("tools/call", call_of(tool)) for _ in range(AT_ONCE)})
    return time.perf_counter() - began


def call_of(tool: str) -> Mapping[str, object]:
    """The parameters of one call."""
    return {"name": tool, "arguments": {"text": "a short text"}}


def start(contender: Contender) -> float:
    """Seconds from the start of the process to the answer of its first call."""
    with Wire(contender.command) as wire:
        one_call(wire, contender.tool)
        return wire.age


def pegboard_command(folder: Path) -> list[str]:
    """The gateway over the echo server."""
    config = folder / "pegboard.toml"
    config.write_text(f'[upstreams.echo]\ncommand = "{ECHO[0]}"\nargs = ["{ECHO[1]}"]\n')
    return [sys.executable, "-m", "pegboard", "serve", "--config", str(config)]


def fastmcp_command() -> list[str]:
    """FastMCP's proxy over the echo server."""
    return [str(python_with("fastmcp", PEER)), str(HERE / "peers" / "fastmcp_proxy.py"), *ECHO]


def calls_table(direct: Contender, ours: Contender, peer: Contender) -> Table:
    """Latency and throughput."""
    added_by_peer = peer.latency - direct.latency
    rows = []
    for contender in (direct, ours, peer):
        added = contender.latency - direct.latency
        rows.append(
            [
                contender.label,
                f"{contender.latency * 1000:.2f}",
                f"{added * 1000:.2f}" if added else "",
                f"{added / added_by_peer:.2f}" if added else "",
                f"{contender.rate:.0f}",
                f"{contender.rate / peer.rate:.2f}",
            ]
        )
    return Table(
        title="Gateway: one call",
        columns=["through", "median ms", "added ms", "added / FastMCP's", "calls/s, 16 at once", "rate / FastMCP's"],
        rows=rows,
        note=f"Handshake-era session on stdio; {ROUNDS} rounds of {CALLS} calls each, in turn; {PEER}.",
    )


def starts_table(contenders: list[Contender]) -> Table:
    """Time to the first answer, and memory."""
    rows = [
        [contender.label, f"{statistics.median(contender.starts):.2f}", f"{contender.memory:.0f}"]
        for contender in contenders
    ]
    return Table(
        title="Gateway: start and memory",
        columns=["through", "seconds to the first call's answer", "MiB resident after the calls"],
        rows=rows,
        note=f"Median of {STARTS} starts. Memory is the process's own, without its upstream's.",
    )
