"""Asking the person at the terminal whether a call may run."""

from __future__ import annotations

import asyncio
import os
import sys
from typing import Final

from pegboard.approval import ApprovalRequest, Approver
from pegboard.cli.output import Output
from pegboard.cli.visible import json_text, one_line

SHOWN_CHARS: Final = 2_000
"""Of the arguments, so that what is asked still stands on the screen."""

_YES: Final = frozenset({"y", "yes"})
_LINE_BYTES: Final = 1_024


async def agreed(request: ApprovalRequest) -> bool:
    """Let every call run: the person has said so beforehand, with ``--yes``."""
    return True


class Person:
    """Asks on the terminal. Lives as long as one command.

    The question shows what would run: the tool, its source, its tier, what the tool says of the call, and the
    arguments, with every control character visible. Anything but ``y`` or ``yes`` is a no, and so is the end of the
    input. Calls that ask at the same time are asked about one after the other.
    """

    def __init__(self, output: Output) -> None:
        self._output = output
        self._turn = asyncio.Lock()

    async def __call__(self, request: ApprovalRequest) -> bool:
        """Whether the person says yes."""
        async with self._turn:
            return await self._asked(request)

    async def _asked(self, request: ApprovalRequest) -> bool:
        text = json_text(request.arguments)
        rest = len(text) - SHOWN_CHARS
        shown = f"{text[:SHOWN_CHARS]}\n... and {rest} characters more" if rest > 0 else text
        because = f" {one_line(request.reason)}" if request.reason else ""
        self._output.ask(
            f"{request.tool.name} of {request.tool.source} needs approval ({request.tier}).{because} "
            f"Its arguments:\n{shown}\nCall it? [y/N] "
        )
        return (await _line()).strip().lower() in _YES


def approver(output: Output, *, yes: bool) -> Approver | None:
    """Who is asked about calls; None when nobody can be."""
    if yes:
        return agreed
    return Person(output) if sys.stdin.isatty() and sys.stderr.isatty() else None


async def _line() -> str:
    """What is typed next. The loop runs on meanwhile, so that Ctrl-C ends the waiting."""
    descriptor, loop = sys.stdin.fileno(), asyncio.get_running_loop()
    ready = asyncio.Event()
    try:
        loop.add_reader(descriptor, ready.set)
    except NotImplementedError:  # a system on which only sockets can be waited for
        return await asyncio.to_thread(sys.stdin.readline)
    try:
        await ready.wait()
    finally:
        loop.remove_reader(descriptor)
    # A terminal hands over a line at a time.
    return os.read(descriptor, _LINE_BYTES).decode(sys.stdin.encoding or "utf-8", "replace")
