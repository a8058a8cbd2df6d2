"""A reply to a result: what is taken from it, what a failure says, and whether the turn ends. Pure."""

from __future__ import annotations

import codecs
import json
import re
from dataclasses import dataclass, field
from email.message import Message
from functools import cached_property
from typing import Any, Final

from pegboard.errors import ServiceError
from pegboard.http_tools.definition import HaltWhen, HttpDefinition
from pegboard.http_tools.evidence import EVIDENCE_KEY, EvidenceError, shown_of
from pegboard.http_tools.paths import at_path
from pegboard.http_tools.reply_json import ReplyJsonError, read_json
from pegboard.http_tools.scalars import plain
from pegboard.masking import Scrubber
from pegboard.tools import MISSING, Halt, ToolResult, text_block

MAX_ERROR_JSON: Final = 2_000
"""Bytes of a failure's body that is told whole, where it is JSON."""
MAX_ERROR_TEXT: Final = 200
"""Characters of any other that are told."""
MAX_LOCATION: Final = 500

_HALF: Final = re.compile(r"[\ud800-\udfff]")
_NO_CHARSETS: Final = frozenset({"punycode", "idna", "unicode-escape", "raw-unicode-escape", "undefined"})
"""Text encodings of Python that no body has; the time that punycode takes grows with the square of its length."""


@dataclass(frozen=True)
class Answer:
    """What came back. Immutable; belongs to one call.

    ``body`` is as it came, decoded, and may hold secrets; ``location`` and all that is taken from here do not.
    """

    status: int
    body: str = field(repr=False)
    location: str = ""
    scrubber: Scrubber = field(default_factory=lambda: Scrubber(()), repr=False)

    @property
    def ok(self) -> bool:
        """Whether it is a success."""
        return 200 <= self.status < 300

    @cached_property
    def text(self) -> str:
        """The body without secrets."""
        return self.scrubber.text(self.body)

    @cached_property
    def json(self) -> Any:
        """The body as JSON, its secrets still in it: who takes something from it masks what was taken.

        A secret may be a word of the reply's own, such as a key on the way. Raises ReplyJsonError.
        """
        return read_json(self.body)


def answer_of(
    status: int, body: bytes, *, content_type: str = "", location: str = "", scrubber: Scrubber | None = None
) -> Answer:
    """The answer that a reply is."""
    scrub = scrubber or Scrubber(())
    return Answer(status, decoded(body, content_type), scrub.text(location)[:MAX_LOCATION], scrub)


def decoded(body: bytes, content_type: str = "") -> str:
    """A body as text: by the charset that it says it has, or else UTF-8; what does not fit becomes U+FFFD."""
    message = Message()
    message["Content-Type"] = content_type
    charset = message.get_content_charset("utf-8")
    try:
        known = codecs.lookup(charset)
        # some "encodings" of Python are none: they unpack, or give bytes again
        usable = known._is_text_encoding and known.name not in _NO_CHARSETS
        text = body.decode(known.name if usable else "utf-8", "replace")
    except (LookupError, ValueError):
        text = body.decode("utf-8", "replace")
    return _HALF.sub("\ufffd", text)


def result_of(definition: HttpDefinition, answer: Answer) -> ToolResult | Halt:
    """The result of a call that was answered. Raises ServiceError for what is no success, or not what was expected."""
    result = _result(definition, answer)
    if answer.ok and definition.halt_when:
        body = _json_or_missing(answer)
        if halts(definition.halt_when, body):
            told = said(definition.halt_when, body)
            return Halt(result=result, say=answer.scrubber.text(told) if told else None)
    return result


def halts(when: HaltWhen, body: Any) -> bool:
    """Whether a body, as JSON or MISSING, ends the turn."""
    value = at_path(when.json_path, body)
    if value is MISSING or isinstance(value, (dict, list)):
        return False
    return ("" if value is None else plain(value)) in when.equals


def said(when: HaltWhen, body: Any) -> str | None:
    """What is said when the turn ends; None for nothing."""
    text = when.say_text if when.say_path is None else at_path(when.say_path, body)
    return (text.strip() or None) if isinstance(text, str) else None


def _result(definition: HttpDefinition, answer: Answer) -> ToolResult:
    value = _extracted(definition, answer)
    if isinstance(value, ToolResult) or definition.evidence is None:
        return ToolResult.of(value)
    try:
        shown = shown_of(definition.evidence, value)
    except EvidenceError as error:
        raise ServiceError(f"{error}.", data={"status": answer.status}) from None
    told = {"kind": definition.evidence.kind, "ids": list(shown.ids), "attachments": list(shown.attachments)}
    result = ToolResult.of({"items": [dict(item) for item in shown.items]})
    return ToolResult(content=result.content, structured=result.structured, meta={EVIDENCE_KEY: told})


def _extracted(definition: HttpDefinition, answer: Answer) -> Any:
    if definition.extract == "status":
        return {"status": answer.status}
    if not answer.ok:
        raise failure(answer)
    if definition.extract == "body_raw":
        return answer.text
    if definition.extract == "json_path" and not answer.text.strip():
        # success without a body is success
        return ToolResult(content=(text_block(f"HTTP {answer.status}, without a body."),))
    try:
        body = answer.json
    except ReplyJsonError as error:
        raise ServiceError(str(error), hint=error.hint, data={"status": answer.status}) from None
    if definition.extract == "evidence_envelope":
        return answer.scrubber.value(body, keys=False)  # of its keys none is told, and some are looked for
    value = at_path(definition.path or "", body)
    if value is MISSING:
        raise ServiceError(
            f"The path {definition.path!r} was not found in the response.", data={"status": answer.status}
        )
    return answer.scrubber.value(value)


def failure(answer: Answer) -> ServiceError:
    """The error for an answer that is no success: its status, where it points, or what it says."""
    data: dict[str, Any] = {"status": answer.status}
    if 300 <= answer.status < 400 and answer.location.strip():
        data["location"] = answer.location
        return ServiceError(f"HTTP {answer.status}: moved to {answer.location}", data=data)
    short = len(answer.body) <= MAX_ERROR_JSON and len(answer.body.encode()) <= MAX_ERROR_JSON
    body = answer.scrubber.value(_json_or_missing(answer)) if short else MISSING
    if isinstance(body, (dict, list)):
        told = json.dumps(body, ensure_ascii=False, separators=(",", ":"))
        return ServiceError(f"HTTP {answer.status}: {told}", data={**data, "body": body})
    text = answer.text[:MAX_ERROR_TEXT] if answer.text.strip() else ""
    return ServiceError(f"HTTP {answer.status}: {text}" if text else f"HTTP {answer.status}", data=data)


def _json_or_missing(answer: Answer) -> Any:
    try:
        return answer.json
    except ReplyJsonError:
        return MISSING
