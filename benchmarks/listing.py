"""What models are shown with many real servers behind the board: tokens of everything against tokens of the listing."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

from benchmarks.report import Table
from pegboard import Pegboard, ToolRegistry
from pegboard.gateway.instructions import instructions_for
from pegboard.testing import catalog_from_payload
from pegboard.tokens import count_tokens, definition_cost


def run(folder: Path) -> list[Table]:
    """All recorded servers of ``folder`` behind one board."""
    return asyncio.run(measured(folder))


async def measured(folder: Path) -> list[Table]:
    """Register every tool of every server, and open a board of each profile."""
    registries, aside = [], 0
    for path in sorted(folder.glob("*.json")):
        recorded: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
        catalog, problems = catalog_from_payload(recorded["name"], recorded["tools"])
        registry = ToolRegistry(recorded["name"])
        registry.register(*catalog.all())
        registries.append(registry)
        aside += len(problems)
    peg = Pegboard(registries)
    everything = sum(definition_cost(tool.shown) for tool in peg.catalog.all())
    rows = [["all definitions", str(len(peg.catalog)), str(everything), ""]]
    for profile in ("session", "modern"):
        board = await peg.open(surface="mcp", profile=profile)
        shown = board.listing()
        tokens = shown.tokens + count_tokens(instructions_for(peg.profiles[profile]))
        rows.append(
            [f"profile *{profile}*, instructions too", str(len(shown.items)), str(tokens), saving(tokens, everything)]
        )
    note = f"{len(registries)} recorded servers; {aside} tools set aside. Tokens by Pegboard's own estimate."
    return [Table("Tokens shown", ["what", "definitions", "tokens", "saved"], rows, note)]


def saving(shown: int, everything: int) -> str:
    """The part that is not shown."""
    return f"{1 - shown / everything:.2%}"
