"""Headers of the parts of a multipart body, as the encodings of its members name them. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from pegboard.http_tools.multipart import SET_HERE
from pegboard.http_tools.openapi.references import References
from pegboard.http_tools.openapi.values import Unusable, table, text
from pegboard.net.headers import TOKEN

MAX_HEADERS: Final = 20
"""Headers of one part that become arguments."""

_CONTAINERS: Final = frozenset({"array", "object"})


@dataclass(frozen=True, kw_only=True)
class PartHeader:
    """One header of one member's part. Immutable. ``schema`` as the document has it."""

    member: str
    name: str
    schema: Any = field(default_factory=dict)
    required: bool = False
    description: str = ""

    @property
    def wire(self) -> str:
        """What tells it apart from the headers of other parts."""
        return f"{self.member}: {self.name}"


def part_headers(
    member: str, encoding: Mapping[str, Any], references: References, notes: list[str]
) -> Iterator[PartHeader]:
    """The headers that models give; what cannot be sent is left out with a note."""
    told = table(encoding.get("headers"))
    for name, value in list(told.items())[:MAX_HEADERS]:
        if str(name).lower() == "content-type":
            continue  # the standard says that it counts for nothing here
        flaw = _flaw(str(name), value, references)
        if flaw:
            notes.append(f"the header {str(name)[:60]!r} of the part {member!r} is left out: {flaw}")
            continue
        one = references.resolved_table(value)
        yield PartHeader(
            member=member,
            name=str(name),
            schema=one.get("schema", {}),
            required=one.get("required") is True,
            description=text(one.get("description")),
        )
    if len(told) > MAX_HEADERS:
        notes.append(f"of the headers of the part {member!r} the first {MAX_HEADERS} are taken")


def _flaw(name: str, value: Any, references: References) -> str:
    """What keeps a header from being an argument; "" when nothing does."""
    if not TOKEN.fullmatch(name):
        return "headers have no such names"
    if name.lower() in SET_HERE:
        return "it is set from the member itself"
    try:
        one = references.resolved_table(value)
        kinds = references.resolved_table(one.get("schema")).get("type")
    except Unusable as error:
        return str(error)
    if one.get("content") or _CONTAINERS & set(kinds if isinstance(kinds, list) else [kinds]):
        return "it is no text"
    return ""
