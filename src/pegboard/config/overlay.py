"""Tools that are added to a Pegboard that is running, the first of them too."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping

from pegboard.config.settings import Settings
from pegboard.config.wire import overlay_source, tool_store_of
from pegboard.peg import Pegboard
from pegboard.sources.overlay import POLL, OverlaySource
from pegboard.threads import in_thread


async def watch_overlay(
    peg: Pegboard, settings: Settings, *, environ: Mapping[str, str] | None = None, poll: float = POLL
) -> None:
    """Give ``peg`` the source of added tools once there is one, looking every ``poll`` seconds (default: 1).

    Until then there is no such source, and nothing of it is loaded: most Pegboards never have any.
    """
    store = tool_store_of(settings)
    if store is None or any(isinstance(source, OverlaySource) for source in peg.sources):
        return
    while await in_thread(store.is_blank, name="overlay"):  # noqa: ASYNC110  # other processes tell of nothing
        await asyncio.sleep(poll)
    await peg.add_source(overlay_source(store, settings, environ))
