"""What a handler knows of the call it runs in."""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable, Collection, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol

from pegboard.errors import NotFoundError

if TYPE_CHECKING:
    from pegboard.auth import Principal
    from pegboard.board import Board
    from pegboard.board_skills import BoardSkills
    from pegboard.catalog import Catalog
    from pegboard.finding import FindResult
    from pegboard.limits import Limits
    from pegboard.pins import PinState
    from pegboard.places import Ticket
    from pegboard.tools import Halt, ToolResult
    from pegboard.view import View

logger = logging.getLogger(__name__)

ProgressSink = Callable[[float, float | None, str | None], Awaitable[None]]
"""``await sink(progress, total, message)``."""


class Reenter(Protocol):
    """How ``Context.call`` reaches dispatch again."""

    def __call__(self, name: str, arguments: Mapping[str, Any], context: Context) -> Awaitable[ToolResult | Halt]: ...


async def _no_reenter(name: str, arguments: Mapping[str, Any], context: Context) -> ToolResult | Halt:
    raise RuntimeError("This context was not made by a board: it cannot call other tools.")


class BoardHandle(Protocol):
    """What meta-tools may do to a board. Everything here has passed the discover permission already."""

    @property
    def id(self) -> str: ...
    @property
    def surface(self) -> str: ...
    @property
    def limits(self) -> Limits: ...
    @property
    def finder(self) -> str:
        """The name of this profile's finding tool."""

    @property
    def meta_names(self) -> Collection[str]:
        """The names of this profile's meta-tools."""

    async def view(self) -> View:
        """What the principal may discover, now."""
        ...

    async def find(self, query: str, limit: int | None = None) -> FindResult: ...

    def missing_notes(self, view: View) -> tuple[str, ...]:
        """What an answer about all tools says of the sources whose tools are not there."""
        ...

    async def missing(self, name: str) -> NotFoundError:
        """What is answered to the name of no tool, or of none that the principal may discover."""
        ...

    def pin(self, name: str) -> None: ...
    def unpin(self, name: str) -> None: ...
    def pin_state(self, name: str) -> PinState: ...
    def hides(self, name: str) -> bool:
        """Whether this name must not show: as of the last view it may not be discovered, or the board is for others."""
        ...

    async def call_any(self, name: str, arguments: Any, context: Context) -> ToolResult | Halt:
        """Call any permitted tool, shown or not, through the same dispatch."""
        ...

    @property
    def skills(self) -> BoardSkills:
        """What the board does with skills."""
        ...

    async def other(self, board_id: str | None) -> Board:
        """Another board of the same principal: that of an id, or a new one. Raises BoardError for an unknown id."""
        ...


@dataclass(frozen=True, kw_only=True)
class Context:
    """What a handler knows of its call. Immutable; lives as long as one dispatch.

    ``principal`` is None in trusted local use. ``board`` is the board the call came through. ``values`` are the
    caller's context values (never the model's). ``meta`` is the request's ``_meta`` (tracing and vendor keys).
    ``call_id`` names this call in receipts and logs, and is the provider's own where the caller gave it: a key under
    which a service can tell that it has done this before. ``stack`` names the calls this one runs inside, outermost
    first. ``client`` says what the caller's own connection can do, where the surface knows; a relay mirrors it.
    ``on_progress`` is None where nobody listens. ``ticket`` is what the call holds of the limits on calls that run at
    once; dispatch sets it, and calls made from this one stand in for it. ``catalog`` is the one that the turn began
    with: calls from inside this one find the same definitions.
    """

    tool: str
    call_id: str
    principal: Principal | None = None
    board: BoardHandle | None = None
    surface: str = "python"
    values: Mapping[str, Any] = field(default_factory=dict)
    meta: Mapping[str, Any] = field(default_factory=dict)
    stack: tuple[str, ...] = ()
    client: Any = None
    on_progress: ProgressSink | None = field(default=None, repr=False)
    reenter: Reenter = field(default=_no_reenter, repr=False)
    ticket: Ticket | None = field(default=None, repr=False, compare=False)
    catalog: Catalog | None = field(default=None, repr=False, compare=False)

    async def missing(self, name: str) -> NotFoundError:
        """What is answered to the name of no tool, or of none that the caller may discover."""
        return NotFoundError(name) if self.board is None else await self.board.missing(name)

    async def progress(self, progress: float, total: float | None = None, message: str | None = None) -> None:
        """Tell the caller how far the call is. Does nothing where nobody listens; a listener that fails is logged."""
        if self.on_progress is None:
            return
        try:
            await self.on_progress(progress, total, message)
        except Exception:
            logger.warning("progress of %r could not be told", self.tool, exc_info=True)

    async def call(self, name: str, arguments: Mapping[str, Any] | None = None) -> ToolResult | Halt:
        """Call another tool with the same principal, board and values, through the same dispatch.

        A tool that is already on the stack answers with an error (CycleError), and so does one more than 32 calls deep.
        """
        return await self.reenter(name, arguments or {}, self)
