"""The errors of Pegboard, named by what the caller does next.

    PegboardError
    ├── DefinitionError          mend the definition of a tool
    │   ├── InvalidNameError         ... its name
    │   ├── InvalidSchemaError       ... its schema
    │   ├── CollisionError           ... two of one name: rename, prefix or drop one
    │   ├── PolicyError              ... of a policy, or of one of its rules
    │   └── PrincipalError           ... of a principal
    ├── ConfigError              mend a configuration file (file, key and fix are in the message)
    ├── CallError                one call did not succeed; the message may be shown to the model
    │   ├── NotFoundError            ask for another name (hidden and missing look the same)
    │   │   ├── MetaToolError            ... or call the meta-tool of this name directly
    │   │   ├── SkillNameError           ... or load the skill of this name
    │   │   └── NoSkillError             ... of a skill; the message names those that there are
    │   ├── UnloadedError            load the tool again, or use call_tool
    │   ├── QuarantinedError         use another tool until somebody has accepted the changed definition
    │   ├── DeniedError              ask for the right, or do without
    │   ├── InvalidArgumentsError    mend the arguments; ``problems`` says which
    │   ├── CallTimeoutError         try again, or with less to do
    │   ├── UpstreamError            the server behind the tool failed or is away
    │   ├── ServiceError             the service behind an HTTP tool refused or failed, or gave what nobody expected
    │   ├── EgressError              outgoing HTTP failed; why in detail is for the operator alone
    │   │   ├── RefusedRequestError      not sent: take another address, or have the operator allow this one
    │   │   ├── UnreachableError         nobody answered: try again later
    │   │   ├── RequestTimeoutError      too slow: try again, or ask for less
    │   │   └── RefusedReplyError        the reply is too large, or broken: ask for less
    │   ├── CycleError               calls inside calls without end: its own, too deep, or waiting for one another
    │   ├── HandlerError             an unexpected exception; its id is in the log
    │   ├── InvalidResultError       the tool's own result is none; ``problems`` says where
    │   └── ToolError                raised by handlers: a message meant for the model
    ├── AuthoringError           a tool that is stored cannot be changed so
    │   ├── NoVersionError           ... there is no such tool or version: look what there is
    │   └── ConflictError            ... somebody changed it meanwhile: look, and try again
    ├── EvaluationError          how well tools are found cannot be measured so: mend the ranker, or what it is given
    │   └── DataSetError             ... or the files of tools and questions (file, line and fix are in the message)
    ├── BoardError               open another board: this one is not yours, or is not there
    └── StoreError               the store could not load or save; what was queued is kept

Every error carries ``code`` (stable, for programs), a message that is safe to disclose to a model,
``hint`` (the fix, may be empty) and ``data`` (facts, JSON values only).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar


def told(error: BaseException) -> str:
    """An exception in one line for a log or a reason: its class and its words, where it can say them."""
    try:
        return f"{type(error).__name__}: {error}"
    except Exception:
        return type(error).__name__


class PegboardError(Exception):
    """Base of every error that Pegboard raises on purpose.

    ``str(error)`` is the message and, where there is one, the hint behind it.
    """

    code: ClassVar[str] = "pegboard_error"

    def __init__(self, message: str, *, hint: str = "", data: dict[str, Any] | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint
        self.data: dict[str, Any] = data or {}

    def __str__(self) -> str:
        return f"{self.message} {self.hint}".strip()

    def to_json(self) -> dict[str, Any]:
        """The error as the model and ``--json`` see it: ``{"error": {code, message, hint?, ...data}}``."""
        body: dict[str, Any] = {"code": self.code, "message": self.message}
        if self.hint:
            body["hint"] = self.hint
        return {"error": body | self.data}


class DefinitionError(PegboardError):
    """A tool, a rule or a principal cannot be defined as written."""

    code = "invalid_definition"


class InvalidNameError(DefinitionError):
    """A name does not match ``^[A-Za-z0-9_-]{1,64}$``."""

    code = "invalid_name"


class InvalidSchemaError(DefinitionError):
    """A schema is not JSON Schema 2020-12, is too large, or refers outside itself."""

    code = "invalid_schema"


class CollisionError(DefinitionError):
    """Two tools would have one name."""

    code = "name_collision"


class PolicyError(DefinitionError):
    """A policy, or one of its rules, cannot be as written."""

    code = "invalid_policy"


class PrincipalError(DefinitionError):
    """What was given as a principal is none."""

    code = "invalid_principal"


class ConfigError(PegboardError):
    """A configuration file is wrong; the message names the file, the key and the fix."""

    code = "invalid_configuration"


class CallError(PegboardError):
    """One call did not succeed. The message may be shown to the model."""

    code = "call_failed"


class NotFoundError(CallError):
    """No tool of this name, or none that the caller may discover: the two look the same. ``finder`` finds others."""

    code = "not_found"

    def __init__(self, name: str, finder: str = "find_tools") -> None:
        super().__init__(f"No tool is named {name!r}.", hint=f"Search with {finder}.")
        self.name = name


class MetaToolError(NotFoundError):
    """A meta-tool was asked for where tools of the catalog are: it is in none."""

    def __init__(self, name: str) -> None:
        CallError.__init__(self, f"{name!r} is a meta-tool.", hint="Call it directly, by its own name.")
        self.name = name


class SkillNameError(NotFoundError):
    """A skill was asked for where tools are: it is read, not called."""

    def __init__(self, name: str) -> None:
        CallError.__init__(self, f"{name!r:.200} is a skill, not a tool.", hint="Get its instructions with skills.")
        self.name = name


class NoSkillError(NotFoundError):
    """No skill of this name, or none that the caller may discover: the two look the same.

    ``available`` are those that there are for the caller; the message names at most 50 of them, and ``close`` as what
    was probably meant.
    """

    def __init__(self, name: str, available: Sequence[str] = (), *, close: str | None = None) -> None:
        listed = ", ".join(available[:50]) + (f" and {len(available) - 50} more" if len(available) > 50 else "")
        hint = f"Available skills: {listed}." if available else "There are no skills."
        hint = f"Did you mean {close!r}? {hint}" if close else hint
        CallError.__init__(self, f"Unknown skill: {name!r:.200}.", hint=hint)
        self.name = name


class UnloadedError(CallError):
    """The tool is a tombstone on this board: it was unloaded, or is ``gone`` from its source. ``way`` leads on."""

    code = "unloaded"

    def __init__(self, name: str, *, gone: bool = False, way: str | None = None) -> None:
        if gone:
            told, hint = "is no longer offered by its source", f"Search with {way or 'find_tools'}."
        else:
            told, hint = "was unloaded", f"Load it again with {way or 'load_tool'}."
        super().__init__(f"The tool {name!r} {told}.", hint=hint)
        self.name = name


class QuarantinedError(CallError):
    """The tool's definition is no longer the one that this board was shown, and nobody has accepted the new one."""

    code = "quarantined"

    def __init__(self, name: str) -> None:
        super().__init__(
            f"The tool {name!r} is quarantined: its definition has changed since it was shown here.",
            hint="It cannot be used until a person accepts the change. Use another tool, or tell the user.",
        )
        self.name = name


class DeniedError(CallError):
    """The policy, or the approver, refused the call."""

    code = "denied"


class InvalidArgumentsError(CallError):
    """The arguments do not fit the schema; ``problems`` names at most five, each with place, wanted and got."""

    code = "invalid_arguments"

    def __init__(self, name: str, problems: Sequence[str]) -> None:
        listed = "; ".join(problems)
        super().__init__(f"Invalid arguments for {name}: {listed}.", data={"problems": list(problems)})
        self.problems = tuple(problems)


class CallTimeoutError(CallError):
    """The call took longer than its limit, and was cancelled; or waited so long for a free place and never ran."""

    code = "timeout"


class UpstreamError(CallError):
    """The server behind the tool is away, broke off, or answered with a protocol error."""

    code = "upstream_failed"


class ServiceError(CallError):
    """The service behind an HTTP tool answered, but not with success, or not with what the tool is there to give.

    ``data`` may have its ``status``, and the ``body`` of its answer where that is JSON.
    """

    code = "service_failed"


class EgressError(CallError):
    """Outgoing HTTP failed. The message tells nothing about the network inside.

    ``rule`` names what failed, ``detail`` says why: both are for the operator, and never in the message or ``data``.
    """

    code = "egress_failed"

    def __init__(self, message: str, *, rule: str, detail: str = "", hint: str = "") -> None:
        super().__init__(message, hint=hint)
        self.rule = rule
        self.detail = detail


class RefusedRequestError(EgressError):
    """The request was not sent: its address, or the one it was redirected to, may not be reached."""

    code = "request_refused"


class UnreachableError(EgressError):
    """No permitted address answered, or the connection broke off."""

    code = "unreachable"


class RequestTimeoutError(EgressError):
    """The reply did not come, or not whole, within the time limit."""

    code = "request_timeout"


class RefusedReplyError(EgressError):
    """The reply is too large, or is not HTTP that can be read."""

    code = "reply_refused"


class CycleError(CallError):
    """A call inside another one would have no end: its own tool is running, or it waits for a call that waits for it.

    One that is nested too deep is refused likewise.
    """

    code = "cycle"


class HandlerError(CallError):
    """A handler raised something unexpected. The exception is in the log under ``data["id"]``, never in the message."""

    code = "internal_error"


class InvalidResultError(CallError):
    """A tool gave back what is no JSON, or does not fit its output schema; ``problems`` are at most five, short."""

    code = "invalid_result"

    def __init__(self, name: str, problems: Sequence[str], *, hint: str = "") -> None:
        listed = "; ".join(problems)
        super().__init__(f"The result of {name} is not valid: {listed}.", hint=hint, data={"problems": list(problems)})
        self.problems = tuple(problems)


class ToolError(CallError):
    """Raised by a handler for the model to read, word for word."""

    code = "tool_error"


class AuthoringError(PegboardError):
    """A tool that is stored cannot be changed in this way."""

    code = "authoring_failed"


class NoVersionError(AuthoringError):
    """No tool of this name is stored, or no such version of it."""

    code = "not_found"


class ConflictError(AuthoringError):
    """The tool is not at the version that the change was made for."""

    code = "conflict"


class EvaluationError(PegboardError):
    """How well tools are found cannot be measured so: a ranker fails, or is none."""

    code = "invalid_evaluation"


class DataSetError(EvaluationError):
    """A set of tools and questions cannot be used; the message names the file, the line and the fix."""

    code = "invalid_data_set"


class BoardError(PegboardError):
    """No such board, or not this principal's: the two look the same."""

    code = "no_board"


class StoreError(PegboardError):
    """A store could not load or save. Nothing queued is lost."""

    code = "store_failed"
