"""One call on its way to an upstream and back, changed as little as possible."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping
from typing import Any, Final

from mcp import MCPError
from mcp.types import (
    CLIENT_CAPABILITIES_META_KEY,
    CLIENT_INFO_META_KEY,
    LOG_LEVEL_META_KEY,
    PROTOCOL_VERSION_META_KEY,
    SERVER_INFO_META_KEY,
)

from pegboard.context import Context
from pegboard.errors import UpstreamError
from pegboard.sources.mcp.frames import OVER_LIMIT, UNREAD
from pegboard.sources.mcp.noise import Hide, visible
from pegboard.sources.mcp.session import Connection
from pegboard.sources.mcp.trouble import Trouble
from pegboard.tools import JsonObject, ToolResult

OF_THE_CALLERS_CONNECTION: Final = frozenset(
    {
        "progressToken",
        PROTOCOL_VERSION_META_KEY,
        CLIENT_INFO_META_KEY,
        CLIENT_CAPABILITIES_META_KEY,
        LOG_LEVEL_META_KEY,
    }
)
"""Keys of a request's ``_meta`` that speak of the caller's own connection: the one to the upstream has its own."""

OF_THE_UPSTREAMS_CONNECTION: Final = frozenset({SERVER_INFO_META_KEY})
"""Keys of a result's ``_meta`` that would introduce the upstream as the server that the caller talks to."""

MESSAGE_CHARS: Final = 4_000
DATA_CHARS: Final = 2_000


async def call_tool(
    connection: Connection, name: str, arguments: Mapping[str, Any], context: Context
) -> dict[str, Any]:
    """One ``tools/call``; its result as it came. Progress is asked for only where somebody listens. Raises MCPError."""
    params: dict[str, Any] = {"name": name, "arguments": dict(arguments)}
    if meta := meta_to_upstream(context.meta):
        params["_meta"] = meta
    if context.on_progress is None:
        return await connection.request("tools/call", params)
    # One at a time and in order, and all of them before the result.
    turn = asyncio.Lock()

    async def on_progress(progress: float, total: float | None, message: str | None) -> None:
        async with turn:
            await context.progress(progress, total, message)

    raw = await connection.request("tools/call", params, on_progress)
    async with turn:
        return raw


def meta_to_upstream(meta: Mapping[str, Any]) -> dict[str, Any]:
    """A request's ``_meta`` for the upstream: tracing and vendor keys pass."""
    return {key: value for key, value in meta.items() if key not in OF_THE_CALLERS_CONNECTION}


def result_of(upstream: str, tool: str, raw: JsonObject) -> ToolResult:
    """An upstream's result, whole, unknown keys too.

    Raises UpstreamError when it is no tool result, or asks for what the caller cannot give.
    """
    kind = raw.get("resultType", "complete")
    if kind == "input_required":
        raise _asks_for_input(upstream, tool, raw)
    content = raw.get("content") or []
    shaped = isinstance(content, list) and all(isinstance(block, Mapping) for block in content)
    if kind != "complete" or not shaped or not isinstance(raw.get("_meta") or {}, Mapping):
        raise UpstreamError(
            f"Upstream {upstream!r} answered the call of {tool!r} with something that is not a tool result.",
            data={"source": upstream},
        )
    result = {key: value for key, value in raw.items() if key != "resultType"}
    if raw.get("_meta"):
        result["_meta"] = {k: v for k, v in raw["_meta"].items() if k not in OF_THE_UPSTREAMS_CONNECTION}
    return ToolResult.from_wire(result)


def error_of(upstream: str, tool: str, error: MCPError, hide: Hide = str) -> UpstreamError:
    """An upstream's error answer for the model to read: its own code, message and (when short) data.

    ``hide`` blots out what the upstream was given as secrets; data that holds one is left out.
    """
    message = hide(error.message[:MESSAGE_CHARS])
    if isinstance(error.data, Trouble):
        return _no_answer(upstream, tool, error.data, hide)
    if error.data is UNREAD:
        return UpstreamError(
            f"Upstream {upstream!r} answered the call of {tool!r}, but the answer could not be read: {message}.",
            hint="Ask it for less at once." if OVER_LIMIT in message else "",
            data={"source": upstream},
        )
    facts: dict[str, Any] = {"source": upstream, "upstream_code": error.code}
    data = json.dumps(error.data, ensure_ascii=False)
    if error.data is not None and len(data) <= DATA_CHARS and hide(data) == data:
        facts["upstream_data"] = error.data
    return UpstreamError(f"Upstream {upstream!r} answered with error {error.code}: {message}", data=facts)


def _no_answer(upstream: str, tool: str, trouble: Trouble, hide: Hide) -> UpstreamError:
    ran = " The call may have been carried out all the same." if trouble.ran else ""
    facts: dict[str, Any] = {"source": upstream}
    if trouble.retry_after:
        facts["retry_after"] = trouble.retry_after
    what = hide(f"it {trouble.what}")
    return UpstreamError(
        f"Upstream {upstream!r} did not answer the call of {tool!r}: {what}.{ran}", hint=trouble.hint, data=facts
    )


def _asks_for_input(upstream: str, tool: str, raw: JsonObject) -> UpstreamError:
    requests = raw.get("inputRequests")
    asked = requests.values() if isinstance(requests, Mapping) else ()
    methods = sorted({str(one.get("method")) for one in asked if isinstance(one, Mapping)})
    wants = f" ({visible(', '.join(methods))})" if methods else ""
    return UpstreamError(
        f"{tool!r} of upstream {upstream!r} asks for more input{wants} before it goes on, which cannot be given here.",
        hint="Call it with everything it needs, or use another tool.",
        data={"source": upstream},
    )
