"""Standard input and output kept for the protocol alone, whatever else in the process reads or prints."""

from __future__ import annotations

import os
import sys
from dataclasses import dataclass
from typing import Final

from pegboard.errors import ConfigError

_STDIN: Final = 0
_STDOUT: Final = 1
_STDERR: Final = 2


@dataclass(frozen=True)
class Wire:
    """The descriptors that the client's messages come in and go out by. Process-wide, never closed.

    No child process inherits them.
    """

    incoming: int
    outgoing: int


_claimed: list[Wire] = []


def claim_stdio() -> Wire:
    """Take standard input and output for the protocol; from now on everybody else's are the null device and stderr.

    That holds for ``print``, ``sys.stdout``, ``os.write``, C libraries and child processes alike, until the process
    ends. It can be called before ``serve_stdio``, to keep what is printed while tools are loaded away from the client;
    further calls give the same wire. Raises ConfigError when there is no standard input or output.
    """
    if not _claimed:
        _claimed.append(_claim())
    return _claimed[0]


def _claim() -> Wire:
    # Python has no such stream when it was closed at the start; the number may mean something else by now.
    if sys.__stdin__ is None or sys.__stdout__ is None:
        raise ConfigError(
            "There is no standard input or output to serve on.",
            hint="Have the client start this command with pipes, or serve over HTTP.",
        )
    wire = Wire(_private(_STDIN), _private(_STDOUT))
    _point(_STDIN, os.open(os.devnull, os.O_RDONLY))
    _point(_STDOUT, _stderr_or_nothing())
    # What was printed before and still waits in a buffer follows to stderr, and what comes next is seen at once.
    if sys.stdout is not None:
        sys.stdout.flush()
        if hasattr(sys.stdout, "reconfigure"):
            sys.stdout.reconfigure(line_buffering=True)
    return wire


def _private(descriptor: int) -> int:
    """A duplicate outside the standard range, where no tool looks for it and no child gets it."""
    taken: list[int] = []
    try:
        while (duplicate := os.dup(descriptor)) <= _STDERR:
            taken.append(duplicate)
    finally:
        for lower in taken:
            os.close(lower)
    return duplicate


def _stderr_or_nothing() -> int:
    try:
        return os.dup(_STDERR)
    except OSError:
        return os.open(os.devnull, os.O_WRONLY)


def _point(descriptor: int, at: int) -> None:
    """Make a standard descriptor mean what ``at`` means, for children too."""
    os.dup2(at, descriptor, inheritable=True)
    if at != descriptor:
        os.close(at)
