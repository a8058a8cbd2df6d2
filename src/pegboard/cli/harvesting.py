"""``eval harvest``: questions with their right answers, from what was searched for and called."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from pegboard.cli.exits import Exit
from pegboard.cli.options import Common
from pegboard.cli.private_files import agreed, refuse_existing, write_for_owner
from pegboard.cli.session import load_named
from pegboard.cli.words import counted
from pegboard.errors import ConfigError, DataSetError

if TYPE_CHECKING:
    from pegboard.evaluation.harvest import Harvest


def harvest(
    common: Common,
    output: Annotated[Path, typer.Option("--output", "-o", metavar="FILE", help="Where to write the questions.")],
    receipts: Annotated[
        list[Path] | None,
        typer.Argument(metavar="RECEIPTS", help="Files of receipts; unless given, that of the configuration."),
    ] = None,
    at_least: Annotated[
        int,
        typer.Option(metavar="NUMBER", min=1, help="Take only tools that a question led to on so many boards."),
    ] = 1,
    yes: Annotated[bool, typer.Option("--yes", help="Agree to what is written, and do not ask.")] = False,
    force: Annotated[bool, typer.Option("--force", help="Write over a file that is there.")] = False,
) -> Exit:
    """Make questions with their right answers from receipts: searches, and the calls of what they found."""
    from pegboard.evaluation.harvest import harvest
    from pegboard.evaluation.lines import objects

    refuse_existing(output, force=force)
    read = [objects(file) for file in receipts or [_configured(common)]]
    broken = sum(len(problems) for _, problems in read)
    if broken:
        common.output.problem(f"{counted(broken, 'line')} of the receipts cannot be read, and count for nothing.")
    found = harvest((line.value for lines, _ in read for line in lines), at_least=at_least)
    if not found.questions:
        return _nothing(common, found)
    if not _agreed(common, found, output, yes=yes):
        common.output.error("Nothing was written.", code="denied", hint="Agree to it with --yes.")
        return Exit.REFUSED
    write_for_owner(output, "".join(one.to_line() for one in found.questions), DataSetError, force=force)
    return _told(common, found, output, broken)


def _configured(common: Common) -> Path:
    """The receipts of the configuration. Raises ConfigError where it keeps none, or without searches."""
    settings = load_named(common).settings
    if settings.receipts_file is None or not settings.receipts_searches:
        raise ConfigError(
            "The configuration keeps no receipts of what is searched for.",
            hint="Write file and searches = true under [receipts], or name files of receipts.",
        )
    return settings.receipts_file


def _nothing(common: Common, found: Harvest) -> Exit:
    if not found.searches:
        hint = "They say so where [receipts] has searches = true, for searches from then on."
        message = "No receipt says what was searched for."
    else:
        hint = "Serve for longer, or lower --at-least."
        searches = counted(found.searches, "search", "searches")
        message = f"Receipts tell of {searches}, and of no call of what was found, on enough boards."
    common.output.error(message, code="nothing_harvested", hint=hint)
    return Exit.NOTHING


def _agreed(common: Common, found: Harvest, output: Path, *, yes: bool) -> bool:
    """Say what would be written, and have the person agree to it."""
    common.output.problem(
        f"{output} gets {counted(len(found.questions), 'question')}: the words of searches as they were written, which "
        "may be private, and the names of the tools that were called then. It gets no arguments, results, principals, "
        "boards or times.",
        "Note",
    )
    return yes or agreed(common, "Write it?")


def _told(common: Common, found: Harvest, output: Path, broken: int) -> Exit:
    told: dict[str, Any] = {
        "file": str(output),
        "questions": len(found.questions),
        "searches": found.searches,
        "calls": found.calls,
        "unreadable_lines": broken,
    }
    if common.json:
        common.output.document(told)
    else:
        common.output.say(
            f"{output}: {counted(len(found.questions), 'question')}, of "
            f"{counted(found.searches, 'search', 'searches')} and {counted(found.calls, 'call')}"
        )
    return Exit.OK
