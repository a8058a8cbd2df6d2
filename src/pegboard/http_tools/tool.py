"""HTTP tools that run: each call is one request through the egress guard."""

from __future__ import annotations

import logging
import traceback
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Protocol

from pegboard.context import Context
from pegboard.errors import CallError, HandlerError, ToolError
from pegboard.http_tools.auth import derived_from
from pegboard.http_tools.definition import HttpDefinition
from pegboard.http_tools.filling import Values
from pegboard.http_tools.folder import read_files
from pegboard.http_tools.placeholders import parts_of, placeholders_in, placeholders_in_text, texts_in
from pegboard.http_tools.response import answer_of, result_of
from pegboard.http_tools.secrets import FOR_OPERATOR, EnvironmentSecrets, SecretProvider
from pegboard.http_tools.template import Template, template_of
from pegboard.http_tools.tokens import MAX_TOKEN_REPLY, Post, Tokens
from pegboard.http_tools.words import CONTEXT_NAMES
from pegboard.masking import Scrubber
from pegboard.net.egress import EgressPolicy
from pegboard.threads import in_thread
from pegboard.tools import Approval, Halt, Tool, ToolResult

if TYPE_CHECKING:
    from pegboard.net.client import HttpLimits
    from pegboard.net.replies import Reply

logger = logging.getLogger(__name__)

MAX_BODY: Final = 1_000_000
"""Bytes of a reply's body, unpacked, unless told otherwise: ten times the characters of a result."""

UNAUTHORIZED: Final = 401

_MORE: Final = 5.0
"""Seconds that a call may last beyond its request, so that the request's own time limit is the one that speaks."""


class Client(Protocol):
    """What sends requests: ``pegboard.net.client.HttpClient``."""

    async def request(
        self,
        method: str,
        url: str,
        *,
        policy: EgressPolicy,
        headers: Mapping[str, str] | None = None,
        body: bytes = b"",
        redirects: int = 0,
        secrets: Collection[str] = (),
        limits: HttpLimits | None = None,
    ) -> Reply:
        """Send one request and read its whole reply. Raises EgressError."""
        ...


@dataclass(frozen=True)
class HttpCall:
    """One request that was answered. Immutable. Nothing of address, headers or body is in it."""

    tool: str
    status: int


EventSink = Callable[[HttpCall], None]
"""Hears of every request that was answered. What it raises is logged, and stops nothing."""


def _unheard(event: HttpCall) -> None:
    return None


@dataclass(frozen=True, kw_only=True)
class HttpRuntime:
    """What HTTP tools run with. Immutable, shared by all of a source.

    ``client`` sends, to where ``policy`` lets it; ``secrets`` gives them at each call (default: the environment's
    variables); ``context`` are the names that ``{{ctx.*}}`` may have, ``values`` what they have where the call's own
    context has nothing; ``events`` hears of answered requests; ``limits``
    bound each request (default: 30 s, and a body of 1,000,000 bytes unpacked); ``files`` is the folder whose files may
    be sent by their paths, None for none; ``tokens`` keeps access tokens.
    """

    client: Client
    policy: EgressPolicy = field(default_factory=EgressPolicy)
    secrets: SecretProvider = field(default_factory=EnvironmentSecrets)
    context: tuple[str, ...] = CONTEXT_NAMES
    values: Mapping[str, str] = field(default_factory=dict)
    events: EventSink = _unheard
    limits: HttpLimits | None = None
    files: Path | None = None
    tokens: Tokens = field(default_factory=Tokens, compare=False)

    def held(self, context: Mapping[str, Any]) -> dict[str, Any]:
        """What ``{{ctx.*}}`` stands for in a call with these values of its context."""
        known = {**self.values, **context}
        return {name: known[name] for name in self.context if name in known}


class HttpTool:
    """One HTTP tool. Process-wide; holds no state of a call. ``tool`` is what registries take."""

    def __init__(self, definition: HttpDefinition, runtime: HttpRuntime, *, source: str = "http") -> None:
        self.definition = definition
        self._runtime = runtime
        self._template: Template = template_of(definition)
        self._secrets = tuple(secret_names(definition))
        self._by_token = [auth for auth in definition.request.auth if auth.kind == "client_credentials"]
        self.tool = self._tool(source)

    async def execute(self, arguments: dict[str, Any], context: Context) -> ToolResult | Halt:
        """One call, with arguments that dispatch has checked. Never raises: a failure is a result that says so."""
        scrubber = Scrubber(())
        try:
            secrets = await self._resolved()
            scrubber = Scrubber([*secrets.values(), *derived_from(self.definition.request.auth, secrets)])
            return await self._answered(arguments, context, secrets, scrubber)
        except CallError as error:
            return _failed(error, scrubber)
        except Exception as error:
            return _failed(self._unexpected(error, context, scrubber), scrubber)

    async def _answered(
        self, arguments: dict[str, Any], context: Context, secrets: Mapping[str, str], scrubber: Scrubber
    ) -> ToolResult | Halt:
        values = Values(arguments, self._runtime.held(context.values), secrets)
        values = await with_files(values, self._template, self._runtime.files)
        reply = await self._answer(values, scrubber)
        answer = answer_of(
            reply.status,
            reply.body,
            content_type=reply.header("content-type"),
            location=reply.header("location"),
            scrubber=scrubber,
        )
        return result_of(self.definition, answer)

    async def _answer(self, values: Values, scrubber: Scrubber) -> Reply:
        """What is answered; tokens that are refused are fetched anew, once."""
        if not self._by_token:
            return await self._sent(values)
        # What the arguments alone make impossible is told before a token is asked for.
        self._template.build(replace(values, tokens=dict.fromkeys(self._by_token, "none")))
        values = await self._proved(values, scrubber)
        reply = await self._sent(values)
        if reply.status != UNAUTHORIZED:
            return reply
        return await self._sent(await self._proved(values, scrubber))

    async def _proved(self, values: Values, scrubber: Scrubber) -> Values:
        """The values with tokens, others than those that they have already."""
        tokens = {}
        for auth in self._by_token:
            secrets = {name: values.secrets[name] for name in auth.secret_names}
            refused = values.tokens.get(auth, "")
            tokens[auth] = await self._runtime.tokens.get(auth, secrets, self._posting(secrets), but=refused)
            scrubber.also([tokens[auth]])
        return replace(values, tokens=tokens)

    def _posting(self, secrets: Mapping[str, str]) -> Post:
        async def post(url: str, headers: Mapping[str, str], body: bytes) -> Reply:
            return await self._runtime.client.request(
                "POST",
                url,
                policy=self._runtime.policy,
                headers=headers,
                body=body,
                secrets=tuple(secrets.values()),
                limits=replace(self._limits(), body_bytes=MAX_TOKEN_REPLY),
            )

        return post

    def _limits(self) -> HttpLimits:
        from pegboard.net.client import HttpLimits

        return self._runtime.limits or HttpLimits(body_bytes=MAX_BODY)

    async def _sent(self, values: Values) -> Reply:
        built, limits = self._template.build(values), self._limits()
        if self.definition.timeout is not None:
            limits = replace(limits, total_seconds=self.definition.timeout)
        reply = await self._runtime.client.request(
            built.method,
            built.url,
            policy=self._runtime.policy,
            headers=built.headers,
            body=built.body,
            secrets=(*values.secrets.values(), *values.tokens.values()),
            limits=limits,
        )
        self._told(reply.status)
        return reply

    async def _resolved(self) -> dict[str, str]:
        """The secrets that this tool sends, as they are now."""
        found = {name: await self._runtime.secrets.get(name) for name in self._secrets}
        absent = [name for name, value in found.items() if value is None]
        if absent:
            logger.warning("%r has no value for the secret %r", self.definition.name, absent[0])
            raise ToolError(
                f"{self.definition.name!r} needs the secret {absent[0]!r}, which is not set.",
                hint=FOR_OPERATOR,
                data={"secret": absent[0]},
            )
        return {name: value for name, value in found.items() if value is not None}

    def _told(self, status: int) -> None:
        try:
            self._runtime.events(HttpCall(self.definition.name, status))
        except Exception:
            logger.warning("a sink of events failed at a call of %r", self.definition.name, exc_info=True)

    def _unexpected(self, error: Exception, context: Context, scrubber: Scrubber) -> HandlerError:
        """Like dispatch's own answer to what nobody expected; but what is logged may quote a secret."""
        told = "".join(traceback.format_exception(error))
        logger.error("%r failed (call %s)\n%s", self.definition.name, context.call_id, scrubber.text(told))
        return HandlerError(
            f"{self.definition.name!r} failed unexpectedly.",
            hint=f"The log has the details under {context.call_id}.",
            data={"id": context.call_id},
        )

    def _tool(self, source: str) -> Tool:
        definition = self.definition
        return Tool(
            name=definition.name,
            description=definition.description,
            handler=self.execute,
            input_schema=definition.parameters,
            source=source,
            category=definition.group,
            tags=definition.tags,
            approval=Approval.WRITE if definition.side_effect else Approval.READ,
            annotations=None if definition.side_effect else {"readOnlyHint": True},
            timeout=None if definition.timeout is None else definition.timeout + _MORE,
            lossless=definition.arguments == "lossless",
        )


async def with_files(values: Values, template: Template, folder: Path | None) -> Values:
    """The values, and what stands in the files that they name. Raises ToolError for a file that cannot be sent."""
    paths = template.paths(values)
    if not paths:
        return values
    return replace(values, files=await in_thread(lambda: read_files(folder, paths), name="files to send"))


def secret_names(definition: HttpDefinition) -> list[str]:
    """The secrets that a definition's headers and its ways of proving who calls refer to, each once."""
    texts = definition.request.headers.values()
    found = (placeholder for text in texts for placeholder in placeholders_in(parts_of(text)))
    in_headers = (placeholder.key for placeholder in found if placeholder.kind == "secret")
    in_auth = (name for auth in definition.request.auth for name in auth.secret_names)
    return list(dict.fromkeys((*in_headers, *in_auth)))


def context_names(definition: HttpDefinition) -> list[str]:
    """The values of a call's context that a definition's request refers to, each once."""
    found = (
        placeholder for text in texts_in(definition.request.to_json()) for placeholder in placeholders_in_text(text)
    )
    return list(dict.fromkeys(placeholder.key for placeholder in found if placeholder.kind == "ctx"))


def _failed(error: CallError, scrubber: Scrubber) -> ToolResult:
    """A failure for the model to read; in what of it others wrote, and not in our own words for it, nothing secret."""
    error.message, error.hint = scrubber.text(error.message), scrubber.text(error.hint)
    error.data = {key: scrubber.value(fact) for key, fact in error.data.items()}
    return ToolResult.of_error(error)
