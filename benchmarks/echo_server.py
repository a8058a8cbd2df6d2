"""A handshake-era MCP server on stdio with one tool, as small as it can be, to stand behind a gateway."""

from __future__ import annotations

import json
import sys

TOOL = {
    "name": "echo",
    "description": "Give a text back.",
    "inputSchema": {"type": "object", "properties": {"text": {"type": "string"}}, "required": ["text"]},
}


def main() -> None:
    """Answer until the pipe closes."""
    for line in sys.stdin:
        message = json.loads(line)
        if "id" not in message:
            continue
        result = answer(message["method"], message.get("params") or {})
        reply = {"error": {"code": -32601, "message": "no such method"}} if result is None else {"result": result}
        sys.stdout.write(json.dumps({"jsonrpc": "2.0", "id": message["id"], **reply}) + "\n")
        sys.stdout.flush()


def answer(method: str, params: dict[str, object]) -> dict[str, object] | None:
    """The result of a request; None for a method that is not known."""
    match method:
        case "initialize":
            version = params.get("protocolVersion", "2025-11-25")
            info = {"name": "echo", "version": "0"}
            return {"protocolVersion": version, "capabilities": {"tools": {}}, "serverInfo": info}
        case "tools/list":
            return {"tools": [TOOL]}
        case "tools/call":
            arguments = params.get("arguments")
            text = str(arguments["text"]) if isinstance(arguments, dict) else ""
            return {"content": [{"type": "text", "text": text}], "isError": False}
        case "ping":
            return {}
    return None


if __name__ == "__main__":
    main()
