"""The search engines that Pegboard is measured beside, each over the same texts with its best ordinary settings."""

from __future__ import annotations

import importlib
import json
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from benchmarks.environments import python_with
from benchmarks.peers.answering import Answers, answers

FASTMCP: Final = "fastmcp==4.2.3"
PYDANTIC_AI: Final = "pydantic-ai-slim==2.68.0"

_PEERS: Final = Path(__file__).resolve().parent / "peers"

Ask = Callable[[Sequence[str], Sequence[str], int], Answers]
"""Of (texts, needs, how many to find at most) what an engine finds. Raises one of ``MISSING`` where it is not here."""
MISSING: Final = (ImportError, OSError, subprocess.CalledProcessError)


def _here(module: str, make: str = "index") -> Ask:
    """An engine in this process."""

    def ask(texts: Sequence[str], needs: Sequence[str], limit: int) -> Answers:
        peer: Any = importlib.import_module(f"benchmarks.peers.{module}")
        return answers(getattr(peer, make), texts, needs, limit)

    return ask


def _elsewhere(name: str, requirement: str, module: str, make: str = "index") -> Ask:
    """An engine in an environment of its own."""

    def ask(texts: Sequence[str], needs: Sequence[str], limit: int) -> Answers:
        program = [str(python_with(name, requirement)), str(_PEERS / "answering.py"), module, make]
        told = json.dumps({"texts": list(texts), "needs": list(needs), "limit": limit})
        done = subprocess.run(program, input=told, stdout=subprocess.PIPE, text=True, check=True)
        return Answers(**json.loads(done.stdout))

    return ask


ENGINES: Final[Mapping[str, Ask]] = {
    "pydantic-ai's keywords": _elsewhere("pydantic-ai", PYDANTIC_AI, "pydantic_ai_search"),
    "FastMCP's ranker": _elsewhere("fastmcp", FASTMCP, "fastmcp_search"),
    "bm25s": _here("bm25s_search"),
    "SQLite FTS5, porter": _here("fts5_search", "porter"),
    "SQLite FTS5, trigrams": _here("fts5_search", "trigram"),
    "tantivy": _here("tantivy_search"),
}
SERVED: Final[Mapping[str, Ask]] = {"FastMCP's search": _elsewhere("fastmcp", FASTMCP, "fastmcp_search", "transform")}
"""Those whose servers do more for a search than rank: what they find is the same."""


def present(texts: Sequence[str] = ("send a mail",), engines: Mapping[str, Ask] = ENGINES) -> Iterator[tuple[str, Ask]]:
    """The engines that answer, with their names; of the others it is said that they are left out."""
    for name, ask in engines.items():
        try:
            ask(texts, ["mail"], 1)
        except MISSING as error:
            print(f"left out: {name} ({error})", file=sys.stderr)
        else:
            yield name, ask
