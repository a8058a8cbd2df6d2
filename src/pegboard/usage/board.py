"""What the searches and calls on one board teach."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pegboard.auth import Principal
from pegboard.finding import FindResult, searched_part
from pegboard.limits import Limits
from pegboard.tools import Halt, ToolResult
from pegboard.usage.leads import Leads

if TYPE_CHECKING:
    from pegboard.usage.learning import Usage


class BoardLessons:
    """What is learned on one board. Lives as long as the board.

    ``usage`` learns, None where nothing is learned; ``leads`` are what searches have found that no call has followed.
    """

    def __init__(self, usage: Usage | None, principal: Principal | None, leads: Leads, limits: Limits) -> None:
        self._usage = usage
        self._principal = principal
        self._leads = leads
        self._limits = limits

    def searched(self, query: str, found: FindResult) -> None:
        """Remember what a search found, for calls that follow."""
        if self._usage is not None and found.matches:
            from pegboard.search.lessons import lessons_of

            tools = (match.entry.name for match in found.matches[: self._limits.search] if match.entry.kind == "tool")
            self._leads.found(tools, lessons_of(searched_part(query, self._limits)))

    def called(self, name: str, outcome: ToolResult | Halt, stack: tuple[str, ...]) -> None:
        """Learn of a call that succeeded, where a model made it after a search that found its tool."""
        if self._usage is None or stack or (isinstance(outcome, ToolResult) and outcome.is_error):
            return
        self._usage.learn(self._principal, name, *self._leads.followed(name))
