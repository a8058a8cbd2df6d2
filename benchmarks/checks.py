"""How often each rule of ``pegboard check`` finds something in real texts: skills, MCP servers, OpenAPI documents."""

from __future__ import annotations

import base64
import gzip
import json
import tempfile
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any

from benchmarks.openapi import ADDRESS
from benchmarks.report import Table
from pegboard.checking.finding import Finding
from pegboard.checking.rules import RULES
from pegboard.checking.skills import check_skills
from pegboard.checking.tool_texts import check_tool
from pegboard.errors import DefinitionError
from pegboard.http_tools.openapi.importing import import_openapi
from pegboard.http_tools.openapi.options import ImportOptions
from pegboard.skills.catalog import SkillCatalog
from pegboard.skills.options import MAX_FILE_BYTES


@dataclass(frozen=True)
class Wire:
    """A tool as it came over the wire. Lives as long as one run."""

    name: str
    description: str
    title: str | None
    input_schema: Any
    output_schema: Any


def table(corpora: Path) -> Table:
    """A row a rule that finds anything: its weight, and how many skills, tools and operations it finds something in."""
    columns = [list(of_skills(corpora)), list(of_servers(corpora / "mcp")), list(of_documents(corpora / "openapi"))]
    rows = [[code, str(RULES[code].level), *(share(code, found) for found in columns)] for code in RULES]
    sizes = [f"{len(found):,}" for found in columns]
    note = (
        f"How many of {sizes[0]} skills, {sizes[1]} tools of MCP servers and {sizes[2]} OpenAPI operations a rule "
        "finds something in, and for how many that is an error. Rules without a find are left out."
    )
    found_any = [row for row in rows if any(cell != "0" for cell in row[2:])]
    return Table(
        title="Checks: finds of each rule",
        columns=["rule", "weight", "skills", "MCP", "OpenAPI"],
        rows=found_any,
        note=note,
    )


def share(code: str, found: Iterable[list[Finding]]) -> str:
    """How many have a finding of a rule, the share, and for how many it is an error."""
    hits = [[one for one in each if one.code == code] for each in found]
    some = [each for each in hits if each]
    errors = sum(any(one.level == "error" for one in each) for each in some)
    return f"{len(some)} ({len(some) / len(hits):.2%}, errors {errors})" if some else "0"


def of_skills(corpora: Path) -> Iterator[list[Finding]]:
    """What is found in each skill, each in a root of its own, with empty files where it has others."""
    with gzip.open(corpora / "skills.jsonl.gz") as lines, tempfile.TemporaryDirectory() as root:
        for number, line in enumerate(lines):
            told = json.loads(line)
            place = Path(root) / str(number)
            put(place / (PurePosixPath(told["folder"]).name or "skill"), told)
            catalog = SkillCatalog(place)
            yield check_skills(catalog, catalog.problems, MAX_FILE_BYTES)


def put(folder: Path, told: dict[str, Any]) -> None:
    """Lay a skill out."""
    folder.mkdir(parents=True)
    for path in told["resources"]:
        file = folder / PurePosixPath(path)
        file.parent.mkdir(parents=True, exist_ok=True)
        file.touch()
    (folder / "SKILL.md").write_bytes(base64.b64decode(told["content_base64"]))


def of_servers(folder: Path) -> Iterator[list[Finding]]:
    """What is found in each tool of each server."""
    for file in sorted(folder.glob("*.json")):
        for tool in json.loads(file.read_bytes())["tools"]:
            name, about = str(tool.get("name")), str(tool.get("description") or "")
            yield check_tool(Wire(name, about, tool.get("title"), tool.get("inputSchema"), tool.get("outputSchema")))


def of_documents(folder: Path) -> Iterator[list[Finding]]:
    """What is found in each operation of each document."""
    for path in sorted(folder.iterdir()):
        try:
            found = import_openapi(path.read_text("utf-8"), ImportOptions(address=ADDRESS))
        except DefinitionError:
            continue
        for one in (operation.definition for operation in found.operations):
            yield check_tool(Wire(one.name, one.description, None, one.parameters, None))
