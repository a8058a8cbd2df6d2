"""Every expectation that is understood, and how a step's expectations are looked at."""

from __future__ import annotations

import inspect
import re
from typing import Any, Final

from tests.runners.cases import (
    expecting,
    expecting_of_clients,
    expecting_of_openapi,
    expecting_of_requests,
    expecting_of_skills,
    expecting_of_state,
    expecting_of_tools,
    expecting_of_world,
)
from tests.runners.cases.answer import Answer
from tests.runners.cases.expecting import Check
from tests.runners.cases.world import World

CHECKS: Final[dict[str, Check]] = {
    **expecting.CHECKS,
    **expecting_of_tools.CHECKS,
    **expecting_of_world.CHECKS,
    **expecting_of_clients.CHECKS,
    **expecting_of_state.CHECKS,
    **expecting_of_requests.CHECKS,
    **expecting_of_skills.CHECKS,
    **expecting_of_openapi.CHECKS,
}


def check_of(key: str) -> Check | None:
    """The check of an expectation: of the word itself, or of a word with a name in it."""
    if key in CHECKS:
        return CHECKS[key]
    for pattern, make in (*expecting_of_world.NAMED.items(), *expecting_of_clients.NAMED.items()):
        if found := re.fullmatch(pattern, key):
            return make(found[1])
    return None


async def wrong(expect: dict[str, Any], answer: Answer, world: World) -> str:
    """The first expectation that the answer does not meet, and why; empty when it meets all."""
    for key, wanted in expect.items():
        found = await _one_of(wanted, answer, world) if key == "one_of" else await _checked(key, wanted, answer, world)
        if found:
            return f"{key}: {found}"
    return ""


async def _one_of(alternatives: Any, answer: Answer, world: World) -> str:
    failures = [await wrong(alternative, answer, world) for alternative in alternatives]
    return "; or ".join(failures) if all(failures) else ""


async def _checked(key: str, wanted: Any, answer: Answer, world: World) -> str:
    check = check_of(key)
    if check is None:
        raise LookupError(key)
    found = check(wanted, answer, world)
    return await found if inspect.isawaitable(found) else found
