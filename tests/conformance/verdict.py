"""What a run of the suite means, held against what is expected to fail. Pure."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from itertools import takewhile
from typing import Final

FAILING: Final = frozenset({"FAILURE", "WARNING"})
"""What counts as failing; the suite counts it so too when it is given expected failures."""

_ENTRY: Final = re.compile(r"^  - ([^\s:]+(?::\S+)?)$")


@dataclass(frozen=True, order=True)
class Check:
    """One thing that the suite looked at. Immutable."""

    scenario: str
    name: str
    status: str
    message: str = ""

    @property
    def place(self) -> str:
        """The check as a file of expected failures names it."""
        return f"{self.scenario}:{self.name}"


@dataclass(frozen=True)
class Verdict:
    """A run of one revision. Immutable.

    ``expected`` are the places that fail as expected, ``surprises`` the checks that fail and should not, ``stale`` the
    places that should fail and do not. ``passed`` of ``scored`` checks count for the revision; ``others_passed`` of
    ``others`` were run beside them.
    """

    passed: int
    scored: int
    others_passed: int
    others: int
    expected: tuple[str, ...]
    surprises: tuple[Check, ...]
    stale: tuple[str, ...]

    @property
    def as_expected(self) -> bool:
        """Whether nothing needs anybody's attention."""
        return not self.surprises and not self.stale


def read_expected(text: str) -> dict[str, str]:
    """The reason by ``scenario:check`` or ``scenario``, of a file in the suite's own format.

    After ``server:`` come groups with blank lines between them: the reason as a comment, then the entries. Raises
    ValueError for anything else.
    """
    _, found, body = text.partition("\nserver:\n")
    if not found:
        raise ValueError("There is no line 'server:'.")
    reasons: dict[str, str] = {}
    for group in filter(None, body.strip("\n").split("\n\n")):
        reason, places = _group(group.splitlines())
        if twice := [place for place in places if place in reasons]:
            raise ValueError(f"{twice[0]!r} stands in two groups.")
        reasons |= dict.fromkeys(places, reason)
    return reasons


def judge(checks: Sequence[Check], expected: Collection[str], unscored: Collection[str]) -> Verdict:
    """Hold the checks of a run against the places that are expected to fail.

    A place fails when one of its checks does. An expected one that was skipped, or not come to, is not stale as long as
    its scenario was run.
    """
    failing = [check for check in checks if check.status in FAILING]
    failed = _places(failing)
    passed = _places(check for check in checks if check.status == "SUCCESS") - failed
    ran = {check.scenario for check in checks}
    return Verdict(
        *_count(check for check in checks if check.scenario not in unscored),
        *_count(check for check in checks if check.scenario in unscored),
        expected=tuple(place for place in expected if place in failed),
        surprises=tuple(check for check in failing if not {check.place, check.scenario} & set(expected)),
        stale=tuple(place for place in expected if place in passed or place.partition(":")[0] not in ran),
    )


def _places(checks: Iterable[Check]) -> set[str]:
    return {place for check in checks for place in (check.place, check.scenario)}


def _group(lines: Sequence[str]) -> tuple[str, list[str]]:
    comments = list(takewhile(lambda line: line.startswith("  # "), lines))
    places = []
    for line in lines[len(comments) :]:
        entry = _ENTRY.match(line)
        if entry is None:
            raise ValueError(f"{line!r} is neither '  - scenario:check' nor '  - scenario'.")
        places.append(entry[1])
    if not comments or not places:
        raise ValueError(f"A group is a reason and what fails for it; this one is not: {lines!r}")
    return " ".join(line.removeprefix("  # ") for line in comments), places


def _count(checks: Iterable[Check]) -> tuple[int, int]:
    """How many passed, of how many; the suite does not count warnings."""
    counted = [check.status for check in checks if check.status in ("SUCCESS", "FAILURE")]
    return counted.count("SUCCESS"), len(counted)
