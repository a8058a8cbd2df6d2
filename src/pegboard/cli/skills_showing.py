"""``skills show``: one skill as models get it."""

from __future__ import annotations

from typing import Annotated, Final

import typer

from pegboard.cli.exits import Exit
from pegboard.cli.options import Common
from pegboard.cli.skills_found import Paths, facts_of, fetched, groups_of, left_out, tell
from pegboard.errors import NoSkillError

MOST: Final = 1_000
"""Resources that ``--json`` lists at most."""


def show(
    common: Common,
    name: Annotated[str, typer.Argument(metavar="NAME", help="The skill's name, or its folder's.")],
    paths: Paths = None,
) -> Exit:
    """Show a skill as models get it: its instructions, and behind them its tools, its place and its resources.

    What is to be known of it is said on stderr.
    """
    from pegboard.skills.resources import listed

    groups = groups_of(common, paths)
    try:
        group, skill = fetched(groups, name)
    except NoSkillError:
        tell(common, left_out(groups, name))
        raise
    problems = [problem for problem in group.problems if problem.skill == skill.name]
    if common.json:
        resources = listed(skill, MOST)
        common.output.document(
            facts_of(group, skill)
            | {
                "compatibility": skill.compatibility,
                "license": skill.license,
                "resources": list(resources.paths),
                "more_resources": resources.more,
                "digest": skill.digest,
                "text": group.formatted(skill),
                "problems": [problem.to_json() for problem in problems],
            }
        )
        return Exit.OK
    common.output.raw(group.formatted(skill))
    tell(common, problems)
    if skill.allowed_tools == ():
        common.output.problem("Its allowed-tools allow none.", "Note")
    return Exit.OK
