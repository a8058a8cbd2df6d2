"""Expectations about what an answer says. Each gives what is wrong, or nothing."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable
from typing import Any, Final

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


def halted(wanted: Any, answer: Answer, world: World) -> str:
    return claim((answer.halted_by is not None) is wanted, f"halted by {answer.halted_by}")


def halted_by(wanted: Any, answer: Answer, world: World) -> str:
    return claim(answer.halted_by == wanted, f"halted by {answer.halted_by}")


def results(wanted: Any, answer: Answer, world: World) -> str:
    return claim(len(answer.parts) == wanted, f"{len(answer.parts)} results")


def not_called(wanted: Any, answer: Answer, world: World) -> str:
    return claim(not world.called, f"handlers were called: {world.called}")


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
    "contains": contains,
    "contains_json": contains_json,
    "each_gets_own_args": each_gets_own_args,
    "echo_back_original_name": echo_back_original_name,
    "error_contains": message_contains,
    "error_names_tool": error_names_tool,
    "excludes": excludes,
    "is_error": is_error,
    "halted": halted,
    "halted_by": halted_by,
    "limit_noted": limit_noted,
    "mentions": mentions,
    "message_contains": message_contains,
    "message_excludes": message_excludes,
    "no_error": no_error,
    "no_hang_s": within_s,
    "no_traceback": no_traceback,
    "not_called": not_called,
    "nowhere": nowhere,
    "others_get_own_args": others_get_own_args,
    "raw_reply_contains": raw_reply_contains,
    "raw_reply_excludes": raw_reply_excludes,
    "raw_result": raw_result,
    "result_contains": message_contains,
    "result_min_chars": result_min_chars,
    "results": results,
    "result_text": result_text,
    "status_mentions": mentions,
    "structured_reachable": structured_reachable,
    "text_excludes": text_excludes,
    "within_s": within_s,
}
