"""``pegboard skills``: every command of the group."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from pegboard.cli import skills_checking, skills_listing, skills_showing, skills_starting
from pegboard.cli.exits import Exit

COMMANDS: Final[dict[str, Callable[..., Exit]]] = {
    "list": skills_listing.list_skills,
    "show": skills_showing.show,
    "check": skills_checking.check,
    "new": skills_starting.new,
}
"""By the second word, in the order of ``--help``."""
