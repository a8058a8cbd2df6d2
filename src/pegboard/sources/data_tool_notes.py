"""What is told of definitions that were read: mistakes, secrets without a value, addresses that cannot be reached."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator, Mapping
from typing import Final

from pegboard.documents.problems import Level
from pegboard.errors import RefusedRequestError
from pegboard.http_tools.definition import HttpDefinition
from pegboard.http_tools.files import Loaded
from pegboard.http_tools.tool import HttpRuntime, secret_names
from pegboard.net.egress import EgressPolicy
from pegboard.net.urls import parse
from pegboard.registry import Problem

_NAMED: Final = 3
"""Tools that one note names."""


def problems_of(source: str, loaded: Loaded, kept: Mapping[str, HttpDefinition]) -> Iterator[Problem]:
    """One problem a tool, with all of its mistakes."""
    by_tool: dict[str, list[str]] = {}
    for problem in loaded.errors:
        if problem.entry not in kept:
            by_tool.setdefault(problem.entry or problem.key, []).append(str(problem))
    for name, reasons in by_tool.items():
        yield Problem(source=source, name=name or "the file", reason=" ".join(reasons))


def notes_of(loaded: Loaded, kept: Mapping[str, HttpDefinition]) -> Iterator[str]:
    """Warnings, and the mistakes of tools that keep what they were."""
    for problem in loaded.problems:
        if problem.level is not Level.ERROR:
            yield str(problem)
        elif problem.entry in kept:
            yield f"{problem.entry} stays as it was: {problem}"


async def absent_secrets(definitions: list[HttpDefinition], runtime: HttpRuntime) -> AsyncIterator[str]:
    """Secrets that have no value now: their tools cannot be called before they have one."""
    needing: dict[str, list[str]] = {}
    for one in definitions:
        for name in secret_names(one):
            needing.setdefault(name, []).append(one.name)
    for name, tools in needing.items():
        if await runtime.secrets.get(name) is None:
            yield f"{_some(tools)} {'needs' if len(tools) == 1 else 'need'} the secret {name!r}, which is not set"


def unreachable(definitions: list[HttpDefinition], policy: EgressPolicy) -> Iterator[str]:
    """Addresses that the guard will refuse, as far as that can be known without a look-up."""
    at: dict[tuple[str, str], list[str]] = {}
    for one in definitions:
        scheme, _, rest = one.request.url.partition("?")[0].partition("://")
        host = rest.partition("/")[0]
        if "{{" not in host:
            at.setdefault((f"{scheme}://{host}/", "address"), []).append(one.name)
        for auth in one.request.auth:
            if auth.token_url:
                at.setdefault((auth.token_url, "address of tokens"), []).append(one.name)
    for (address, what), tools in at.items():
        try:
            policy.admit(parse(address))
        except RefusedRequestError as error:
            hint = "allow it under [http], for example with origins"
            whose = "its" if len(tools) == 1 else "their"
            yield f"{_some(tools)} cannot reach {whose} {what}: {error.detail}; {hint}"


def _some(tools: list[str]) -> str:
    """Tools by name: all of a few, else the first and how many more."""
    if len(tools) <= _NAMED:
        return " and ".join(filter(None, (", ".join(tools[:-1]), tools[-1])))
    return f"{', '.join(tools[: _NAMED - 1])} and {len(tools) - _NAMED + 1} more"
