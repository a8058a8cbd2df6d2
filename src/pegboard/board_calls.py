"""The calls on one board: which tool a name means in them, which are refused, and what is noted of each."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

from pegboard.context import Context
from pegboard.dispatch import Resolve, new_call_id
from pegboard.errors import UnloadedError
from pegboard.pins import PinState
from pegboard.tools import Halt, Tool, ToolResult

if TYPE_CHECKING:
    from pegboard.board import Board
    from pegboard.catalog import Catalog
    from pegboard.keeping import Keeping
    from pegboard.peg import Pegboard
    from pegboard.quarantine import Quarantine
    from pegboard.usage.board import BoardLessons
    from pegboard.view import Sight


class BoardCalls:
    """The calls on one board. Lives as long as the board.

    ``meta`` are the board's own meta-tools, by name. ``last`` is when the last call came, by ``time.monotonic()``.
    """

    def __init__(
        self,
        board: Board,
        peg: Pegboard,
        *,
        meta: Mapping[str, Tool],
        kept: Keeping,
        sight: Sight,
        quarantine: Quarantine,
        lessons: BoardLessons,
    ) -> None:
        self.last = time.monotonic()
        self._board = board
        self._peg = peg
        self._meta = meta
        self._kept = kept
        self._sight = sight
        self._quarantine = quarantine
        self._lessons = lessons

    def begun(
        self, name: str, catalog: Catalog, values: Mapping[str, Any] | None = None, call_id: str | None = None
    ) -> Context:
        """The context of a call of a turn that began with a catalog. ``values`` come before the board's own."""
        self.last = time.monotonic()
        board = self._board
        return Context(
            tool=name,
            call_id=call_id or new_call_id(),
            principal=board.principal,
            board=board,
            surface=board.surface,
            values={**board.context_values, **(values or {})},
            reenter=self._reenter,
            catalog=catalog,
        )

    async def run(self, call: Context, arguments: Any) -> ToolResult | Halt:
        """Make a call that has begun."""
        given: object = call.tool  # what is no text, dispatch refuses
        if isinstance(given, str) and given in self._meta:
            return await self._peg.meta_dispatcher.run(given, arguments, call, self._meta.__getitem__)
        outcome = await self._peg.dispatcher.run(call.tool, arguments, call, self._resolving(call), self._admit)
        self._lessons.called(call.tool, outcome, call.stack)
        return outcome

    async def run_any(self, name: str, arguments: Any, context: Context) -> ToolResult | Halt:
        """Call any permitted tool of the catalog, tombstones too, in place of the call of ``context``: under its id."""
        outcome = await self._nested(name, arguments, context, context.call_id, self._admit_any)
        self._lessons.called(name, outcome, context.stack)
        return outcome

    def _resolving(self, context: Context) -> Resolve:
        """How names are found in the turn of a call."""
        return partial(self._resolve, context.catalog)

    def _resolve(self, catalog: Catalog | None, name: str) -> Tool | None:
        """The tool that the turn began with, which its arguments were written for; a newer one where there was none."""
        tool = None if catalog is None else catalog.get(name)
        tool = tool or self._peg.catalog.get(name)
        if tool is not None and self._sight.allows(name):
            return tool
        listed = any(slot.name == name for slot in self._kept.record.items)
        if name not in self._meta and listed and not self._sight.hides(name):
            raise UnloadedError(name, gone=True, way=self._board.finder)
        return None

    def _admit_any(self, tool: Tool) -> None:
        # Whoever gets here may call it: what is hidden, or made up by a model, is not noted.
        self._board.mark_used(tool.name)
        self._quarantine.refuse(tool)

    def _admit(self, tool: Tool) -> None:
        self._admit_any(tool)
        if self._kept.record.state(tool.name) is PinState.TOMBSTONED:
            raise UnloadedError(tool.name, way="load_tool" if "load_tool" in self._meta else self._board.finder)

    async def _nested(
        self, name: str, arguments: Any, context: Context, call_id: str, admit: Callable[[Tool], None]
    ) -> ToolResult | Halt:
        stack = (*context.stack, context.tool)
        # Whatever a handler made of its context: it acts for whom it was called, and for nobody else.
        nested = replace(
            context, tool=name, call_id=call_id, principal=self._board.principal, board=self._board, stack=stack
        )
        return await self._peg.dispatcher.run(name, arguments, nested, self._resolving(context), admit)

    async def _reenter(self, name: str, arguments: Mapping[str, Any], context: Context) -> ToolResult | Halt:
        return await self._nested(name, dict(arguments), context, new_call_id(), self._quarantine.refuse)
