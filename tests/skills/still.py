"""A source of skills that never changes, in memory."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

from pegboard.errors import ToolError
from pegboard.registry import Problem
from pegboard.skill_source import Skills
from pegboard.skills.skill import Skill
from pegboard.tools import ToolResult


class StillSkills:
    """Skills of no folder, from nowhere, by their descriptions. What one says names the source too."""

    def __init__(self, described: Mapping[str, str], name: str = "skills") -> None:
        self.name = name
        root = Path("/nowhere") / name
        self.current = Skills(
            Skill(
                name=one,
                description=text,
                body=f"{text} {name}",
                path=f"{name}/{one}",
                source_path=root / one / "SKILL.md",
                root=root,
                source=name,
                digest=f"{text} {name}",
            )
            for one, text in described.items()
        )

    def left_out(self) -> tuple[Problem, ...]:
        """Nothing."""
        return ()

    def on_change(self, listener: Callable[[], None]) -> Callable[[], None]:
        """It never changes."""
        return lambda: None

    async def instructions_of(self, skill: Skill) -> str:
        """Its body."""
        return skill.instructions

    async def resource_of(self, skill: Skill, path: str, offset: int = 0) -> ToolResult:
        """There is none."""
        raise ToolError("There is no such file.")
