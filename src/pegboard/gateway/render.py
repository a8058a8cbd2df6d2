"""Listings and results as a client's revision of MCP can carry them. Pure but for the log.

Definitions and results are told as they came, unknown keys too. What a revision cannot carry is said in another way
where there is one, and only that is: one definition or block that cannot be told takes nothing else along.
"""

from __future__ import annotations

import json
import logging
import math
from collections.abc import Iterable, Mapping
from typing import Any

from mcp.types.methods import serialize_server_result
from mcp.types.version import MODERN_PROTOCOL_VERSIONS
from pydantic import ValidationError

from pegboard.tools import Halt, JsonObject, ToolResult, text_block

logger = logging.getLogger(__name__)


def is_modern(revision: str) -> bool:
    """Whether a revision is of the stateless era."""
    return revision in MODERN_PROTOCOL_VERSIONS


def list_result(items: Iterable[JsonObject], revision: str, *, ttl_ms: int) -> dict[str, Any]:
    """A ``tools/list`` result. ``ttl_ms`` says for how long a modern client may keep it."""
    tools = [told for item in items if (told := definition(item, revision)) is not None]
    if not is_modern(revision):
        return {"tools": tools}
    return {"tools": tools, "ttlMs": ttl_ms, "cacheScope": "private", "resultType": "complete"}


def definition(item: JsonObject, revision: str) -> JsonObject | None:
    """One definition as this revision can carry it; None when it cannot, which is logged."""
    if _carries("tools/list", revision, {"tools": [item]}):
        return item
    # Before 2026-07-28 an output schema describes an object: a client would refuse the whole list for another one.
    plain = {key: value for key, value in item.items() if key != "outputSchema"}
    if _carries("tools/list", revision, {"tools": [plain]}):
        return plain
    logger.warning("the definition of %r cannot be told in MCP %s: left out of the list", item.get("name"), revision)
    return None


def call_result(outcome: ToolResult | Halt, revision: str) -> dict[str, Any]:
    """A ``tools/call`` result."""
    wire = _sendable(outcome.to_wire())
    if is_modern(revision):
        wire.setdefault("resultType", "complete")
    if not _carries("tools/call", revision, wire):
        wire = _bent(wire, revision)
    return wire


def _bent(wire: dict[str, Any], revision: str) -> dict[str, Any]:
    """A result without what this revision cannot carry."""
    blocks = [_block(block, revision) for block in wire["content"]]
    bent = {**wire, "content": blocks}
    structured = wire.get("structuredContent")
    if not is_modern(revision) and not isinstance(structured, Mapping):
        bent.pop("structuredContent", None)
        if not blocks and "structuredContent" in wire:
            bent["content"] = [text_block(json.dumps(structured, ensure_ascii=False))]
    if _carries("tools/call", revision, bent):
        return bent
    # What is left are members of other shapes than the revision knows; the content alone is what matters.
    return {key: bent[key] for key in ("content", "isError", "resultType") if key in bent}


def _block(block: Any, revision: str) -> Any:
    if _carries("tools/call", revision, {"content": [block]}):
        return block
    return text_block(f"[What MCP {revision} cannot carry:] {json.dumps(block, ensure_ascii=False)}")


def _carries(method: str, revision: str, result: Mapping[str, Any]) -> bool:
    """Whether a result fits the revision's own schema."""
    envelope = {"resultType": "complete", "ttlMs": 0, "cacheScope": "private"} if is_modern(revision) else {}
    try:
        fitting = serialize_server_result(method, revision, {**envelope, **result})
    except ValidationError:
        return False
    # A call's result that does not fit still passes as a request for input, with all of it dropped.
    return "tools" in fitting or "content" in fitting


def _sendable(wire: dict[str, Any]) -> dict[str, Any]:
    """``wire`` itself where it is JSON in UTF-8; else with what is not replaced: half surrogates, NaN, infinities."""
    try:
        json.dumps(wire, ensure_ascii=False, allow_nan=False).encode("utf-8")
    except ValueError:  # UnicodeEncodeError is one
        return {key: _mended(value) for key, value in wire.items()}
    return wire


def _mended(value: Any) -> Any:
    if isinstance(value, str):
        return value.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, Mapping):
        return {_mended(key): _mended(item) for key, item in value.items()}
    return [_mended(item) for item in value] if isinstance(value, list | tuple) else value
