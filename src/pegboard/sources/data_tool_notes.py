"""What is told of definitions that were read: mistakes, secrets without a value, addresses that cannot be reached."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from typing import Final

from pegboard.documents.problems import ConfigProblem, Level
from pegboard.errors import RefusedRequestError
from pegboard.http_tools.definition import HttpDefinition
from pegboard.http_tools.files import Loaded
from pegboard.http_tools.tool import HttpRuntime, secret_names
from pegboard.net.egress import EgressPolicy
from pegboard.net.urls import parse
from pegboard.registry import Problem

_NAMED: Final = 3
"""Tools that one note names."""


def problems_of(
    source: str, loaded: Loaded, kept: Mapping[str, HttpDefinition], shown: Callable[[str], str]
) -> Iterator[Problem]:
    """One problem a tool, with all of its mistakes; ``shown`` gives the name that a tool is called by."""
    by_tool: dict[str, list[ConfigProblem]] = {}
    for problem in loaded.errors:
        if problem.entry not in kept:
            by_tool.setdefault(shown(problem.entry) if problem.entry else problem.key, []).append(problem)
    for name, problems in by_tool.items():
        reason = " ".join(problem.told for problem in problems)
        mend = " ".join(dict.fromkeys(problem.hint for problem in problems if problem.hint))
        yield Problem(source=source, name=name or "the file", reason=reason, mend=mend)


def notes_of(loaded: Loaded, kept: Mapping[str, HttpDefinition], shown: Callable[[str], str]) -> Iterator[str]:
    """Warnings, and the mistakes of tools that keep what they were."""
    for problem in loaded.problems:
        if problem.level is not Level.ERROR:
            yield str(problem)
        elif problem.entry in kept:
            yield f"{shown(problem.entry)} stays as it was: {problem}"


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
        for place in addresses_of(one):
            at.setdefault(place, []).append(one.name)
    for (address, what), tools in at.items():
        refusal = refusal_of(address, policy)
        if refusal:
            hint = "allow it under [http], for example with origins"
            whose = "its" if len(tools) == 1 else "their"
            yield f"{_some(tools)} cannot reach {whose} {what}: {refusal}; {hint}"


def addresses_of(definition: HttpDefinition) -> Iterator[tuple[str, str]]:
    """Where a tool sends to, as far as no argument chooses it, and what each address is."""
    scheme, _, rest = definition.request.url.partition("?")[0].partition("://")
    host = rest.partition("/")[0]
    if "{{" not in host:
        yield f"{scheme}://{host}/", "address"
    for auth in definition.request.auth:
        if auth.token_url:
            yield auth.token_url, "address of tokens"


def refusal_of(address: str, policy: EgressPolicy) -> str:
    """Why the guard refuses an address, as far as that can be known without a look-up; "" when it does not."""
    try:
        policy.admit(parse(address))
    except RefusedRequestError as error:
        return error.detail
    return ""


def _some(tools: list[str]) -> str:
    """Tools by name: all of a few, else the first and how many more."""
    if len(tools) <= _NAMED:
        return " and ".join(filter(None, (", ".join(tools[:-1]), tools[-1])))
    return f"{', '.join(tools[: _NAMED - 1])} and {len(tools) - _NAMED + 1} more"
