"""Processes that change the tools of one file: ``python -m tests.stores.tool_children WHAT FILE``, a report in JSON.

racing    several processes edit one tool at once, each telling which version it made
killing   processes are killed with SIGKILL while they edit, again and again
"""

from __future__ import annotations

import asyncio
import json
import random
import signal
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

from pegboard.errors import ConflictError
from pegboard.http_tools.overlay import Overlay
from pegboard.http_tools.versions import ToolVersion
from pegboard.stores import SqlToolStore
from tests.stores.children import Child, Work, say

PROCESSES: Final = 4
EDITS: Final = 15
KILLS: Final = 25
SEED: Final = 20


def text(about: str) -> str:
    return f'name = "ping"\ndescription = "{about}"\nurl = "https://a.example/x"\n'


async def edited(overlay: Overlay, about: str) -> int:
    """Store an edit on top of whatever the others have stored; its version."""
    while True:
        try:
            made = await overlay.edit("ping", text(about))
        except ConflictError:
            continue
        assert made is not None
        return made.version


async def stored(file: Path) -> list[tuple[int, str]]:
    """(version, description) of every version, as another process finds them."""
    store = SqlToolStore(file)
    try:
        versions = await store.versions("ping")
    finally:
        await store.close()
    assert all(isinstance(one, ToolVersion) for one in versions), versions
    return [(one.version, one.definition["description"]) for one in versions]  # type: ignore[union-attr,index]


def racing(file: Path) -> dict[str, Any]:
    """Several processes edit one tool, the file being made by whichever is first."""
    until = time.monotonic() + 0.2

    def work(number: int) -> Work:
        async def run(writing: int) -> None:
            overlay = Overlay(SqlToolStore(file))
            time.sleep(max(0, until - time.monotonic()))
            for i in range(EDITS):
                about = f"p{number}_{i}"
                say(writing, f"{await edited(overlay, about)} {about}")
            await overlay.store.close()

        return run

    children = [Child(work(number)) for number in range(PROCESSES)]
    said = [line for child in children for line in child.wait()]
    return {"codes": [child.code for child in children], "said": said, "stored": asyncio.run(stored(file))}


def killing(file: Path) -> dict[str, Any]:
    """Lives that end in the middle of an edit. What was said is stored, and at most one edit a life was not said."""
    draw = random.Random(SEED)
    known: list[str] = []
    cut, unsaid, span = 0, 0, 0.05

    def work(life: int) -> Work:
        async def run(writing: int) -> None:
            overlay = Overlay(SqlToolStore(file))
            say(writing, "open")
            for i in range(EDITS):
                about = f"k{life}_{i}"
                say(writing, f"{await edited(overlay, about)} {about}")
            time.sleep(60)

        return run

    for life in range(KILLS):
        victim = Child(work(life))
        victim.first_line()
        time.sleep(draw.uniform(0, span))
        victim.kill()
        said = victim.wait()[1:]
        assert victim.code == -signal.SIGKILL
        whole = len(said) == EDITS
        cut += not whole
        span *= 0.8 if whole else 1.05
        now = [f"{version} {about}" for version, about in asyncio.run(stored(file))]
        assert now[: len(known)] == known, "a version changed or was lost"
        fresh = now[len(known) :]
        assert fresh[: len(said)] == said, "an acknowledged edit was lost"
        assert len(fresh) - len(said) <= 1
        unsaid += len(fresh) - len(said)
        known = now
    return {"kills": KILLS, "cut": cut, "unsaid": unsaid, "versions": len(known)}


if __name__ == "__main__":
    WHAT: dict[str, Callable[[Path], dict[str, Any]]] = {"racing": racing, "killing": killing}
    print(json.dumps(WHAT[sys.argv[1]](Path(sys.argv[2]))))
