"""The scripted servers of the harness, and what they wrote down."""

from __future__ import annotations

import json
import socket
import subprocess
import sys
import time
from pathlib import Path
from typing import Any, Final

Message = dict[str, Any]

_START_SECONDS: Final = 10.0


def free_ports(count: int) -> list[int]:
    """Ports of loopback that nobody listens on now."""
    sockets = [socket.socket() for _ in range(count)]
    try:
        for one in sockets:
            one.bind(("127.0.0.1", 0))
        return [int(one.getsockname()[1]) for one in sockets]
    finally:
        for one in sockets:
            one.close()


def messages(log: Path) -> list[Message]:
    """What a scripted server has received so far; a last line that is still being written is left out."""
    if not log.is_file():
        return []
    lines = log.read_text(encoding="utf-8").split("\n")[:-1]
    return [json.loads(line) for line in lines if line]


class HttpServer:
    """A scripted HTTP server on loopback. Lives as long as the case; ``close`` ends its process.

    ``program`` is the one of the harness that does what the script says.
    """

    def __init__(self, harness: Path, script: Path, port: int, log: Path, *, program: str = "fake_http.py") -> None:
        self.port, self.log = port, log
        command = [sys.executable, str(harness / program), str(script), "--port", str(port), "--log", str(log)]
        self._process = subprocess.Popen(command, stdin=subprocess.DEVNULL)
        self._wait()

    @property
    def requests(self) -> list[Message]:
        """The requests it got."""
        return messages(self.log)

    def close(self) -> None:
        """End it."""
        self._process.terminate()
        self._process.wait()

    def _wait(self) -> None:
        until = time.monotonic() + _START_SECONDS
        while time.monotonic() < until and self._process.poll() is None:
            with socket.socket() as probe:
                if probe.connect_ex(("127.0.0.1", self.port)) == 0:
                    return
            time.sleep(0.02)
        raise RuntimeError(f"the scripted HTTP server did not start on port {self.port}")
