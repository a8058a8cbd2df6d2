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


class References:
    """What the references of one document mean. Read-only; lives as long as one import."""

    def __init__(self, document: Mapping[str, Any]) -> None:
        self.document = document

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

    def resolved(self, value: Any) -> Any:
        """``value`` itself, or what it refers to at last. Raises Unusable."""
        for _ in range(MAX_HOPS):
            if not isinstance(value, Mapping) or "$ref" not in value:
                return value
            value = self.target(value["$ref"])
        raise Unusable("it has a reference that leads in a circle")

    def resolved_table(self, value: Any) -> Mapping[str, Any]:
        """The same where it is an object, else an empty one."""
        found = self.resolved(value)
        return found if isinstance(found, Mapping) else {}
