"""Folders of skills for tests."""

from __future__ import annotations

from pathlib import Path

from pegboard.skills.catalog import SkillCatalog
from pegboard.skills.problems import SkillProblem


def skill_text(name: str, description: str = "Does a job.", body: str = "Do it.\n", **more: str) -> str:
    """The text of a SKILL.md."""
    lines = [f"name: {name}", f"description: {description}", *(f"{key}: {value}" for key, value in more.items())]
    return "\n".join(["---", *lines, "---", body])


def put(root: Path, folder: str, text: str | bytes | None = None) -> Path:
    """Write a skill into a folder of a root; its folder."""
    place = root / folder
    place.mkdir(parents=True, exist_ok=True)
    data = skill_text(folder) if text is None else text
    (place / "SKILL.md").write_bytes(data if isinstance(data, bytes) else data.encode())
    return place


def codes(catalog: SkillCatalog) -> list[str]:
    """The rules that the catalog's problems name."""
    return [problem.code for problem in catalog.problems]


def only_problem(catalog: SkillCatalog) -> SkillProblem:
    """The one problem that there is."""
    (problem,) = catalog.problems
    return problem
