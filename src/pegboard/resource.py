"""What a call touches, as its tool tells from the arguments: policies may decide by it, and receipts name it. Pure."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from pegboard.frozen import frozen

if TYPE_CHECKING:
    from pegboard.context import Context

_FIELDS: Final = ("target", "tenant")


@dataclass(frozen=True, kw_only=True)
class Resource:
    """What one call touches. Immutable; belongs to one call.

    ``kind`` is the sort of thing (``"order"``), ``target`` which one (its id), ``tenant`` whose it is. ``facts`` are
    plain JSON values for policies and approvers; receipts do not repeat them. Raises TypeError for facts that are not.
    """

    kind: str
    target: str | None = None
    tenant: str | None = None
    facts: Mapping[str, Any] = field(default_factory=dict, hash=False, repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "facts", frozen(self.facts))

    def to_json(self) -> dict[str, Any]:
        """What receipts say of it: ``{kind, target?, tenant?}``."""
        return {key: value for key in ("kind", *_FIELDS) if (value := getattr(self, key)) is not None}


@dataclass(frozen=True, kw_only=True)
class Touches:
    """How a tool tells what a call touches. Immutable, shared like its tool.

        Touches(kind="order", find=lambda arguments, context: Resource(kind="order", target=arguments["order"]))

    ``find(arguments, context)``, plain or async, is asked after the arguments have been checked and before anybody
    decides about the call. It has to give a Resource of this ``kind`` in which each field of ``required`` (``target``,
    ``tenant``, or a key of ``facts``; default: the target) is text that is not blank. Where it does not, or fails, the
    call of a principal is denied: nobody could tell what was allowed.
    """

    kind: str
    find: Callable[[Mapping[str, Any], Context], Any]
    required: Collection[str] = ("target",)

    def takes(self, found: object) -> bool:
        """Whether what ``find`` gave says everything that it has to."""
        if not isinstance(found, Resource) or found.kind != self.kind:
            return False
        values = (getattr(found, key) if key in _FIELDS else found.facts.get(key) for key in self.required)
        return all(isinstance(value, str) and value.strip() for value in values)
