"""What is told of a verdict. Pure."""

from __future__ import annotations

from collections.abc import Mapping

from tests.conformance.verdict import Verdict

MESSAGE_CHARS = 300


def report(verdict: Verdict, reasons: Mapping[str, str]) -> str:
    """A verdict in words: the figures, then the expected failures by reason, then what needs attention."""
    lines = [f"  {verdict.passed} of {verdict.scored} scored checks pass, {len(verdict.expected)} fail as expected"]
    if verdict.others:
        lines[0] += f"; not scored: {verdict.others_passed} of {verdict.others} pass"
    for reason in dict.fromkeys(reasons[place] for place in verdict.expected):
        lines.append(f"  {reason}")
        lines += [f"    - {place}" for place in verdict.expected if reasons[place] == reason]
    if verdict.surprises:
        lines.append("  FAILS, and should not:")
        lines += [f"    ! {check.place}: {check.message[:MESSAGE_CHARS]}" for check in verdict.surprises]
    if verdict.stale:
        lines.append("  NO LONGER FAILS; take it off the list:")
        lines += [f"    ! {place}" for place in verdict.stale]
    return "\n".join(lines)
