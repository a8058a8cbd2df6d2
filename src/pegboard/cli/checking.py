"""``check``: a whole configuration, its tools and its skills."""

from __future__ import annotations

import asyncio
from collections import defaultdict
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
            origins = _origins(now.settings)
            found = [*_of_configuration(now), *_of_tools(now, origins), *_of_sources(now, origins)]
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


def _of_tools(now: Opened, origins: Mapping[str, Origin]) -> Iterator[Finding]:
    """What models would read of tools, and of skills that no folder of the configuration holds."""
    from pegboard.checking.tool_texts import check_tool

    for tool in now.peg.catalog.all():
        yield from check_tool(tool, origins[tool.source], tool.bare_name)
    ours = now.settings.skills.keys()
    for skill in now.peg.skills.all:
        if skill.source not in ours:
            yield from check_tool(skill, origins[skill.source])


def _of_sources(now: Opened, origins: Mapping[str, Origin]) -> Iterator[Finding]:
    """What was set aside, and what could not be looked at. Files that were checked themselves say it better."""
    from pegboard.config.wire import names_of_files

    names = names_of_files(now.settings)
    own = {names[file] for file in now.settings.http_tools} | now.settings.skills.keys()
    for one in now.peg.catalog.problems:
        if one.source not in own:
            yield _of_entry("tool-set-aside", one.name, one.reason, origins[one.source])
    for away in now.lacking:
        message = f"was not checked: {state_line(away).rstrip('.')}."
        yield _of_entry("source-away", away.name, message, origins[away.name])


def _of_entry(code: str, name: str, message: str, origin: Origin) -> Finding:
    """What a rule says of a tool or source as a whole. Where the reason is the message's, so is the way out."""
    from pegboard.checking.finding import Finding
    from pegboard.checking.rules import RULES

    rule = RULES[code]
    hint = "" if code == "tool-set-aside" else rule.fix
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


def _origins(settings: Settings) -> Mapping[str, Origin]:
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
