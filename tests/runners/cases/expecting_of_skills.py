"""Expectations about skills. Each gives what is wrong, or nothing."""

from __future__ import annotations

from typing import Any, Final
from xml.etree import ElementTree

from pegboard.tools import MISSING
from tests.runners.cases.answer import Answer
from tests.runners.cases.expecting import Check, claim, in_text
from tests.runners.cases.skills import ABSENT
from tests.runners.cases.world import World


def equals(wanted: Any, answer: Answer, world: World) -> str:
    return claim(
        answer.structured is not MISSING and answer.structured == wanted, f"{answer.structured!r} is not {wanted!r}"
    )


def warnings(wanted: Any, answer: Answer, world: World) -> str:
    lines = answer.text.splitlines()
    return claim(len(lines) == wanted, f"{len(lines)} warnings: {lines}")


def warnings_mention(wanted: Any, answer: Answer, world: World) -> str:
    return in_text(wanted, answer.text, "the warnings")


def warning(wanted: Any, answer: Answer, world: World) -> str:
    """Whether there is one about the skill."""
    return claim(bool(answer.parts) is wanted, f"warnings: {[part.text for part in answer.parts]}")


def absent_skill(wanted: Any, answer: Answer, world: World) -> str:
    return claim((answer.text == ABSENT) is wanted, f"the skill is there: {answer.text[:100]!r}")


def count(wanted: Any, answer: Answer, world: World) -> str:
    wrong = {text: answer.text.count(text) for text, times in wanted.items() if answer.text.count(text) != times}
    return claim(not wrong, f"counted {wrong}")


def well_formed_xml(wanted: Any, answer: Answer, world: World) -> str:
    try:
        ElementTree.fromstring(answer.text)
    except ElementTree.ParseError as error:
        return f"it is not: {error}"
    return ""


def same_names_as_library(wanted: Any, answer: Answer, world: World) -> str:
    """Whether the command names the skills that the catalog of the step before has, in the same order."""
    names = list(world.skills.names) if world.skills is not None else None
    return claim((answer.names == names) is wanted, f"the command names {answer.names}, the library {names}")


def max_chars(wanted: Any, answer: Answer, world: World) -> str:
    length = len(_prompt(answer))
    return claim(length <= wanted, f"{length} characters")


def all_names_present_or_count_stated(wanted: Any, answer: Answer, world: World) -> str:
    names = world.skills.names if world.skills else ()
    absent = [name for name in names if f"<name>{name}</name>" not in _prompt(answer)]
    stated = f"{len(absent)} of {len(names)} skills are left out" in _prompt(answer)
    return claim((not absent or stated) is wanted, f"without {len(absent)} of {len(names)} names, and no word of it")


def mentions_shortening(wanted: Any, answer: Answer, world: World) -> str:
    return claim(("shortened" in _prompt(answer)) is wanted, f"the block: {_prompt(answer)[-200:]!r}")


def _prompt(answer: Answer) -> str:
    return answer.text if answer.structured is MISSING else str(answer.structured)


CHECKS: Final[dict[str, Check]] = {
    "equals": equals,
    "same_names_as_library": same_names_as_library,
    "warnings": warnings,
    "warnings_mention": warnings_mention,
    "warning": warning,
    "absent_skill": absent_skill,
    "count": count,
    "well_formed_xml": well_formed_xml,
    "max_chars": max_chars,
    "all_names_present_or_count_stated": all_names_present_or_count_stated,
    "mentions_shortening": mentions_shortening,
}
