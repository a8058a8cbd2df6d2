"""Run golden vectors: ``python -m tests.runners.golden DIR``.

DIR is a folder of ``*.json`` files; ``tests/data/golden/README.md`` says what stands in them. Printed are the failures,
one a line, then what needs a test of ours, what is not built, which rules of ``tests/runners/deviations.py`` were used,
and last the counts. Exit code: 0 when nothing failed, 1 when something did, 2 when DIR is not a folder.
"""

from __future__ import annotations

import logging
import sys
from pathlib import Path

from tests.runners.files import one_line
from tests.runners.golden.run import Judged, Report, Verdict, run_folder


def main(arguments: list[str]) -> int:
    """Run the folder named by the only argument; the exit code."""
    if len(arguments) != 1:
        print("usage: python -m tests.runners.golden DIR", file=sys.stderr)
        return 2
    folder = Path(arguments[0])
    if not folder.is_dir():
        return _told(Report([Judged(str(folder), Verdict.FAILED, "it is not a folder")]), 2)
    return _told(run_folder(folder), 1)


def _told(report: Report, failed: int) -> int:
    for line in report.lines():
        print(one_line(line))
    return failed if report.count(Verdict.FAILED) else 0


if __name__ == "__main__":
    # Vectors provoke errors by the hundred; what Pegboard logs of them is not part of the report.
    logging.disable(logging.CRITICAL)
    sys.exit(main(sys.argv[1:]))
