"""Why an upstream could not be reached, in one sentence that begins with its name. Pure."""

from __future__ import annotations

from mcp import MCPError
from pydantic import ValidationError

from pegboard.errors import PegboardError
from pegboard.sources.mcp.noise import visible
from pegboard.sources.mcp.spec import UpstreamSpec
from pegboard.sources.mcp.trouble import Trouble, TroubleError


class OddAnswerError(Exception):
    """An answer that is not what MCP asks for; its text says what is wrong with it, for the end of a sentence."""


def trouble_in(error: Exception) -> Trouble | None:
    """The trouble that an error is about; None for any other."""
    if isinstance(error, ExceptionGroup) and len(error.exceptions) == 1:
        return trouble_in(error.exceptions[0])
    data = error.trouble if isinstance(error, TroubleError) else getattr(error, "data", None)
    return data if isinstance(data, Trouble) else None


def explained(spec: UpstreamSpec, waits_for: str, error: Exception) -> str | None:
    """The sentence for an error that came while ``waits_for`` was waited for; None for an error that is a surprise.

    ``waits_for`` is the end of a sentence that begins with ``did not``, such as ``answer 'tools/list'``.
    """
    who = f"Upstream {spec.name!r}"
    if isinstance(error, ExceptionGroup) and len(error.exceptions) == 1:
        return explained(spec, waits_for, error.exceptions[0])
    if isinstance(error, PegboardError):
        return str(error)
    if (trouble := trouble_in(error)) is not None:
        return f"{who} did not {waits_for}: {trouble.told}"
    if isinstance(error, TimeoutError):
        within = f"within {spec.start_timeout:g} s"
        return f"{who} did not {waits_for} {within}. {spec.what_to_check}, or raise start_timeout."
    if isinstance(error, OddAnswerError):
        return f"{who} did not {waits_for} as MCP asks: {error}. {spec.what_to_check}."
    if isinstance(error, MCPError):
        message = visible(error.message, 300).rstrip(".")
        return f"{who} did not {waits_for}: it answered with error {error.code}: {message}."
    if isinstance(error, ValidationError):
        first = error.errors(include_url=False)[0]
        place = ".".join(str(step) for step in first["loc"]) or "result"
        return f"{who} did not {waits_for} as MCP asks: {place}: {first['msg']}. {spec.what_to_check}."
    if isinstance(error, RuntimeError) and "version" in str(error):
        return f"{who} speaks another protocol: {visible(str(error))}. Update it, or Pegboard."
    return None
