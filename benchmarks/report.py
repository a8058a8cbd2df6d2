"""Tables of figures, as Markdown and as JSON."""

from __future__ import annotations

import os
import platform
import time
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from typing import Any


@dataclass(frozen=True)
class Table:
    """One table of a run. ``note`` says how it was measured. Immutable."""

    title: str
    columns: Sequence[str]
    rows: Sequence[Sequence[str]]
    note: str = ""

    def markdown(self) -> str:
        """The table in Markdown."""
        lines = [f"## {self.title}", ""]
        if self.note:
            lines += [self.note, ""]
        lines += [_row(self.columns), _row(["---"] * len(self.columns)), *(_row(row) for row in self.rows), ""]
        return "\n".join(lines)


def _row(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"


def machine() -> dict[str, Any]:
    """What the run was on."""
    return {
        "date": time.strftime("%Y-%m-%d", time.gmtime()),
        "python": platform.python_version(),
        "system": f"{platform.system()} {platform.machine()}",
        "cores": os.cpu_count(),
    }


def page(tables: Iterable[Table]) -> str:
    """The page of a run."""
    facts = machine()
    head = [
        "# Benchmarks",
        "",
        "Written by `make bench`. Times depend on the machine; the ratios are taken within one run, the contenders in",
        "turn. Figures to compare with are those of the same table.",
        "",
        f"{facts['date']}, Python {facts['python']}, {facts['system']}, {facts['cores']} cores.",
        "",
    ]
    return "\n".join(head + [table.markdown() for table in tables]).rstrip() + "\n"


def as_json(tables: Iterable[Table]) -> dict[str, Any]:
    """The same for programs."""
    return {"machine": machine(), "tables": [asdict(table) for table in tables]}
