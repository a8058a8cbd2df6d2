"""Steps about what outlives a process: restarts, several processes, killed ones, and files that somebody has spoilt."""

from __future__ import annotations

import asyncio
import itertools
import json
import os
import signal
import sys
from typing import Any, Final

from pegboard.errors import PegboardError
from tests.runners.cases import state
from tests.runners.cases.answer import Answer
from tests.runners.cases.case import Step
from tests.runners.cases.servers import messages
from tests.runners.cases.setting_up import catalog
from tests.runners.cases.showing import listing
from tests.runners.cases.step import Do
from tests.runners.cases.using import WHO
from tests.runners.cases.world import World

CATALOG: Final = "catalog.json"
"""The file of tools of a case that has one and does not say so in a step."""


SETTING_UP: Final = frozenset({"catalog", "environ", "policy", "python_tools", "replace_tools", "upstream"})
"""Steps that another process of the case has to do as well."""


async def restart(world: World, step: Step) -> Answer:
    """Another Pegboard on the same store."""
    await world.restart()
    await world.peg()
    return Answer()


async def resume(world: World, step: Step) -> Answer:
    """Open the session's board again; its listing, or why not."""
    try:
        await world.reopened(_of_session(world, step))
    except PegboardError as error:
        return Answer(text=str(error), is_error=True)
    return await listing(world, _of_session(world, step))


async def kill_upstream(world: World, step: Step) -> Answer:
    """Kill the process of a scripted upstream, as nothing can be that it notices."""
    await world.peg()
    started = [message["pid"] for message in messages(world.upstream_log(step["name"])) if "pid" in message]
    os.kill(started[-1], signal.SIGKILL)
    return Answer()


async def pin_commit_loop(world: World, step: Step) -> Answer:
    """Pin one tool after the other, each with a commit of its own. ``{i}`` is its number, ``{proc}`` the process's."""
    await _with_tools(world)
    board = await world.board(_of_session(world, step))
    for i in range(step.get("count", 1)):
        name = world.shown(step["tools"].replace("{proc}", str(step.get("proc", 0))).replace("{i}", str(i)))
        board.pin(name)
        await board.commit()
        world.acknowledge(name)
    return Answer()


async def turn_over(world: World, step: Step) -> Answer:
    """Pin every tool there is, one by one, and unpin them again, until somebody ends the process."""
    await _with_tools(world)
    board = await world.board(_of_session(world, step))
    for do, name in itertools.cycle((do, name) for do in (board.pin, board.unpin) for name in world.everything):
        do(name)
        await board.commit()
        world.acknowledge(name)
    return Answer()


async def parallel_processes(world: World, step: Step) -> Answer:
    """One step in several processes at once; ``proc`` is the number of each."""
    each = [{**step["each"], "proc": number} for number in range(step["n"])]
    await _beside(world, step["each"], {"side_by_side": each})
    return Answer()


async def kill_during_write(world: World, step: Step) -> Answer:
    """Kill processes that commit, one after the other. What was acknowledged must be there after each."""
    await _beside(
        world, step, {"kills": step.get("repeat", 1), "step": {**_of_session(world, step), "do": "turn_over"}}
    )
    return Answer()


async def write_file(world: World, step: Step) -> Answer:
    """Spoil what is kept, twice: one record, and the whole file. Each time a Pegboard starts with it, and goes on.

    The answer has what was said, and the status. Nothing that was written may be lost.
    """
    session, file = _of_session(world, step), world.configuration.store
    await _saved(world, session)
    await world.restart()
    whole = file.read_bytes()
    state.spoil(file, world.sessions[session["session"]], step["state"])
    one = await _started(world, session)
    if state.set_aside(file)[-1] != step["state"].encode() or one.is_error:
        raise AssertionError(f"the spoilt record is lost, or its board does not open: {one.text}")
    await world.restart()
    file.write_bytes(step["state"].encode())
    all_of_it = await _started(world, session)
    if step["state"] and state.broken_files(file)[-1] != step["state"].encode():
        raise AssertionError("the spoilt file is lost")
    await world.restart()
    file.write_bytes(whole)
    texts = [text for part in (one, all_of_it) for text in (part.text, part.all_text)]
    return Answer(text="\n".join(texts), parts=[one, all_of_it], is_error=one.is_error)


async def _started(world: World, session: Step) -> Answer:
    """What a Pegboard says that begins with what is kept now; it must be of use for another board."""
    answer = await resume(world, session)
    peg = await world.peg()
    other = await peg.open()
    await other.commit()
    await other.close()
    answer.text += "\n" + json.dumps(peg.status()["store"], ensure_ascii=False)
    return answer


def _of_session(world: World, step: Step) -> Step:
    """The step, about the session that it names, else the newest one."""
    named = {key: step[key] for key in ("session", "as") if step.get(key)}
    rest = {key: value for key, value in step.items() if key != "expect"}
    return {**rest, "session": next(reversed(world.sessions), "s"), **named}


async def _with_tools(world: World) -> None:
    nothing = not (world.local.tools() or world.configuration.upstreams or world.configuration.python)
    if nothing and (world.folder / CATALOG).is_file():
        await catalog(world, {"do": "catalog", "file": CATALOG})


async def _saved(world: World, step: Step) -> None:
    """Have the session's board in the store, where other processes find it."""
    await _with_tools(world)
    await (await world.board(step)).commit()


async def _beside(world: World, step: Step, work: dict[str, Any]) -> None:
    """Have ``twin`` do something in processes of its own. Raises RuntimeError when one of them fails."""
    await _saved(world, _of_session(world, step))
    before = [done for done in world.done if done["do"] in SETTING_UP]
    told = {"ports": world.ports, "sessions": world.sessions, "before": before, **work}
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "tests.runners.cases.twin", str(world.case.folder), str(world.folder)),
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.STDOUT,
    )
    out, _ = await process.communicate(json.dumps(told).encode())
    if process.returncode:
        raise RuntimeError(f"a process beside this one failed: {out.decode(errors='replace')[-2000:]}")
    # The board is opened again with what the others have saved.
    await world.reopened(_of_session(world, step))


STEPS: Final = {
    "restart": Do(restart, set()),
    "resume": Do(resume, WHO),
    "kill_upstream": Do(kill_upstream, {"name"}),
    "pin_commit_loop": Do(pin_commit_loop, WHO | {"tools", "count"}),
    "turn_over": Do(turn_over, WHO),
    "parallel_processes": Do(parallel_processes, {"n", "each"}),
    "kill_during_write": Do(kill_during_write, WHO | {"repeat"}),
    "write_file": Do(write_file, WHO | {"state", "then"}),
}
