"""Tools that need something to be there: a program, a package, a variable. Asked once, at registration."""

from __future__ import annotations

import logging

from pegboard.errors import told
from pegboard.tools import Tool

logger = logging.getLogger(__name__)


def admitted(tool: Tool) -> Tool | str:
    """The tool as a registry takes it, or the reason for which it is set aside.

    A tool whose ``requires`` does not hold is taken with its ``degraded_description``, where it has one. A predicate
    that raises does not hold. Never raises.
    """
    unmet = _unmet(tool)
    if not unmet or tool.degraded_description is None:
        return unmet or tool
    changed = {"description": tool.degraded_description}
    definition = None if tool.definition is None else {**tool.definition, **changed}
    return tool.with_(**changed, definition=definition)


def _unmet(tool: Tool) -> str:
    """Why the requirement does not hold; empty when it does, or there is none."""
    if tool.requires is None:
        return ""
    name = getattr(tool.requires, "__name__", "<lambda>")
    asked = "Its requirement" if name == "<lambda>" else f"Its requirement {name}()"
    try:
        return "" if tool.requires() else f"{asked} does not hold. Provide what it asks for, then start again."
    except (Exception, SystemExit) as error:
        logger.warning("the requirement of tool %r of source %r failed", tool.name, tool.source, exc_info=True)
        return f"{asked} failed with {told(error)}. Mend it, then start again."
