"""The conformance suite's scenarios for clients, run against upstreams over HTTP."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from tests.conformance.programs import ROOT, Programs, environment

SCENARIOS: Final = (
    *("initialize", "tools_call", "sse-retry", "request-metadata"),
    *("http-standard-headers", "http-custom-headers", "http-invalid-tool-headers"),
    *("json-schema-ref-no-deref", "json-schema-2020-12-preservation"),
    *("sep-2640-client-no-prefetch", "sep-2640-client-verify-digest"),
    *("sep-2640-client-verify-size", "sep-2640-client-verify-frontmatter"),
)
"""All that do not ask for what upstreams do not have: sign-in by OAuth, answers to a server's questions."""

_SCORE: Final = re.compile(r"^Passed: (\d+)/(\d+), (\d+) failed, (\d+) warnings$", re.MULTILINE)
_SECONDS: Final = 60


@dataclass(frozen=True)
class Score:
    """What a scenario came to. Immutable. ``told`` is what the suite said, where not all is well."""

    scenario: str
    passed: int
    checks: int
    told: str = ""


def run(programs: Programs) -> Iterator[Score]:
    """Every scenario, one after the other."""
    for scenario in SCENARIOS:
        command = f"{sys.executable} -m tests.conformance.upstream_client"
        ran = subprocess.run(
            programs.conformance("client", "--command", command, "--scenario", scenario),
            capture_output=True,
            text=True,
            check=False,
            timeout=_SECONDS,
            cwd=ROOT,
            env=environment(programs.node),
        )
        yield score(scenario, ran.returncode, ran.stdout + ran.stderr)


def score(scenario: str, code: int, told: str) -> Score:
    """What the suite's words come to; a scenario without a score has failed."""
    found = _SCORE.search(told)
    passed, checks, failed, warnings = map(int, found.groups()) if found else (0, 1, 1, 0)
    well = code == 0 and passed == checks > 0 and not failed and not warnings
    return Score(scenario, passed, checks, "" if well else told[-2000:])
