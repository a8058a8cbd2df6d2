"""What a step word stands for."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from collections.abc import Set as AbstractSet
from dataclasses import dataclass

from tests.runners.cases.answer import Answer
from tests.runners.cases.case import Step
from tests.runners.cases.world import World

Run = Callable[[World, Step], Awaitable[Answer]]


@dataclass(frozen=True)
class Do:
    """A step word: what runs, and which fields of a step it understands. Immutable.

    A step with any other field is not run: what it asks for would be left out in silence.
    """

    run: Run
    fields: AbstractSet[str]
