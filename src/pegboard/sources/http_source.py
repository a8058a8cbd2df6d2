"""Sources whose tools are HTTP requests, told by definitions: reading, keeping what was good, status."""

from __future__ import annotations

import logging
from abc import abstractmethod
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, Protocol

from pegboard.errors import PegboardError, told
from pegboard.hindrances import Hindrance
from pegboard.http_tools.definition import HttpDefinition
from pegboard.http_tools.files import Loaded
from pegboard.http_tools.tool import Client, HttpRuntime, HttpTool
from pegboard.registry import Nature, SourceStatus, ToolRegistry
from pegboard.sources.clients import new_client
from pegboard.sources.data_tool_notes import absent_secrets, notes_of, problems_of, unreachable
from pegboard.sources.data_tools import DataToolSpec
from pegboard.sources.hindering import hindrances_of
from pegboard.sources.reading import ReadSource
from pegboard.tools import Tool, Visibility

logger = logging.getLogger(__name__)


class Closable(Client, Protocol):
    """A client that has connections to close."""

    async def aclose(self) -> None:
        """Close them."""
        ...


@dataclass
class _Held:
    """What the source has at present. Lives until the next load."""

    definitions: dict[str, HttpDefinition] = field(default_factory=dict)
    """By their own names."""
    excluded: dict[str, str] = field(default_factory=dict)
    notes: tuple[str, ...] = ()


class HttpSource(ReadSource):
    """Definitions that are read, and their tools. Process-wide; used from one event loop.

    They are read when the source starts, and again with ``reload``. A tool with a mistake is set aside; one that was
    good before keeps what it was, and so do all of them when nothing can be read. ``status`` says why.
    ``client`` makes the client, which is closed when the source stops; ``runtime`` says what else the tools run with.
    """

    kind: ClassVar[str] = "http"
    nature: ClassVar[Nature] = "data"

    def __init__(
        self,
        name: str,
        runtime: Callable[[Client], HttpRuntime],
        *,
        spec: DataToolSpec | None = None,
        client: Callable[[], Closable] | None = None,
    ) -> None:
        super().__init__(name, ToolRegistry(name, nature=self.nature))
        self.spec = spec or DataToolSpec()
        self._make_runtime = runtime
        self._make_client = client or new_client
        self._client: Closable | None = None
        self.runtime: HttpRuntime | None = None
        """What its tools run with; None before they were read."""
        self._held = _Held()

    @property
    @abstractmethod
    def where(self) -> str:
        """Where the definitions are, for messages."""

    @abstractmethod
    async def load(self, context: Collection[str]) -> Loaded:
        """The definitions of this moment; ``context`` are the names that ``{{ctx.*}}`` may have."""

    @property
    def definitions(self) -> dict[str, HttpDefinition]:
        """The definitions of the tools that there are, by the names that these are shown under, and with them."""
        return {one.name: one for one in self._taken(self._held).values()}

    def _taken(self, held: _Held) -> dict[str, HttpDefinition]:
        """The same of what is held, by their own names."""
        taken = {name: one for name, one in held.definitions.items() if name not in held.excluded}
        return {name: replace(one, name=self.spec.shown(name)) for name, one in taken.items()}

    async def hindrances(self, tool: Tool, context: Mapping[str, Any]) -> Sequence[Hindrance]:
        """What makes every call of one of its tools fail now; a connection to its address is tried."""
        definition = self._held.definitions.get(tool.bare_name)
        if definition is None or self.runtime is None:
            return ()
        return [one async for one in hindrances_of(definition, self.runtime, context, self.where)]

    async def stop(self) -> None:
        """Wait for nothing more, and close all connections."""
        await super().stop()
        client, self._client = self._client, None
        if client is not None:
            await client.aclose()

    def status(self) -> SourceStatus:
        """How it is doing now."""
        tools = self.registry.tools()
        return SourceStatus(
            name=self.name,
            kind=self.kind,
            state=self._state,
            reason=self._reason(),
            tools=len(tools),
            starts=self._starts,
            notes=(*self._kept(), *self._held.notes),
            problems=self.registry.problems(),
            always_visible=any(tool.visibility is Visibility.ALWAYS for tool in tools),
            prefix=self.spec.prefix,
            excluded=dict(self._held.excluded),
        )

    async def _read(self) -> None:
        client = self._client = self._client or self._make_client()
        runtime = self.runtime = self._make_runtime(client)
        try:
            await self._take(await self.load(runtime.context), runtime)
        except PegboardError as error:
            self._failed(str(error))
        except Exception as error:
            logger.exception("the definitions of %s could not be taken", self.where)
            self._failed(f"{self.where}: {told(error)}")

    async def _take(self, loaded: Loaded, runtime: HttpRuntime) -> None:
        if loaded.unread:
            self._failed(" ".join(str(problem) for problem in loaded.problems))
            return
        held = _Held(definitions={one.name: one for one in loaded.definitions})
        kept = {name: self._held.definitions[name] for name in self._good_before(loaded)}
        held.definitions |= kept
        held.excluded = {name: why for name in held.definitions if (why := self.spec.excludes(name))}
        held.excluded = {**loaded.left_out, **held.excluded}
        taken = self._taken(held)
        told = list(taken.values())
        shown = self.spec.shown
        held.notes = (*notes_of(loaded, kept, shown), *[note async for note in absent_secrets(told, runtime)])
        held.notes += tuple(unreachable(told, runtime.policy))
        tools = [self.spec.applied(HttpTool(one, runtime, source=self.name).tool, own) for own, one in taken.items()]
        self._held = held
        self._succeeded()
        self.registry.replace_source(self.name, tools, tuple(problems_of(self.name, loaded, kept, shown)))
        for problem in loaded.errors:
            logger.warning("%s", problem)

    def _good_before(self, loaded: Loaded) -> Iterator[str]:
        """The tools that had no mistake before, and have one now."""
        good = {one.name for one in loaded.definitions}
        broken = {problem.entry for problem in loaded.errors}
        return (name for name in self._held.definitions if name in broken and name not in good)
