"""The demo's client: the official SDK's, connected over stdio to a gateway that runs as a process of its own."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import anyio

from pegboard.cli.demo.servers import DemoError

if TYPE_CHECKING:
    from mcp import Client
    from mcp_types import CallToolResult

_ANSWER: Final = 30.0
"""Seconds that one answer may take."""


class Connection:
    """A connected client, and whether the gateway has said that its list changed. Lives as long as the connection."""

    def __init__(self, client: Client, list_changed: anyio.Event) -> None:
        self._client = client
        self._list_changed = list_changed

    async def listed(self) -> list[str]:
        """The names in ``tools/list``."""
        return [tool.name for tool in (await self._client.list_tools()).tools]

    async def call(self, name: str, arguments: Mapping[str, Any]) -> CallToolResult:
        """What a tool answers, an error too."""
        return await self._client.call_tool(name, dict(arguments))

    async def ask(self, name: str, arguments: Mapping[str, Any]) -> dict[str, Any]:
        """What a meta-tool answers, as JSON. Raises DemoError when it answers with an error."""
        result = await self.call(name, arguments)
        if result.is_error:
            raise DemoError(f"{name} failed: {text_of(result)}")
        answer: dict[str, Any] = json.loads(text_of(result))
        return answer

    async def changed(self) -> None:
        """Wait until ``tools/list_changed`` arrives. Raises DemoError when it does not."""
        with anyio.move_on_after(_ANSWER):
            await self._list_changed.wait()
            return
        raise DemoError(f"The gateway did not send tools/list_changed within {_ANSWER:g} s.")

    @property
    def version(self) -> str:
        """The protocol's revision."""
        return self._client.protocol_version


@asynccontextmanager
async def connected(config: Path, mode: str) -> AsyncIterator[Connection]:
    """A client connected to a new gateway; ``mode`` as the SDK has it. The gateway has ended after the block.

    Raises DemoError for whatever goes wrong, with the last words of the gateway.
    """
    from mcp import MCPError

    said = config.parent / "gateway-stderr.log"
    try:
        async with _connected(config, mode, said) as connection:
            yield connection
    except (ExceptionGroup, MCPError, TimeoutError) as error:
        raise _one_error(error, said) from error


@asynccontextmanager
async def _connected(config: Path, mode: str, said: Path) -> AsyncIterator[Connection]:
    from mcp import Client, StdioServerParameters
    from mcp.client.stdio import stdio_client
    from mcp_types import ToolListChangedNotification

    list_changed = anyio.Event()

    async def heard(message: object) -> None:
        if isinstance(message, ToolListChangedNotification):
            list_changed.set()

    arguments = ["-m", "pegboard", "serve", "--config", str(config), "--log-file", str(config.parent / "gateway.log")]
    # The client hands down very little of the environment by itself; a checkout may be found through more of it.
    gateway = StdioServerParameters(command=sys.executable, args=arguments, env=dict(os.environ))
    with said.open("w", encoding="utf-8") as stderr:
        transport = stdio_client(gateway, errlog=stderr)
        async with Client(transport, mode=mode, message_handler=heard, read_timeout_seconds=_ANSWER) as client:
            yield Connection(client, list_changed)


def _one_error(error: Exception, said: Path) -> Exception:
    """The demo's own error out of whatever groups it came in; what else ended the connection as one."""
    while isinstance(error, ExceptionGroup):
        own, _ = error.split((DemoError, BrokenPipeError))
        error = (own or error).exceptions[0]
    # Nobody reads what the demo prints any more: that is no fault of the gateway's.
    if isinstance(error, DemoError | BrokenPipeError):
        return error
    words = said.read_text("utf-8", errors="replace").strip() if said.is_file() else ""
    last = words.splitlines()[-1] if words else "it said nothing on stderr"
    return DemoError(f"The gateway broke off ({error}): {last}.", hint=f"See {said.parent / 'gateway.log'}.")


def text_of(result: CallToolResult) -> str:
    """The text of a result."""
    return "\n".join(block.text for block in result.content if block.type == "text")
