"""The command line ``pegboard``: one file per group of commands."""

from __future__ import annotations

import sys
from typing import NoReturn

from pegboard.cli import garbage


def main() -> NoReturn:
    """Run the command line of this process and exit."""
    garbage.seldom()
    try:
        from pegboard.cli.app import run

        code = run(sys.argv[1:])
    except KeyboardInterrupt:
        code = 130
    garbage.leave()
    sys.exit(code)
