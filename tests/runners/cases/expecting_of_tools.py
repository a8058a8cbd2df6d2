"""Expectations about the tools in an answer: which they are, in what order, and how they are defined."""

from __future__ import annotations

import json
import re
from typing import Any, Final

from pegboard.metatools import META_TOOLS
from pegboard.schema.check import check_schema
from tests.runners.cases.answer import Answer
from tests.runners.cases.expecting import Check, bare, claim, in_text, no_error, not_in_text
from tests.runners.cases.using import META
from tests.runners.cases.world import World


def degraded(wanted: Any, answer: Answer, world: World) -> str:
    """Whether the answer says that only a part of the search was done, and why."""
    why = answer.structured.get("degraded", "") if isinstance(answer.structured, dict) else ""
    return claim(bool(why) is wanted, f"degraded is {why!r}")


def first(wanted: Any, answer: Answer, world: World) -> str:
    return claim(bare(answer)[:1] == [wanted], f"first is not {wanted!r}: {bare(answer)[:5]}")


def names(wanted: Any, answer: Answer, world: World) -> str:
    return claim(sorted(bare(answer)) == sorted(wanted), f"names are {sorted(bare(answer))}")


def top_set(wanted: Any, answer: Answer, world: World) -> str:
    found = bare(answer)[: len(wanted)]
    return claim(set(found) == set(wanted), f"the first are {found}")


def whole_set(wanted: Any, answer: Answer, world: World) -> str:
    return claim(set(bare(answer)) == set(wanted), f"names are {bare(answer)}")


def count(wanted: Any, answer: Answer, world: World) -> str:
    return claim(len(bare(answer)) == wanted, f"{len(bare(answer))} tools: {bare(answer)[:20]}")


def max_n(wanted: Any, answer: Answer, world: World) -> str:
    return no_error(True, answer, world) or claim(len(bare(answer)) <= wanted, f"{len(bare(answer))} tools")


def total(wanted: Any, answer: Answer, world: World) -> str:
    return claim(answer.total == wanted, f"total is {answer.total}")


def more(wanted: Any, answer: Answer, world: World) -> str:
    return claim(answer.more is wanted, f"more is {answer.more}")


def unique(wanted: Any, answer: Answer, world: World) -> str:
    return claim(len(set(answer.names or ())) == len(answer.names or ()), f"names are {answer.names}")


def names_match(wanted: Any, answer: Answer, world: World) -> str:
    """Shown names, against a pattern."""
    wrong = [name for name in answer.names or () if not re.fullmatch(wanted, name)]
    return claim(not wrong, f"{wrong} do not match {wanted}")


async def stable(wanted: Any, answer: Answer, world: World) -> str:
    """The same step gives the same answer again."""
    from tests.runners.cases.steps import STEPS

    again = await STEPS[answer.step["do"]].run(world, dict(answer.step))
    return claim(again.text == answer.text, "the same search gave another answer")


def ordered_as_list(wanted: Any, answer: Answer, world: World) -> str:
    """A page of the list, in the list's order."""
    shown = list(answer.names or ())
    everything = sorted(world.everything)
    return claim(bool(shown) and shown == everything[: len(shown)], f"names are {shown[:10]}")


def parameters(wanted: Any, answer: Answer, world: World) -> str:
    """The names of one tool's parameters."""
    shown = sorted(_schema(answer).get("properties") or {})
    return claim(shown == sorted(wanted), f"parameters are {shown}")


def schema_contains(wanted: Any, answer: Answer, world: World) -> str:
    return in_text(wanted, json.dumps(list(answer.items), ensure_ascii=False), "the definitions")


def schema_excludes(unwanted: Any, answer: Answer, world: World) -> str:
    return not_in_text(unwanted, json.dumps(list(answer.items), ensure_ascii=False))


def schema_bytes_max(wanted: Any, answer: Answer, world: World) -> str:
    sizes = [len(json.dumps(item.get("inputSchema"), ensure_ascii=False).encode()) for item in answer.items]
    return claim(max(sizes, default=0) <= wanted, f"schemas have {sizes} bytes")


def required_n(wanted: Any, answer: Answer, world: World) -> str:
    return claim(len(_schema(answer).get("required") or ()) == wanted, f"required: {_schema(answer).get('required')}")


def all_schemas_valid(wanted: Any, answer: Answer, world: World) -> str:
    for item in answer.items:
        check_schema(item["inputSchema"], what=item["name"])
    return ""


def json_serialisable(wanted: Any, answer: Answer, world: World) -> str:
    return claim(bool(json.dumps(list(answer.items))), "nothing to write")


def descriptions_nonempty(wanted: Any, answer: Answer, world: World) -> str:
    empty = [item["name"] for item in answer.items if not str(item.get("description", "")).strip()]
    return claim(not empty, f"without a description: {empty}")


def meta_tool_argument_type(wanted: Any, answer: Answer, world: World) -> str:
    """The type of a meta-tool's argument, as models are shown it."""
    for word, types in wanted.items():
        declared = META_TOOLS[META.get(word, word)].shown["inputSchema"]["properties"]
        wrong = {key: declared[key].get("type") for key, kind in types.items() if declared[key].get("type") != kind}
        if wrong:
            return f"{META.get(word, word)} declares {wrong}"
    return ""


def _schema(answer: Answer) -> dict[str, Any]:
    item = answer.items[0] if answer.items else {}
    schema: dict[str, Any] = item.get("inputSchema") or {}
    return schema


CHECKS: Final[dict[str, Check]] = {
    "all_schemas_valid": all_schemas_valid,
    "args": parameters,
    "degraded": degraded,
    "descriptions_nonempty": descriptions_nonempty,
    "first": first,
    "json_serialisable": json_serialisable,
    "max_n": max_n,
    "meta_tool_argument_type": meta_tool_argument_type,
    "more": more,
    "n": count,
    "names": names,
    "names_match": names_match,
    "ordered_as_list": ordered_as_list,
    "properties": parameters,
    "required_n": required_n,
    "schema_bytes_max": schema_bytes_max,
    "schema_contains": schema_contains,
    "schema_excludes": schema_excludes,
    "set": whole_set,
    "stable": stable,
    "top_set": top_set,
    "total": total,
    "unique": unique,
}
