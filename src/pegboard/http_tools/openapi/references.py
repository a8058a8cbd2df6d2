"""References within a document. Pure: what lies outside is never looked at."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from pegboard.http_tools.openapi.values import Unusable
from pegboard.pointing import quoted
from pegboard.schema.walk import at, pointer_steps
from pegboard.tools import MISSING

MAX_HOPS: Final = 50
"""References that may lead to one another before something stands there."""


MAX_STEPS: Final = 10_000_000
"""Looks at values of one document. The largest that is published takes some hundred thousand."""


class References:
    """What the references of one document mean. Lives as long as one import; counts how much is looked at.

    A document that shares its parts may say in a few bytes more than can be read.
    """

    def __init__(self, document: Mapping[str, Any]) -> None:
        self.document = document
        self._left = MAX_STEPS

    def target(self, reference: Any) -> Any:
        """What a reference points at. Raises Unusable."""
        if not isinstance(reference, str):
            raise Unusable("it has a $ref that is no text")
        if not reference.startswith("#"):
            raise Unusable(f"it refers to {quoted(reference[:100])}: references out of the document are never followed")
        if reference in ("#", "#/"):
            return self.document
        found = at(self.document, pointer_steps(reference[1:])) if reference.startswith("#/") else MISSING
        if found is MISSING:
            raise Unusable(f"it refers to {quoted(reference[:100])}, which the document does not have")
        return found

    def step(self) -> None:
        """Count one look at a value. Raises Unusable for too many."""
        self._left -= 1
        if self._left < 0:
            raise Unusable(f"the document takes more than {MAX_STEPS:,} steps to read")

    def resolved(self, value: Any) -> Any:
        """``value`` itself, or what it refers to at last. Raises Unusable."""
        self.step()
        for _ in range(MAX_HOPS):
            if not isinstance(value, Mapping) or "$ref" not in value:
                return value
            value = self.target(value["$ref"])
        raise Unusable("it has a reference that leads in a circle")

    def resolved_table(self, value: Any) -> Mapping[str, Any]:
        """The same where it is an object, else an empty one."""
        found = self.resolved(value)
        return found if isinstance(found, Mapping) else {}
