"""Running cases side by side, each in a process of its own, and the report."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import Final

from tests.runners.cases.case import Case, MalformedError, folders, read
from tests.runners.cases.needs import lacks
from tests.runners.deviations import CASES
from tests.runners.files import not_understood

SIDE_BY_SIDE: Final = 2
SECONDS: Final = 60.0
"""The time that one case may take."""

ROOT: Final = Path(__file__).resolve().parents[3]


class Verdict(StrEnum):
    """What became of a case."""

    PASSED = "passed"
    FAILED = "failed"
    NOT_BUILT = "not built"


@dataclass(frozen=True)
class Judged:
    """A case and what became of it. Immutable. ``why`` is what went wrong, or what is missing."""

    id: str
    verdict: Verdict
    why: str = ""
    seconds: float = 0.0
    settings: tuple[str, ...] = ()


@dataclass
class Report:
    """The verdicts of one run. Lives as long as the run."""

    judged: list[Judged] = field(default_factory=list)

    def count(self, verdict: Verdict) -> int:
        """How many cases have this verdict."""
        return sum(judged.verdict is verdict for judged in self.judged)

    def lines(self) -> Iterable[str]:
        """What is printed: failures first, the counts last."""
        for judged in self.judged:
            if judged.verdict is Verdict.FAILED:
                yield f"FAILED {judged.id}: {judged.why}"
        missing = [judged for judged in self.judged if judged.verdict is Verdict.NOT_BUILT]
        for judged in missing:
            yield f"not built: {judged.id}: needs {judged.why}"
        for name, count in sorted(Counter(name for judged in self.judged for name in judged.settings).items()):
            yield f"with a setting: {name}: {count}"
        yield ", ".join(f"{self.count(verdict)} {verdict}" for verdict in Verdict)


def run_folder(root: Path) -> Report:
    """Run every case of a folder, a few side by side."""
    found = folders(root)
    with ThreadPoolExecutor(SIDE_BY_SIDE) as pool:
        report = Report(list(pool.map(run_case, found)))
    if not found:
        report.judged.append(Judged(str(root), Verdict.FAILED, "the folder holds no cases"))
    return report


def run_case(folder: Path, seconds: float = SECONDS) -> Judged:
    """The verdict on the case of a folder."""
    try:
        case = read(folder)
    except MalformedError as error:
        return Judged(folder.name, Verdict.FAILED, f"malformed: {error}")
    try:
        return _judged(case, seconds)
    except Exception as error:  # one odd case is never worth the others
        return Judged(case.id, Verdict.FAILED, not_understood(error))


def _judged(case: Case, seconds: float) -> Judged:
    missing = lacks(case)
    if missing:
        return Judged(case.id, Verdict.NOT_BUILT, ", ".join(missing))
    began = time.monotonic()
    failure = _in_process(case, seconds)
    took = time.monotonic() - began
    settings = tuple(f"{setting.name} ({setting.reason})" for setting in CASES if setting.limits(case))
    return Judged(case.id, Verdict.FAILED if failure else Verdict.PASSED, failure, took, settings)


def _in_process(case: Case, seconds: float) -> str:
    """Run the case in a process group of its own, which ends with it; what went wrong."""
    with tempfile.TemporaryDirectory(prefix="pegboard-verdict-") as folder:
        verdict, output = Path(folder) / "verdict", Path(folder) / "output"
        command = [sys.executable, "-m", "tests.runners.cases.one", str(case.folder.resolve()), str(verdict)]
        with output.open("wb") as sink:
            process = subprocess.Popen(
                command,
                cwd=ROOT,
                env={**os.environ, "PYTHONPATH": os.pathsep.join([str(ROOT), str(ROOT / "src")])},
                stdin=subprocess.DEVNULL,
                stdout=sink,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
            try:
                code = process.wait(seconds)
            except subprocess.TimeoutExpired:
                return f"not done after {seconds:g} s"
            finally:
                _end(process)
        return _told(code, verdict, output)


def _end(process: subprocess.Popen[bytes]) -> None:
    """End what is left of the case's own processes."""
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()


def _told(code: int, verdict: Path, output: Path) -> str:
    if verdict.is_file():
        failure = verdict.read_text(encoding="utf-8")
        return failure if failure or code == 0 else f"the case passed, but its process ended with {code}"
    last = output.read_text(encoding="utf-8", errors="replace").strip()[-2000:]
    return f"its process ended with {code}: {last}"


def summary(judged: Sequence[Judged]) -> str:
    """The seconds that the slowest took, for people who wait."""
    slowest = sorted(judged, key=lambda one: one.seconds, reverse=True)[:3]
    return "slowest: " + ", ".join(f"{one.id} {one.seconds:.1f} s" for one in slowest)
