"""The rules about configurations, and what they bring. Pure."""

from __future__ import annotations

from typing import Final

from pegboard.checking.rules.rule import Rule
from pegboard.documents.problems import Level

ERROR, WARNING = Level.ERROR, Level.WARNING

OF_CONFIGURATIONS: Final = (
    Rule(
        "configuration",
        ERROR,
        "A mistake in a configuration or a file of tools",
        "What it is about was set aside, or does not do what was written.",
        "See the message.",
    ),
    Rule(
        "tool-set-aside",
        ERROR,
        "A tool that was set aside",
        "Nobody can use it.",
        "See the reason in the message.",
    ),
    Rule(
        "foreign-set-aside",
        WARNING,
        "Something of a server or a document that was set aside",
        "Nobody can use it. It was not written here, and the rest of its source works.",
        "Exclude it in the entry that brings it, or have it mended where it comes from.",
    ),
    Rule(
        "source-away",
        WARNING,
        "A source that was not checked",
        "It was not ready, so that its tools could not be looked at.",
        "See: pegboard status",
    ),
)
