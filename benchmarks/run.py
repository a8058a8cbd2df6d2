"""``python -m benchmarks.run [SECTION ...]``: measure, print, and write docs/benchmarks.md.

Sections: import, find, gateway, egress, retrieval, meaning, held-out, abstention, usage, index, listing, openapi,
skills. Without names all are run. Those that need the public corpora look for them in ``PEGBOARD_SHARED``, else in
``shared`` beside the checkout, and are left out with a word when there are none.
Only a run of everything writes the page; ``benchmarks/results.json`` holds the same for programs.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable
from pathlib import Path

from benchmarks import (
    abstention,
    cold_find,
    egress,
    gateway,
    held_out,
    listing,
    meaning,
    openapi,
    retrieval,
    search_index,
    skills,
    startup,
    usage,
)
from benchmarks.report import Table, as_json, page

ROOT = Path(__file__).resolve().parent.parent
SHARED = Path(os.environ.get("PEGBOARD_SHARED") or ROOT.parent / "shared")

QUERIES = 150
"""Of each set; ``python -m benchmarks.retrieval`` takes them all."""

SECTIONS: dict[str, Callable[[], list[Table]]] = {
    "import": startup.run,
    "find": lambda: cold_find.run(SHARED / "corpora"),
    "gateway": gateway.run,
    "egress": egress.run,
    "retrieval": lambda: retrieval.run(SHARED / "retrieval", sample=QUERIES),
    "meaning": lambda: meaning.run(SHARED / "retrieval", sample=QUERIES),
    "held-out": lambda: held_out.run(SHARED / "retrieval", sample=QUERIES),
    "abstention": lambda: abstention.run(SHARED / "retrieval", sample=QUERIES),
    "usage": lambda: usage.run(SHARED / "retrieval"),
    "index": lambda: search_index.run(SHARED),
    "listing": lambda: listing.run(SHARED / "corpora" / "mcp"),
    "openapi": lambda: openapi.run(SHARED / "corpora" / "openapi"),
    "skills": lambda: skills.run(SHARED / "corpora"),
}
NEEDS_CORPORA = {
    "find",
    "retrieval",
    "meaning",
    "held-out",
    "abstention",
    "usage",
    "index",
    "listing",
    "openapi",
    "skills",
}


def main(wanted: list[str]) -> int:
    """Run the sections; 2 for a name that is none."""
    unknown = [name for name in wanted if name not in SECTIONS]
    if unknown:
        print(f"unknown section {unknown[0]!r}; there are {', '.join(SECTIONS)}", file=sys.stderr)
        return 2
    tables: list[Table] = []
    for name in wanted or SECTIONS:
        if name in NEEDS_CORPORA and not SHARED.is_dir():
            print(f"left out: {name} (no corpora in {SHARED})", file=sys.stderr)
            continue
        made = SECTIONS[name]()
        print("\n".join(table.markdown() for table in made), flush=True)
        tables += made
    if not wanted:
        (ROOT / "docs" / "benchmarks.md").write_text(page(tables), encoding="utf-8")
        (ROOT / "benchmarks" / "results.json").write_text(
            json.dumps(as_json(tables), indent=1) + "\n", encoding="utf-8"
        )
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
