"""What a case asks for that is not there: looked at before it runs, so that nothing is left out in silence."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

from tests.runners.cases.case import Case, Step
from tests.runners.cases.expectations import check_of
from tests.runners.cases.local import FIELDS
from tests.runners.cases.steps import STEPS


def lacks(case: Case) -> list[str]:
    """What is missing, each once, by name."""
    return list(dict.fromkeys(_of_steps(case)))


def _of_steps(case: Case) -> Iterator[str]:
    if len(_callers(case)) > 1:
        yield "sign-in over HTTP"
    for step in case.steps:
        if step["do"] not in STEPS:
            yield f"the step {step['do']!r}"
            continue
        unknown = set(step) - STEPS[step["do"]].fields - {"do", "expect"}
        yield from (f"{step['do']} with {field!r}" for field in sorted(unknown))
        yield from _of_values(case, step)
    yield from (f"the expectation {key!r}" for key, _ in case.expectations() if check_of(key) is None)


def _callers(case: Case) -> set[tuple[str | None, str | None]]:
    """Those for whom requests are made by hand, whom only a sign-in can tell apart."""
    by_hand = (step for step in case.steps if step["do"] in ("open_session", "raw_http"))
    return {(step.get("as"), step.get("token")) for step in by_hand}


def _of_values(case: Case, step: Step) -> Iterator[str]:
    if step["do"] in ("catalog", "replace_tools"):
        yield from (f"a catalog with {field!r}" for field in sorted(_fields(case.folder / step["file"]) - FIELDS))
    if isinstance(step.get("each"), dict):
        yield from _of_steps(replace(case, steps=(step["each"],)))
    for field, known in {**VALUES, **VALUES_OF.get(step["do"], {})}.items():
        understood = field in STEPS[step["do"]].fields
        if understood and step.get(field) is not None and step[field] not in known:
            yield f"{field} {step[field]!r}"


def _fields(file: Path) -> set[str]:
    """The fields that the tools of a catalog file have; none of a file that the step itself will fail on."""
    try:
        tools: list[dict[str, Any]] = json.loads(file.read_bytes())
        return {key for tool in tools for key in tool}
    except (OSError, ValueError, TypeError):
        return set()


VALUES: Final = {
    "mode": ("lenient-if-any",),
    "transport": ("stub",),
    "via": ("call", "tools/call", "cli"),
    "expose": ("all",),
    "then": ("resume",),
}
"""Fields of which only some values are understood."""

VALUES_OF: Final[dict[str, dict[str, tuple[str, ...]]]] = {"search": {"mode": ("hybrid",)}}
"""The same for steps in which a field means something else."""
