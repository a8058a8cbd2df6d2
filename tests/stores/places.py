"""Boards over a SQLite file, and what a test does to the file behind the store's back."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

from pegboard import Board, Pegboard, Principal, Tool
from pegboard.pins import PinRecord, PinState, Slot
from pegboard.stores import SqlPinStore
from tests.support import make, registry_of

BARE = {"bare": ()}


def peg_over(file: Path, *tools: Tool, **options: Any) -> Pegboard:
    """A Pegboard that keeps boards in the file, with a profile without meta-tools."""
    return Pegboard([registry_of(*tools)], store=SqlPinStore(file, **options), profiles=BARE)


async def board_of(peg: Pegboard, board_id: str | None = None, principal: Principal | None = None) -> Board:
    """A board that shows nothing of its own."""
    return await peg.open(principal, board_id, profile="bare")


def some_tools() -> list[Tool]:
    """Three to pin, and one that is always visible."""
    return [make("a", "The first."), make("b", "The second."), make("c"), make("z", always=True)]


def record(generation: int = 1, *names: str, owner: str | None = None) -> PinRecord:
    """A record with active pins."""
    slots = (Slot(name=name, state=PinState.ACTIVE, shown={"name": name}, digest="d") for name in names)
    return PinRecord(owner=owner, generation=generation, slots=tuple(slots))


@contextmanager
def sql(file: Path) -> Iterator[sqlite3.Connection]:
    """The file, opened by another program; what was done is committed at the end."""
    with closing(sqlite3.connect(file, timeout=10)) as connection:
        yield connection
        connection.commit()


def rows(file: Path, statement: str, *values: Any) -> list[Any]:
    """What a statement gives, or did."""
    with sql(file) as connection:
        return connection.execute(statement, values).fetchall()
