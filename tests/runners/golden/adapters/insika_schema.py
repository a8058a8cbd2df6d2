"""``insika_schema_guard_violation``: holding arguments against a schema, exact text forms allowed."""

from __future__ import annotations

import re
from typing import Any, Final

from pegboard.schema.prepare import prepared
from pegboard.schema.problems import problems
from pegboard.schema.wording import MAX_PROBLEMS
from tests.runners.golden.adapter import Adapter
from tests.runners.golden.outcome import Comparison, Outcome, Returned

_LIST: Final = re.compile(r"missing required parameter\(s\): (.+)", re.DOTALL)


def violation(values: dict[str, Any]) -> list[str]:
    """The problems of a call's arguments; null for all of them is none, as in dispatch."""
    schema = values["schema"]
    return problems(schema, prepared(schema, values["args"] or {}), lossless=True)


def same_places(comparison: Comparison, expected: dict[str, Any], got: Outcome) -> str:
    """Whether there is a problem, and that ours are told at every place of theirs.

    Where we tell as many as can be told at once, some of theirs may be missing. They tell of what is absent alone,
    when something is; we of everything.
    """
    told = expected.get("returns")
    if not isinstance(got, Returned) or "returns" not in expected:
        return comparison.outcome(expected, got)
    if not told or not got.value:
        return comparison.value(not told, not got.value, "fits")
    absent = [place for place in places(told) if not any(text.startswith(f"{place}: ") for text in got.value)]
    return f"nothing is told of {absent}: {got.value}" if absent and len(got.value) < MAX_PROBLEMS else ""


def places(message: str) -> list[str]:
    """The places that one of their messages names."""
    missing = _LIST.fullmatch(message)
    if missing:
        return missing[1].split(", ")
    parts = message.removeprefix("invalid arguments: ").split("; ")
    return [part.partition(": ")[0] for part in parts if re.match(r"\S+: ", part)]


ADAPTERS: Final = {"insika_schema_guard_violation": Adapter(violation, {}, same_places)}
