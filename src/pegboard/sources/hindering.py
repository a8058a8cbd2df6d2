"""What makes every call of an HTTP tool fail: an absent secret or value of the context, an address out of reach."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator, Mapping
from typing import Any, Protocol, runtime_checkable

from pegboard.context_map import how_to_give
from pegboard.errors import EgressError
from pegboard.hindrances import Hindrance
from pegboard.http_tools.definition import HttpDefinition
from pegboard.http_tools.secrets import place_of
from pegboard.http_tools.tool import HttpRuntime, context_names, secret_names
from pegboard.net.egress import EgressPolicy
from pegboard.sources.data_tool_notes import addresses_of, refusal_of


@runtime_checkable
class Knocks(Protocol):
    """A client that can try a connection: ``pegboard.net.client.HttpClient``."""

    async def knock(self, url: str, *, policy: EgressPolicy) -> None:
        """Open a connection to where a request would go, and close it. Raises EgressError."""
        ...


async def hindrances_of(
    definition: HttpDefinition, runtime: HttpRuntime, context: Mapping[str, Any], where: str
) -> AsyncIterator[Hindrance]:
    """Everything that makes a call fail now; ``where`` is the place of the definition. A connection is tried."""
    for name in secret_names(definition):
        if await runtime.secrets.get(name) is None:
            yield Hindrance(
                what="secret_unset",
                message=f"It needs the secret {name!r}, which is not set.",
                mend=f"Set it: {place_of(runtime.secrets, name)}.",
                data={"secret": name},
            )
    for hindrance in _without_context(definition, runtime.held(context)):
        yield hindrance
    for address, what in addresses_of(definition):
        refusal = refusal_of(address, runtime.policy)
        if refusal:
            yield Hindrance(
                what="address_refused",
                message=f"Its {what} would be refused: {refusal}.",
                mend=f'Allow it under [http], for example origins = ["{address.rstrip("/")}"].',
                data={"address": address},
            )
        elif (silence := await _silence_at(address, runtime)) is not None:
            yield Hindrance(
                what="address_away",
                message=f"Nobody answers at its {what}, {address.rstrip('/')}: {silence}.",
                mend=f"Start the server there, or mend the address in {where}.",
                data={"address": address},
            )


def _without_context(definition: HttpDefinition, held: Mapping[str, Any]) -> Iterator[Hindrance]:
    for name in context_names(definition):
        if held.get(name) in (None, ""):
            yield Hindrance(
                what="context_missing",
                message=f"It needs the value of the call's context {name!r}, which nothing gives here.",
                mend=how_to_give(name),
                data={"context": name},
            )


async def _silence_at(address: str, runtime: HttpRuntime) -> str | None:
    """Why no connection opens; None when one does, or when that cannot be tried."""
    if not isinstance(runtime.client, Knocks):
        return None
    try:
        await runtime.client.knock(address, policy=runtime.policy)
    except EgressError as error:
        return (error.detail or error.message).rstrip(".")
    return None
