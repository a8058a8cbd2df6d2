"""An upstream over HTTP as the suite drives a client: ``python -m tests.conformance.upstream_client URL``.

The suite starts it with a server of its own, and says in variables which scenario that is and what to call. All tools
are called, with what the scenario gives or with what their names ask for; skills are loaded where it is about that.
"""

from __future__ import annotations

import asyncio
import json
import os
import sys
from collections.abc import Iterator
from typing import Any, Final

from pegboard import Context, Tool
from pegboard.errors import CallError, UpstreamError
from pegboard.sources.mcp import HttpSpec, HttpUpstream
from pegboard.sources.mcp.spec import Era

SECONDS: Final = 20.0

ECHO: Final = "json_schema_echo"
"""Wants the schema of the tool beside it, as it came."""

LOADS: Final = "sep-2640-client-verify"
"""What the scenarios are called in which skills are loaded."""

ARGUMENTS: Final[dict[str, dict[str, Any]]] = {"add_numbers": {"a": 5, "b": 3}}


def calls(tools: tuple[Tool, ...]) -> Iterator[tuple[str, dict[str, Any]]]:
    """What is called, in order."""
    told = json.loads(os.environ.get("MCP_CONFORMANCE_CONTEXT") or "{}")
    if "toolCalls" in told:
        yield from ((call["name"], call["arguments"]) for call in told["toolCalls"])
        return
    schemas = [dict(tool.input_schema) for tool in tools if tool.bare_name != ECHO]
    for tool in tools:
        echo = {"schema": schemas[0]} if tool.bare_name == ECHO else {}
        yield tool.bare_name, ARGUMENTS.get(tool.bare_name, echo)


async def load_skills(upstream: HttpUpstream) -> None:
    """Load each skill as a model does that goes on reading as long as nothing is refused."""
    for skill in upstream.skills.current:
        try:
            print(await upstream.skills.instructions_of(skill))
            for path in skill.files:
                print((await upstream.skills.resource_of(skill, path)).text)
        except CallError as error:
            print(error, file=sys.stderr)


async def main(url: str) -> None:
    """Reach the server, call its tools, and leave."""
    modern = os.environ.get("MCP_CONFORMANCE_PROTOCOL_VERSION", "").startswith("2026")
    era: Era = "modern" if modern else "auto"
    upstream = HttpUpstream(HttpSpec(name="suite", url=url, era=era))
    try:
        async with asyncio.timeout(SECONDS):
            await upstream.start()
            await upstream.ready()
            if upstream.status().reason:
                print(upstream.status().reason, file=sys.stderr)
            if LOADS in os.environ.get("MCP_CONFORMANCE_SCENARIO", ""):
                await load_skills(upstream)
            for name, arguments in calls(upstream.registry.tools()):
                try:
                    print((await upstream.call(name, arguments, Context(tool=name, call_id="1"))).text)
                except UpstreamError as error:
                    print(error, file=sys.stderr)
    finally:
        await upstream.stop()


if __name__ == "__main__":
    asyncio.run(main(sys.argv[-1]))
