"""Pegboard: hang every tool and skill your agent owns on one board; show the model only what the job needs.

from pegboard import Pegboard, ToolRegistry, tool

@tool
def refund(order: str, amount: float) -> str:
    "Refund an order."
    return f"refunded {amount} of {order}"

registry = ToolRegistry()
registry.register(refund)
board = await Pegboard([registry]).open()
await board.call("find_tools", {"query": "give money back"})
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from pegboard.late import late
from pegboard.version import __version__

if TYPE_CHECKING:
    from pegboard.approval import ApprovalRequest, Verdict
    from pegboard.auth import Action, AllowAll, CallFacts, CallPolicy, Decision, Policy, Principal
    from pegboard.board import Board
    from pegboard.boundary import PinDiff
    from pegboard.catalog import Catalog
    from pegboard.context import Context
    from pegboard.errors import PegboardError, ToolError
    from pegboard.limits import Limits
    from pegboard.peg import Pegboard
    from pegboard.pin_store import MemoryPinStore, PinStore
    from pegboard.prefix import Ledger, Listing, fingerprint, invalidation_reason
    from pegboard.receipts import Receipt, ReceiptFile, ReceiptSink
    from pegboard.registry import Source, SourceStatus, ToolRegistry
    from pegboard.resource import Resource, Touches
    from pegboard.rules import Rule, RulePolicy
    from pegboard.search import Bm25Ranker, LexicalRanker, Ranked, Ranker, SubstringRanker
    from pegboard.search.hybrid import HybridRanker
    from pegboard.skill_choice import SkillChoice
    from pegboard.skills.catalog import SkillCatalog
    from pegboard.skills.roots import SkillRoot
    from pegboard.skills.skill import Skill
    from pegboard.skills.workspace import FileGrant, Sandbox, Workspace
    from pegboard.sources.python import Progress, tool
    from pegboard.tools import Approval, Halt, Tool, ToolResult, Visibility
    from pegboard.turn import Turn

__all__ = [
    "Action",
    "AllowAll",
    "Approval",
    "ApprovalRequest",
    "Bm25Ranker",
    "Board",
    "CallFacts",
    "CallPolicy",
    "Catalog",
    "Context",
    "Decision",
    "FileGrant",
    "Halt",
    "HybridRanker",
    "Ledger",
    "LexicalRanker",
    "Limits",
    "Listing",
    "MemoryPinStore",
    "Pegboard",
    "PegboardError",
    "PinDiff",
    "PinStore",
    "Policy",
    "Principal",
    "Progress",
    "Ranked",
    "Ranker",
    "Receipt",
    "ReceiptFile",
    "ReceiptSink",
    "Resource",
    "Rule",
    "RulePolicy",
    "Sandbox",
    "Skill",
    "SkillCatalog",
    "SkillChoice",
    "SkillRoot",
    "Source",
    "SourceStatus",
    "SubstringRanker",
    "Tool",
    "ToolError",
    "ToolRegistry",
    "ToolResult",
    "Touches",
    "Turn",
    "Verdict",
    "Visibility",
    "Workspace",
    "__version__",
    "fingerprint",
    "invalidation_reason",
    "tool",
]

_PLACES: Final = {
    "approval": ("ApprovalRequest", "Verdict"),
    "auth": ("Action", "AllowAll", "CallFacts", "CallPolicy", "Decision", "Policy", "Principal"),
    "board": ("Board",),
    "boundary": ("PinDiff",),
    "catalog": ("Catalog",),
    "context": ("Context",),
    "errors": ("PegboardError", "ToolError"),
    "limits": ("Limits",),
    "peg": ("Pegboard",),
    "pin_store": ("MemoryPinStore", "PinStore"),
    "prefix": ("Ledger", "Listing", "fingerprint", "invalidation_reason"),
    "receipts": ("Receipt", "ReceiptFile", "ReceiptSink"),
    "registry": ("Source", "SourceStatus", "ToolRegistry"),
    "resource": ("Resource", "Touches"),
    "rules": ("Rule", "RulePolicy"),
    "search": ("Bm25Ranker", "LexicalRanker", "Ranked", "Ranker", "SubstringRanker"),
    "search.hybrid": ("HybridRanker",),
    "skill_choice": ("SkillChoice",),
    "skills.catalog": ("SkillCatalog",),
    "skills.roots": ("SkillRoot",),
    "skills.skill": ("Skill",),
    "skills.workspace": ("FileGrant", "Sandbox", "Workspace"),
    "sources.python": ("Progress", "tool"),
    "tools": ("Approval", "Halt", "Tool", "ToolResult", "Visibility"),
    "turn": ("Turn",),
}
"""The names by the module where they stand, which is loaded when one of them is first used."""

__getattr__ = late(__name__, _PLACES)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
