"""Ending a process while a thread is in a library's compiled code.

Up to Python 3.13 the interpreter, when it ends, ends a daemon thread where this next asks for the interpreter's lock.
In C++ or Rust that is no way out: the runtime aborts the process. So what is compiled is run between two doors, and
the interpreter ends once nobody is between them.
"""

from __future__ import annotations

import atexit
import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

PATIENCE: Final = 5.0
"""Seconds that the end of a process waits at most. A text takes hundredths of one, loading a model half a second."""


class Doors:
    """A place that daemon threads leave before the interpreter ends, and then do not enter again. Process-wide."""

    def __init__(self) -> None:
        self.begin_anew()

    def begin_anew(self) -> None:
        """Forget who is inside: of the threads, a process that was forked has none but its own."""
        self._changed = threading.Condition()
        self._inside = 0
        self._closed = False
        self._mine = threading.local()

    @contextmanager
    def inside(self) -> Iterator[None]:
        """For compiled code, a short piece at a time. A daemon thread that comes after the end has begun stays here.

        One piece may be part of another. Before it is the place where a daemon thread leaves the other as well: whoever
        encodes text by text has the end of the process wait for one text.
        """
        outer: int = getattr(self._mine, "depth", 0)
        with self._changed:
            if self._closed and threading.current_thread().daemon:
                self._inside -= bool(outer)
                self._changed.notify_all()
                while True:  # it ends with the process
                    self._changed.wait()
            self._inside += not outer
        self._mine.depth = outer + 1
        try:
            yield
        finally:
            self._mine.depth = outer
            with self._changed:
                self._inside -= not outer
                self._changed.notify_all()

    def close(self, patience: float = PATIENCE) -> bool:
        """Let no daemon thread in any more, and wait for those inside, ``patience`` seconds at most.

        Gives whether all are out.
        """
        with self._changed:
            self._closed = True
            return self._changed.wait_for(lambda: self._inside == 0, patience)


COMPILED: Final = Doors()
"""Around what encoders do, for that is mostly done in compiled code."""

atexit.register(COMPILED.close)
if hasattr(os, "register_at_fork"):  # there is none on Windows, which does not fork
    os.register_at_fork(after_in_child=COMPILED.begin_anew)
