"""What is told of verdicts. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from tests.conformance.verdict import Verdict

MESSAGE_CHARS: Final = 300


def figures(verdict: Verdict) -> str:
    """A verdict in one line, and one more for everything that needs attention."""
    told = f"{verdict.passed} of {verdict.scored} scored checks pass"
    if verdict.others:
        told += f", {verdict.others_passed} of {verdict.others} others"
    if verdict.expected:
        told += f"; {len(verdict.expected)} entries fail as expected"
    lines = [told]
    lines += [f"  ! FAILS, and should not: {c.place}: {c.message[:MESSAGE_CHARS]}" for c in verdict.surprises]
    lines += [f"  ! NO LONGER FAILS, take it off the list: {place}" for place in verdict.stale]
    return "\n".join(lines)


def explanation(reasons: Mapping[str, str]) -> str:
    """What is expected to fail, by reason."""
    lines = []
    for reason in dict.fromkeys(reasons.values()):
        lines.append(f"  {reason}")
        lines += [f"    - {place}" for place, why in reasons.items() if why == reason]
    return "\n".join(lines)
