"""What a command's exit code says. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from enum import IntEnum
from typing import Any, Final

from pegboard.errors import PegboardError
from pegboard.tools import ToolResult


class Exit(IntEnum):
    """The exit codes of every command."""

    OK = 0
    FAILED = 1
    """The tool ran and reported a failure, a step of the demo failed, or a measure is beyond its floor."""
    USAGE = 2
    """The command line, or the arguments for a tool, are wrong: nothing ran."""
    CONFIG = 3
    """The configuration, or another file that was named, is missing or wrong."""
    NOTHING = 4
    """No such tool, or nothing found."""
    AWAY = 5
    """An upstream, or the store, that was needed failed, or was not ready in time."""
    REFUSED = 6
    """A policy, or a person who was asked, refused the call."""
    TIMEOUT = 7
    """The call took too long and was stopped."""
    INTERNAL = 70
    """A fault of Pegboard's own; the message says where the details are."""
    INTERRUPTED = 130
    """Ctrl-C."""
    PIPE_CLOSED = 141
    """Whoever read the output stopped reading."""


_BY_CODE: Final[Mapping[str, Exit]] = {
    "invalid_configuration": Exit.CONFIG,
    "invalid_definition": Exit.CONFIG,
    "invalid_name": Exit.CONFIG,
    "invalid_schema": Exit.CONFIG,
    "invalid_data_set": Exit.CONFIG,
    "name_collision": Exit.CONFIG,
    "not_found": Exit.NOTHING,
    "unloaded": Exit.NOTHING,
    "invalid_arguments": Exit.USAGE,
    "upstream_failed": Exit.AWAY,
    "store_failed": Exit.AWAY,
    "denied": Exit.REFUSED,
    "timeout": Exit.TIMEOUT,
    "internal_error": Exit.INTERNAL,
}


def exit_for(error: PegboardError) -> Exit:
    """The exit code of an error: by its code, else FAILED."""
    return _BY_CODE.get(error.code, Exit.FAILED)


def exit_for_result(result: ToolResult) -> Exit:
    """The exit code of a call's result. A failure that the tool itself reported is FAILED."""
    if not result.is_error:
        return Exit.OK
    return _BY_CODE.get(str(dispatch_error(result).get("code", "")), Exit.FAILED)


def dispatch_error(result: ToolResult) -> Mapping[str, Any]:
    """The error that ended a call before or around the tool; empty when it succeeded, or the tool itself failed.

    A tool may give structured content that looks like ours, so the text has to be the error's own, too.
    """
    if not result.is_error:
        return {}
    error = result.structured.get("error") if isinstance(result.structured, Mapping) else None
    if not isinstance(error, Mapping):
        return {}
    text = f"{error.get('message', '')} {error.get('hint', '')}".strip()
    return error if text == result.text else {}
