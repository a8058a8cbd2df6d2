"""A lock of one process: what is forked while somebody holds it has its own, for whoever held it is not there."""

from __future__ import annotations

import os
import threading
from typing import Final
from weakref import WeakSet


class ProcessLock:
    """A lock that is free in a process that was forked. Lives as long as what it guards; used with ``with`` as well."""

    def __init__(self) -> None:
        self.begin_anew()
        _ALL.add(self)

    def begin_anew(self) -> None:
        """Nobody holds it."""
        self._lock = threading.Lock()

    def acquire(self, timeout: float = -1) -> bool:
        """Wait for it, so many seconds at most, any time below 0. Gives whether it was acquired."""
        return self._lock.acquire(timeout=timeout)

    def release(self) -> None:
        """Let the next one have it. Raises RuntimeError where nobody held it."""
        self._lock.release()

    def locked(self) -> bool:
        """Whether somebody holds it."""
        return self._lock.locked()

    def __enter__(self) -> None:
        self.acquire()

    def __exit__(self, *error: object) -> None:
        self.release()


_ALL: Final[WeakSet[ProcessLock]] = WeakSet()


def _begin_anew() -> None:
    for lock in list(_ALL):
        lock.begin_anew()


if hasattr(os, "register_at_fork"):  # there is none on Windows, which does not fork
    os.register_at_fork(after_in_child=_begin_anew)
