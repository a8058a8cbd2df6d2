"""Every store of ours does what stores must; and a store that does not is found out."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from pegboard import MemoryPinStore, PinStore
from pegboard.pins import PinRecord
from pegboard.stores import SqlPinStore
from pegboard.testing import PIN_STORE_CONTRACT, BrokenContractError
from pegboard.testing.pin_store_contract import Check

pytestmark = pytest.mark.anyio

each_check = pytest.mark.parametrize("check", PIN_STORE_CONTRACT, ids=lambda check: check.__name__)


@each_check
async def test_memory_keeps_the_contract(check: Check) -> None:
    store = MemoryPinStore()
    await check(lambda: store)


@each_check
async def test_sqlite_keeps_the_contract(check: Check, tmp_path: Path) -> None:
    await check(lambda: SqlPinStore(tmp_path / "boards.sqlite3"))


class Overwriting(MemoryPinStore):
    async def save(self, board_id: str, record: PinRecord) -> bool:
        self._records[board_id] = record
        return True


class Sorting(MemoryPinStore):
    async def save(self, board_id: str, record: PinRecord) -> bool:
        slots = tuple(replace(slot, shown=dict(sorted(slot.shown.items()))) for slot in record.slots)
        return await super().save(board_id, replace(record, slots=slots))


class Forgetful(MemoryPinStore):
    async def load(self, board_id: str) -> PinRecord | None:
        found = await super().load(board_id)
        return found if found is None or found.slots else None


class Resurrecting(MemoryPinStore):
    async def delete(self, board_id: str) -> None:
        if board_id in self._records:
            self._records[board_id] = PinRecord(generation=1)


class Folding(MemoryPinStore):
    async def load(self, board_id: str) -> PinRecord | None:
        return await super().load(board_id.lower())

    async def save(self, board_id: str, record: PinRecord) -> bool:
        return await super().save(board_id.lower(), record)


@pytest.mark.parametrize("broken", [Overwriting, Sorting, Forgetful, Resurrecting, Folding])
async def test_a_store_that_breaks_a_promise_is_told_which(broken: Callable[[], PinStore]) -> None:
    told = []
    for check in PIN_STORE_CONTRACT:
        store = broken()
        try:
            await check(lambda store=store: store)  # type: ignore[misc]
        except BrokenContractError as error:
            told.append(str(error))
    assert told
