"""``insika_allowlist``: which tools a board may have."""

from __future__ import annotations

from typing import Any, Final

from pegboard.peg import Pegboard
from pegboard.registry import ToolRegistry
from tests.runners.golden.adapter import Adapter
from tests.runners.golden.adapters.making import tool

ERRORS: Final = {"NoMethodError": TypeError}


async def allowlist(values: dict[str, Any]) -> Any:
    """Their candidates are on-demand tools, and what is left is what a board of that ``allowed`` can find."""
    registry = ToolRegistry()
    registry.register(*(tool({"name": str(candidate)}) for candidate in values["candidates"]))
    board = await Pegboard([registry]).open(allowed=values["allow"])
    found = {held.name for held in (await board.view()).tools}
    allows = [str(candidate) in found for candidate in values["candidates"]]
    return {"filter": [one for one, left in zip(values["candidates"], allows, strict=True) if left], "allows": allows}


ADAPTERS: Final = {"insika_allowlist": Adapter(allowlist, ERRORS)}
