"""``find``: the search from the command line, and how its scores came about."""

from __future__ import annotations

import asyncio
from collections.abc import Collection
from typing import Annotated, Any, Literal

import typer

from pegboard.board import Board
from pegboard.cli.catalog_commands import indented, parameter_rows, tell_none
from pegboard.cli.encoders import known_of_encoders
from pegboard.cli.exits import Exit
from pegboard.cli.options import Common
from pegboard.cli.output import Output, Row
from pegboard.cli.principals import As
from pegboard.cli.session import Fresh, Opened, opened
from pegboard.cli.visible import json_text
from pegboard.cli.words import counted
from pegboard.detail import Detail, describe, first_sentence
from pegboard.finding import FindResult, searched_part
from pegboard.search.exact import REASON as EXACT_NAME
from pegboard.search.ranking import Ranked
from pegboard.search.shares import AskedWord, Explains, Reading, Shares, TermShare
from pegboard.tools import Entry


def find(
    common: Common,
    query: Annotated[list[str], typer.Argument(metavar="QUERY", help="What is needed, in plain words.")],
    limit: Annotated[
        int | None, typer.Option(metavar="NUMBER", min=1, help="At most this many; 20 unless given or configured.")
    ] = None,
    detail: Annotated[Literal["brief", "detailed", "full"], typer.Option(help="How much to tell of each.")] = "brief",
    explain: Annotated[bool, typer.Option("--explain", help="Tell how each score came about.")] = False,
    fresh: Fresh = False,
    who: As = None,
) -> Exit:
    """Find the tools for a need, best first."""
    words = " ".join(query)
    if not words.strip():
        raise typer.BadParameter("it is blank. Say what is needed, or use: pegboard list", param_hint="QUERY")
    return asyncio.run(_find(common, words, limit, detail, explain, fresh, who))


async def _find(
    common: Common, query: str, limit: int | None, detail: str, explain: bool, fresh: bool, who: str | None
) -> Exit:
    async with opened(common, who=who, fresh=fresh) as now:
        now.kept.index(now.peg.catalog)
        board = await now.board()
        found = await board.find(query, limit)
        reading = await _reading(common, now, board, query, found) if explain else None
        _tell_notes(common, now, found, told=board.missing_notes(await board.view()))
        if common.json:
            common.output.document(_json(query, found, detail, now, reading))
        elif explain:
            print_explained(common.output, found, reading)
        else:
            _print_found(common, found, detail)
        if found.matches:
            return Exit.OK
        tell_none(common, _nothing_fits(found, board.limits.no_match_below), now)
        return now.nothing


async def _reading(common: Common, now: Opened, board: Board, query: str, found: FindResult) -> Reading | None:
    """How the ranker read the query and came to its scores; None when it cannot tell."""
    ranker = await now.peg.ranker_for(board.principal)
    if not isinstance(ranker, Explains):
        common.output.problem(f"{type(ranker).__name__} does not tell how it comes to its scores.", "Note")
        return None
    candidates = board.skills.searched(await board.view()).candidates
    names = {match.entry.name for match in found.matches or found.nearest}
    return ranker.explain(searched_part(query, board.limits), candidates, names)


def _tell_notes(common: Common, now: Opened, found: FindResult, *, told: Collection[str]) -> None:
    """What is missing is told as every command tells it, the rest as it stands."""
    now.tell_amiss(common)
    now.tell_age(common)
    if found.degraded:
        known = known_of_encoders(now)
        common.output.problem(found.degraded if known else f"{found.degraded} --debug shows more.")
        for reason in known:
            common.output.problem(reason, "Note")
    for note in found.notes:
        if note not in told:
            common.output.problem(note, "Note")


def _json(query: str, found: FindResult, detail: str, now: Opened, reading: Reading | None) -> dict[str, Any]:
    shares = reading.shares if reading else {}

    def told(matches: Collection[Ranked]) -> list[dict[str, Any]]:
        return [
            describe(match.entry, Detail(detail))
            | {"score": round(match.score, 4), "reason": match.reason}
            | (shares[match.entry.name].to_json() if match.entry.name in shares else {})
            for match in matches
        ]

    whole = {
        "query": query,
        "tools": told(found.matches),
        "total": found.total,
        "confidence": None if found.confidence is None else round(found.confidence, 4),
        "unmatched_terms": list(found.unmatched),
        "categories": list(found.categories),
        "degraded": found.degraded or None,
        "notes": list(found.notes),
        "not_ready": now.lacking_json,
        **now.age_json,
    }
    if found.nearest:
        whole["nearest"] = told(found.nearest)
    return whole | ({"words": [word.to_json() for word in reading.words]} if reading else {})


def _print_found(common: Common, found: FindResult, detail: str) -> None:
    from pegboard.schema.flat import flat_parameters

    if detail == "brief":
        common.output.rows([(_named(match.entry), first_sentence(match.entry.description)) for match in found.matches])
        return
    for number, match in enumerate(found.matches):
        if number:
            common.output.say()
        common.output.heading(_named(match.entry))
        common.output.say(indented(match.entry.description))
        if match.entry.kind == "skill":
            continue
        if detail == "full":
            common.output.say(indented(json_text(match.entry.input_schema)))
        else:
            common.output.rows(parameter_rows(flat_parameters(match.entry.input_schema)), indent=2)


def _nothing_fits(found: FindResult, least: float) -> str:
    """That nothing fits, and what may help to ask again. ``least`` is the confidence from which answers are shown."""
    told = ["No tool fits."]
    if found.confidence:
        likely, enough = f"{found.confidence:.0%}", f"{least:.0%}"
        if likely == enough:
            likely, enough = f"{found.confidence:.2%}", f"{least:.2%}"
        told.append(f"The nearest is {likely} likely to be right, no_match_below is {enough}.")
    if found.unmatched:
        told.append(f"Words that no tool knows: {', '.join(found.unmatched)}.")
    if found.categories:
        which = "Nearest categories" if found.nearest else "There are tools of these categories"
        told.append(f"{which}: {', '.join(found.categories)}.")
    return " ".join(told)


def _named(entry: Entry) -> str:
    """A name as it is told: that of a skill says what it is."""
    return f"{entry.name} (skill)" if entry.kind == "skill" else entry.name


def print_explained(out: Output, found: FindResult, reading: Reading | None) -> None:
    """Each match, else the nearest, with the parts of its score, and below them how the query was read."""
    if found.confidence is not None:
        out.say(f"confidence {found.confidence:.2f}")
    if found.nearest:
        out.say("the nearest, which the answer leaves out:")
    for rank, match in enumerate(found.matches or found.nearest, start=1):
        out.heading(f"{rank}. {match.entry.name}  {match.score:.3f}  {match.reason}")
        if match.reason == EXACT_NAME:
            out.say("  Its name stands in the query, so it comes first whatever its score.")
        shares = reading.shares.get(match.entry.name) if reading else None
        if shares is not None:
            out.rows(part_rows(shares), numbers={1}, indent=2)
        out.say()
    if reading is not None:
        print_words(out, reading)


def part_rows(shares: Shares) -> list[Row]:
    """The parts of a score as rows: name, points, and what they are for."""
    rows: list[Row] = []
    for part in shares.parts:
        terms = [_told(term) for term in shares.terms if term.field == part.name]
        rows.append((part.name, f"{part.points:.3f}", ", ".join(terms) or part.about))
    return rows


def _told(share: TermShare) -> str:
    meant = f", for {' '.join(share.stands_for)}" if share.stands_for else ""
    return f"{share.term} x{share.count} (idf {share.idf:.2f}{meant})"


def print_words(out: Output, reading: Reading) -> None:
    """The words of a query as they are searched for, and where they stand."""
    rows = [
        (word.text, " ".join(word.terms), _stands_in(word))
        if word.counts
        else (word.text, "", "not searched for: it only asks")
        for word in reading.words
    ]
    out.rows(rows, head=("word", "terms", "stands in"))


def _stands_in(word: AskedWord) -> str:
    if word.entries:
        return counted(word.entries, "tool")
    return f"no tool; read as {' '.join(word.read_as)}" if word.read_as else "no tool"
