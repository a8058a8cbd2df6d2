"""Why an upstream could not be reached, in one sentence that begins with its name. Pure."""

from __future__ import annotations

from typing import Final

from mcp import MCPError
from pydantic import ValidationError

from pegboard.errors import PegboardError
from pegboard.sources.mcp.noise import visible

_IS_IT_A_SERVER: Final = "Check that its command runs an MCP server on stdio"


class OddAnswerError(Exception):
    """An answer that is not what MCP asks for; its text says what is wrong with it, for the end of a sentence."""


def explained(name: str, waits_for: str, error: Exception, start_timeout: float) -> str | None:
    """The sentence for an error that came while ``waits_for`` was waited for; None for an error that is a surprise.

    ``waits_for`` is the end of a sentence that begins with ``did not``, such as ``answer 'tools/list'``.
    """
    who = f"Upstream {name!r}"
    if isinstance(error, ExceptionGroup) and len(error.exceptions) == 1:
        return explained(name, waits_for, error.exceptions[0], start_timeout)
    if isinstance(error, PegboardError):
        return str(error)
    if isinstance(error, TimeoutError):
        return f"{who} did not {waits_for} within {start_timeout:g} s. {_IS_IT_A_SERVER}, or raise start_timeout."
    if isinstance(error, OddAnswerError):
        return f"{who} did not {waits_for} as MCP asks: {error}. {_IS_IT_A_SERVER}."
    if isinstance(error, MCPError):
        message = visible(error.message, 300).rstrip(".")
        return f"{who} did not {waits_for}: it answered with error {error.code}: {message}."
    if isinstance(error, ValidationError):
        first = error.errors(include_url=False)[0]
        place = ".".join(str(step) for step in first["loc"]) or "result"
        return f"{who} did not {waits_for} as MCP asks: {place}: {first['msg']}. {_IS_IT_A_SERVER}."
    if isinstance(error, RuntimeError) and "version" in str(error):
        return f"{who} speaks another protocol: {visible(str(error))}. Update it, or Pegboard."
    return None
