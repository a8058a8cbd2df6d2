"""Sources whose tools are HTTP requests, told by definitions: reading, keeping what was good, status."""

from __future__ import annotations

import asyncio
import logging
from abc import ABC, abstractmethod
from collections.abc import AsyncIterator, Callable, Collection, Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, ClassVar, Final, Protocol, TypeVar

from pegboard.documents.problems import Level
from pegboard.errors import PegboardError, RefusedRequestError, told
from pegboard.http_tools.definition import HttpDefinition
from pegboard.http_tools.files import Loaded
from pegboard.http_tools.tool import Client, HttpRuntime, HttpTool, secret_names
from pegboard.naming import legal_name
from pegboard.net.egress import EgressPolicy
from pegboard.net.urls import parse
from pegboard.registry import Nature, Problem, SourceState, SourceStatus, ToolRegistry
from pegboard.rules.globs import Glob
from pegboard.tools import Approval, Tool, Visibility

if TYPE_CHECKING:
    from pegboard.net.client import HttpClient

logger = logging.getLogger(__name__)

_NAMED: Final = 3
"""Tools that one note names."""

T = TypeVar("T")


class Closable(Client, Protocol):
    """A client that has connections to close."""

    async def aclose(self) -> None:
        """Close them."""
        ...


def _client() -> HttpClient:
    from pegboard.net.client import HttpClient

    return HttpClient()


@dataclass(frozen=True, kw_only=True)
class HttpFileSpec:
    """What a source's tools are like. Immutable; two are equal when the same tools would come of the same definitions.

    ``prefix`` stands before their names, with ``__``; "" for none. ``visibility`` and ``approval`` hold for every tool,
    or are mappings from globs of their own names, of which the first that matches counts; without an approval the
    tool's own ``side_effect`` decides: ``read`` or ``write``. Of ``include`` and ``exclude``, the latter wins.
    """

    prefix: str = ""
    visibility: str | Mapping[str, str] = Visibility.ON_DEMAND
    approval: str | Mapping[str, str] | None = None
    include: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()

    def excludes(self, name: str) -> str:
        """What leaves a tool out, in words; "" when nothing does."""
        found = next((glob for glob in self.exclude if Glob(glob).matches(name)), None)
        if found is not None:
            return f"exclude pattern {found!r}"
        taken = not self.include or any(Glob(glob).matches(name) for glob in self.include)
        return "" if taken else "no include pattern matches it"

    def applied(self, tool: Tool) -> Tool:
        """A tool under its shown name, with what this says of it."""
        visibility = _by_glob(self.visibility, tool.name) or Visibility.ON_DEMAND
        approval = _by_glob(self.approval, tool.name)
        return tool.with_(
            name=legal_name(tool.name, self.prefix),
            bare_name=tool.name,
            visibility=Visibility(visibility),
            approval=tool.approval if approval is None else Approval(approval),
        )


@dataclass
class _Held:
    """What the source has at present. Lives until the next load."""

    definitions: dict[str, HttpDefinition] = field(default_factory=dict)
    problems: tuple[Problem, ...] = ()
    excluded: dict[str, str] = field(default_factory=dict)
    notes: tuple[str, ...] = ()


class HttpSource(ABC):
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
        spec: HttpFileSpec | None = None,
        client: Callable[[], Closable] | None = None,
    ) -> None:
        self.name = name
        self.spec = spec or HttpFileSpec()
        self.registry = ToolRegistry(name, nature=self.nature)
        self._make_runtime = runtime
        self._make_client = client or _client
        self._client: Closable | None = None
        self._held = _Held()
        self._state: SourceState = "idle"
        self._failure = ""
        self._starts = 0
        self._task: asyncio.Task[None] | None = None

    @property
    @abstractmethod
    def where(self) -> str:
        """Where the definitions are, for messages."""

    @abstractmethod
    async def load(self, context: Collection[str]) -> Loaded:
        """The definitions of this moment; ``context`` are the names that ``{{ctx.*}}`` may have."""

    @property
    def definitions(self) -> dict[str, HttpDefinition]:
        """The definitions of the tools that there are, by the names that these are shown under."""
        taken = {name: one for name, one in self._held.definitions.items() if name not in self._held.excluded}
        return {legal_name(name, self.spec.prefix): one for name, one in taken.items()}

    async def start(self) -> None:
        """Begin to read, in the background, unless that has been done."""
        if self._task is None:
            self.reload()

    def reload(self) -> None:
        """Read anew, in the background; the tools change when that is done."""
        if self._task is not None:
            self._task.cancel()
        self._state = "starting"
        self._task = asyncio.create_task(self._run(), name=f"definitions of {self.name}")

    async def ready(self) -> None:
        """Return when they have been read, or could not be."""
        await self.start()
        while (task := self._task) is not None and not task.done():
            await asyncio.wait([task])

    async def stop(self) -> None:
        """Wait for nothing more, and close all connections."""
        task, self._task = self._task, None
        client, self._client = self._client, None
        self._state = "stopped"
        if task is not None:
            task.cancel()
            await asyncio.wait([task])
        if client is not None:
            await client.aclose()

    def status(self) -> SourceStatus:
        """How it is doing now."""
        tools = self.registry.tools()
        kept = f"its tools are those of before it changed: {self._failure}" if self._failure and tools else ""
        return SourceStatus(
            name=self.name,
            kind=self.kind,
            state=self._state,
            reason="" if kept or self._state == "stopped" else self._failure,
            tools=len(tools),
            starts=self._starts,
            notes=((kept,) if kept else ()) + self._held.notes,
            problems=self.registry.problems(),
            always_visible=any(tool.visibility is Visibility.ALWAYS for tool in tools),
            prefix=self.spec.prefix,
            excluded=dict(self._held.excluded),
        )

    async def _run(self) -> None:
        self._starts += 1
        client = self._client = self._client or self._make_client()
        runtime = self._make_runtime(client)
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
        kept = {name: self._held.definitions[name] for name in self._kept(loaded)}
        held.definitions |= kept
        held.problems = tuple(_problems(self.name, loaded, kept))
        held.excluded = {name: why for name in held.definitions if (why := self.spec.excludes(name))}
        held.excluded = {**loaded.left_out, **held.excluded}
        taken = [one for name, one in held.definitions.items() if name not in held.excluded]
        held.notes = (*_notes(loaded, kept), *[note async for note in _absent(taken, runtime)])
        held.notes += tuple(_unreachable(taken, runtime.policy))
        tools = [self.spec.applied(HttpTool(one, runtime, source=self.name).tool) for one in taken]
        self._held, self._failure, self._state = held, "", "ready"
        self.registry.replace_source(self.name, tools, held.problems)
        for problem in loaded.errors:
            logger.warning("%s", problem)

    def _kept(self, loaded: Loaded) -> Iterator[str]:
        """The tools that had no mistake before, and have one now."""
        good = {one.name for one in loaded.definitions}
        broken = {problem.entry for problem in loaded.errors}
        return (name for name in self._held.definitions if name in broken and name not in good)

    def _failed(self, why: str) -> None:
        if why != self._failure:
            logger.warning("%s", why)
        self._failure = why
        self._state = "ready" if self.registry.tools() else "failed"


def _problems(source: str, loaded: Loaded, kept: Mapping[str, HttpDefinition]) -> Iterator[Problem]:
    """One problem a tool, with all of its mistakes."""
    by_tool: dict[str, list[str]] = {}
    for problem in loaded.errors:
        if problem.entry not in kept:
            by_tool.setdefault(problem.entry or problem.key, []).append(str(problem))
    for name, reasons in by_tool.items():
        yield Problem(source=source, name=name or "the file", reason=" ".join(reasons))


def _notes(loaded: Loaded, kept: Mapping[str, HttpDefinition]) -> Iterator[str]:
    for problem in loaded.problems:
        if problem.level is not Level.ERROR:
            yield str(problem)
        elif problem.entry in kept:
            yield f"{problem.entry} stays as it was: {problem}"


async def _absent(definitions: list[HttpDefinition], runtime: HttpRuntime) -> AsyncIterator[str]:
    """Secrets that have no value now: their tools cannot be called before they have one."""
    needing: dict[str, list[str]] = {}
    for one in definitions:
        for name in secret_names(one):
            needing.setdefault(name, []).append(one.name)
    for name, tools in needing.items():
        if await runtime.secrets.get(name) is None:
            yield f"{_some(tools)} {'needs' if len(tools) == 1 else 'need'} the secret {name!r}, which is not set"


def _unreachable(definitions: list[HttpDefinition], policy: EgressPolicy) -> Iterator[str]:
    """Addresses that the guard will refuse, as far as that can be known without a look-up."""
    at: dict[tuple[str, str], list[str]] = {}
    for one in definitions:
        scheme, _, rest = one.request.url.partition("?")[0].partition("://")
        host = rest.partition("/")[0]
        if "{{" not in host:
            at.setdefault((f"{scheme}://{host}/", "address"), []).append(one.name)
        for auth in one.request.auth:
            if auth.token_url:
                at.setdefault((auth.token_url, "address of tokens"), []).append(one.name)
    for (address, what), tools in at.items():
        try:
            policy.admit(parse(address))
        except RefusedRequestError as error:
            hint = "allow it under [http], for example with origins"
            whose = "its" if len(tools) == 1 else "their"
            yield f"{_some(tools)} cannot reach {whose} {what}: {error.detail}; {hint}"


def _some(tools: list[str]) -> str:
    """Tools by name: all of a few, else the first and how many more."""
    if len(tools) <= _NAMED:
        return " and ".join(filter(None, (", ".join(tools[:-1]), tools[-1])))
    return f"{', '.join(tools[: _NAMED - 1])} and {len(tools) - _NAMED + 1} more"


def _by_glob(setting: T | Mapping[str, T], name: str) -> T | None:
    """The setting for a name: of a mapping from globs, the first that matches."""
    if not isinstance(setting, Mapping):
        return setting
    return next((value for glob, value in setting.items() if Glob(glob).matches(name)), None)
