"""A skill whole, as models read it. Pure."""

from __future__ import annotations

from pegboard.skills.resources import Listed
from pegboard.skills.skill import Skill


def formatted(skill: Skill, resources: Listed, resource_folder: str = "") -> str:
    """A skill's instructions, and behind them its tools, compatibility, location and resources, as far as there are.

    ``resource_folder`` stands before each resource's path.
    """
    facts = [f"Location: {skill.path}"]
    if skill.compatibility:
        facts.insert(0, f"Compatibility: {skill.compatibility}")
    if skill.allowed_tools:
        facts.insert(0, f"Allowed tools: {', '.join(skill.allowed_tools)}")
    text = "\n".join([f"{skill.instructions}\n\n---", *facts])
    if not resources.paths:
        return text
    lines = [f"  {resource_folder}{path}" for path in resources.paths]
    if resources.more:
        lines.append(f"  ... (truncated at {len(resources.paths)} files)")
    return "\n".join([f"{text}\n\nAvailable resources:", *lines])
