"""A case's world in other processes: ``python -m tests.runners.cases.twin CASE FOLDER``, what to do in JSON on stdin.

``before`` are the steps to set the world up with, ``sessions`` the boards there are, by session. ``side_by_side`` are
steps, each for a process of its own, all at once; or ``step`` is one that is ended with SIGKILL as often as ``kills``
says. The processes are forked from this one once everything is loaded.
"""

from __future__ import annotations

import asyncio
import json
import os
import random
import signal
import sys
import time
import traceback
from pathlib import Path
from typing import Any, Final

from pegboard.stores import SqlPinStore
from tests.runners.cases import state
from tests.runners.cases.case import Step, read
from tests.runners.cases.steps import STEPS
from tests.runners.cases.world import World

SEED: Final = 127
SPAN: Final = 0.15
"""Seconds within which a process is killed, counted from its first commit."""


class Twin:
    """A forked process that does one step. Lives until ``wait``."""

    def __init__(self, world: World, step: Step) -> None:
        self._reading, writing = os.pipe()
        self.pid = os.fork()
        if not self.pid:
            # A file that one writes while another reads it would have no boards in it.
            world.configuration.name = f"pegboard.{os.getpid()}.toml"
            world.acknowledge = lambda word: _say(writing, word)
            os._exit(_done(world, step))
        os.close(writing)
        self._said = b""

    def first(self) -> None:
        """Wait until it has done something that it says, or has ended."""
        self._said += os.read(self._reading, 65_536)

    def wait(self) -> tuple[int, list[str]]:
        """Its exit code, and what it has said."""
        while part := os.read(self._reading, 65_536):
            self._said += part
        os.close(self._reading)
        _, status = os.waitpid(self.pid, 0)
        return os.waitstatus_to_exitcode(status), self._said.decode().split("\n")[:-1]


def _say(writing: int, word: str) -> None:
    os.write(writing, f"{word}\n".encode())


def _done(world: World, step: Step) -> int:
    async def run() -> None:
        try:
            await STEPS[step["do"]].run(world, step)
        finally:
            await world.close()

    try:
        asyncio.run(run())
    except BaseException:
        traceback.print_exc()
        return 1
    return 0


def side_by_side(world: World, steps: list[Step]) -> str:
    """Do every step in a process of its own; what went wrong."""
    twins = [Twin(world, step) for step in steps]
    codes = [twin.wait()[0] for twin in twins]
    return f"exit codes are {codes}" if any(codes) else ""


def killed(world: World, step: Step, times: int) -> str:
    """Do a step, and end it in the middle, again and again; what was lost."""
    draw = random.Random(SEED)
    file = world.configuration.store
    board = world.sessions[step["session"]]
    for kill in range(times):
        before = state.records(file)[board].generation
        twin = Twin(world, step)
        twin.first()
        time.sleep(draw.uniform(0, SPAN))
        os.kill(twin.pid, signal.SIGKILL)
        code, said = twin.wait()
        if code != -signal.SIGKILL:
            return f"kill {kill}: it ended by itself, with {code}"
        made = state.records(file)[board].generation - before
        # Each word is a commit; the last one may have been made without a word.
        if state.wrong(file) or made not in (len(said), len(said) + 1):
            return f"kill {kill}: {len(said)} commits were acknowledged, {made} are there. {state.wrong(file)}"
    return ""


async def _set_up(world: World, before: list[Step]) -> None:
    for step in before:
        await STEPS[step["do"]].run(world, step)
    # Everything is loaded here, once.
    store = SqlPinStore(world.configuration.store)
    await store.look()
    await store.close()


def main(case: Path, folder: Path, told: dict[str, Any]) -> int:
    """Do what was told; 0 when nothing went wrong."""
    world = World(read(case), folder, told["ports"])
    world.know(told["sessions"])
    asyncio.run(_set_up(world, told["before"]))
    together = told.get("side_by_side", [])
    wrong = killed(world, told["step"], told["kills"]) if "kills" in told else side_by_side(world, together)
    sys.stderr.write(wrong)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]), Path(sys.argv[2]), json.load(sys.stdin)))
