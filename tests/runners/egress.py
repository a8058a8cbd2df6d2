"""Run egress vectors: ``python -m tests.runners.egress FILE``.

FILE holds one JSON object a line; ``tests/data/egress_vectors.README.md`` says what its keys mean. Each goes through
the real client. Failures are printed one a line, then the counts. Exit code: 0 when
nothing failed, 1 when something did, 2 when FILE cannot be read.
"""

from __future__ import annotations

import json
import logging
import sys
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.runners import egress_adapter
from tests.runners.files import bytes_of, not_understood, one_line

Vector = dict[str, Any]
Check = Callable[[Vector], list[str]]
"""What the guard did wrong with one vector; empty when it did what the vector expects."""


@dataclass
class Report:
    """Outcomes of one run. Lives as long as the run."""

    passed: int = 0
    failures: list[str] = field(default_factory=list)

    def lines(self) -> Iterable[str]:
        """What is printed, the counts last."""
        yield from map(one_line, self.failures)
        yield f"{self.passed} passed, {len(self.failures)} failed"


def parse(line: bytes) -> Vector:
    """The vector of a line. Raises ValueError with what is wrong."""
    try:
        vector = json.loads(line)
    except RecursionError as error:
        raise ValueError("nested too deeply") from error
    if not isinstance(vector, dict):
        raise ValueError(f"an object is wanted, not {type(vector).__name__}")
    if not isinstance(vector.get("url"), str):
        raise ValueError("'url' must be a text")
    if vector.get("expect") not in ("allow", "block"):
        raise ValueError("'expect' must be 'allow' or 'block'")
    return vector


def run(lines: Iterable[bytes], check: Check) -> Report:
    """Run every line's vector; blank lines are skipped."""
    report = Report()
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        try:
            vector = parse(line)
        except ValueError as error:
            report.failures.append(f"FAILED line {number}: malformed: {error}")
            continue
        problems = _problems(vector, check)
        if problems:
            name = str(vector.get("id", vector["url"]))[:200]
            report.failures.append(f"FAILED line {number}: {name!r}: {'; '.join(problems)}")
        else:
            report.passed += 1
    if not report.passed and not report.failures:
        report.failures.append("FAILED: the file holds no vectors")
    return report


def _problems(vector: Vector, check: Check) -> list[str]:
    try:
        return check(vector)
    except Exception as error:  # one odd vector is never worth the others
        return [not_understood(error)]


def main(arguments: list[str]) -> int:
    """Run the file named by the only argument; the exit code."""
    if len(arguments) != 1:
        print("usage: python -m tests.runners.egress FILE", file=sys.stderr)
        return 2
    try:
        lines = bytes_of(Path(arguments[0])).split(b"\n")
    except (OSError, ValueError) as error:
        why = error.strerror if isinstance(error, OSError) else error
        for line in Report(failures=[f"FAILED {arguments[0]}: it cannot be read: {why}"]).lines():
            print(line)
        return 2
    logging.getLogger("pegboard.net").setLevel(logging.ERROR)  # each refusal is a warning there
    report = run(lines, egress_adapter.check)
    for line in report.lines():
        print(line)
    return 1 if report.failures else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
