"""``check``: a whole configuration, its tools and its skills."""

from __future__ import annotations

import asyncio
from collections import ChainMap, defaultdict
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Final

from pegboard.cli.check_report import FailOn, Format, Ignore, origin_of, report, wish_of
from pegboard.cli.encoders import of_encoders
from pegboard.cli.exits import Exit
from pegboard.cli.options import Common
from pegboard.cli.session import Opened, load_named, opened_settings
from pegboard.cli.skills_checking import findings_of, looked_at
from pegboard.cli.skills_found import configured
from pegboard.cli.waiting import state_line
from pegboard.errors import CallError, ConfigError

if TYPE_CHECKING:
    from pegboard.checking.finding import Finding
    from pegboard.checking.tool_texts import Origin
    from pegboard.config import ConfigProblem, Settings
    from pegboard.skill_source import SkillEntry

AT_ONCE: Final = 8
"""Skills of upstreams that are read side by side."""


def check(common: Common, format: Format = "text", ignore: Ignore = None, fail_on: FailOn = None) -> Exit:
    """Check a whole configuration: its files, every tool of every source, and its skills.

    Looks for mistakes, for what was set aside, and for texts that models read and people do not see or would not want:
    hidden characters, look-alike names, instructions in descriptions. Sources are started for it; nothing is called.
    """
    loaded = load_named(common)
    wish = wish_of(common, loaded.settings, format, ignore, fail_on)

    async def checked() -> tuple[list[Finding], dict[str, int]]:
        async with opened_settings(common, loaded, tell=False) as now:
            origins = _origins(now.settings)
            found = [
                *_of_configuration(now),
                *await of_encoders(now),
                *_of_tools(now, origins),
                *_of_sources(now, origins),
            ]
            return [*found, *await _of_foreign_skills(now, origins)], {"tool": len(now.peg.catalog)}

    found, counts = asyncio.run(checked())
    skills, number = _of_skills(loaded.settings)
    code = report(common, wish, [*found, *skills], {**counts, **number})
    return Exit.AWAY if code is Exit.OK and any(one.code == "source-away" for one in found) else code


def _of_configuration(now: Opened) -> Iterator[Finding]:
    """Mistakes in the configuration, and in files of tools."""
    from pegboard.http_tools.files import load_file

    yield from map(of_problem, now.problems)
    for file in now.settings.http_tools:
        if file.is_file():
            yield from map(of_problem, load_file(file, context=now.settings.context_names).problems)


def of_problem(problem: ConfigProblem) -> Finding:
    """A mistake in a file as a finding."""
    from pegboard.checking.finding import Finding

    return Finding(
        code="configuration",
        level=problem.level,
        message=problem.message,
        hint=problem.hint,
        file=str(problem.file),
        line=problem.line,
        column=problem.column,
        subject=problem.entry,
        key=problem.key,
    )


def _of_tools(now: Opened, origins: Mapping[str, Origin]) -> Iterator[Finding]:
    """What models would read of tools."""
    from pegboard.checking.tool_texts import check_tool

    for tool in now.peg.catalog.all():
        yield from check_tool(tool, origins[tool.source], tool.bare_name)


async def _of_foreign_skills(now: Opened, origins: Mapping[str, Origin]) -> list[Finding]:
    """What models would read of skills that no folder of the configuration holds: their texts are read for it."""
    from pegboard.checking.finding import Kind, Text
    from pegboard.checking.scanning import scan
    from pegboard.checking.tool_texts import check_tool

    turns = asyncio.Semaphore(AT_ONCE)

    async def found_in(skill: SkillEntry) -> list[Finding]:
        origin, told = origins[skill.source], check_tool(skill, origins[skill.source])
        try:
            async with turns:
                body = await now.peg.catalog.source_of(skill).instructions_of(skill)
        except CallError as error:
            return [*told, _of_entry("source-away", skill.name, f"was not checked: {error.message}", origin)]
        text = Text(
            value=body, kind=Kind.BODY, file=origin.file, line=origin.line, subject=skill.name, key="instructions"
        )
        return [*told, *scan(text)]

    theirs = [skill for skill in now.peg.skills.all if skill.source not in now.settings.skills]
    return [one for found in await asyncio.gather(*map(found_in, theirs)) for one in found]


def _of_sources(now: Opened, origins: defaultdict[str, Origin]) -> Iterator[Finding]:
    """What was set aside, and what could not be looked at. Files that were checked themselves say it better."""
    from pegboard.config.wire import names_of_files

    names = names_of_files(now.settings)
    own = {names[file] for file in now.settings.http_tools} | now.settings.skills.keys()
    at = ChainMap(_entries(now.settings), origins)
    foreign = now.settings.upstreams.keys() | now.settings.openapi.keys()
    known = {one for source in now.peg.sources for one in source.status().problems}
    second = {(skill.source, skill.name) for skill in now.peg.skills.all}
    for one in now.peg.catalog.problems:
        if (one.source, one.name) in second and one not in known:
            yield _of_entry("name-shadowed", one.name, one.reason, at[one.source], one.mend)
        elif one.source not in own:
            code = "foreign-set-aside" if one in known and one.source in foreign else "tool-set-aside"
            yield _of_entry(code, one.name, one.reason, at[one.source], one.mend)
    for away in now.lacking:
        message = f"was not checked: {state_line(away).rstrip('.')}."
        yield _of_entry("source-away", away.name, message, at[away.name])


def _of_entry(code: str, name: str, message: str, origin: Origin, mend: str = "") -> Finding:
    """What a rule says of a tool or source as a whole. Of a tool that was set aside the reason may say the way out."""
    from pegboard.checking.finding import Finding
    from pegboard.checking.rules import RULES

    rule = RULES[code]
    hint = mend or ("" if code == "tool-set-aside" else rule.fix)
    return Finding(
        code=code,
        level=rule.level,
        message=message,
        hint=hint,
        file=origin.file,
        line=origin.line,
        subject=name,
    )


def _of_skills(settings: Settings) -> tuple[list[Finding], Mapping[str, int]]:
    """What is found in the skills of the configuration; a root that is not there is a mistake of it."""
    from pegboard.checking.finding import Finding
    from pegboard.documents.problems import Level

    try:
        groups = list(configured(settings))
    except ConfigError as error:
        file = str(settings.file or "")
        wrong = Finding(
            code="configuration", level=Level.ERROR, message=error.message, hint=error.hint, file=file, key="skills"
        )
        return [wrong], {"skill": 0}
    return findings_of(groups), looked_at(groups) if groups else {}


def _entries(settings: Settings) -> dict[str, Origin]:
    """The entries of the configuration that name documents and folders: there it stands what of them is taken in."""
    from pegboard.checking.tool_texts import Origin

    lines = {name: spec.line for name, spec in settings.openapi.items()}
    lines |= {name: spec.line for name, spec in settings.skills.items()}
    return {name: Origin(file=str(settings.file or ""), line=line) for name, line in lines.items()}


def _origins(settings: Settings) -> defaultdict[str, Origin]:
    """Where the tools of each source were written, by the source's name; of any other, the configuration itself."""
    from pegboard.checking.tool_texts import Origin
    from pegboard.config.wire import names_of_files

    whole = Origin(file=str(settings.file or ""))
    origins: defaultdict[str, Origin] = defaultdict(lambda: whole)
    files = {name: file for file, name in names_of_files(settings).items()}
    files |= {spec.name: spec.file for spec in settings.openapi.values() if spec.file is not None}
    origins.update((name, origin_of(file)) for name, file in files.items())
    for name, upstream in settings.upstreams.items():
        origins[name] = Origin(file=str(upstream.origin), line=upstream.line)
    return origins
