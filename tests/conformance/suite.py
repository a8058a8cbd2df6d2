"""The conformance suite, run against a server over HTTP."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from pathlib import Path
from typing import Final

from tests.conformance.programs import Programs, environment
from tests.conformance.verdict import Check, Verdict, judge, read_expected

_RESULT: Final = re.compile(r"^server-(?P<scenario>.+)-\d{4}-\d\d-\d\dT[\d-]+Z$")

_UNSCORED: Final = re.compile(r"^  - scenario: (\S+)$", re.MULTILINE)

_SUITE_SECONDS: Final = 300


def expected_file(revision: str) -> Path:
    """Where it stands what fails as expected at a revision, and why."""
    return Path(__file__).parent / "expected" / f"{revision}.yml"


SKILLS: Final = ("sep-2640-skills-enumeration", "sep-2640-skills-manifest", "sep-2640-skills-directory")
"""The scenarios of the Skills extension, which no revision requires."""


def run_skills(programs: Programs, revision: str, address: str, results: Path) -> list[Check]:
    """Run the scenarios of the Skills extension as a client of a revision has them; every check.

    Raises RuntimeError when the suite broke off.
    """
    shutil.rmtree(results, ignore_errors=True)
    for scenario in SKILLS:
        asked = ("--url", address, "--scenario", scenario, "--spec-version", revision, "--force")
        ran = subprocess.run(
            programs.conformance("server", *asked, "--output-dir", str(results)),
            capture_output=True,
            text=True,
            check=False,
            timeout=_SUITE_SECONDS,
            env=environment(programs.node),
        )
        if not any(results.glob(f"server-{scenario}-*/checks.json")):
            raise RuntimeError(f"{scenario} ended with {ran.returncode}:\n{(ran.stderr or ran.stdout)[-2000:]}")
    return _checks(results)


def run(programs: Programs, revision: str, address: str, results: Path, expected: Path | None) -> Verdict:
    """Run all that the suite has for a revision, and keep its results in a folder.

    Without a file of what is expected to fail, only what the revision requires is judged, and none of it may. Raises
    RuntimeError when the suite broke off, or comes to another end than its own results.
    """
    shutil.rmtree(results, ignore_errors=True)
    baseline = ("--expected-failures", str(expected)) if expected else ()
    ran = subprocess.run(
        programs.conformance(
            *("server", "--url", address, "--requirements", revision, "--output-dir", str(results)), *baseline
        ),
        capture_output=True,
        text=True,
        check=False,
        timeout=_SUITE_SECONDS,
        env=environment(programs.node),
    )
    checks = _checks(results)
    unscored = set(_UNSCORED.findall(programs.requirements(revision).read_text("utf-8")))
    if expected is None:
        checks = [check for check in checks if check.scenario not in unscored]
    verdict = judge(checks, read_expected(expected.read_text("utf-8")) if expected else (), unscored)
    if not verdict.scored or (ran.returncode != 0 and verdict.as_expected):
        raise RuntimeError(f"The suite ended with {ran.returncode}:\n{(ran.stderr or ran.stdout)[-2000:]}")
    return verdict


def _checks(results: Path) -> list[Check]:
    """Every check of a run, in the order of the scenarios' names."""
    checks = []
    for file in sorted(results.glob("*/checks.json")):
        named = _RESULT.match(file.parent.name)
        if named is None:
            raise RuntimeError(f"{file.parent.name!r} is not how the suite names its results.")
        checks += [
            Check(named["scenario"], told["id"], told["status"], told.get("errorMessage") or "")
            for told in json.loads(file.read_text("utf-8"))
        ]
    return checks
