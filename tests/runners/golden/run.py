"""Running vectors: each case gets one verdict, a folder gets a report."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path

from tests.runners.deviations import GOLDEN, Rule
from tests.runners.files import not_understood
from tests.runners.golden.adapter import Adapter, NotBuiltError
from tests.runners.golden.adapters import ADAPTERS
from tests.runners.golden.outcome import Comparison, Outcome
from tests.runners.golden.own_tests import proven
from tests.runners.golden.vectors import Case, MalformedError, VectorFile, read_folder


class Verdict(StrEnum):
    """What became of a case."""

    PASSED = "passed"
    FAILED = "failed"
    DIFFERENT = "deliberately different"
    NOT_BUILT = "not built"
    NEEDS_TEST = "need a test of ours"


@dataclass(frozen=True)
class Judged:
    """A case and what became of it. Immutable. ``why`` is the difference, the rule or the kind."""

    id: str
    verdict: Verdict
    why: str = ""


@dataclass
class Report:
    """The verdicts of one run. Lives as long as the run."""

    judged: list[Judged] = field(default_factory=list)

    def count(self, verdict: Verdict) -> int:
        """How many cases have this verdict."""
        return sum(judged.verdict is verdict for judged in self.judged)

    def lines(self) -> Iterable[str]:
        """What is printed: failures first, the counts last."""
        by = {verdict: [judged for judged in self.judged if judged.verdict is verdict] for verdict in Verdict}
        for judged in by[Verdict.FAILED]:
            yield f"FAILED {judged.id}: {judged.why}"
        for judged in by[Verdict.NEEDS_TEST]:
            yield f"needs a test of ours: {judged.id}: {judged.why}"
        for kind, count in sorted(Counter(judged.why for judged in by[Verdict.NOT_BUILT]).items()):
            yield f"not built: {kind}: {count}"
        for why, count in sorted(Counter(judged.why for judged in by[Verdict.DIFFERENT]).items()):
            yield f"deliberately different: {why}: {count}"
        yield ", ".join(f"{len(by[verdict])} {verdict}" for verdict in Verdict)


def run_folder(folder: Path, adapters: Mapping[str, Adapter] = ADAPTERS) -> Report:
    """Run every file of a folder."""
    report = Report()
    for file in read_folder(folder):
        if isinstance(file, VectorFile):
            report.judged += run_file(file, adapters)
        else:
            path, error = file
            report.judged.append(malformed(path, error))
    if not report.judged:
        report.judged.append(Judged(str(folder), Verdict.FAILED, "the folder holds no *.json"))
    return report


def run_file(file: VectorFile, adapters: Mapping[str, Adapter] = ADAPTERS) -> list[Judged]:
    """The verdicts of one file's cases."""
    adapter = next((adapters[kind] for kind in file.kinds if kind in adapters), None)
    return [_judged(case, adapter) for case in file.cases]


def _judged(case: Case, adapter: Adapter | None) -> Judged:
    try:
        return judge(case, adapter)
    except Exception as error:  # one odd vector is never worth the others
        return Judged(case.id, Verdict.FAILED, not_understood(error))


def malformed(path: Path, error: MalformedError) -> Judged:
    """The verdict on a file that cannot be read."""
    return Judged(path.name, Verdict.FAILED, f"malformed: {error}")


def judge(case: Case, adapter: Adapter | None, rules: Iterable[Rule] = GOLDEN) -> Judged:
    """The verdict on one case.

    A rule of the deviations counts only where the outcome is not the expected one *and* is what the rule says that
    Pegboard does instead.
    """
    if adapter is None:
        return Judged(case.id, Verdict.NOT_BUILT, case.kind)
    try:
        got = adapter.outcome(case.input)
    except NotBuiltError as error:
        return Judged(case.id, Verdict.NOT_BUILT, f"{case.kind}: {error}")
    if not case.accepted:
        if case.id in proven():
            return Judged(case.id, Verdict.PASSED, "by a test of ours")
        return Judged(case.id, Verdict.NEEDS_TEST, str(case.raw.get("improve", "")))
    differences = [difference(case, adapter, expected, got) for expected in case.accepted]
    if not all(differences):
        return Judged(case.id, Verdict.PASSED)
    for rule in rules:
        if rule.applies(case) and rule.holds(case, got):
            return Judged(case.id, Verdict.DIFFERENT, f"{rule.name} ({rule.reason})")
    return Judged(case.id, Verdict.FAILED, differences[0])


def difference(case: Case, adapter: Adapter, expected: dict[str, object], got: Outcome) -> str:
    """What the adapter finds to differ. An expectation that it does not understand is a difference too."""
    comparison = Comparison(adapter.errors, case.input, words=not case.words_do_not_count)
    try:
        return adapter.compare(comparison, expected, got)
    except (LookupError, TypeError, ValueError, AttributeError) as error:
        return f"the adapter does not understand this vector ({type(error).__name__}: {error})"
