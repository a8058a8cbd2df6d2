"""The product as one case sees it: configuration, a Pegboard, boards, and whatever stands around them."""

from __future__ import annotations

import json
import logging
import resource
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractAsyncContextManager, AsyncExitStack
from pathlib import Path
from typing import Any, Final, TypeVar

from pegboard.auth import Principal
from pegboard.board import Board
from pegboard.config import load
from pegboard.config.wire import build, store_of
from pegboard.metatools import META_TOOLS
from pegboard.net.client import HttpClient
from pegboard.peg import Pegboard
from pegboard.receipts import Receipt
from pegboard.registry import Source, SourceStatus, ToolRegistry
from pegboard.skills.catalog import SkillCatalog
from tests.runners.cases.answer import Answer
from tests.runners.cases.case import Case, Step
from tests.runners.cases.client import LineClient, beside
from tests.runners.cases.command import CommandDoor
from tests.runners.cases.configuration import Configuration
from tests.runners.cases.local import GlobPolicy
from tests.runners.cases.servers import HttpServer, Message, messages

Entered = TypeVar("Entered")

READY_SECONDS: Final = 3.0
"""How long a step waits for upstreams that have neither come nor failed; those that come later are there later."""


class LocalSource:
    """The case's own catalog as a source. Lives as long as the case."""

    name = "local"

    def __init__(self, registry: ToolRegistry) -> None:
        self.registry = registry

    async def start(self) -> None:
        """Nothing has to be started."""

    async def ready(self) -> None:
        """It is ready from the first."""

    async def stop(self) -> None:
        """Nothing has to be stopped."""

    def status(self) -> SourceStatus:
        """Always ready."""
        return SourceStatus(name=self.name, kind="python", state="ready", tools=len(self.registry.tools()))


class World:
    """What a case has set up and what happened to it. Lives as long as the case; ``close`` ends all that it started.

    The Pegboard is built of ``pegboard.toml`` as a command would build it; a policy, which no file can say yet, is
    given in Python. It is built when first needed, and anew after a further step has set something up.
    """

    def __init__(self, case: Case, folder: Path, ports: list[int]) -> None:
        self.case = case
        self.folder = folder
        self.ports = ports
        self.configuration = Configuration(folder)
        self.local = ToolRegistry("local")
        self.policy: GlobPolicy | None = None
        self.catalog: Path | None = None
        """The file of tools that is in ``local``."""
        self.called: list[tuple[str, dict[str, Any]]] = []
        self.receipts: list[Receipt] = []
        self.labels: dict[str, Answer] = {}
        self.answers: list[Answer] = []
        self.log_marks: dict[str, int] = {}
        self.http: list[HttpServer] = []
        self.beside: list[HttpServer] = []
        """Upstreams over HTTP: what they got counts as no request of a tool."""
        self.address = ""
        """Where the gateway is served over HTTP; empty where it is not."""
        self.wire_sessions: dict[str, str] = {}
        """The ids of sessions with it, by the names that the case gives them."""
        self.reach_is_told = False
        """Whether a step has said what may be reached."""
        self.http_client: Callable[[], HttpClient] = HttpClient
        self.document: Path | None = None
        """The OpenAPI document whose operations are tools."""
        self.body_given: Any = None
        """The body among the arguments of the newest call."""
        self.report = ""
        """What its import has told."""
        self.operations: dict[tuple[str, str], str] = {}
        """The names of the tools of the document before, by method and address."""
        self.memory_mark = 0
        self.heard = Heard()
        self.client: LineClient | None = None
        """The client that steps go through from now on; None for boards in this process."""
        self.skills: SkillCatalog | None = None
        self.done: list[Step] = []
        """The steps so far."""
        self.acknowledge: Callable[[str], None] = lambda word: None
        """Told of every commit of a loop of commits, once it is acknowledged."""
        self._names: dict[str, tuple[str, str]] = {}
        self._saved: set[str] = set()
        self._requests_mark: dict[int, int] = {}
        self._peg: Pegboard | None = None
        self._outdated = True
        self._wires: dict[str | None, LineClient] = {}
        self._connections = AsyncExitStack()
        self._boards: dict[tuple[str | None, str | None], Board] = {}
        self.sessions: dict[str, str] = {}
        """The ids of the boards that sessions stand for."""

    def changed(self) -> None:
        """Something was set up: what was built is out of date."""
        self._outdated = True

    async def peg(self) -> Pegboard:
        """The Pegboard, started, its sources ready or waited for long enough."""
        if self._peg is None or self._outdated:
            await self._stop()
            self._peg = self._built()
            self._outdated = False
            if self.policy is None:
                await self._peg.add_source(LocalSource(self.local))
            self._peg.on_boundary(self._saved.add)
            await self._peg.start()
            await self._peg.ready(READY_SECONDS)
        return self._peg

    def _built(self) -> Pegboard:
        settings = load(self.configuration.write(), strict=True).settings
        if self.policy is not None:
            return Pegboard(
                [self.local],
                policy=self.policy,
                limits=settings.limits,
                receipts=self,
                store=store_of(settings),
                skills=self.skills,
            )
        wired = build(settings, http_client=self.http_client)
        for problem in wired.problems:
            self.heard.lines.append(str(problem))
        return wired.peg

    def write(self, receipt: Receipt) -> None:
        """Keep a receipt: the world is its Pegboard's sink."""
        self.receipts.append(receipt)

    async def board(self, step: Step) -> Board:
        """The board of the step's session and principal. Raises BoardError for somebody else's."""
        peg = await self.peg()
        who, session = step.get("as"), step.get("session")
        key = (session, who)
        if key not in self._boards:
            known = self.sessions.get(session) if session else None
            self._boards[key] = await peg.open(principal_of(step), board_id=known)
            if session:
                self.sessions.setdefault(session, self._boards[key].id)
        return self._boards[key]

    async def reopened(self, step: Step) -> Board:
        """The board of the step's session, opened again."""
        self._boards.pop((step.get("session"), step.get("as")), None)
        return await self.board(step)

    def know(self, sessions: dict[str, str]) -> None:
        """Take over the boards of another world, which has saved them."""
        self.sessions |= sessions
        self._saved |= {*sessions.values()}

    async def restart(self) -> None:
        """End the Pegboard, as the end of its process would; the next step begins with another one."""
        await self._stop()

    async def wire(self, step: Step) -> LineClient:
        """A client of the gateway for the step's principal; the client of all steps where one is connected."""
        if self.client is not None:
            return self.client
        peg, who = await self.peg(), step.get("as")
        if who not in self._wires:
            self._wires[who] = await self._connections.enter_async_context(beside(peg, principal_of(step)))
        return self._wires[who]

    def command(self, step: Step) -> CommandDoor:
        """The command line, for the step's principal."""
        return CommandDoor(
            self.configuration,
            catalog=self.catalog,
            rights=self.policy.told if self.policy else None,
            who=step.get("as"),
            called=lambda name, arguments: self.called.append((name, arguments)),
            heard=self.heard.lines,
        )

    async def connect(self, connection: AbstractAsyncContextManager[LineClient]) -> None:
        """Have every further step go through this connection."""
        self.client = await self._connections.enter_async_context(connection)

    async def enter(self, context: AbstractAsyncContextManager[Entered]) -> Entered:
        """Enter something that lasts as long as the Pegboard that runs now."""
        return await self._connections.enter_async_context(context)

    @property
    def sources(self) -> Sequence[Source]:
        """The sources of the Pegboard that runs now."""
        return self._peg.sources if self._peg else ()

    @property
    def everything(self) -> list[str]:
        """The shown names of all tools."""
        return [tool.name for tool in self._peg.catalog.all()] if self._peg else []

    def shown(self, tool: str, source: str | None = None) -> str:
        """The name under which a tool of this bare name is, or was, shown; the name itself when there was none."""
        self._look()
        fitting = [name for name, known in self._names.items() if known[0] == tool and source in (None, known[1])]
        there = [name for name in fitting if self._peg is not None and self._peg.catalog.get(name) is not None]
        return (there or fitting or [tool])[0]

    def bare(self, name: str) -> str:
        """What its source calls, or called, the tool that is shown under this name."""
        self._look()
        return self._names[name][0] if name in self._names else name

    def _look(self) -> None:
        """Keep the names that the catalog has now: they are asked for when it has lost them too."""
        for held in self._peg.catalog.all() if self._peg else ():
            self._names[held.name] = held.bare_name, held.source

    def without_meta(self, items: Any) -> list[Any]:
        """Definitions without those of the meta-tools."""
        return [item for item in items if item["name"] not in META_TOOLS]

    def upstream_log(self, name: str) -> Path:
        """Where a scripted upstream writes what it received."""
        return self.folder / f"{name}.log.jsonl"

    def announces(self, tool: str) -> bool:
        """Whether a scripted upstream tells of another list after a call of this tool."""
        scripts = [step["script"] for step in self.case.steps if step["do"] == "upstream" and "script" in step]
        told = (json.loads((self.folder / script).read_bytes()) for script in dict.fromkeys(scripts))
        return any(script.get("after_call", {}).get(tool, {}).get("notify") for script in told)

    def received(self, name: str) -> list[Message]:
        """What an upstream received since the step began."""
        return messages(self.upstream_log(name))[self.log_marks.get(name, 0) :]

    def mark_logs(self) -> None:
        """A step begins: what is in the logs now belongs to earlier ones."""
        self.log_marks = {name: len(messages(self.upstream_log(name))) for name in self.configuration.upstreams}
        self._requests_mark = {id(server): len(server.requests) for server in self.http}
        self.memory_mark = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss

    def requests_of_step(self) -> list[Message]:
        """What the scripted HTTP servers got since the step began."""
        return [one for server in self.http for one in server.requests[self._requests_mark.get(id(server), 0) :]]

    @property
    def all_text(self) -> Iterator[str]:
        """Everything that anybody could read of the case so far."""
        yield from (answer.all_text for answer in self.answers)
        yield from self.heard.lines

    async def close(self) -> None:
        """End everything."""
        await self._stop()
        for server in (*self.http, *self.beside):
            server.close()

    async def _stop(self) -> None:
        self.client = None
        self._wires.clear()
        await self._connections.aclose()
        self._look()
        self._boards.clear()
        # What was never saved is gone with the process: such a session begins anew.
        self.sessions = {session: board for session, board in self.sessions.items() if board in self._saved}
        if self._peg is not None:
            await self._peg.stop()
            self._peg = None


def principal_of(step: Step) -> Principal | None:
    """Whom a step is done for."""
    return Principal(id=step["as"], issuer="case") if step.get("as") else None


class Heard(logging.Handler):
    """Keeps every log record as text. Lives as long as the case."""

    def __init__(self) -> None:
        super().__init__(logging.DEBUG)
        self.lines: list[str] = []
        self.setFormatter(logging.Formatter("%(name)s %(levelname)s %(message)s"))

    def emit(self, record: logging.LogRecord) -> None:
        """Keep one."""
        self.lines.append(self.format(record))
