"""Where boards are kept between boundaries: what a store promises, its in-memory twin, and what is told of it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal, Protocol, runtime_checkable

from pegboard.pins import PinRecord
from pegboard.tools import JsonObject


class PinStore(Protocol):
    """Keeps records by board id. Process-wide, or wider: several processes may use what is behind it.

    ``load`` gives None for a board that never saved, which is not the same as a record without pins. ``save`` is a
    compare-and-swap: it stores ``record`` only when the stored generation is ``record.generation - 1``, where nothing
    stored counts as 0, and answers whether it did. ``delete`` of a board that is not there does nothing. All three
    raise StoreError; ``pegboard.testing`` has the checks that every store passes.
    """

    async def load(self, board_id: str) -> PinRecord | None: ...

    async def save(self, board_id: str, record: PinRecord) -> bool: ...

    async def delete(self, board_id: str) -> None: ...


@dataclass(frozen=True, kw_only=True)
class SetAside:
    """Something that a store could not read and put out of the way. Immutable. Nothing of it is lost.

    ``what`` it is and what is wrong with it, ``where`` it lies now, and ``mend``: what can be done.
    """

    what: str
    where: str
    mend: str

    def to_json(self) -> JsonObject:
        """As a JSON object."""
        return {"what": self.what, "where": self.where, "mend": self.mend}


@dataclass(frozen=True, kw_only=True)
class StoreStatus:
    """How a store was doing when it was last used. Immutable.

    ``idle``: nothing has needed it yet. ``failed``: the ``reason`` says what went wrong, where, and how to mend it.
    ``boards`` is how many it held, None where that is not known.
    """

    kind: str
    where: str = ""
    state: Literal["idle", "ready", "failed"] = "ready"
    boards: int | None = None
    reason: str = ""
    set_aside: tuple[SetAside, ...] = ()

    def to_json(self) -> JsonObject:
        """As a JSON object, without what there is nothing to say of."""
        told: dict[str, Any] = {"kind": self.kind, "where": self.where, "state": self.state, "boards": self.boards}
        told |= {"reason": self.reason, "set_aside": [one.to_json() for one in self.set_aside]}
        return {key: value for key, value in told.items() if value not in ("", None, [])}


@runtime_checkable
class ManagedStore(PinStore, Protocol):
    """A store that holds files or connections, and can say how it is doing. Process-wide.

    It opens what it needs on first use. ``look`` looks now, and makes nothing; ``status`` tells what is known without
    looking; neither raises. ``close`` lets go of everything; what is used afterwards opens again.
    """

    async def look(self) -> StoreStatus: ...

    def status(self) -> StoreStatus: ...

    async def close(self) -> None: ...


class MemoryPinStore:
    """The in-memory twin of every pin store. Process-wide; forgets everything when the process ends."""

    def __init__(self) -> None:
        self._records: dict[str, PinRecord] = {}

    async def load(self, board_id: str) -> PinRecord | None:
        """The record, or None for a board that never saved."""
        return self._records.get(board_id)

    async def save(self, board_id: str, record: PinRecord) -> bool:
        """Store ``record`` if it follows the one that is stored."""
        stored = self._records.get(board_id)
        if (stored.generation if stored else 0) != record.generation - 1:
            return False
        self._records[board_id] = record
        return True

    async def delete(self, board_id: str) -> None:
        """Forget a board."""
        self._records.pop(board_id, None)


def status_of(store: PinStore) -> StoreStatus:
    """How a store is doing, as far as it says."""
    if isinstance(store, ManagedStore):
        return store.status()
    return StoreStatus(kind="memory" if type(store) is MemoryPinStore else type(store).__name__)
