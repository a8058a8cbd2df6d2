"""Expectations about what is kept on the disk."""

from __future__ import annotations

from typing import Any, Final

from tests.runners.cases import state
from tests.runners.cases.answer import Answer
from tests.runners.cases.expecting import Check, claim
from tests.runners.cases.world import World


def state_parses(wanted: Any, answer: Answer, world: World) -> str:
    """The database is whole, and so is every record in it."""
    found = state.wrong(world.configuration.store)
    return claim((not found) is bool(wanted), found or "everything can be read")


def pins_total(wanted: Any, answer: Answer, world: World) -> str:
    """So many pins are kept, on all boards together."""
    counts = {board: len(names) for board, names in state.pins(world.configuration.store).items()}
    return claim(sum(counts.values()) == wanted, f"pins are {counts}")


CHECKS: Final[dict[str, Check]] = {
    "pins_total": pins_total,
    "state_parses": state_parses,
}
