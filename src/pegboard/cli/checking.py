"""``check``: a whole configuration, its tools and its skills."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from pegboard.cli.check_report import FailOn, Format, Ignore, origin_of, report, wish_of
from pegboard.cli.exits import Exit
from pegboard.cli.options import Common
from pegboard.cli.session import Opened, load_named, opened_settings
from pegboard.cli.skills_checking import findings_of, looked_at
from pegboard.cli.skills_found import configured
from pegboard.cli.waiting import state_line
from pegboard.errors import ConfigError

if TYPE_CHECKING:
    from pegboard.checking.finding import Finding
    from pegboard.checking.tool_texts import Origin
    from pegboard.config import ConfigProblem, Settings


def check(common: Common, format: Format = "text", ignore: Ignore = None, fail_on: FailOn = None) -> Exit:
    """Check a whole configuration: its files, every tool of every source, and its skills.

    Looks for mistakes, for what was set aside, and for texts that models read and people do not see or would not want:
    hidden characters, look-alike names, instructions in descriptions. Sources are started for it; nothing is called.
    """
    loaded = load_named(common)
    wish = wish_of(common, loaded.settings, format, ignore, fail_on)

    async def checked() -> tuple[list[Finding], dict[str, int], bool]:
        async with opened_settings(common, loaded, tell=False) as now:
            found = [*_of_configuration(now), *_of_tools(now), *_of_sources(now)]
            return found, {"tool": len(now.peg.catalog)}, bool(now.lacking)

    found, counts, lacking = asyncio.run(checked())
    skills, number = _of_skills(loaded.settings)
    code = report(common, wish, [*found, *skills], {**counts, **number})
    return Exit.AWAY if code is Exit.OK and lacking else code


def _of_configuration(now: Opened) -> Iterator[Finding]:
    """Mistakes in the configuration and in files of tools."""
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


def _of_tools(now: Opened) -> Iterator[Finding]:
    from pegboard.checking.tool_texts import check_tool

    origins = dict(_origins(now.settings))
    for tool in now.peg.catalog.all():
        yield from check_tool(tool, origins.get(tool.source, _whole(now.settings)), tool.bare_name)
    ours = now.settings.skills.keys()
    for skill in now.peg.skills:
        if skill.source not in ours:
            yield from check_tool(skill, origins.get(skill.source, _whole(now.settings)))


def _of_sources(now: Opened) -> Iterator[Finding]:
    """What was set aside, and what could not be looked at. Files that were checked themselves say it better."""
    from pegboard.checking.finding import Finding
    from pegboard.checking.rules import RULES
    from pegboard.config.wire import names_of_files

    names = names_of_files(now.settings)
    own = {names[file] for file in now.settings.http_tools} | now.settings.skills.keys()
    origins = dict(_origins(now.settings))
    told = [("tool-set-aside", one.source, one.name, one.reason) for one in now.peg.catalog.problems]
    told += [
        ("source-away", one.name, one.name, f"was not checked: {state_line(one).rstrip('.')}.") for one in now.lacking
    ]
    for code, source, name, message in told:
        if code == "tool-set-aside" and source in own:
            continue
        rule, origin = RULES[code], origins.get(source, _whole(now.settings))
        yield Finding(
            code=code,
            level=rule.level,
            message=message,
            hint="" if code == "tool-set-aside" else rule.fix,
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


def _origins(settings: Settings) -> Iterator[tuple[str, Origin]]:
    """Where the tools of each source were written, by the source's name."""
    from pegboard.checking.tool_texts import Origin
    from pegboard.config.wire import names_of_files

    names = names_of_files(settings)
    documents = {spec.name: spec.file for spec in settings.openapi.values() if spec.file is not None}
    for name, file in {**{name: file for file, name in names.items()}, **documents}.items():
        yield name, origin_of(file)
    for name, upstream in settings.upstreams.items():
        yield name, Origin(file=str(upstream.origin), line=upstream.line)


def _whole(settings: Settings) -> Origin:
    from pegboard.checking.tool_texts import Origin

    return Origin(file=str(settings.file or ""))
