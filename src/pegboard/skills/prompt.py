"""Skills as models read them: the list of what there is, and one of them whole. Pure."""

from __future__ import annotations

from collections.abc import Iterable
from html import escape

from pegboard.skills.fields import MAX_DESCRIPTION
from pegboard.skills.resources import Listed
from pegboard.skills.skill import Skill


def discovery_prompt(skills: Iterable[Skill]) -> str:
    """``<available_skills>`` with name, description and location of each, escaped; "" where there is none.

    Metadata only: what a skill says is read when it is asked for. A description that is longer than the format allows
    is cut there.
    """
    lines = [line for skill in skills for line in _entry(skill)]
    return "\n".join(["<available_skills>", *lines, "</available_skills>"]) if lines else ""


def _entry(skill: Skill) -> list[str]:
    return [
        "<skill>",
        f"<name>{_escaped(skill.name)}</name>",
        f"<description>{_escaped(bounded(skill.description))}</description>",
        f"<location>{_escaped(skill.path)}</location>",
        "</skill>",
    ]


def bounded(description: str) -> str:
    """A description within the length that the format allows."""
    return description if len(description) <= MAX_DESCRIPTION else f"{description[: MAX_DESCRIPTION - 3].rstrip()}..."


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


def _escaped(text: str) -> str:
    return escape(text, quote=True).replace("&#x27;", "&#39;")
