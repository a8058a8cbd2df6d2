"""Ending a process while encoders and vectors are at work."""

from __future__ import annotations

import subprocess
import sys
import threading

import pytest

from pegboard.search.leaving import Doors

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


OWN = """
import threading

import numpy as np

from pegboard import HybridRanker, Tool

begun = threading.Event()


class Compiled:
    identity, dimension, times = "compiled", 2, 0

    def encode(self, texts):
        for _ in range(3000):
            np.unique(numbers)  # gives up the interpreter's lock in C++
        self.times += 1
        if self.times == 2:
            begun.set()
        return np.eye(2)[[len(text) % 2 for text in texts]]


numbers = np.arange(300, dtype=np.int32)
tools = [Tool(name=f"tool_{number}", description="", handler=print) for number in range(2000)]
threading.Thread(target=lambda: HybridRanker(Compiled()).prepare(tools, lambda: False), daemon=True).start()
begun.wait()
"""

COMPACTING = """
import threading
import numpy as np
from pegboard.search.vectors import KEY, Held, Stored

rows = np.arange(500, dtype=np.int32)
held = Held.of(Stored(bytes(KEY * 500), np.zeros((500, 4), np.int16)), 500)._replace(rows=rows)
begun = threading.Event()

def work():
    while True:
        held.compact()
        begun.set()

threading.Thread(target=work, daemon=True).start()
assert begun.wait(30)
"""


def ended(program: str) -> subprocess.CompletedProcess[str]:
    """How a process ends that runs a program."""
    return subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=60, check=False)


@pytest.mark.parametrize("encoder", ["MiniLmEncoder", "StaticEncoder"])
def test_a_process_ends_in_good_order_while_a_thread_encodes(encoder: str) -> None:
    done = ended(WORKING.format(encoder=encoder))
    assert (done.returncode, done.stdout, done.stderr) == (0, "done\n", "")


@pytest.mark.parametrize("program", [OWN, COMPACTING], ids=["a stranger's encoder", "vectors that are joined"])
def test_a_process_ends_in_good_order_whatever_else_is_compiled(program: str) -> None:
    for _ in range(5):  # which moment the end meets is chance
        end = ended(program)
        assert (end.returncode, end.stderr) == (0, "")


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


def test_who_is_inside_leaves_before_the_next_piece_once_the_end_has_begun() -> None:
    doors, entered, go, further = Doors(), threading.Event(), threading.Event(), threading.Event()

    def work() -> None:
        with doors.inside():
            with doors.inside():
                entered.set()
                go.wait()
            with doors.inside():
                further.set()

    threading.Thread(target=work, daemon=True).start()
    entered.wait()
    assert not doors.close(patience=0.01)
    go.set()
    assert doors.close()
    assert not further.is_set()
