"""Processes that share one file of boards: ``python -m tests.stores.children WHAT FILE``, a report in JSON on stdout.

    opening   several processes open a file that is not there, at the same moment
    racing    several processes commit to one board at once
    killing   processes are killed with SIGKILL while they commit, again and again

The processes are forked from one that has everything loaded, so that their time goes into what is tested. That one has
no event loop and no threads while it forks.
"""

from __future__ import annotations

import asyncio
import json
import os
import random
import signal
import sys
import time
from collections.abc import Callable, Coroutine, Iterator
from pathlib import Path
from typing import Any, Final, NoReturn

import aiosqlite  # noqa: F401
import alembic.command  # noqa: F401
import sqlalchemy.ext.asyncio  # noqa: F401

import pegboard.stores.board_rows
import pegboard.stores.schema  # noqa: F401
from pegboard import Pegboard
from pegboard.pins import PinRecord
from pegboard.stores import SqlPinStore
from tests.stores.places import board_of, peg_over
from tests.support import make

PROCESSES: Final = 4
COMMITS: Final = 25
KILLS: Final = 200
KILLS_A_BOARD: Final = 20
COMMITS_A_LIFE: Final = 8
SEED: Final = 20

Work = Callable[[int], Coroutine[Any, Any, None]]


class Child:
    """A forked process. Lives until ``wait``. ``said`` are the whole lines that it has written, read to its end."""

    def __init__(self, work: Work) -> None:
        self._reading, writing = os.pipe()
        self.pid = os.fork()
        if not self.pid:
            os.close(self._reading)
            _run(work, writing)
        os.close(writing)

    def kill(self) -> None:
        """End it as nothing can be that it notices."""
        os.kill(self.pid, signal.SIGKILL)

    def first_line(self) -> None:
        """Wait until it has said something."""
        self._began = os.read(self._reading, 65_536)

    def wait(self) -> list[str]:
        """Wait for its end; what it said."""
        parts = [getattr(self, "_began", b"")]
        while part := os.read(self._reading, 65_536):
            parts.append(part)
        os.close(self._reading)
        _, status = os.waitpid(self.pid, 0)
        self.code = os.waitstatus_to_exitcode(status)
        return b"".join(parts).decode().split("\n")[:-1]


def _run(work: Work, writing: int) -> NoReturn:
    code = 1
    try:
        asyncio.run(work(writing))
        code = 0
    except BaseException as error:
        print(f"{type(error).__name__}: {error}", file=sys.stderr)
    finally:
        os._exit(code)


def say(writing: int, word: str) -> None:
    """One line in one write, which a pipe takes whole or not at all."""
    os.write(writing, f"{word}\n".encode())


async def saved(file: Path, board_id: str) -> PinRecord:
    """The record as another process finds it."""
    store = SqlPinStore(file)
    try:
        found = await store.load(board_id)
    finally:
        await store.close()
    assert found is not None
    assert not store.status().set_aside, store.status().set_aside
    return found


async def fresh_board(peg: Pegboard) -> str:
    async with peg:
        board = await board_of(peg)
        await board.commit()
        return board.id


def opening(file: Path) -> dict[str, Any]:
    """Several processes make, migrate and use the same new file."""
    until = time.monotonic() + 0.2

    def work(number: int) -> Work:
        async def run(writing: int) -> None:
            time.sleep(max(0, until - time.monotonic()))
            async with peg_over(file, make("a")) as peg:
                board = await board_of(peg)
                board.pin("a")
                await board.commit()
                say(writing, board.id)

        return run

    children = [Child(work(number)) for number in range(PROCESSES)]
    ids = [line for child in children for line in child.wait()]
    records = [asyncio.run(saved(file, board_id)) for board_id in ids]
    return {
        "codes": [child.code for child in children],
        "pins": [[slot.name for slot in record.slots] for record in records],
    }


def racing(file: Path) -> dict[str, Any]:
    """Several processes pin on one board, each tool with a commit of its own."""
    tools = [make(f"t{n}_{i}") for n in range(PROCESSES) for i in range(COMMITS)]
    board_id = asyncio.run(fresh_board(peg_over(file, *tools)))
    until = time.monotonic() + 0.2

    def work(number: int) -> Work:
        async def run(writing: int) -> None:
            async with peg_over(file, *tools) as peg:
                board = await board_of(peg, board_id)
                time.sleep(max(0, until - time.monotonic()))
                for i in range(COMMITS):
                    board.pin(f"t{number}_{i}")
                    diff = await board.commit()
                    assert f"t{number}_{i}" in diff.added
                    say(writing, f"t{number}_{i}")

        return run

    children = [Child(work(number)) for number in range(PROCESSES)]
    said = [child.wait() for child in children]
    record = asyncio.run(saved(file, board_id))
    return {
        "codes": [child.code for child in children],
        "said": said,
        "generation": record.generation,
        "pins": [slot.name for slot in record.slots],
    }


def killing(file: Path) -> dict[str, Any]:
    """Lives that end in the middle of a commit, every second one beside another process that commits undisturbed."""
    draw = random.Random(SEED)
    lives = [f"{who}{kill}" for who in "kp" for kill in range(KILLS_A_BOARD)]
    peg = peg_over(file, *(make(f"{life}_{i}") for life in lives for i in range(COMMITS_A_LIFE)))
    assert len(peg.catalog) == len(lives) * COMMITS_A_LIFE  # made once, before the forks
    board_id = ""
    known: list[str] = []
    totals = {"kills": 0, "cut": 0, "acknowledged": 0, "unacknowledged": 0}

    def life(who: str, kill: int, board: str) -> Work:
        async def run(writing: int) -> None:
            mine = await board_of(peg, board)
            say(writing, "open")
            for i in range(COMMITS_A_LIFE):
                mine.pin(f"{who}{kill}_{i}")
                await mine.commit()
                say(writing, f"{who}{kill}_{i}")
            if who == "k":
                time.sleep(60)
            await peg.stop()

        return run

    span = 0.02
    for kill in range(KILLS):
        number = kill % KILLS_A_BOARD
        if not number:
            board_id, known = asyncio.run(fresh_board(peg)), []
        victim = Child(life("k", number, board_id))
        partner = Child(life("p", number, board_id)) if kill % 2 else None
        victim.first_line()
        time.sleep(draw.uniform(0, span))
        victim.kill()
        said = [*victim.wait()[1:], *(partner.wait()[1:] if partner else [])]
        assert partner is None or partner.code == 0, "the undisturbed process failed"
        totals["kills"] += victim.code == -signal.SIGKILL
        whole = f"k{number}_{COMMITS_A_LIFE - 1}" in said
        totals["cut"] += not whole
        # On a slow machine lives last longer: most shall end in the middle.
        span *= 0.8 if whole else 1.05
        record = asyncio.run(saved(file, board_id))
        found = [slot.name for slot in record.slots]
        check(record, found, known, said, number)
        totals["acknowledged"] += len(said)
        totals["unacknowledged"] += len(found) - len(known) - len(said)
        known = found
    return totals


def check(record: PinRecord, found: list[str], known: list[str], said: list[str], kill: int) -> None:
    """Everything acknowledged is there, nothing is there twice or half, and the order is that of the commits."""
    assert found[: len(known)] == known, f"kill {kill}: what was saved before has changed"
    new = found[len(known) :]
    assert set(said) <= set(new), f"kill {kill}: acknowledged and lost: {set(said) - set(new)}"
    assert len(set(found)) == len(found), f"kill {kill}: saved twice"
    for who in "kp":
        mine = [name for name in new if name.startswith(f"{who}{kill}_")]
        assert mine == [f"{who}{kill}_{i}" for i in range(len(mine))], f"kill {kill}: out of order: {mine}"
        acknowledged = [name for name in said if name.startswith(who)]
        assert len(mine) - len(acknowledged) in ((0, 1) if who == "k" else (0,)), f"kill {kill}: {mine}, {acknowledged}"
    assert record.generation == 1 + len(found), f"kill {kill}: generation {record.generation} of {len(found)} commits"
    assert list(_states(record)) == ["active"] * len(found)


def _states(record: PinRecord) -> Iterator[str]:
    return (str(slot.state) for slot in record.slots)


if __name__ == "__main__":
    report = {"opening": opening, "racing": racing, "killing": killing}[sys.argv[1]](Path(sys.argv[2]))
    print(json.dumps(report))
