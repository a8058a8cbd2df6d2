"""Run one case in this process: ``python -m tests.runners.cases.one FOLDER VERDICT``.

What became of it is written to the file VERDICT: empty when it passed, else what went wrong.
"""

from __future__ import annotations

import asyncio
import logging
import subprocess
import sys
import tempfile
import traceback
from pathlib import Path

from tests.runners.cases.answer import Clock
from tests.runners.cases.case import Case, Step, read
from tests.runners.cases.expectations import wrong
from tests.runners.cases.servers import free_ports
from tests.runners.cases.steps import STEPS
from tests.runners.cases.world import World
from tests.runners.deviations import settings_of


async def run(case: Case, folder: Path, ports: list[int]) -> str:
    """What went wrong; empty when nothing did."""
    world = World(case, folder, ports)
    world.configuration.limits |= settings_of(case)
    root = logging.getLogger()
    root.addHandler(world.heard)
    root.setLevel(logging.DEBUG)
    for name in ("aiosqlite", "sqlalchemy"):
        # They would tell every statement, with all that is kept.
        logging.getLogger(name).setLevel(logging.WARNING)
    try:
        for number, step in enumerate(case.steps):
            failure = await _step(world, step)
            if failure:
                return f"step {number} ({step['do']}): {failure}"
    finally:
        await world.close()
        root.removeHandler(world.heard)
    return ""


async def _step(world: World, told: Step) -> str:
    step = _with_places(told, world)
    world.mark_logs()
    try:
        with Clock() as clock:
            answer = await STEPS[step["do"]].run(world, step)
    except Exception as error:
        return f"{type(error).__name__}: {error}\n{traceback.format_exc()}"
    answer.seconds = answer.seconds or clock.seconds
    answer.step = step
    world.answers.append(answer)
    world.done.append(step)
    if "label" in step:
        world.labels[step["label"]] = answer
    return await wrong(step.get("expect") or {}, answer, world)


def _with_places(value: Step, world: World) -> Step:
    """The step with this run's ports and folder in place of ``__PORT__`` and its like."""
    import json

    text = json.dumps(value)
    places = {"__PORT2__": str(world.ports[1]), "__PORT__": str(world.ports[0]), "__OUTDIR__": str(world.folder)}
    for place, meant in places.items():
        text = text.replace(place, meant)
    step: Step = json.loads(text)
    return step


def lay_out(case: Case, folder: Path, ports: list[int]) -> None:
    """The case's files as it means them: ports filled in, exact bytes, links."""
    prepare = [sys.executable, str(case.harness / "prepare.py"), str(case.folder), str(folder)]
    where = ["--port", str(ports[0]), "--port2", str(ports[1])]
    subprocess.run([*prepare, *where], check=True, stdout=subprocess.DEVNULL)


def main(arguments: list[str]) -> int:
    """Run the case of a folder and write the verdict; 0 when it passed."""
    case, verdict = read(Path(arguments[0])), Path(arguments[1])
    ports = free_ports(2)
    with tempfile.TemporaryDirectory(prefix="pegboard-case-") as out:
        folder = Path(out).resolve() / "case"
        folder.mkdir()
        lay_out(case, folder, ports)
        failure = asyncio.run(run(case, folder, ports))
    verdict.write_text(failure, encoding="utf-8")
    return 1 if failure else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
