"""What stands between a vector and Pegboard: one small adapter for each kind of file."""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from tests.runners.golden.outcome import Comparison, ErrorClasses, Outcome, Raised, Returned

Run = Callable[[dict[str, Any]], Any]
"""From a vector's input to a value in the shape of its expectation; plain or async; raises what Pegboard raises."""

Compare = Callable[[Comparison, dict[str, Any], Outcome], str]
"""What differs; empty when nothing does."""


def strictly(comparison: Comparison, expected: dict[str, Any], got: Outcome) -> str:
    """Everything has to be equal."""
    return comparison.outcome(expected, got)


class NotBuiltError(Exception):
    """A vector asks for something that Pegboard, or the adapter, does not have; the message names it."""


@dataclass(frozen=True)
class Adapter:
    """Runs the vectors of one kind of file. Process-wide.

    The docstring of ``run`` states what of the vectors is mapped, and why, a line each; ``errors`` maps classes.
    """

    run: Run
    errors: ErrorClasses = field(default_factory=dict)
    compare: Compare = strictly

    def outcome(self, values: dict[str, Any]) -> Outcome:
        """What the run came to. Raises NotBuiltError."""
        try:
            value = self.run(values)
            return Returned(asyncio.run(value) if inspect.iscoroutine(value) else value)
        except NotBuiltError:
            raise
        except Exception as error:  # whatever it is, it is the outcome
            return Raised(error)
