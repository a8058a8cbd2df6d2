"""A process ends in peace, whatever a daemon thread does with vectors at that moment."""

from __future__ import annotations

import subprocess
import sys

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


def test_a_process_ends_in_peace_while_a_thread_joins_vectors() -> None:
    for _ in range(5):  # which moment the end meets is chance
        end = ended(COMPACTING)
        assert (end.returncode, end.stderr) == (0, "")
