"""Where the log goes. Never to stdout: that carries protocol, or what a command prints."""

from __future__ import annotations

import logging
import sys
from collections.abc import Iterable
from logging.handlers import RotatingFileHandler
from pathlib import Path
from typing import Final

from pegboard.errors import ConfigError
from pegboard.sources.mcp.noise import hiding

FILE_BYTES: Final = 5_000_000
OLD_FILES: Final = 3
"""A log file and the three before it are kept, each of at most ``FILE_BYTES``."""

_FORMAT: Final = "%(asctime)s %(levelname)s %(name)s: %(message)s"


class LogHandler(logging.Handler):
    """Writes the log, with known secrets blotted out, tracebacks included. Process-wide."""

    def __init__(self, target: logging.Handler) -> None:
        super().__init__()
        self.target = target
        self.setFormatter(logging.Formatter(_FORMAT))
        self._secrets: set[str] = set()
        self._hide = hiding(())

    def hide(self, secrets: Iterable[str]) -> None:
        """Blot these values out from now on; not those of less than six characters, which would hide ordinary words."""
        self._secrets |= set(secrets)
        self._hide = hiding(self._secrets)

    def emit(self, record: logging.LogRecord) -> None:
        """Write a record, already formatted, to the target."""
        try:
            text = self._hide(self.format(record))
            plain = logging.LogRecord(record.name, record.levelno, record.pathname, record.lineno, "%s", (text,), None)
            self.target.emit(plain)
        except Exception:
            self.handleError(record)

    def close(self) -> None:
        """Close the target too."""
        self.target.close()
        super().close()


def setup_logging(file: Path | None = None, level: str = "warning", *, secrets: Iterable[str] = ()) -> LogHandler:
    """Log to ``file``, which rotates, or to standard error: our own records from ``level`` on, others' from warning.

    A second call replaces what the first set up. Raises ConfigError when the file cannot be opened.
    """
    handler = LogHandler(_target(file))
    handler.hide(secrets)
    root = logging.getLogger()
    for old in [old for old in root.handlers if isinstance(old, LogHandler)]:
        root.removeHandler(old)
        old.close()
    root.addHandler(handler)
    logging.getLogger("pegboard").setLevel(level.upper())
    logging.captureWarnings(True)
    return handler


def _target(file: Path | None) -> logging.Handler:
    if file is None:
        return logging.StreamHandler(sys.stderr)
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        return RotatingFileHandler(
            file, maxBytes=FILE_BYTES, backupCount=OLD_FILES, encoding="utf-8", errors="backslashreplace"
        )
    except OSError as error:
        raise ConfigError(
            f"The log file {file} cannot be opened: {error.strerror or type(error).__name__}.",
            hint="Mend file in [log], or leave it out to log to standard error.",
        ) from error
