"""A small MCP client on a pipe, so that what is measured is the server and not the client."""

from __future__ import annotations

import json
import subprocess
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any, Self

HANDSHAKE = "2025-11-25"
_END_SECONDS = 10.0


class Wire:
    """A server process and a handshake-era session with it. Lives as long as its ``with`` block."""

    def __init__(self, command: Sequence[str], env: Mapping[str, str] | None = None) -> None:
        self._began = time.perf_counter()
        self.process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env=env
        )
        self._next = 0

    def __enter__(self) -> Self:
        self.request(
            "initialize",
            {"protocolVersion": HANDSHAKE, "capabilities": {}, "clientInfo": {"name": "bench", "version": "0"}},
        )
        self._send({"jsonrpc": "2.0", "method": "notifications/initialized"})
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        if self.process.stdin:
            self.process.stdin.close()
        try:
            self.process.wait(_END_SECONDS)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        if self.process.stdout:
            self.process.stdout.close()

    @property
    def age(self) -> float:
        """Seconds since the process was started."""
        return time.perf_counter() - self._began

    @property
    def memory(self) -> float:
        """Resident memory of the process, in MiB (Linux; 0 elsewhere)."""
        status = Path(f"/proc/{self.process.pid}/status")
        if not status.exists():
            return 0.0
        line = next(line for line in status.read_text().splitlines() if line.startswith("VmRSS:"))
        return int(line.split()[1]) / 1024

    def request(self, method: str, params: Mapping[str, Any]) -> dict[str, Any]:
        """One request and its result. Raises RuntimeError for an error answer or a closed pipe."""
        return self.wait({self.send(method, params)})[0]

    def send(self, method: str, params: Mapping[str, Any]) -> int:
        """Send a request without waiting; gives its id."""
        self._next += 1
        self._send({"jsonrpc": "2.0", "id": self._next, "method": method, "params": params})
        return self._next

    def wait(self, ids: set[int]) -> list[dict[str, Any]]:
        """The results of these requests, in the order in which they come."""
        results = []
        while ids:
            message = self._read()
            if message.get("id") in ids:
                ids.discard(message["id"])
                if "error" in message:
                    raise RuntimeError(f"the server answered {message['error']}")
                results.append(message["result"])
        return results

    def _send(self, message: Mapping[str, Any]) -> None:
        if self.process.stdin is None:
            raise RuntimeError("the pipe is closed")
        self.process.stdin.write(json.dumps(message, separators=(",", ":")).encode() + b"\n")
        self.process.stdin.flush()

    def _read(self) -> dict[str, Any]:
        line = self.process.stdout.readline() if self.process.stdout else b""
        if not line:
            raise RuntimeError(f"the server ended with {self.process.poll()}")
        message: dict[str, Any] = json.loads(line)
        return message
