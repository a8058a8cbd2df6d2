"""Run cases: ``python -m tests.runners.cases DIR``.

DIR is a folder of cases, or one case; ``tests/data/cases/INDEX.md`` says what stands in them. Printed are the failures,
one a line, then what is not built and for what, and last the counts. Exit code: 0 when nothing failed, 1 when something
did, 2 when DIR is not a folder.
"""

from __future__ import annotations

import sys
from pathlib import Path

from tests.runners.cases.run import Verdict, run_folder, summary


def main(arguments: list[str]) -> int:
    """Run the folder named by the only argument; the exit code."""
    if len(arguments) != 1:
        print("usage: python -m tests.runners.cases DIR", file=sys.stderr)
        return 2
    folder = Path(arguments[0])
    if not folder.is_dir():
        print(f"{folder} is not a folder", file=sys.stderr)
        return 2
    report = run_folder(folder)
    print(summary(report.judged), file=sys.stderr)
    for line in report.lines():
        print(line)
    return 1 if report.count(Verdict.FAILED) else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
