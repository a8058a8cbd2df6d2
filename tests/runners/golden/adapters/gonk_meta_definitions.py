"""``gonk_meta_definitions``: the meta-tools as tools, and what their input schemas refuse."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from pegboard.metatools import META_TOOLS
from pegboard.schema.prepare import prepared
from pegboard.schema.problems import problems
from pegboard.tools import Tool
from tests.runners.golden.adapter import Adapter
from tests.runners.golden.adapters.gonk_meta import OURS
from tests.runners.golden.outcome import Comparison, Outcome, Returned
from tests.runners.golden.vectors import ABSENT

THEIRS: Final = {ours: theirs for theirs, ours in OURS.items()}
NEWER: Final = ("call_tool", "tool_search")
"""Meta-tools that they do not have."""

HINTS: Final = {"readOnly": "readOnlyHint", "idempotent": "idempotentHint"}
TOLD: Final = ("name", "visibility", "category", "approval", "inputJsonSchema")


def asked(values: dict[str, Any]) -> Any:
    """Their names of the meta-tools, one's fields in their words, or for each input whether it is taken."""
    ops: dict[str, Callable[[], Any]] = {
        "order": lambda: [THEIRS.get(name, name) for name in META_TOOLS if name not in NEWER],
        "definition": lambda: _definition(_tool(values)),
        "validate": lambda: [_verdict(_tool(values), given) for given in values["inputs"]],
    }
    return ops[values["op"]]()


def _tool(values: dict[str, Any]) -> Tool:
    return META_TOOLS[OURS.get(values["name"], values["name"])]


def _definition(tool: Tool) -> dict[str, Any]:
    return {
        "name": THEIRS.get(tool.name, tool.name),
        "visibility": tool.visibility.value,
        "category": tool.category,
        "approval": str(tool.approval),
        "inputJsonSchema": _asked_for(tool.input_schema),
        "annotations": {theirs: (tool.annotations or {}).get(ours) for theirs, ours in HINTS.items()},
    }


def _asked_for(schema: Any) -> dict[str, Any]:
    return {
        "types": {name: told.get("type") for name, told in schema["properties"].items()},
        "required": list(schema.get("required", ())),
        "closed": schema.get("additionalProperties") is False,
    }


def _verdict(tool: Tool, given: Any) -> bool:
    """Whether a call's arguments are taken; absent ones are null here."""
    arguments = {} if given is None or given is ABSENT else given
    return isinstance(arguments, dict) and not problems(tool.input_schema, prepared(tool.input_schema, arguments))


def same_definitions(comparison: Comparison, expected: dict[str, Any], got: Outcome) -> str:
    """Names, order, category, tier and annotations, and schemas by what they ask for; of a refusal, that it is one.

    Descriptions are ours. Tags, cost and latency serve to find a tool: meta-tools are listed, never searched.
    """
    told = expected["returns"]
    if isinstance(got, Returned) and isinstance(told, dict):
        return _definition_differs(comparison, told, got.value)
    if told and isinstance(told[0], dict):
        told = ["ok" in verdict for verdict in told]
    return comparison.outcome({"returns": told}, got)


def _definition_differs(comparison: Comparison, told: dict[str, Any], got: dict[str, Any]) -> str:
    wanted: dict[str, Any] = {key: told[key] for key in TOLD if key in told}
    if "inputJsonSchema" in wanted:
        wanted["inputJsonSchema"] = _asked_for(told["inputJsonSchema"])
    annotations = told.get("hints", {}).get("mcp", {}).get("annotations")
    if annotations is not None:
        wanted["annotations"] = {key: value for key, value in annotations.items() if key in HINTS}
    return comparison.value(wanted, {key: got[key] for key in wanted})


ADAPTERS: Final = {"gonk_meta_definitions": Adapter(asked, {}, same_definitions)}
