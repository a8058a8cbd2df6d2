"""Expectations about what a document came to: its report, names, schemas, and which address each tool reaches."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from pegboard.schema.walk import at, pointer_steps
from pegboard.tools import MISSING
from tests.runners.cases.answer import Answer
from tests.runners.cases.expecting import Check, bare, claim, in_text, is_error
from tests.runners.cases.openapi import operations, wanted_targets
from tests.runners.cases.world import World


def report_mentions(wanted: Any, answer: Answer, world: World) -> str:
    return in_text(wanted, world.report, "the report")


def same_name_for_same_path(wanted: Any, answer: Answer, world: World) -> str:
    """The import before had the same operations, under the same names."""
    now, before = operations(world), world.operations
    return claim(bool(before) and now == before, f"names are {now}, and were {before}")


def all_refs_resolve(wanted: Any, answer: Answer, world: World) -> str:
    """Every reference of each schema, inside that schema."""
    for item in answer.items:
        schema = item["inputSchema"]
        for reference in _references(schema):
            inside = reference.startswith("#") and at(schema, pointer_steps(reference[1:])) is not MISSING
            if not inside:
                return f"{item['name']} refers to {reference!r}"
    return ""


def _references(value: Any) -> Iterator[str]:
    if isinstance(value, Mapping):
        if isinstance(value.get("$ref"), str):
            yield value["$ref"]
        for member in value.values():
            yield from _references(member)
    elif isinstance(value, list):
        for member in value:
            yield from _references(member)


def description_of(wanted: Any, answer: Answer, world: World) -> str:
    found = {name: item["description"] for name, item in zip(bare(answer), answer.items, strict=True)}
    wrong = {name: found.get(name) for name, text in wanted.items() if found.get(name) != text}
    return claim(not wrong, f"descriptions are {wrong}")


def targets(wanted: Any, answer: Answer, world: World) -> str:
    """What the server was asked for since the step began, in any order."""
    got = sorted(request["target"] for request in world.requests_of_step())
    return claim(got == sorted(wanted), f"the targets are {got}")


def each_reaches_own_path(wanted: Any, answer: Answer, world: World) -> str:
    """Every operation of the document was asked for once, and nothing else."""
    got = sorted((request["method"], request["target"]) for request in world.requests_of_step())
    expected = sorted(wanted_targets(world, dict(answer.step.get("args") or {})))
    return claim(got == expected, f"asked for were {got}, not {expected}")


def none_without_body_args(wanted: Any, answer: Answer, world: World) -> str:
    """Every tool that is listed takes arguments; one that is not is in the report."""
    listed = dict(zip(bare(answer), answer.items, strict=True))
    idle = [name for name in wanted if name in listed and not listed[name]["inputSchema"].get("properties")]
    gone = [name for name in wanted if name not in listed and name not in world.report]
    return claim(not idle and not gone, f"without arguments: {idle}; neither listed nor reported: {gone}")


def listed_or_reported(wanted: Any, answer: Answer, world: World) -> str:
    gone = [name for name in wanted if name not in bare(answer) and name not in world.report]
    return claim(not gone, f"neither listed nor reported: {gone}")


CHECKS: Final[dict[str, Check]] = {
    "all_refs_resolve": all_refs_resolve,
    "description_of": description_of,
    "each_reaches_own_path": each_reaches_own_path,
    "error": is_error,
    "none_without_body_args": none_without_body_args,
    "or_report_mentions": listed_or_reported,
    "report_mentions": report_mentions,
    "same_name_for_same_path": same_name_for_same_path,
    "targets": targets,
}
