"""Steps on skills: a catalog of folders, what it read, and the tools that it is used through.

A skill whose folder is a link loads when the link stays within the roots. A case that links to a folder elsewhere means
that somebody wanted it: the folder's parent is named as a further root, as that person would have to.

A location in the prompt is a path, so it has the folder's name: what a case says of names is looked for in the rest.
"""

from __future__ import annotations

import asyncio
import json
import re
import sys
from pathlib import Path
from typing import Any, Final

from pegboard.errors import CallError
from pegboard.skills.catalog import SkillCatalog
from pegboard.skills.skill import Skill
from tests.runners.cases.answer import Answer, of_result
from tests.runners.cases.case import Step
from tests.runners.cases.step import Do
from tests.runners.cases.world import World

ABSENT: Final = "no such skill"


async def skills(world: World, step: Step) -> Answer:
    """Load roots, in their order of precedence; the text is every problem and warning."""
    roots = [world.folder / root for root in step["roots"]]
    _set_up(world, [*roots, *_linked(roots)])
    world.skills = SkillCatalog(world.configuration.skills)
    names = list(world.skills.names)
    return Answer(text="\n".join(map(str, world.skills.problems)), names=names, bare=names)


async def generate_skills(world: World, step: Step) -> Answer:
    """Make a number of skills, with descriptions of so many characters."""
    root = world.folder / "generated"
    for number in range(step["n"]):
        name = f"s{number:02}"
        (root / name).mkdir(parents=True, exist_ok=True)
        description = f"Task {number}: ".ljust(step["description_chars"], "x")
        text = f"---\nname: {name}\ndescription: '{description}'\n---\nDo it.\n"
        (root / name / "SKILL.md").write_text(text, encoding="utf-8")
    return await skills(world, Step({"do": "skills", "roots": ["generated"]}))


def _set_up(world: World, roots: list[Path]) -> None:
    world.configuration.skills = [str(root) for root in roots]
    world.changed()


def _linked(roots: list[Path]) -> list[Path]:
    """The parents of the skills that children of the roots are links to."""
    children = [child for root in roots for child in sorted(root.iterdir()) if child.is_symlink()]
    targets = [child.resolve() for child in children if (child / "SKILL.md").is_file()]
    return list(dict.fromkeys(target.parent for target in targets))


def _catalog(world: World) -> SkillCatalog:
    if world.skills is None:
        raise LookupError("no step has loaded skills")
    return world.skills


def _skill(world: World, step: Step) -> Skill | None:
    try:
        return _catalog(world).fetch(step["skill"])
    except CallError:
        return None


FIELDS: Final = {"allowed-tools": "allowed_tools"}


async def skill_field(world: World, step: Step) -> Answer:
    """One field of a skill, by its name in the format; its warnings are the text."""
    skill = _skill(world, step)
    if skill is None:
        return Answer(text=ABSENT, is_error=True)
    named = str(step["field"])
    value: Any = getattr(skill, FIELDS.get(named, named))
    found = [problem for problem in _catalog(world).problems if problem.skill == skill.name]
    told = list(value) if isinstance(value, tuple) else value
    return Answer(text=str(value), structured=told, parts=[Answer(text=str(problem)) for problem in found])


async def skill_body(world: World, step: Step) -> Answer:
    """What stands behind the front matter."""
    skill = _skill(world, step)
    return Answer(text=ABSENT, is_error=True) if skill is None else Answer(text=skill.body, structured=skill.body)


async def load_skill(world: World, step: Step) -> Answer:
    """The tool ``skills``, called through a board."""
    return await _called(world, step, "skills", {"skill_name": step["skill"]})


async def read_resource(world: World, step: Step) -> Answer:
    """The tool ``read_skill_resource``, likewise."""
    return await _called(world, step, "read_skill_resource", {"skill": step["skill"], "path": step["path"]})


async def _called(world: World, step: Step, name: str, arguments: dict[str, Any]) -> Answer:
    return of_result(await (await world.board(step)).call(name, arguments), arguments)


async def skills_prompt(world: World, step: Step) -> Answer:
    """``<available_skills>``, without the locations; the whole of it is the structured value."""
    told = (await (await world.board(step)).skills.prompt()).text
    return Answer(text=re.sub(r"<location>.*?</location>", "", told), structured=told)


async def search_skills(world: World, step: Step) -> Answer:
    """Skills, found beside tools."""
    found = await (await world.board(step)).find(step["query"])
    names = [match.entry.name for match in found.matches if match.entry.kind == "skill"]
    return Answer(text="\n".join(names), names=names, bare=names)


async def cli_skills_list(world: World, step: Step) -> Answer:
    """``pegboard skills list`` on the same roots, in a process of its own."""
    roots = [world.folder / root for root in step["roots"]]
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "pegboard", "skills", "list", "--json", "--", *map(str, [*roots, *_linked(roots)])),
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )
    out, err = await process.communicate()
    told = json.loads(out)
    names = [skill["name"] for skill in told.get("skills", ())]
    return Answer(text=(out + err).decode(), names=names, bare=names, is_error="error" in told)


STEPS: Final = {
    "skills": Do(skills, {"roots"}),
    "cli_skills_list": Do(cli_skills_list, {"roots"}),
    "generate_skills": Do(generate_skills, {"n", "description_chars"}),
    "skill_field": Do(skill_field, {"skill", "field"}),
    "skill_body": Do(skill_body, {"skill"}),
    "load_skill": Do(load_skill, {"skill", "as", "session"}),
    "read_resource": Do(read_resource, {"skill", "path", "as", "session"}),
    "skills_prompt": Do(skills_prompt, {"label", "as", "session"}),
    "search_skills": Do(search_skills, {"query", "as", "session"}),
}
