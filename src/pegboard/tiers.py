"""How much a call may do: tiers of approval as tools declare them. Pure functions."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from pegboard.frozen import thawed
from pegboard.tools import Approval, Tool

logger = logging.getLogger(__name__)


@dataclass(frozen=True)
class Need:
    """What one call needs: its tier, and whether it is asked about whatever the policy lets pass. Immutable.

    ``reason`` is what the tool says of it to whoever is asked; None where it says nothing.
    """

    tier: Approval
    override: bool = False
    reason: str | None = None


_TIERS: Final = {tier.value: tier for tier in Approval}


def need_of(tool: Tool, arguments: Any) -> Need:
    """What a call with these arguments needs, as the tool declares: a tier, an object, or a function that gives either.

    What is not declared, declared wrongly, or fails, counts as exec.
    """
    declared: Any = tool.approval
    if callable(declared):
        try:
            declared = declared(thawed(arguments or {}))
        except (Exception, SystemExit):
            logger.exception("the approval function of %r failed: counted as exec", tool.name)
            return Need(Approval.EXEC)
    return declared_need(declared) or Need(Approval.EXEC)


def declared_need(declared: Any) -> Need | None:
    """A tier word, or an object ``{tier, override?, reason?}``, as a need; None for anything else.

    Only the very ``True`` overrides, and only text is a reason.
    """
    word = declared.get("tier") if isinstance(declared, Mapping) else declared
    tier = _TIERS.get(word) if isinstance(word, str) else None
    if tier is None:
        return None
    if not isinstance(declared, Mapping):
        return Need(tier)
    reason = declared.get("reason")
    return Need(tier, declared.get("override") is True, reason if isinstance(reason, str) else None)


def tiers_of(entry: object) -> frozenset[Approval]:
    """The tiers that calls of an entry may have: all of them where that depends on the arguments, none for a skill."""
    if not isinstance(entry, Tool):
        return frozenset()
    if callable(entry.approval):
        return frozenset(Approval)
    return frozenset({need_of(entry, None).tier})
