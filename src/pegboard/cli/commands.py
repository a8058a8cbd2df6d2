"""Every command by its name, and where it stands: only the one that is asked for is loaded."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib import import_module
from typing import TYPE_CHECKING, Final, TypeVar

if TYPE_CHECKING:
    from pegboard.cli.exits import Exit

Place = TypeVar("Place")

COMMANDS: Final[Mapping[str, str]] = {
    "serve": "serve:serve",
    "list": "catalog_commands:list_tools",
    "find": "finding:find",
    "show": "catalog_commands:show",
    "call": "calling:call",
    "why-not": "why_not:why_not",
    "check": "checking:check",
    "status": "report:status",
    "stats": "report:stats",
    "eval": "evaluating:evaluate",
    "eval harvest": "harvesting:harvest",
    "demo": "demo:demo",
}
"""Those outside groups, in the order of ``--help``: the module beside this one, and the function in it."""

GROUPS: Final[Mapping[str, tuple[str, Mapping[str, str]]]] = {
    "tools": (
        "Write, check and change HTTP tools.",
        {
            "list": "tools_listing:list_tools",
            "show": "tools_showing:show",
            "check": "tools_checking:check",
            "import-openapi": "tools_importing:import_openapi",
            "add": "authoring:add",
            "edit": "authoring:edit",
            "remove": "authoring:remove",
            "history": "authoring:history",
            "restore": "authoring:restore",
        },
    ),
    "skills": (
        "List, show, check and begin skills.",
        {
            "list": "skills_listing:list_skills",
            "show": "skills_showing:show",
            "check": "skills_checking:check",
            "new": "skills_starting:new",
        },
    ),
    "usage": (
        "Tell, export, import and forget what was learned from use.",
        {
            "show": "usage_commands:show",
            "export": "usage_commands:export",
            "import": "usage_commands:import_",
            "clear": "usage_commands:clear",
        },
    ),
}
"""Commands of two words: by the first, what they are about, and each by the second."""

PAIRS: Final = frozenset(name for name in COMMANDS if " " in name)
"""Commands of two words beside one that the first word names alone."""


def loaded(place: str) -> Callable[..., Exit]:
    """The command that stands at a place."""
    module, _, function = place.partition(":")
    command: Callable[..., Exit] = getattr(import_module(f"pegboard.cli.{module}"), function)
    return command


def only(name: str, commands: Mapping[str, Place]) -> Mapping[str, Place]:
    """The command of a name alone; all of them where there is none of it, to tell what there is."""
    return {name: commands[name]} if name in commands else commands
