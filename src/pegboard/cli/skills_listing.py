"""``skills list``: the skills there are, and what was left out."""

from __future__ import annotations

from pegboard.cli.exits import Exit
from pegboard.cli.options import Common
from pegboard.cli.skills_found import Paths, facts_of, groups_of, tell
from pegboard.detail import first_sentence


def list_skills(common: Common, paths: Paths = None) -> Exit:
    """List the skills there are, and tell what was left out and why.

    One skill a line: its name, its folder, and the first sentence of its description.
    """
    groups = groups_of(common, paths)
    skills = [(group, skill) for group in groups for skill in group.skills]
    problems = [problem for group in groups for problem in group.problems]
    if common.json:
        common.output.document(
            {
                "skills": [facts_of(group, skill) for group, skill in skills],
                "problems": [problem.to_json() for problem in problems],
            }
        )
        return Exit.OK if skills else Exit.NOTHING
    rows = [(skill.name, str(skill.folder), first_sentence(skill.description)) for _, skill in skills]
    common.output.rows(rows, head=("skill", "folder", "") if rows else ())
    if not rows:
        common.output.problem("There are no skills. To begin one: pegboard skills new NAME", "Note")
    tell(common, problems)
    return Exit.OK if skills else Exit.NOTHING
