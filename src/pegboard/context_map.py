"""Where the values of a call's context come from: the principal's claims, headers of its request, literals. Pure."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from pegboard.auth import Principal

CREDENTIALS: Final = frozenset({"authorization", "proxy-authorization", "cookie"})
"""Headers that prove who a client is: what they hold is never passed on."""

_OWN: Final[Mapping[str, Callable[[Principal], str | None]]] = {
    "id": lambda principal: principal.id,
    "issuer": lambda principal: principal.issuer,
    "tenant": lambda principal: principal.tenant,
}
"""The principal's own fields, which are claims of these names."""


CONTEXT: Final = "context"
"""The fact of an error that names the value that a call lacked."""


def how_to_give(name: str) -> str:
    """How a call gets a value of its context, for whoever runs Pegboard."""
    return (
        f"Give it with --ctx {name}=VALUE, or act for a principal that has it (--as NAME); for every call, say under "
        f"[context] where {name} comes from."
    )


@dataclass(frozen=True, kw_only=True)
class Origin:
    """Where one value comes from. Immutable; exactly one field is set.

    ``claim``: ``id``, ``issuer`` and ``tenant`` are the principal's own, any other name one of its ``claims``.
    ``header``: of the request, over HTTP. ``value``: this text, for everybody.
    """

    claim: str | None = None
    header: str | None = None
    value: str | None = None


@dataclass(frozen=True)
class ContextMap:
    """Where each value comes from, by its name. Immutable, process-wide.

    What is not there has no value, and a tool that needs it refuses the call. Arguments have no part in it.
    """

    origins: Mapping[str, Origin] = field(default_factory=dict)

    def held(self, principal: Principal | None) -> dict[str, Any]:
        """The values that hold for all calls of a principal: its claims, and the literals."""
        found = {
            name: origin.value if origin.claim is None else _claim(principal, origin.claim)
            for name, origin in self.origins.items()
        }
        return {name: value for name, value in found.items() if _is_plain(value)}

    def sent(self, header: Callable[[str], Sequence[str]]) -> dict[str, str]:
        """The values that a request brings; ``header`` gives all values of a header of that name.

        Only headers that are named here are asked for. One that is given twice counts as not given: a proxy and this
        program could take different ones for the true one.
        """
        asked = {name: header(origin.header) for name, origin in self.origins.items() if origin.header is not None}
        return {name: values[0] for name, values in asked.items() if len(values) == 1 and values[0].strip()}


def _claim(principal: Principal | None, name: str) -> Any:
    if principal is None:
        return None
    own = _OWN.get(name)
    return principal.claims.get(name) if own is None else own(principal)


def _is_plain(value: Any) -> bool:
    """Whether a value can stand in a request: a text that is not blank, a number or a truth value."""
    return bool(value.strip()) if isinstance(value, str) else isinstance(value, (bool, int, float))
