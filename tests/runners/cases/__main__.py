"""Run cases: ``python -m tests.runners.cases DIR``.

DIR is a folder of cases, or one case; ``tests/data/cases/INDEX.md`` says what stands in them. Printed are the failures,
one a line, then what is not built and for what, and last the counts. Exit code: 0 when nothing failed, 1 when something
did, 2 when DIR is not a folder.
"""

from __future__ import annotations

import sys
from pathlib import Path

from tests.runners.cases.run import Judged, Report, Verdict, run_folder, summary
from tests.runners.files import one_line


def main(arguments: list[str]) -> int:
    """Run the folder named by the only argument; the exit code."""
    if len(arguments) != 1:
        print("usage: python -m tests.runners.cases DIR", file=sys.stderr)
        return 2
    folder = Path(arguments[0])
    if not folder.is_dir():
        return _told(Report([Judged(str(folder), Verdict.FAILED, "it is not a folder")]), 2)
    report = run_folder(folder)
    print(one_line(summary(report.judged)), file=sys.stderr)
    return _told(report, 1)


def _told(report: Report, failed: int) -> int:
    for line in report.lines():
        print(one_line(line))
    return failed if report.count(Verdict.FAILED) else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
