"""A catalog out of a recorded ``tools/list``, without the server."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from pegboard.catalog import Catalog
from pegboard.context import Context
from pegboard.errors import UpstreamError
from pegboard.registry import Problem
from pegboard.sources.mcp import UpstreamSpec, tools_from_payload
from pegboard.tools import Handler


def catalog_from_payload(name: str, tools: Iterable[Any]) -> tuple[Catalog, tuple[Problem, ...]]:
    """What an upstream called ``name`` would bring: its catalog, and what was set aside with the reasons.

        answer = json.loads(Path("github.json").read_text())
        catalog, problems = catalog_from_payload("github", answer["tools"])

    ``tools`` are the definitions of a raw ``tools/list``, of all its pages. They are read, checked, named and mended
    just as those of a running server are, with the settings that an upstream has by default. Their calls raise
    UpstreamError: there is no server.
    """
    intake = tools_from_payload(name, tools, UpstreamSpec(name=name), lambda bare_name: _absent(name, bare_name))
    return Catalog(intake.tools, problems=intake.problems), intake.problems


def _absent(name: str, bare_name: str) -> Handler:
    async def handler(arguments: dict[str, Any], context: Context) -> None:
        raise UpstreamError(f"There is no server behind {bare_name!r} of {name!r}: it comes from a recorded payload.")

    return handler
