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

from typing import TYPE_CHECKING, Any, Final

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
from pegboard.tools import Approval, Halt, Tool, ToolResult, Visibility
from pegboard.turn import Turn
from pegboard.version import __version__

if TYPE_CHECKING:
    from pegboard.search import Bm25Ranker, LexicalRanker, Ranked, Ranker, SubstringRanker
    from pegboard.search.hybrid import HybridRanker
    from pegboard.skill_choice import SkillChoice
    from pegboard.skills.catalog import SkillCatalog
    from pegboard.skills.roots import SkillRoot
    from pegboard.skills.skill import Skill
    from pegboard.skills.workspace import FileGrant, Sandbox, Workspace
    from pegboard.sources.python import Progress, tool

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

_LAZY: Final = {
    "Bm25Ranker": "pegboard.search",
    "HybridRanker": "pegboard.search.hybrid",
    "LexicalRanker": "pegboard.search",
    "Ranked": "pegboard.search",
    "Ranker": "pegboard.search",
    "SubstringRanker": "pegboard.search",
    "SkillCatalog": "pegboard.skills.catalog",
    "SkillChoice": "pegboard.skill_choice",
    "SkillRoot": "pegboard.skills.roots",
    "Skill": "pegboard.skills.skill",
    "FileGrant": "pegboard.skills.workspace",
    "Sandbox": "pegboard.skills.workspace",
    "Workspace": "pegboard.skills.workspace",
    "Progress": "pegboard.sources.python",
    "tool": "pegboard.sources.python",
}
"""Names whose module is loaded on first use, so that ``import pegboard`` stays fast."""


def __getattr__(name: str) -> Any:
    if name in _LAZY:
        from importlib import import_module

        value = getattr(import_module(_LAZY[name]), name)
        globals()[name] = value
        return value
    raise AttributeError(f"module 'pegboard' has no attribute {name!r}")
