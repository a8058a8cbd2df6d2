"""What the commands that check say: findings as text, JSON or SARIF, and which exit code they come to."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final, Literal

import typer

from pegboard.cli.exits import Exit
from pegboard.cli.options import Common
from pegboard.cli.words import counted

if TYPE_CHECKING:
    from pegboard.checking.finding import Finding
    from pegboard.checking.tool_texts import Origin
    from pegboard.config import Settings

ReportFormat = Literal["text", "json", "sarif"]
Floor = Literal["error", "warning"]

Format = Annotated[ReportFormat, typer.Option("--format", help="How findings are written; sarif is for code scanning.")]
Ignore = Annotated[list[str] | None, typer.Option("--ignore", metavar="CODE", help="A rule to leave out; repeatable.")]
FailOn = Annotated[
    Floor | None,
    typer.Option("--fail-on", help="From which weight on findings make the exit code 3; error unless configured."),
]

MAX_FILE: Final = 20_000_000
"""Bytes of a file of tools in which the lines of findings are looked for."""

_ORDER: Final = ("error", "warning", "note")


@dataclass(frozen=True, kw_only=True)
class Wish:
    """How a check was asked for. Immutable; belongs to one command. ``ignored`` are codes of rules."""

    format: ReportFormat
    ignored: frozenset[str]
    floor: Floor


def wish_of(
    common: Common,
    settings: Settings | None,
    format: ReportFormat,
    ignore: Sequence[str] | None,
    fail_on: Floor | None,
) -> Wish:
    """What the options say, and the configuration where they say nothing. Raises BadParameter for an unknown rule."""
    from pegboard.checking.rules import RULES
    from pegboard.schema.names import nearest

    for code in ignore or ():
        if code not in RULES:
            close = nearest(code, RULES)
            hint = f"Did you mean {close}?" if close else "docs/checks.md lists them."
            raise typer.BadParameter(f"no rule has the code {code!r}. {hint}", param_hint="--ignore")
    configured = settings.check if settings else None
    return Wish(
        format="json" if common.json else format,
        ignored=frozenset(ignore or ()) | frozenset(configured.ignore if configured else ()),
        floor=fail_on or (configured.fail_on if configured else "error"),
    )


def report(common: Common, wish: Wish, findings: Iterable[Finding], looked_at: Mapping[str, int]) -> Exit:
    """Tell findings, and give the exit code. ``looked_at`` counts what was checked, by its noun."""
    from pegboard.checking.finding import fails, kept
    from pegboard.checking.sarif import sarif
    from pegboard.documents.problems import Level

    found = kept((replace(one, file=relative(one.file)) for one in findings), wish.ignored)
    if wish.format == "sarif":
        common.output.document(sarif(found))
    elif wish.format == "json":
        common.output.document(
            {
                "findings": [one.to_json() for one in found],
                "counts": {level: sum(one.level == level for one in found) for level in _ORDER},
                "checked": {f"{noun}s": count for noun, count in looked_at.items()},
            }
        )
    else:
        _print(common, found, looked_at)
    return Exit.CONFIG if fails(found, Level(wish.floor)) else Exit.OK


def _print(common: Common, found: Sequence[Finding], looked_at: Mapping[str, int]) -> None:
    for one in found:
        common.output.say(f"{str(one.level).capitalize()}: {one}")
    where = " and ".join(counted(count, noun) for noun, count in looked_at.items())
    levels = [counted(count, level) for level in _ORDER if (count := sum(one.level == level for one in found))]
    common.output.say(f"{', '.join(levels) or 'Nothing to mend'} in {where}")


def origin_of(file: Path) -> Origin:
    """A file of tools as the place of what they say; of one that is long or away no lines can be told."""
    from pegboard.checking.tool_texts import Origin

    try:
        text = file.read_text("utf-8", errors="replace") if file.stat().st_size <= MAX_FILE else ""
    except OSError:
        text = ""
    return Origin(file=str(file), line=1, text=text)


def relative(file: str) -> str:
    """A path from the current folder on, where it lies in it; both as they are and with links resolved."""
    if not file:
        return ""
    for here in dict.fromkeys((str(Path.cwd()), os.path.realpath(Path.cwd()))):
        if Path(file).is_relative_to(here):
            return str(Path(file).relative_to(here))
    return file
