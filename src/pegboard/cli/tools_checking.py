"""``tools check``: files of definitions, without using them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from pegboard.cli.check_report import origin_of
from pegboard.cli.exits import Exit
from pegboard.cli.options import Common
from pegboard.cli.session import load_found, tell_problems
from pegboard.cli.words import counted

if TYPE_CHECKING:
    from pegboard.checking.finding import Finding
    from pegboard.config import Settings
    from pegboard.http_tools.files import Loaded


def check(
    common: Common,
    files: Annotated[list[Path], typer.Argument(metavar="FILE...", help="Files of one tool or many.")],
) -> Exit:
    """Check files of HTTP tools, and tell every mistake with its line and fix.

    Also what models would read of them and should not: hidden text, instructions in descriptions. A configuration is
    not needed; where there is one, its [context] says which names {{ctx.*}} may have, and its [check] what is ignored.
    """
    settings = _settings(common)
    looked_at = [_look(file, settings) for file in files]
    if common.json:
        common.output.document({"files": [one.to_json() for one in looked_at]})
    else:
        for one in looked_at:
            one.tell(common)
    return Exit.CONFIG if any(one.wrong for one in looked_at) else Exit.OK


@dataclass(frozen=True, kw_only=True)
class _LookedAt:
    """A file with what is to be said of it. Lives as long as the command."""

    file: Path
    loaded: Loaded
    findings: Sequence[Finding]
    fails: bool

    @property
    def wrong(self) -> bool:
        """Whether the file is not as it should be."""
        return bool(self.loaded.errors) or self.fails

    def to_json(self) -> dict[str, Any]:
        """The same as ``--json`` shows it."""
        return {
            "file": str(self.file),
            "tools": [tool.name for tool in self.loaded.definitions],
            "problems": [problem.to_json() for problem in self.loaded.problems],
            "findings": [one.to_json() for one in self.findings],
        }

    def tell(self, common: Common) -> None:
        """Print it: what is wrong to stderr, how many tools there are to stdout."""
        tell_problems(common, self.loaded.problems)
        for one in self.findings:
            common.output.problem(str(one), str(one.level).capitalize())
        count = len(self.loaded.errors)
        mistakes = f", {counted(count, 'mistake')}" if count else ""
        common.output.say(f"{self.file}: {counted(len(self.loaded.definitions), 'tool')}{mistakes}")


def _look(file: Path, settings: Settings) -> _LookedAt:
    from pegboard.checking.finding import fails, kept
    from pegboard.checking.tool_texts import check_tool
    from pegboard.documents.problems import Level
    from pegboard.http_tools.files import load_file

    loaded = load_file(file, context=settings.context_names)
    origin = origin_of(file)
    found = (one for definition in loaded.definitions for one in check_tool(definition, origin))
    findings = kept(found, settings.check.ignore)
    return _LookedAt(file=file, loaded=loaded, findings=findings, fails=fails(findings, Level(settings.check.fail_on)))


def _settings(common: Common) -> Settings:
    """Those of the configuration that there is, else the defaults."""
    from pegboard.config import Settings

    loaded = load_found(common)
    return Settings() if loaded is None else loaded.settings
