"""The table of rules: what is looked for, how heavy it is, why, and how it is mended. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from pegboard.checking.finding import Finding, Text
from pegboard.checking.rules.of_configurations import OF_CONFIGURATIONS
from pegboard.checking.rules.of_skills import OF_SKILLS
from pegboard.checking.rules.of_texts import OF_TEXTS
from pegboard.checking.rules.of_the_format import OF_THE_FORMAT
from pegboard.checking.rules.rule import Rule

__all__ = ["RULES", "Rule", "finding"]

RULES: Final[Mapping[str, Rule]] = MappingProxyType(
    {rule.code: rule for rule in (*OF_THE_FORMAT, *OF_TEXTS, *OF_SKILLS, *OF_CONFIGURATIONS)}
)
"""Every rule by its code: first those of the format of skills, which loading applies."""


def finding(code: str, text: Text, at: int, length: int, message: str) -> Finding:
    """The finding of a rule in a text, at a character of it."""
    rule = RULES[code]
    line, column = text.place(at, length)
    return Finding(
        code=code,
        level=rule.level_in(text.kind),
        message=message,
        hint=rule.fix,
        file=text.file,
        line=line,
        column=column,
        subject=text.subject,
        key=text.key,
    )
