from __future__ import annotations

import gc
import subprocess
import sys

from pegboard.cli import garbage


def test_a_short_command_looks_seldom_and_one_that_goes_on_as_ever() -> None:
    usual = gc.get_threshold()
    try:
        garbage.seldom()
        assert gc.get_threshold()[0] > 100 * usual[0]
        garbage.as_ever()
        assert gc.get_threshold() == usual
        assert gc.get_freeze_count() > 0
    finally:
        gc.set_threshold(*usual)
        gc.unfreeze()


def test_the_command_line_begins_with_that_and_looks_at_nothing_in_the_end() -> None:
    program = "import gc, sys\nfrom pegboard.cli import main\nsys.argv[1:] = ['--version']\ntry:\n    main()\n"
    program += "except SystemExit:\n    print(gc.get_threshold()[0], gc.get_freeze_count())"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True, timeout=60)
    threshold, frozen = map(int, done.stdout.splitlines()[-1].split())
    assert threshold > 100 * gc.get_threshold()[0]
    assert frozen > 1_000
