"""Skills over MCP: the extension ``io.modelcontextprotocol/skills``, and the same files as ``skill://`` resources."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable, Mapping
from typing import Any, Final

from mcp import MCPError
from mcp.server.context import CallNext, HandlerResult, ServerRequestContext
from mcp.types import (
    INVALID_PARAMS,
    METHOD_NOT_FOUND,
    PaginatedRequestParams,
    ReadResourceRequestParams,
    RequestParams,
    ServerCapabilities,
)

from pegboard.errors import InvalidArgumentsError
from pegboard.gateway.render import is_modern
from pegboard.gateway.requests import Request
from pegboard.gateway.shelf import Shelf, Shelves
from pegboard.paging import Page, page
from pegboard.peg import Pegboard
from pegboard.skill_source import BringsSkills
from pegboard.skills.published.published import EXTENSION, children_of, contents_of, document_resource, entry_of
from pegboard.view import View

SETTINGS: Final = {"directoryRead": True}

INDEX: Final = "skill://index.json"
"""A resource that lists the skills, for clients that know resources alone. No skill has a dot in its name."""

PAGE: Final = 50
"""Skills, or entries of a folder, on one page."""

_TEMPLATE: Final = {
    "uriTemplate": "skill://{skill}/{+file}",
    "name": "skill-file",
    "description": "A file in the folder of a skill, such as SKILL.md or references/x.md.",
}
_INDEX: Final = {
    "uri": INDEX,
    "name": "skills",
    "description": "The skills of this server: address, name and description of each.",
    "mimeType": "application/json",
}

ViewFor = Callable[[Request], Awaitable[View]]
"""What the caller of a request may discover."""


class GetSkillParams(RequestParams):
    """The parameters of ``skills/get``. Immutable; belongs to one request."""

    uri: str


class ReadDirectoryParams(PaginatedRequestParams):
    """The parameters of ``resources/directory/read``. Immutable; belongs to one request."""

    uri: str


class SkillsExtension:
    """Tells skills to MCP clients. Process-wide; belongs to one gateway.

    ``view_for`` says what a caller may discover: everything else is told like what is not there. ``ttl`` is for how
    many milliseconds a client may keep an answer.
    """

    def __init__(self, peg: Pegboard, view_for: ViewFor, ttl: Callable[[], int]) -> None:
        self._peg = peg
        self._view_for = view_for
        self._ttl = ttl
        self._shelves = Shelves()

    @property
    def offered(self) -> bool:
        """Whether there are skills, or sources that may bring some."""
        return bool(self._peg.skills) or any(isinstance(source, BringsSkills) for source in self._peg.sources)

    def declared(self, capabilities: ServerCapabilities) -> ServerCapabilities:
        """A server's capabilities with what is true of skills now."""
        if not self.offered:
            return capabilities.model_copy(update={"resources": None})
        resources = capabilities.resources and capabilities.resources.model_copy(update={"subscribe": False})
        extensions = {**(capabilities.extensions or {}), EXTENSION: dict(SETTINGS)}
        return capabilities.model_copy(update={"resources": resources, "extensions": extensions})

    async def declare(self, ctx: ServerRequestContext[Any, Any], call_next: CallNext) -> HandlerResult:
        """The SDK middleware that tells handshake clients of the extension: their revisions have no word for it.

        Clients look for it there all the same, and may, since capabilities are an open set.
        """
        result = await call_next(ctx)
        if ctx.method != "initialize" or not self.offered or not isinstance(result, Mapping):
            return result
        capabilities = result.get("capabilities", {})
        extensions = {**capabilities.get("extensions", {}), EXTENSION: dict(SETTINGS)}
        return {**result, "capabilities": {**capabilities, "extensions": extensions}}

    @property
    def handlers(self) -> Mapping[str, tuple[type[Any], Callable[[Request, Any], Awaitable[HandlerResult]]]]:
        """By method: the model of its parameters, and what answers it."""
        return {
            "skills/list": (PaginatedRequestParams, self.list),
            "skills/get": (GetSkillParams, self.get),
            "resources/directory/read": (ReadDirectoryParams, self.read_directory),
            "resources/list": (PaginatedRequestParams, self.list_resources),
            "resources/templates/list": (PaginatedRequestParams, self.list_templates),
            "resources/read": (ReadResourceRequestParams, self.read),
        }

    async def list(self, request: Request, params: PaginatedRequestParams) -> HandlerResult:
        """``skills/list``: the entries of a page."""
        shelf = await self._shelf(request)
        shown = _page(shelf.addresses, params.cursor)
        entries = [entry_of(one) async for one in shelf.all(shown.names)]
        return self._own(_paged({"skills": entries}, shown))

    async def get(self, request: Request, params: GetSkillParams) -> HandlerResult:
        """``skills/get``: one entry."""
        found = await (await self._shelf(request)).skill(params.uri)
        if found is None:
            raise _none("No skill is served at", params.uri)
        return self._own({"skill": entry_of(found)})

    async def read_directory(self, request: Request, params: ReadDirectoryParams) -> HandlerResult:
        """``resources/directory/read``: what lies directly in a folder of a skill."""
        async for place in (await self._shelf(request)).places(params.uri):
            children = children_of(place.published, place.inside)
            if children is not None:
                by_uri = {child["uri"]: child for child in children}
                shown = _page(by_uri, params.cursor)
                told = {"resources": [by_uri[uri] for uri in shown.names]}
                return {**_paged(told, shown), "resultType": "complete"}
        raise _none("No folder of a skill is served at", params.uri)

    async def list_resources(self, request: Request, params: PaginatedRequestParams) -> HandlerResult:
        """``resources/list``: the index, and the ``SKILL.md`` of each skill of a page."""
        shelf = await self._shelf(request)
        shown = _page(shelf.addresses, params.cursor)
        first = [] if params.cursor else [_INDEX]
        told = {"resources": [*first, *[document_resource(one) async for one in shelf.all(shown.names)]]}
        return self._result(request, _paged(told, shown))

    async def list_templates(self, request: Request, params: PaginatedRequestParams) -> HandlerResult:
        """``resources/templates/list``: how addresses of files are made."""
        await self._shelf(request)
        _page((), params.cursor)
        return self._result(request, {"resourceTemplates": [_TEMPLATE]})

    async def read(self, request: Request, params: ReadResourceRequestParams) -> HandlerResult:
        """``resources/read``: a file of a skill, or the index."""
        shelf = await self._shelf(request)
        if params.uri == INDEX:
            told = [document_resource(one) async for one in shelf.all(sorted(shelf.addresses))]
            text = json.dumps({"skills": [{key: one[key] for key in ("uri", "name", "description")} for one in told]})
            return self._contents(request, {"uri": INDEX, "mimeType": "application/json", "text": text})
        found = await shelf.read(params.uri)
        if found is None:
            raise _none("No resource is served at", params.uri)
        return self._contents(request, contents_of(params.uri, *found))

    def _contents(self, request: Request, contents: Mapping[str, Any]) -> HandlerResult:
        return self._result(request, {"contents": [contents]})

    async def _shelf(self, request: Request) -> Shelf:
        if not self.offered:
            raise MCPError(code=METHOD_NOT_FOUND, message="This server has no skills and no resources.")
        return self._shelves.of(await self._view_for(request))

    def _own(self, told: dict[str, Any]) -> HandlerResult:
        """A result of the extension, which has one shape for clients of every revision."""
        return {**told, "ttlMs": self._ttl(), "cacheScope": "private", "resultType": "complete"}

    def _result(self, request: Request, told: dict[str, Any]) -> HandlerResult:
        """A result of the protocol's own, as the client's revision has it."""
        return self._own(told) if is_modern(request.protocol_version) else told


def _page(names: Any, cursor: str | None) -> Page:
    try:
        return page(names, cursor, PAGE, asked_of="list")
    except InvalidArgumentsError as error:
        message = "The cursor is none that was given here: leave it out, and begin anew."
        raise MCPError(code=INVALID_PARAMS, message=message) from error


def _paged(told: dict[str, Any], shown: Page) -> dict[str, Any]:
    return told | ({"nextCursor": shown.cursor} if shown.cursor else {})


def _none(what: str, uri: str) -> MCPError:
    return MCPError(code=INVALID_PARAMS, message=f"{what} {uri:.500}.", data={"uri": uri})
