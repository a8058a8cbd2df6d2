"""The keys of ``[check]``: what ``pegboard check`` and ``pegboard skills check`` leave out, and when they fail."""

from __future__ import annotations

from dataclasses import replace
from typing import Final, Literal, get_args

from pegboard.checking.rules import RULES
from pegboard.config.keys import Keys, key
from pegboard.config.kinds import choice, list_of

FailOn = Literal["error", "warning"]

CODES: Final = list_of(replace(choice(*RULES), wanted="the code of a rule, of which docs/checks.md has the list"))
FAIL_ON: Final = choice(*get_args(FailOn))


class CheckKeys(Keys):
    """``[check]``: how skills and tools are checked. Immutable; belongs to one load."""

    ignore: tuple[str, ...] = key(CODES, "Codes of rules to leave out.", ())
    fail_on: FailOn = key(FAIL_ON, "From which weight on findings make a check fail.", "error")
