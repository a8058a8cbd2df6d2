"""An upstream MCP server as a source of tools."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import AsyncIterator, Callable, Iterable, Mapping
from contextlib import asynccontextmanager
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from pegboard.context import Context
from pegboard.errors import InvalidArgumentsError, UpstreamError
from pegboard.registry import SourceStatus, ToolRegistry
from pegboard.sources.mcp.keeper import Keeper
from pegboard.sources.mcp.listing import Listing
from pegboard.sources.mcp.noise import Noise
from pegboard.sources.mcp.payload import Intake, tools_from_payload
from pegboard.sources.mcp.spec import UpstreamSpec
from pegboard.sources.mcp.upstream_skills import UpstreamSkills
from pegboard.tools import Handler, ToolResult, canonical_json

if TYPE_CHECKING:
    from pegboard.sources.mcp.link import Link, OpenLink
    from pegboard.sources.mcp.session import Connection
    from pegboard.sources.mcp.taken import Taken


class McpUpstream(ABC):
    """An upstream MCP server, however it is reached. Process-wide; used from one event loop.

    It owns its registry and its session; every caller shares the one session, which declares no client capability. A
    server that ends, or is lost, is started or connected to again after growing pauses (1 to 60 s); a call to one that
    had been ready does it at once. Its tools stay registered meanwhile. With ``lazy`` it is started only when it is
    needed: by the first call where its tools are known already (``publish``), else by the first ``ready``. With a
    listing of before (``recall``) it is lazy, and counts as ready, until that is not enough (``doubt``).
    ``listing`` is what it last listed itself, tools and skills; None until both have been read. ``intake`` is what
    became of its tools, or of those that were recalled; ``started_as`` was its ``origin`` when it was started.
    ``opens`` opens a way to the server; ``noise`` counts what it says beside the protocol. ``skills`` are those that it
    offers; there is no such attribute where they are not taken in.
    """

    skills: UpstreamSkills

    def __init__(self, spec: UpstreamSpec, opens: OpenLink, noise: Noise, *, lazy: bool = False) -> None:
        self.spec = spec
        self.registry = ToolRegistry(spec.name, nature="upstream")
        self._lazy = lazy
        self._recalled = False
        self.listing: Listing | None = None
        self.intake = Intake()
        self._tools_listed = Listing(tools=())
        self._tools_taken = Intake()
        self._published = b""
        self._intake = Intake()
        self._notes: tuple[str, ...] = ()
        self._excluded: Mapping[str, str] = {}
        self._listing_notes: tuple[str, ...] = ()
        self._noise = noise
        self.started_as = ""

        @asynccontextmanager
        async def opening(noise: Noise, on_end: Callable[[], None]) -> AsyncIterator[Link]:
            # Before it starts: a script that is edited afterwards makes another server.
            self.started_as = await self.origin()
            async with opens(noise, on_end) as link:
                yield link

        self._keeper = Keeper(spec, noise, opening, self._read_list, self._read_skills)
        if spec.skills:
            self.skills = UpstreamSkills(spec, self._keeper.connection, self._keeper.reread, noise.hide)

    @property
    def name(self) -> str:
        """The name that a person gave it."""
        return self.spec.name

    @abstractmethod
    async def origin(self) -> str:
        """A digest of which server this is, and of who asks it: of equal ones, equal listings are to be expected.

        Raises UpstreamError where nothing can be started, or a secret is missing.
        """

    def secrets(self) -> Iterable[str]:
        """What is secret, and could stand in what it lists."""
        return ()

    async def start(self) -> None:
        """Begin to connect, in the background. Nothing begins when it is lazy."""
        if not self._lazy:
            self._keeper.begin()

    async def ready(self) -> None:
        """Return when the tools are known, or the first try has failed."""
        if self._keeper.state == "stopped" or (self._lazy and (self._recalled or self.registry.tools())):
            return
        self._keeper.begin()
        await self._keeper.first.wait()

    async def stop(self) -> None:
        """End the session, and the process where there is one; returns when both are gone, after six seconds at most.

        Open calls fail.
        """
        await self._keeper.stop()

    def status(self) -> SourceStatus:
        """How it is doing now."""
        return SourceStatus(
            name=self.name,
            kind="mcp",
            state="ready" if self.recalled else self._keeper.state,
            reason=self._keeper.reason(),
            next_try=self._keeper.next_try,
            tools=len(self.registry.tools()),
            starts=self._keeper.starts,
            notes=(*self._noise.notes(), *self._keeper.notes, *self._listing_notes, *self._notes, *self._skill_notes),
            problems=self.registry.problems(),
            always_visible=self.spec.always_visible,
            prefix=self.spec.tool_prefix,
            excluded=self._excluded,
        )

    @property
    def _skill_notes(self) -> tuple[str, ...]:
        return self.skills.notes if self.spec.skills else ()

    def recall(self, listing: Listing, taken: Taken | None = None) -> None:
        """Take in a listing of before, unless it has been started: it offers that until it lists anew.

        ``taken`` is what became of this very listing when it was taken in before, by a spec with the same ``way_in``.
        """
        if self._keeper.state != "idle":
            return
        self._recalled = self._lazy = True
        self._listing_notes = listing.notes
        if taken is None:
            raw, faults, sound = listing.tools, listing.faults, listing.sound
            self.intake = tools_from_payload(self.name, raw, self.spec, self._handler_of, faults, sound=sound)
        else:
            self.intake = taken.intake(listing, self.spec, self._handler_of)
        self._take(self.intake)
        if self.spec.skills:
            self.skills.take(listing.skills)

    def doubt(self) -> None:
        """A listing of before is not enough: ``ready`` starts it and waits for its own, in place of which it stays."""
        if self._recalled:
            self._recalled = self._lazy = False

    @property
    def recalled(self) -> bool:
        """Whether what it offers is that of a listing of before, and it has not been started."""
        return self._recalled and self._keeper.state == "idle"

    def publish(self, raw_tools: Iterable[Any], faults: Mapping[str, str] | None = None) -> Intake:
        """Put the tools of a raw listing (``tools`` of ``tools/list``) in place of those that were there.

        ``faults`` say of some, by the upstream's own names, why they are set aside. Gives what became of it.
        """
        listing, known = list(raw_tools), dict(faults or {})
        digest = canonical_json([listing, known])
        if digest != self._published:
            self._intake = tools_from_payload(self.name, listing, self.spec, self._handler_of, known)
            self._published = digest
            self._take(self._intake)
        return self._intake

    def _take(self, intake: Intake) -> None:
        self._notes = intake.notes
        self._excluded = intake.excluded
        self.registry.replace_source(self.name, intake.tools, intake.problems, checked=True)

    async def call(self, bare_name: str, arguments: Mapping[str, Any], context: Context) -> ToolResult:
        """Call a tool by the upstream's own name for it. Cancelling this cancels the call upstream.

        Raises UpstreamError when the upstream is away, breaks off or answers with an error, and InvalidArgumentsError
        for arguments that JSON cannot say.
        """
        from mcp import MCPError

        from pegboard.sources.mcp.failures import trouble_in
        from pegboard.sources.mcp.relay import call_tool, error_of, result_of

        connection = await self._connection_for(context)
        try:
            raw = await call_tool(connection, bare_name, arguments, context)
        except MCPError as error:
            if connection.closed and trouble_in(error) is None:
                raise self._broke_off(connection, bare_name) from error
            raise error_of(self.name, bare_name, error, self._noise.hide) from error
        except (ValueError, TypeError, RecursionError) as error:
            raise InvalidArgumentsError(bare_name, [f"arguments: JSON cannot say them ({error})"]) from error
        return result_of(self.name, bare_name, raw)

    async def _connection_for(self, context: Context) -> Connection:
        """The session that a call goes through: the one place where it is chosen.

        There is one for all callers, as it declares no client capability. A caller whose client can answer questions
        (``context.client``) needs a session of its own, and would get it here.
        """
        return await self._keeper.connection()

    async def _read_list(self, connection: Connection) -> None:
        listing = await connection.list_tools()
        self._listing_notes = listing.notes
        taken = self._tools_taken = self.publish(listing.tools, listing.faults)
        self._tools_listed = Listing(tools=listing.tools, faults=listing.faults, notes=listing.notes, sound=taken.sound)

    async def _read_skills(self, connection: Connection) -> None:
        if self.spec.skills:
            await self.skills.refresh(connection)
        self.listing = replace(self._tools_listed, skills=self.skills.listing if self.spec.skills else None)
        self.intake = self._tools_taken

    def _handler_of(self, bare_name: str) -> Handler:
        async def handler(arguments: dict[str, Any], context: Context) -> ToolResult:
            return await self.call(bare_name, arguments, context)

        return handler

    def _broke_off(self, connection: Connection, tool: str) -> UpstreamError:
        ended = connection.link.ended
        what = f"it {connection.link.why_ended()}" if ended else "it was stopped"
        return UpstreamError(
            f"Upstream {self.name!r} broke off during the call of {tool!r}: {what}.", data={"source": self.name}
        )
