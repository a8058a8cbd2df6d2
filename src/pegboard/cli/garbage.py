"""How often Python looks for objects that hold only one another: seldom where a process ends soon anyway."""

from __future__ import annotations

import gc
from typing import Final

_USUAL: Final = gc.get_threshold()
_MANY: Final = 500_000
"""Objects that are made before Python looks at them: what a short command makes altogether. Looking at them over and
over, as they become more, takes a fifth of its time."""


def seldom() -> None:
    """Look seldom: for a command that prints what was asked for, and ends."""
    gc.set_threshold(_MANY, *_USUAL[1:])


def as_ever() -> None:
    """Look as often as ever, and never at what is there by now: for a process that goes on."""
    gc.freeze()
    gc.set_threshold(*_USUAL)


def leave() -> None:
    """Look at nothing on the way out: Python would look through everything there is, several times, before it ends."""
    gc.freeze()
