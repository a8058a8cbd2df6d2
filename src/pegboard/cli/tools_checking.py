"""``tools check``: files of definitions, without using them."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from pegboard.cli.exits import Exit
from pegboard.cli.options import Common
from pegboard.cli.session import load_found, tell_problems
from pegboard.cli.words import counted


def check(
    common: Common,
    files: Annotated[list[Path], typer.Argument(metavar="FILE...", help="Files of one tool or many.")],
) -> Exit:
    """Check files of HTTP tools, and tell every mistake with its line and fix.

    A configuration is not needed; where there is one, its [context] says which names {{ctx.*}} may have.
    """
    from pegboard.http_tools.files import load_file

    context = _context_names(common)
    loaded = {file: load_file(file, context=context) for file in files}
    if common.json:
        common.output.document(
            {
                "files": [
                    {
                        "file": str(file),
                        "tools": [tool.name for tool in one.definitions],
                        "problems": [problem.to_json() for problem in one.problems],
                    }
                    for file, one in loaded.items()
                ]
            }
        )
    else:
        for file, one in loaded.items():
            tell_problems(common, one.problems)
            wrong = len(one.errors)
            mistakes = f", {counted(wrong, 'mistake')}" if wrong else ""
            common.output.say(f"{file}: {counted(len(one.definitions), 'tool')}{mistakes}")
    return Exit.CONFIG if any(one.errors for one in loaded.values()) else Exit.OK


def _context_names(common: Common) -> Sequence[str]:
    from pegboard.http_tools.definition import CONTEXT_NAMES

    loaded = load_found(common)
    return CONTEXT_NAMES if loaded is None else loaded.settings.context_names
