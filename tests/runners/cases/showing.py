"""Steps about what a board shows: the listing, the pins, the level-1 text."""

from __future__ import annotations

from typing import Final

from tests.runners.cases.answer import Answer
from tests.runners.cases.case import Step
from tests.runners.cases.step import Do
from tests.runners.cases.using import WHO
from tests.runners.cases.world import World


async def pin(world: World, step: Step) -> Answer:
    """Queue pins."""
    board = await world.board(step)
    for tool in step.get("tools") or [step["tool"]]:
        board.pin(world.shown(tool))
    return Answer()


async def unpin(world: World, step: Step) -> Answer:
    """Queue unpins."""
    board = await world.board(step)
    for tool in step.get("tools") or [step["tool"]]:
        board.unpin(world.shown(tool))
    return Answer()


async def commit(world: World, step: Step) -> Answer:
    """A boundary."""
    await (await world.board(step)).commit()
    return Answer()


async def compact(world: World, step: Step) -> Answer:
    """A boundary that removes tombstones."""
    await (await world.board(step)).compact()
    return Answer()


async def listing(world: World, step: Step) -> Answer:
    """The board's listing, meta-tools left out of the names."""
    board = await world.board(step)
    items = [dict(item) for item in board.listing().items]
    names = [item["name"] for item in world.without_meta(items)]
    active = [world.bare(tool.name) for tool in board.active_set()]
    return Answer(items=items, names=names, bare=[world.bare(name) for name in names], active=active)


async def prompt(world: World, step: Step) -> Answer:
    """The level-1 text."""
    return Answer(text=await (await world.board(step)).prompt())


STEPS: Final = {
    "pin": Do(pin, WHO | {"tool", "tools"}),
    "unpin": Do(unpin, WHO | {"tool", "tools"}),
    "commit": Do(commit, WHO),
    "compact": Do(compact, WHO),
    "active": Do(listing, WHO),
    "tools/list": Do(listing, WHO | {"query", "tool"}),
    "prompt": Do(prompt, WHO | {"query", "tool"}),
}
