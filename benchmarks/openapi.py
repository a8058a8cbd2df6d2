"""What published OpenAPI documents come to: operations, tools, what was set aside, time and tokens."""

from __future__ import annotations

import time
from pathlib import Path

from benchmarks.report import Table
from pegboard.errors import DefinitionError
from pegboard.http_tools.openapi.importing import import_openapi
from pegboard.http_tools.openapi.options import ImportOptions
from pegboard.http_tools.openapi.report import Imported
from pegboard.tokens import definition_cost

ADDRESS = "https://docs.example.com/openapi.json"
"""Where the documents are said to lie: some of their servers are relative."""


def run(documents: Path) -> list[Table]:
    """Import every document twice: slimmed, as is the default, and whole."""
    rows: list[list[str]] = []
    totals = [0, 0, 0, 0.0, 0, 0]
    for path in sorted(documents.iterdir()):
        text = path.read_text("utf-8")
        began = time.perf_counter()
        try:
            slim = import_openapi(text, ImportOptions(address=ADDRESS))
        except DefinitionError:
            rows.append([path.name, "no whole document: refused", "", "", "", "", ""])
            continue
        seconds = time.perf_counter() - began
        whole = import_openapi(text, ImportOptions(address=ADDRESS, slim=False))
        tools, aside = len(slim.operations), len(slim.aside)
        figures = [tools + aside, tools, aside, seconds, tokens(whole), tokens(slim)]
        totals = [sum(pair) for pair in zip(totals, figures, strict=True)]
        rows.append(row(path.name, figures))
    columns = ["document", "operations", "tools", "set aside", "seconds", "tokens whole", "tokens slimmed"]
    note = f"{totals[1] / totals[0]:.2%} of the operations are tools. Seconds include reading the document."
    return [Table(title="OpenAPI documents", columns=columns, rows=[*rows, row("all", totals)], note=note)]


def row(name: str, figures: list[float]) -> list[str]:
    """A row of the table."""
    return [name, *(f"{figure:.2f}" if place == 3 else f"{figure:,.0f}" for place, figure in enumerate(figures))]


def tokens(found: Imported) -> int:
    """The cost of all definitions in a prompt."""
    tools = (one.definition for one in found.operations)
    return sum(
        definition_cost({"name": one.name, "description": one.description, "inputSchema": dict(one.parameters)})
        for one in tools
    )
