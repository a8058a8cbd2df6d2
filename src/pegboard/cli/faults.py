"""What is kept of faults, so that a person who reports one has something to send."""

from __future__ import annotations

import logging
import os
import tempfile
import traceback
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

_KEPT: Final = 200
_FORMAT: Final = "%(asctime)s %(levelname)s %(name)s: %(message)s"


class FaultLog(logging.Handler):
    """Keeps the newest warnings and errors of the log in memory, to write them to a file when something fails.

    Lives as long as one command.
    """

    def __init__(self) -> None:
        super().__init__(logging.WARNING)
        self.setFormatter(logging.Formatter(_FORMAT))
        self._lines: deque[str] = deque(maxlen=_KEPT)

    def emit(self, record: logging.LogRecord) -> None:
        """Keep a record."""
        self._lines.append(self.format(record))

    def write(self, error: BaseException | None = None) -> str:
        """Write what was kept, and the traceback of ``error``, to a new file in the temporary folder; give its path."""
        handle, path = tempfile.mkstemp(prefix="pegboard-", suffix=".log", text=True)
        with os.fdopen(handle, "w", encoding="utf-8", errors="backslashreplace") as file:
            file.writelines(f"{line}\n" for line in self._lines)
            if error is not None:
                file.writelines(traceback.format_exception(error))
        return path


@contextmanager
def kept_log(*, screen: bool) -> Iterator[FaultLog]:
    """The log of a command that a person runs: nothing of it on the screen, or all of it with ``screen``."""
    faults = FaultLog()
    handlers: list[logging.Handler] = [faults]
    if screen:
        shown = logging.StreamHandler()
        shown.setFormatter(logging.Formatter(_FORMAT))
        handlers.append(shown)
    root, own = logging.getLogger(), logging.getLogger("pegboard")
    level = own.level
    for handler in handlers:
        root.addHandler(handler)
    if screen:
        own.setLevel(logging.DEBUG)
    try:
        yield faults
    finally:
        own.setLevel(level)
        for handler in handlers:
            root.removeHandler(handler)
