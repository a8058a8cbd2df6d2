"""Files that a command writes for their owner alone, and the question before something is done for good."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Final

import typer

from pegboard.cli.options import Common
from pegboard.errors import PegboardError
from pegboard.stores.whole_file import put

_OWNER_ONLY: Final = 0o600
_YES: Final = frozenset({"y", "yes"})


def refuse_existing(output: Path, *, force: bool) -> None:
    """Raise BadParameter for a file that is there, unless it may be written over."""
    if output.exists() and not force:
        raise typer.BadParameter(f"{output} is there already; --force writes over it.", param_hint="--output")


def write_for_owner(output: Path, text: str, kind: type[PegboardError], *, force: bool) -> None:
    """Write a file for its owner alone. Raises ``kind`` where it cannot be written; what was there stays then."""
    data = text.encode()
    try:
        if force and (output.is_file() or not output.exists()):
            with put(Path(os.path.realpath(output))) as file:
                file.write(data)
        else:
            _write_into(output, data, force=force)
    except OSError as error:
        raise kind(f"{output} cannot be written: {error.strerror or error}.", hint="Check the path.") from None


def _write_into(output: Path, data: bytes, *, force: bool) -> None:
    """Write to a terminal or a pipe, with ``force``, else to a file that is not there yet."""
    flags = os.O_WRONLY if force else os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)
    descriptor = os.open(output, flags, _OWNER_ONLY)
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(data)
    except OSError:
        if not force:
            output.unlink(missing_ok=True)
        raise


def agreed(common: Common, question: str) -> bool:
    """Whether the person at the terminal agrees; not where there is none."""
    if not (sys.stdin.isatty() and sys.stderr.isatty()):
        return False
    common.output.ask(f"{question} [y/N] ")
    return sys.stdin.readline().strip().lower() in _YES
