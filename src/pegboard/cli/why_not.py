"""``why-not``: what keeps a tool from being seen, found or called."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Annotated

import typer

from pegboard.cli.catalog_commands import Name
from pegboard.cli.context import Ctx, context_named
from pegboard.cli.exits import Exit
from pegboard.cli.finding import part_rows, print_words
from pegboard.cli.options import Common
from pegboard.cli.output import Output
from pegboard.cli.principals import As
from pegboard.cli.session import Opened, opened

if TYPE_CHECKING:
    from pegboard.explaining import Explanation, LeftOut


def why_not(
    common: Common,
    name: Name,
    query: Annotated[
        str | None, typer.Option(metavar="TEXT", help="Also whether a search for this finds it, and if not, why.")
    ] = None,
    limit: Annotated[
        int | None, typer.Option(metavar="NUMBER", min=1, help="Results of that search; 20 unless configured.")
    ] = None,
    who: As = None,
    ctx: Ctx = None,
) -> Exit:
    """Tell why a tool or a skill is not seen, not found or not called.

    The whole truth, also of what the principal of --as may not know. Of an HTTP tool a connection to its address is
    tried; nothing is sent.
    """
    return asyncio.run(_why_not(common, name, query, limit, who, ctx))


async def _why_not(
    common: Common, name: str, query: str | None, limit: int | None, who: str | None, ctx: Sequence[str] | None
) -> Exit:
    from pegboard.explaining import why_not

    # What stands in the way may be a source that is away: all of them are waited for.
    async with opened(common, who=who) as now:
        board = await now.board(context=context_named(now.settings, ctx))
        told = await why_not(now.peg, board, name, query, limit=limit, left_out=_left_out(now))
        if common.json:
            common.output.document(told.to_json() | ({"as": who} if who else {}))
        else:
            _print(common.output, told, who)
        if told.free:
            return Exit.OK
        return now.nothing if (now.peg.catalog.get(name) or now.peg.skills.get(name)) is None else Exit.NOTHING


def _left_out(now: Opened) -> Iterator[LeftOut]:
    """The upstreams that the configuration names, and that are not there."""
    from pegboard.explaining import LeftOut
    from pegboard.sources.mcp.spec import prefix_of

    for problem in now.problems:
        if problem.entry and problem.entry not in now.settings.upstreams:
            said = f"{problem.place}: {problem.key}: {problem.message}"
            yield LeftOut(source=problem.entry, prefix=prefix_of(problem.entry), reason=said, hint=problem.hint)


def _print(out: Output, told: Explanation, who: str | None) -> None:
    verdicts = ", ".join(told.verdicts)
    out.heading(f"{told.name}{f' for {who}' if who else ''}: {verdicts}")
    for finding in told.findings:
        *first, last = finding.keeps_from or ("",)
        kept = f"not {', '.join(first)} or {last}" if first else f"not {last}" if last else "note"
        out.say(f"- {kept}: {finding.message}")
        if finding.mend:
            out.say(f"  {finding.mend}")
    if told.shares is not None and told.place is not None:
        out.say()
        out.heading(f"its score, {told.place.score:.3f}")
        out.rows(part_rows(told.shares), numbers={1}, indent=2)
    if told.reading is not None:
        out.say()
        print_words(out, told.reading)
