"""``pegboard tools``: every command of the group."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from pegboard.cli import authoring, tools_checking, tools_importing, tools_listing, tools_showing
from pegboard.cli.exits import Exit

COMMANDS: Final[dict[str, Callable[..., Exit]]] = {
    "list": tools_listing.list_tools,
    "show": tools_showing.show,
    "check": tools_checking.check,
    "import-openapi": tools_importing.import_openapi,
    "add": authoring.add,
    "edit": authoring.edit,
    "remove": authoring.remove,
    "history": authoring.history,
    "restore": authoring.restore,
}
"""By the second word, in the order of ``--help``."""
