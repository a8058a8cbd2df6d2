"""When the tools of a board were last used, and which pins are pruned for not being used."""

from __future__ import annotations

import time
from collections.abc import Iterable

from pegboard.pins import PinEvent, PinQueue, PinRecord


class LastUsed:
    """The last use of each tool on a board. Lives as long as the board; not kept between processes.

    Moments are in seconds, as ``time.time()`` gives them.
    """

    def __init__(self) -> None:
        self._opened = time.time()
        self._used: dict[str, float] = {}
        self._pinned: dict[str, float] = {}

    def note(self, name: str) -> None:
        """A tool is used now."""
        self._used.pop(name, None)
        self._used[name] = time.time()

    def pinned(self, names: Iterable[str]) -> None:
        """Tools are shown from now on."""
        self._pinned |= dict.fromkeys(names, time.time())

    def since(self, moment: float) -> tuple[str, ...]:
        """The tools used at ``moment`` or later, the latest last."""
        return tuple(name for name, used in self._used.items() if used >= moment)

    def pruning(self, record: PinRecord, queue: PinQueue, moment: float) -> PinQueue:
        """``queue``, and the wish to unpin what was not used since ``moment``. A wish of one's own comes first."""
        pruning = queue.copy()
        for slot in record.slots:
            if slot.name not in queue and self._is_unused(slot.name, moment):
                pruning.put(PinEvent.UNPIN, slot.name)
        return pruning

    def _is_unused(self, name: str, moment: float) -> bool:
        """Whether a tool was neither used nor pinned at ``moment`` or later, nor the board opened."""
        return max(self._used.get(name, self._opened), self._pinned.get(name, self._opened)) < moment
