"""What keeps a server over HTTP from answering, told so that a person can mend it. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from http import HTTPStatus
from typing import Final

from mcp.types import INTERNAL_ERROR
from mcp.types.jsonrpc import ErrorData, JSONRPCError

from pegboard.errors import EgressError, RefusedReplyError, RefusedRequestError, UnreachableError
from pegboard.sources.mcp.frames import Id
from pegboard.sources.mcp.headers import CREDENTIAL, secret_names
from pegboard.sources.mcp.noise import visible
from pegboard.sources.mcp.spec import HttpSpec

LONGEST_WAIT: Final = 300.0
"""Seconds of a Retry-After that are waited at most: a server may be back sooner than it thought."""

_QUOTED: Final = 200
"""Characters of an error page that are repeated."""


@dataclass(frozen=True, kw_only=True)
class Trouble:
    """Why a request has no answer. Immutable. In place of an answer it stands where an error has its data.

    ``what`` the server did, as in "answered HTTP 503". ``ran`` says that the request may have been carried out all the
    same; ``gone`` that nobody is there to take any; ``wordless`` that the server refused it without a word of MCP, so
    that it may understand another way to begin. ``retry_after`` are the seconds that it asks to be left alone.
    """

    what: str
    hint: str = ""
    ran: bool = False
    gone: bool = False
    wordless: bool = False
    retry_after: float = 0.0

    @property
    def told(self) -> str:
        """The end of a sentence that says what did not happen, with the fix."""
        return " ".join(filter(None, (f"it {self.what}.", self.hint)))


class TroubleError(Exception):
    """Raised where a request fails; its trouble says why."""

    def __init__(self, trouble: Trouble) -> None:
        super().__init__(trouble.told)
        self.trouble = trouble


def in_place_of_answer(request: Id, trouble: Trouble) -> JSONRPCError:
    """An error for whoever waits for the answer to ``request``."""
    error = ErrorData(code=INTERNAL_ERROR, message=trouble.what, data=trouble)
    return JSONRPCError(jsonrpc="2.0", id=request, error=error)


def of_network(error: EgressError, spec: HttpSpec, *, begun: bool) -> Trouble:
    """The trouble that the HTTP client tells of; ``begun`` when the reply had begun to come."""
    detail = visible(error.detail, _QUOTED) or str(error).rstrip(".")
    if isinstance(error, RefusedRequestError):
        return Trouble(what=f"cannot be reached from here: {detail}", gone=True)
    if isinstance(error, UnreachableError) and error.rule == "network":
        return Trouble(what=f"could not be reached ({detail})", hint="Check that it runs.", gone=True)
    if isinstance(error, RefusedReplyError):
        hint = "" if begun else f"{spec.what_to_check}."
        what = "gave no whole reply in HTTP" if error.rule == "protocol" else f"gave a reply that is refused: {detail}"
        return Trouble(what=what, hint=hint, ran=True)
    return Trouble(what="broke off the connection before its answer was whole", ran=True)


def of_status(status: int, headers: Mapping[str, str], page: str, spec: HttpSpec) -> Trouble:
    """The trouble that a status of 400 or more tells of. ``page`` is what the server said with it, scrubbed."""
    what = f"answered HTTP {_named(status)}{_quoted(headers.get('content-type', ''), page)}"
    if status in (401, 403):
        return Trouble(what=what, hint=_for_sign_in(status, spec))
    if status in (429, 503) and (wait := _seconds(headers.get("retry-after", ""))) is not None:
        return Trouble(what=what, hint=f"It asks to be tried again in {wait:.0f} s.", retry_after=wait)
    if status == 429:
        return Trouble(what=what, hint="Call it less often.")
    if status >= 500:
        return Trouble(what=what, hint="Try again later.", ran=True, wordless=status == 501)
    return Trouble(what=what, hint=_for_address(status, spec), wordless=True)


def of_redirect(where: str, *, elsewhere: bool) -> Trouble:
    """The trouble with a redirect that is not followed."""
    if elsewhere:
        what = f"redirects to another address, {where}, which is not followed"
        return Trouble(what=what, hint="If that is where it is now, write it as its url.")
    return Trouble(what=f"redirects to {where} in a way that loses the message", hint="Write that address as url.")


def of_content(kind: str, spec: HttpSpec) -> Trouble:
    """The trouble with a reply of a type that MCP does not have."""
    what = f"answered with {visible(kind, 60)!r}, where MCP has JSON or an event stream"
    return Trouble(what=what, hint=f"{spec.what_to_check}.", ran=True)


def _named(status: int) -> str:
    try:
        return f"{status} {HTTPStatus(status).phrase}"
    except ValueError:
        return str(status)


def _quoted(kind: str, page: str) -> str:
    if "html" in kind or page.lstrip()[:1] == "<":
        return " with a page for people"
    text = visible(" ".join(page.split()), _QUOTED).rstrip(".")
    return f" ({text})" if text else ""


def _for_address(status: int, spec: HttpSpec) -> str:
    if status not in (404, 405, 410):
        return ""
    other = "" if spec.transport == "sse" else '; one that speaks HTTP+SSE needs transport = "sse"'
    return f"{spec.what_to_check}{other}."


def _for_sign_in(status: int, spec: HttpSpec) -> str:
    """Which header to give, or to mend."""
    secrets = {name: ", ".join(secret_names({name: value})) for name, value in spec.headers.items()}
    given = [
        f"{name} (secret {secret})" if secret else name
        for name, secret in secrets.items()
        if secret or CREDENTIAL.search(name)
    ]
    if not given:
        return (
            "It wants to know who calls: give it a header, such as "
            f'headers = {{ Authorization = "Bearer {{{{secret.NAME}}}}" }} for {spec.name!r}.'
        )
    what = "Check the value of" if status == 401 else "Check what is allowed with"
    return f"{what} its header {', '.join(given)}."


def _seconds(text: str) -> float | None:
    """A Retry-After, as a number of seconds or a date; None for neither."""
    if text.strip().isdigit():
        return min(float(text), LONGEST_WAIT)
    try:
        at = parsedate_to_datetime(text)
    except (TypeError, ValueError):
        return None
    return min(max((at.replace(tzinfo=at.tzinfo or UTC) - datetime.now(UTC)).total_seconds(), 0.0), LONGEST_WAIT)
