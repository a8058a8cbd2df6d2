"""A real server on loopback that notes every request as it came, and repeats all of it."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

Answer = tuple[int, dict[str, str], bytes]


@dataclass
class Request:
    """One request as it came. Lives inside one test."""

    method: str
    target: str
    headers: list[tuple[str, str]]
    body: bytes

    @property
    def path(self) -> str:
        return self.target.partition("?")[0]

    @property
    def query(self) -> str:
        return self.target.partition("?")[2]

    def header(self, name: str) -> str | None:
        """A header's text; the only one of its name."""
        found = [value for key, value in self.headers if key.lower() == name.lower()]
        assert len(found) < 2, f"{name} came {len(found)} times"
        return found[0] if found else None


@dataclass
class Echo:
    """The server. Lives as long as its block. ``answer`` gives what it answers; unset, everything that came."""

    port: int = 0
    requests: list[Request] = field(default_factory=list)
    answer: Callable[[Request], Answer | None] = lambda request: None

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"


def repeated(request: Request) -> bytes:
    """All of a request, as JSON."""
    told = {"target": request.target, "headers": request.headers, "body": request.body.decode("utf-8", "replace")}
    return json.dumps(told, ensure_ascii=False).encode()


@contextmanager
def echoing() -> Iterator[Echo]:
    """Serve until the block ends."""
    state = Echo()

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def handle_any(self) -> None:
            body = self.rfile.read(int(self.headers.get("content-length") or 0))
            headers = [(name, value.encode("latin-1").decode("utf-8")) for name, value in self.headers.raw_items()]
            request = Request(self.command, self.path, headers, body)
            state.requests.append(request)
            status, more, said = state.answer(request) or (200, {}, repeated(request))
            self.send_response_only(status)
            for name, value in {"Content-Length": str(len(said)), **more}.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(said)

        do_GET = do_POST = do_PUT = do_PATCH = do_DELETE = handle_any  # noqa: N815  # the names of the library

        def log_message(self, format: str, *args: object) -> None:
            return None

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    state.port = server.server_port
    thread = threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True)
    thread.start()
    try:
        yield state
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
