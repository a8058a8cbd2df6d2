"""One server process and its three pipes."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from typing import Final, cast

from pegboard.errors import UpstreamError
from pegboard.lines import LineSplitter, LongLine
from pegboard.sources.mcp.launch import Launch
from pegboard.sources.mcp.noise import Hide, LastWords
from pegboard.sources.mcp.process_group import end_group, group_lives, group_options

logger = logging.getLogger(__name__)

LINGER: Final = 0.5
"""Seconds given to the other pipes and to the exit code once the first sign of the end has come."""

CLOSE_WAIT: Final = 2.0
"""Seconds for a server to leave by itself once its stdin is closed: the first step of MCP's shutdown."""

UNHEARD_WAIT: Final = 0.2
"""The same for a server that has said nothing yet: it is still starting, and does not even read its input."""

TERM_WAIT: Final = 2.0
"""Seconds between SIGTERM and SIGKILL."""

REAP_WAIT: Final = 2.0
"""Seconds for the event loop to see a killed process end."""

_STDIN, _STDOUT, _STDERR = 0, 1, 2
_STDERR_LINE: Final = 64 * 1024


class ServerProcess(asyncio.SubprocessProtocol):
    """A server process that leads its own group. Lives from ``spawn`` until ``close`` has returned.

    ``on_output`` gets every chunk of stdout. ``on_end`` is called once, when stdout has ended or the process has
    exited: from then on nothing more will come. stderr is drained; its last lines are kept in ``last_words``.
    """

    # The event loop's own Process is not used: its wait() waits for the pipes too, and a grandchild that holds one
    # open would make a server that has exited look alive.

    def __init__(
        self, name: str, on_output: Callable[[bytes], None], on_end: Callable[[], None], hide: Hide = str
    ) -> None:
        self.last_words = LastWords(hide)
        self._name = name
        self._on_output = on_output
        self._on_end = on_end
        self._stderr = LineSplitter(_STDERR_LINE)
        self._transport: asyncio.SubprocessTransport | None = None
        self._lost: set[int] = set()
        self._exited = asyncio.Event()
        self._over = asyncio.Event()
        self._timer: asyncio.TimerHandle | None = None
        self._writable = asyncio.Event()
        self._writable.set()

    @classmethod
    async def spawn(
        cls,
        name: str,
        launch: Launch,
        on_output: Callable[[bytes], None],
        on_end: Callable[[], None],
        hide: Hide = str,
    ) -> ServerProcess:
        """Start a process. Raises UpstreamError when the operating system refuses."""
        loop = asyncio.get_running_loop()
        try:
            _, protocol = await loop.subprocess_exec(
                lambda: cls(name, on_output, on_end, hide),
                *launch.argv,
                env=dict(launch.env),
                cwd=launch.cwd,
                **group_options(),
            )
        except (OSError, ValueError) as error:
            raise UpstreamError(
                f"Upstream {name!r} cannot be started: {_why(error)}.",
                hint="Check the command; a script needs the interpreter that its first line names.",
                data={"source": name},
            ) from error
        return protocol

    @property
    def pid(self) -> int:
        """The process id, and the id of its group."""
        return self._pipes.get_pid()

    @property
    def returncode(self) -> int | None:
        """The exit code; minus the signal's number when a signal ended it; None while it runs."""
        return self._pipes.get_returncode()

    @property
    def ended(self) -> bool:
        """Whether ``on_end`` has been called."""
        return self._over.is_set()

    async def until_ended(self) -> None:
        """Wait until ``on_end`` has been called."""
        await self._over.wait()

    def write(self, data: bytes) -> bool:
        """Put bytes on the way to stdin. False when the process has ended, or reads no more."""
        pipe = self._pipe(_STDIN)
        if self.ended or _STDIN in self._lost or pipe is None or pipe.is_closing():
            return False
        cast(asyncio.WriteTransport, pipe).write(data)
        return True

    async def room(self) -> None:
        """Wait until stdin takes more; returns when the process ends, too."""
        while not self._writable.is_set():
            await self._writable.wait()

    def hold_output(self, hold: bool) -> None:
        """Stop reading stdout, or go on: the pipe fills up and the server waits."""
        pipe = self._pipe(_STDOUT)
        if pipe is None or pipe.is_closing():
            return
        reader = cast(asyncio.ReadTransport, pipe)
        if hold:
            reader.pause_reading()
        else:
            reader.resume_reading()

    async def close(self, wait: float = CLOSE_WAIT) -> None:
        """End the process and its group: close stdin, wait, SIGTERM, wait, SIGKILL. Takes six seconds at most.

        ``wait`` is the seconds that it has to leave by itself. When cancelled meanwhile it goes straight to SIGKILL.
        """
        try:
            await self._wind_down(wait)
        except asyncio.CancelledError:
            end_group(self.pid, force=True)
            await self._exits_within(REAP_WAIT)
            raise
        finally:
            self._end()
            self._pipes.close()

    async def _wind_down(self, wait: float) -> None:
        if (stdin := self._pipe(_STDIN)) is not None:
            stdin.close()
        if not await self._exits_within(wait):
            end_group(self.pid, force=False)
            if not await self._exits_within(TERM_WAIT):
                end_group(self.pid, force=True)
                if not await self._exits_within(REAP_WAIT):
                    logger.warning("process %d of upstream %r outlived SIGKILL; it is left alone", self.pid, self._name)
                return
        await self._end_stragglers()

    async def _end_stragglers(self) -> None:
        """End what the server itself started and left behind."""
        if not group_lives(self.pid):
            return
        end_group(self.pid, force=False)
        for _ in range(20):
            await asyncio.sleep(TERM_WAIT / 20)
            if not group_lives(self.pid):
                return
        end_group(self.pid, force=True)

    async def _exits_within(self, seconds: float) -> bool:
        try:
            async with asyncio.timeout(seconds):
                await self._exited.wait()
        except TimeoutError:
            return False
        return True

    @property
    def _pipes(self) -> asyncio.SubprocessTransport:
        if self._transport is None:
            raise RuntimeError("the process was not started")
        return self._transport

    def _pipe(self, fd: int) -> asyncio.BaseTransport | None:
        return self._pipes.get_pipe_transport(fd)

    # What follows is called by the event loop.

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """The process runs."""
        self._transport = cast(asyncio.SubprocessTransport, transport)

    def pipe_data_received(self, fd: int, data: bytes) -> None:
        """A chunk of stdout or stderr has come."""
        if fd == _STDOUT:
            self._on_output(data)
        else:
            self._hear(self._stderr.feed(data))

    def pipe_connection_lost(self, fd: int, exc: Exception | None) -> None:
        """A pipe was closed by the other side."""
        self._lost.add(fd)
        if fd == _STDERR:
            self._hear(self._stderr.finish())
        self._look_for_end()

    def process_exited(self) -> None:
        """The exit code is known."""
        self._exited.set()
        self._look_for_end()

    def pause_writing(self) -> None:
        """The pipe to stdin is full."""
        self._writable.clear()

    def resume_writing(self) -> None:
        """The pipe to stdin takes more."""
        self._writable.set()

    def _look_for_end(self) -> None:
        if self.ended:
            return
        if self._exited.is_set() and {_STDOUT, _STDERR} <= self._lost:
            self._end()
        elif self._timer is None and (self._exited.is_set() or self._lost & {_STDIN, _STDOUT}):
            self._timer = asyncio.get_running_loop().call_later(LINGER, self._end)

    def _end(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
        self._writable.set()
        if not self.ended:
            self._over.set()
            self._on_end()

    def _hear(self, lines: list[bytes | bytearray | LongLine]) -> None:
        for line in lines:
            text = self.last_words.heard(line.head if isinstance(line, LongLine) else line)
            if text:
                logger.debug("%s: %s", self._name, text)


def _why(error: Exception) -> str:
    return error.strerror or str(error) if isinstance(error, OSError) else str(error)


def exit_words(returncode: int | None) -> str:
    """``ended with exit code 3``, ``was ended by signal 9``, or ``closed its output`` while it still runs."""
    if returncode is None:
        return "closed its end of the pipes"
    return f"ended with exit code {returncode}" if returncode >= 0 else f"was ended by signal {-returncode}"
