"""What an import came to: the tools, and what did not become one."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from pegboard.http_tools.definition import HttpDefinition


@dataclass(frozen=True, kw_only=True)
class Operation:
    """One operation that became a tool. Immutable. ``notes`` say what is otherwise than the document has it."""

    method: str
    path: str
    operation_id: str
    definition: HttpDefinition
    notes: tuple[str, ...] = ()

    def __str__(self) -> str:
        return f"{self.method} {self.path}"


@dataclass(frozen=True, kw_only=True)
class Aside:
    """One operation that became none. Immutable. ``reason`` says why; ``chosen`` that a filter left it out.

    ``mend`` says how to mend it, and is "" for one that was left out by choice.

    ``name`` is what its tool would have been called, "" where that is not known.
    """

    method: str
    path: str
    operation_id: str
    reason: str
    name: str = ""
    chosen: bool = False
    mend: str = ""

    def __str__(self) -> str:
        return f"{self.method} {self.path}"

    @property
    def label(self) -> str:
        """The operation, with its id where it has one."""
        return f"{self} ({self.operation_id})" if self.operation_id else str(self)


@dataclass(frozen=True, kw_only=True)
class Imported:
    """What a document came to. Immutable.

    Every operation of the document is in ``operations`` or in ``aside``, in the document's order. ``title`` is its own.
    """

    title: str
    version: str
    operations: tuple[Operation, ...] = ()
    aside: tuple[Aside, ...] = ()

    @property
    def definitions(self) -> tuple[HttpDefinition, ...]:
        """The tools, in the document's order."""
        return tuple(operation.definition for operation in self.operations)

    @property
    def failed(self) -> tuple[Aside, ...]:
        """What was set aside because it could not be used, not because a filter left it out."""
        return tuple(one for one in self.aside if not one.chosen)

    def lines(self) -> Iterator[str]:
        """The report, a line for each thing to know."""
        for operation in self.operations:
            for note in operation.notes:
                yield f"{operation} ({operation.definition.name}): {note}"
        for one in self.failed:
            yield f"{one.label} was set aside: {one.reason.rstrip('.')}. {one.mend}".rstrip()
