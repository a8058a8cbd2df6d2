"""Why a request is not sent: one rule, what a model may read of it, and what the operator's log says."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from pegboard.errors import RefusedRequestError

REFUSED: Final = "This address cannot be reached from here."
"""What a model reads, whatever rule refused: the rules that ask the network would else tell what is inside."""

HINTS: Final[Mapping[str, str]] = {
    "syntax": "Give an absolute http or https address without user, password or percent signs in its host.",
    "scheme": "Use https, or let the operator allow the scheme.",
    "port": "The operator can allow the port.",
    "host list": "The operator can add the host to the list.",
    "name": "The operator can allow the host together with the range that it resolves to.",
    "address": "The operator can allow the host together with the range that it resolves to.",
    "resolution": "",
    "redirect": "",
    "header": "Send headers whose names are tokens and whose values hold no control characters.",
}
"""The fix for each rule, as the operator's log has it. ``syntax`` and ``header`` tell the model too."""


def refuse(rule: str, detail: str) -> RefusedRequestError:
    """The error of a rule in ``HINTS``; ``detail`` is for the operator, but for rules that judge the text alone."""
    judges_text = rule in ("syntax", "header")
    message = f"The request is malformed: {detail}." if judges_text else REFUSED
    return RefusedRequestError(message, rule=rule, detail=detail, hint=HINTS[rule] if judges_text else "")
