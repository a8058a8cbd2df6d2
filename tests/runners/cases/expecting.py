"""Expectations about an answer itself. Each gives what is wrong, or nothing."""

from __future__ import annotations

import json
import re
from collections.abc import Awaitable, Callable
from typing import Any, Final

from pegboard.metatools import META_TOOLS
from pegboard.schema import check_schema
from pegboard.tools import MISSING
from tests.runners.cases.answer import Answer
from tests.runners.cases.matching import as_list, has, holds
from tests.runners.cases.using import META
from tests.runners.cases.world import World

Check = Callable[[Any, Answer, World], str | Awaitable[str]]
"""``check(wanted, answer, world)``: what is wrong with the answer; empty when nothing is."""


def claim(holds_true: bool, message: str) -> str:
    """The message when the claim does not hold."""
    return "" if holds_true else message


def bare(answer: Answer) -> list[str]:
    """The tools in the answer, by their own names."""
    return list(answer.bare or ())


def in_text(wanted: Any, text: str, what: str = "text") -> str:
    """What of the wanted texts is absent, letter case aside."""
    folded = text.casefold()
    absent = [part for part in as_list(wanted) if str(part).casefold() not in folded]
    return claim(not absent, f"{what} has no {absent}: {text[:300]!r}")


def not_in_text(unwanted: Any, text: str) -> str:
    """What of the unwanted texts is there."""
    present = [part for part in as_list(unwanted) if part in text]
    return claim(not present, f"{present} is in {text[:300]!r}")


def no_error(wanted: Any, answer: Answer, world: World) -> str:
    return claim(not wanted or not answer.is_error, f"an error: {answer.text[:300]!r}")


def is_error(wanted: Any, answer: Answer, world: World) -> str:
    return claim(answer.is_error is bool(wanted), f"is_error is {answer.is_error}: {answer.text[:300]!r}")


def first(wanted: Any, answer: Answer, world: World) -> str:
    return claim(bare(answer)[:1] == [wanted], f"first is not {wanted!r}: {bare(answer)[:5]}")


def contains(wanted: Any, answer: Answer, world: World) -> str:
    """Names of tools where the answer has some, else parts of its text."""
    if answer.bare is None:
        return in_text(wanted, answer.text)
    absent = [name for name in as_list(wanted) if name not in bare(answer)]
    return claim(not absent, f"{absent} not among {bare(answer)[:20]}")


def excludes(unwanted: Any, answer: Answer, world: World) -> str:
    if answer.bare is None:
        return not_in_text(unwanted, answer.text)
    present = [name for name in as_list(unwanted) if name in bare(answer)]
    return claim(not present, f"{present} among {bare(answer)[:20]}")


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


def error_names_tool(wanted: Any, answer: Answer, world: World) -> str:
    return is_error(True, answer, world) or in_text(META.get(wanted, wanted), answer.text)


def limit_noted(wanted: Any, answer: Answer, world: World) -> str:
    notes = answer.structured.get("notes", ()) if isinstance(answer.structured, dict) else ()
    return claim(any("limit" in note for note in notes), f"no note on the limit: {answer.text[:200]!r}")


def result_text(wanted: Any, answer: Answer, world: World) -> str:
    return no_error(True, answer, world) or claim(answer.text == wanted, f"the text is {answer.text[:300]!r}")


def result_min_chars(wanted: Any, answer: Answer, world: World) -> str:
    return claim(len(answer.text) >= wanted, f"{len(answer.text)} characters")


def message_contains(wanted: Any, answer: Answer, world: World) -> str:
    return in_text(wanted, answer.text, "the message")


def message_excludes(unwanted: Any, answer: Answer, world: World) -> str:
    return not_in_text(unwanted, answer.text)


def mentions(wanted: Any, answer: Answer, world: World) -> str:
    return in_text(wanted, answer.text)


def text_excludes(unwanted: Any, answer: Answer, world: World) -> str:
    return not_in_text(unwanted, answer.all_text)


def no_traceback(wanted: Any, answer: Answer, world: World) -> str:
    return not_in_text("Traceback (most recent call last)", answer.all_text)


def nowhere(unwanted: Any, answer: Answer, world: World) -> str:
    """In no result, log or status so far."""
    present = [text for text in as_list(unwanted) if any(text in line for line in world.all_text)]
    return claim(not present, f"{present} was told somewhere")


def within_s(wanted: Any, answer: Answer, world: World) -> str:
    return claim(answer.seconds <= wanted, f"it took {answer.seconds:.1f} s")


def structured_reachable(wanted: Any, answer: Answer, world: World) -> str:
    """As structured content, in it, or as JSON text."""
    found = answer.structured is not MISSING and holds(answer.structured, wanted)
    return claim(found or _as_json(answer.text) == wanted, f"structured content is {answer.structured!r}")


def raw_result(wanted: Any, answer: Answer, world: World) -> str:
    return claim(has(answer.wire, wanted), f"the result is {answer.wire!r}")


def contains_json(wanted: Any, answer: Answer, world: World) -> str:
    """Somewhere in the answer stands an object with at least these members."""
    found = holds(answer.structured, wanted) or holds(list(answer.items), wanted)
    return claim(found, f"not in {answer.text[:300]!r}")


def raw_reply_contains(wanted: Any, answer: Answer, world: World) -> str:
    return in_text(wanted, json.dumps(answer.wire, ensure_ascii=False), "the reply")


def raw_reply_excludes(unwanted: Any, answer: Answer, world: World) -> str:
    return not_in_text(unwanted, json.dumps(answer.wire, ensure_ascii=False))


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


def all_passed(wanted: Any, answer: Answer, world: World) -> str:
    return claim(not any(part.is_error for part in answer.parts), "some were refused")


def all_refused(wanted: Any, answer: Answer, world: World) -> str:
    return claim(all(part.is_error for part in answer.parts), "some were not refused")


def echo_back_original_name(wanted: Any, answer: Answer, world: World) -> str:
    """Each upstream tool answers with the name that it was called by: its own."""
    answered = [part.text for part in answer.parts]
    return claim(answered == bare(answer), f"answered {answered}, called {bare(answer)}")


def each_gets_own_args(wanted: Any, answer: Answer, world: World) -> str:
    mixed = [part.given for part in answer.parts if not part.cancelled and _echoed(part) != part.given]
    return claim(not mixed, f"other answers came for {mixed[:3]}")


def others_get_own_args(wanted: Any, answer: Answer, world: World) -> str:
    """And some have been given up, so that there are others."""
    given_up = sum(part.cancelled for part in answer.parts)
    return each_gets_own_args(wanted, answer, world) or claim(given_up > 0, "none was cancelled")


def not_called(wanted: Any, answer: Answer, world: World) -> str:
    return claim(not world.called, f"handlers were called: {world.called}")


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


def _as_json(text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError:
        return MISSING


def _echoed(part: Answer) -> Any:
    return part.structured if part.structured is not MISSING else _as_json(part.text)


CHECKS: Final[dict[str, Check]] = {
    "all_passed": all_passed,
    "all_refused": all_refused,
    "all_schemas_valid": all_schemas_valid,
    "args": parameters,
    "contains": contains,
    "contains_json": contains_json,
    "descriptions_nonempty": descriptions_nonempty,
    "each_gets_own_args": each_gets_own_args,
    "echo_back_original_name": echo_back_original_name,
    "error_contains": message_contains,
    "error_names_tool": error_names_tool,
    "excludes": excludes,
    "first": first,
    "is_error": is_error,
    "json_serialisable": json_serialisable,
    "limit_noted": limit_noted,
    "max_n": max_n,
    "mentions": mentions,
    "message_contains": message_contains,
    "message_excludes": message_excludes,
    "meta_tool_argument_type": meta_tool_argument_type,
    "more": more,
    "n": count,
    "names": names,
    "names_match": names_match,
    "no_error": no_error,
    "no_hang_s": within_s,
    "no_traceback": no_traceback,
    "not_called": not_called,
    "nowhere": nowhere,
    "ordered_as_list": ordered_as_list,
    "others_get_own_args": others_get_own_args,
    "properties": parameters,
    "raw_reply_contains": raw_reply_contains,
    "raw_reply_excludes": raw_reply_excludes,
    "raw_result": raw_result,
    "required_n": required_n,
    "result_contains": message_contains,
    "result_min_chars": result_min_chars,
    "result_text": result_text,
    "schema_bytes_max": schema_bytes_max,
    "schema_contains": schema_contains,
    "schema_excludes": schema_excludes,
    "set": whole_set,
    "stable": stable,
    "status_mentions": mentions,
    "structured_reachable": structured_reachable,
    "text_excludes": text_excludes,
    "top_set": top_set,
    "total": total,
    "unique": unique,
    "within_s": within_s,
}
