"""``skills check``: every rule of the format, and what models would read of skills."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Final

from pegboard.cli.check_report import FailOn, Format, Ignore, report, wish_of
from pegboard.cli.exits import Exit
from pegboard.cli.options import Common
from pegboard.cli.session import load_found
from pegboard.cli.skills_found import Group, Paths, groups_of

if TYPE_CHECKING:
    from pegboard.checking.finding import Finding

PASSED_OVER: Final = ("file-in-root", "file-too-deep")
"""The rules about files that are no skills where they lie, so that nothing of them was looked at."""


def check(
    common: Common, paths: Paths = None, format: Format = "text", ignore: Ignore = None, fail_on: FailOn = None
) -> Exit:
    """Check skills: the format's rules, files they name, hidden text, instructions in descriptions.

    Each finding has its rule, file, line and fix. A configuration is not needed; [check] of one says what is ignored.
    Where there is no skill at all, nothing was checked, and the exit code is 4.
    """
    loaded = load_found(common)
    wish = wish_of(common, loaded.settings if loaded else None, format, ignore, fail_on)
    groups = groups_of(common, paths)
    counts = looked_at(groups)
    code = report(common, wish, findings_of(groups), counts)
    return Exit.NOTHING if code is Exit.OK and not any(counts.values()) else code


def findings_of(groups: Iterable[Group]) -> list[Finding]:
    """What is found in groups of skills, among each too."""
    from pegboard.checking.skills import check_skills

    return [one for group in groups for one in check_skills(group.skills, group.problems, group.most)]


def looked_at(groups: Sequence[Group]) -> dict[str, int]:
    """How many skills there are, those that were left out too."""
    files = {str(skill.source_path) for group in groups for skill in group.skills}
    told = (one for group in groups for one in group.problems if one.code not in PASSED_OVER)
    return {"skill": len(files | {os.path.realpath(one.file) for one in told})}
