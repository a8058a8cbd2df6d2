"""Ending a process while an encoder is at work."""

from __future__ import annotations

import subprocess
import sys
import threading

import pytest

from pegboard.encoders.leaving import Doors

WORKING = """
import threading

from pegboard.encoders import {encoder}

encoder, begun = {encoder}(), threading.Event()


def work():
    while True:
        encoder.encode(["Tell what the weather of a place will be, hour by hour, for the days to come"] * 4)
        begun.set()


for _ in range(4):
    threading.Thread(target=work, daemon=True).start()
begun.wait()
print("done")
"""


@pytest.mark.parametrize("encoder", ["MiniLmEncoder", "StaticEncoder"])
def test_a_process_ends_in_good_order_while_a_thread_encodes(encoder: str) -> None:
    done = subprocess.run(
        [sys.executable, "-c", WORKING.format(encoder=encoder)], capture_output=True, text=True, timeout=60, check=False
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "done\n", "")


def test_the_end_waits_for_who_is_inside_and_not_for_ever() -> None:
    doors, entered, leave = Doors(), threading.Event(), threading.Event()

    def work() -> None:
        with doors.inside():
            entered.set()
            leave.wait()

    worker = threading.Thread(target=work, daemon=True)
    worker.start()
    entered.wait()
    assert not doors.close(patience=0.01)
    leave.set()
    assert doors.close()
    worker.join()


def test_after_the_end_has_begun_only_daemon_threads_stay_outside() -> None:
    doors, entered = Doors(), threading.Event()
    assert doors.close()
    with doors.inside():
        assert not doors.close(patience=0.01)

    def work() -> None:
        with doors.inside():
            entered.set()

    threading.Thread(target=work, daemon=True).start()
    assert not entered.wait(0.1)
    other = threading.Thread(target=work, daemon=False)
    other.start()
    other.join()
    assert entered.is_set()
