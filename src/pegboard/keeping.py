"""Keeping a board's record in a store that may fail, and that others write to."""

from __future__ import annotations

import asyncio
import logging
import random
from collections.abc import Awaitable, Callable
from typing import Final, ParamSpec, TypeVar

from pegboard.boundary import Boundary
from pegboard.errors import BoardError, StoreError
from pegboard.handling import cancels
from pegboard.pin_store import PinStore
from pegboard.pins import PinQueue, PinRecord

logger = logging.getLogger(__name__)

_TRIES: Final = 20
_PAUSE: Final = 0.005
_LONGEST_PAUSE: Final = 0.25
"""Seconds at most between the first two tries, doubled with every further one up to the longest."""

_P = ParamSpec("_P")
_T = TypeVar("_T")

Prepare = Callable[[PinRecord, PinQueue], Awaitable[Boundary | None]]
"""The boundary of a record with a queue on top of it; None puts it off."""


class GuardedStore:
    """A store as the core sees it: whatever goes wrong ``behind`` it comes out as StoreError. Process-wide."""

    def __init__(self, store: PinStore) -> None:
        self.behind = store

    async def load(self, board_id: str) -> PinRecord | None:
        """The record, or None for a board that never saved."""
        record = await _translated("load", self.behind.load, board_id)
        # Strangers write stores: what they give is believed only when it is one.
        given: object = record
        if given is not None and not isinstance(given, PinRecord):
            raise StoreError(f"The store gave {type(given).__name__} for a board's record.")
        return record

    async def save(self, board_id: str, record: PinRecord) -> bool:
        """Whether ``record`` followed what was stored, and is stored now. Only a plain True says so."""
        return await _translated("save", self.behind.save, board_id, record) is True

    async def delete(self, board_id: str) -> None:
        """Forget a board."""
        await _translated("forget", self.behind.delete, board_id)


class Keeping:
    """One board's record and the wishes on top of it. Lives as long as its board.

    ``record`` is what the board shows; it changes at a boundary alone, and only once the store has the next one.
    Boundaries take turns.
    """

    def __init__(self, store: GuardedStore, board_id: str, record: PinRecord) -> None:
        self.record = record
        self.queue = PinQueue()
        self._store = store
        self._board_id = board_id
        self._turn = asyncio.Lock()
        self._closed = False

    async def boundary(self, prepare: Prepare) -> Boundary | None:
        """Have ``prepare`` make a boundary, and save it. One that lost a race is made anew on what won.

        What fails, or is cut short, changes nothing here: the queue is kept. It may have been saved all the same; then
        the next boundary finds it saved. Raises StoreError when the store fails or the race is lost 20 times, and
        BoardError when the board was closed or is somebody else's.
        """
        async with self._turn:
            base = self.record
            for tried in range(_TRIES):
                self._refuse_closed()
                queue = self.queue.copy()
                boundary = await prepare(base, queue)
                if boundary is None:
                    return None
                if await self._store.save(self._board_id, boundary.record):
                    self.record = boundary.record
                    self.queue.settle(queue)
                    return boundary
                # Whoever lost waits at random, or the same ones would meet again and one of them lose every time.
                await asyncio.sleep(random.uniform(0, min(_PAUSE * 2**tried, _LONGEST_PAUSE)))  # noqa: S311
                base = await self._newer()
        raise StoreError(f"Board {self._board_id} was changed by others {_TRIES} times in a row.", hint="Commit again.")

    async def close(self) -> None:
        """Forget the board, after the boundary that is being made. There are no more of them."""
        async with self._turn:
            if self.record.generation:
                await self._store.delete(self._board_id)
            self._closed = True

    async def _newer(self) -> PinRecord:
        """What somebody else has saved."""
        stored = await self._store.load(self._board_id)
        if stored is None:
            # Saving it again would open a board that somebody has closed.
            self._closed = self.record.generation > 0
            return self.record
        if stored.owner != self.record.owner:
            raise no_board(self._board_id)
        return stored

    def _refuse_closed(self) -> None:
        if self._closed:
            raise no_board(self._board_id)


def no_board(board_id: str) -> BoardError:
    """The error for a board that does not exist, or is somebody else's: nobody can tell which."""
    return BoardError(f"There is no board {board_id!r}.", hint="Open a new one.")


async def _translated(what: str, do: Callable[_P, Awaitable[_T]], *args: _P.args, **kwargs: _P.kwargs) -> _T:
    """What a store raises is translated here, once."""
    try:
        return await do(*args, **kwargs)
    except StoreError:
        raise
    except (Exception, asyncio.CancelledError) as error:
        if cancels(error):
            raise
        logger.exception("the store could not %s a board", what)
        raise StoreError(
            f"The store could not {what} the board: it failed with {type(error).__name__}.",
            hint="The log has the details. Nothing that was queued is lost.",
        ) from error
