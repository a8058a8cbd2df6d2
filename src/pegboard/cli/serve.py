"""``serve``: the gateway."""

from __future__ import annotations

import asyncio
import logging
import sys
from collections.abc import AsyncIterator, Coroutine
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Annotated, Literal

import typer

from pegboard.cli import garbage
from pegboard.cli.exits import Exit
from pegboard.cli.options import Common
from pegboard.cli.session import load_named

logger = logging.getLogger(__name__)

Address = tuple[str | None, int]
"""(host or None for the configured one, port)"""


def serve(
    common: Common,
    http: Annotated[
        str | None,
        typer.Option(metavar="[HOST:]PORT", help="Serve over HTTP instead of stdio; HOST is 127.0.0.1 unless given."),
    ] = None,
    log_file: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Where to log; unless given or configured, stderr.")
    ] = None,
    log_level: Annotated[
        Literal["debug", "info", "warning", "error"] | None, typer.Option(help="The least that is logged.")
    ] = None,
) -> Exit:
    """Serve everything to MCP clients.

    A client sees the meta-tools and the always-visible tools; through them it reaches all others.
    """
    address = http_address(http) if http is not None else None
    asyncio.run(_serve(common, address, log_file, log_level))
    return Exit.OK


async def _serve(common: Common, address: Address | None, log_file: Path | None, level: str | None) -> None:
    from pegboard.config.kept_catalog import KeptCatalog
    from pegboard.config.logs import setup_logging
    from pegboard.config.overlay import watch_overlay
    from pegboard.config.watch import Reloader
    from pegboard.config.wire import build, gateway_settings, secrets_of
    from pegboard.gateway import claim_stdio, serve_http, serve_stdio

    garbage.as_ever()
    wire = claim_stdio() if address is None else None
    loaded = load_named(common)
    settings = loaded.settings
    wanted = "debug" if common.debug else level or settings.log_level
    log = setup_logging(log_file or settings.log_file, wanted, secrets=secrets_of(settings))
    wired = build(settings)
    for problem in (*loaded.problems, *wired.problems):
        if problem.level != "note":
            logger.warning("%s", problem)
    reloader = Reloader(
        wired, loaded, lambda: load_named(common), on_load=lambda loaded: log.hide(secrets_of(loaded.settings))
    )
    async with (
        _in_background(reloader.run()),
        _in_background(watch_overlay(wired.peg, settings)),
        _in_background(KeptCatalog(settings).follow(wired.peg)),
    ):
        if address is None:
            _tell_person()
            await serve_stdio(wired.peg, gateway_settings(settings), wire=wire)
        else:
            host = address[0] or settings.gateway.host
            await serve_http(wired.peg, gateway_settings(settings), host, address[1])


@asynccontextmanager
async def _in_background(work: Coroutine[None, None, None]) -> AsyncIterator[None]:
    task = asyncio.create_task(work)
    try:
        yield
    finally:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)


def _tell_person() -> None:
    """Somebody who starts this by hand would wait for something to happen."""
    if sys.stderr.isatty():
        print(
            "Serving MCP on standard input and output: this is for an MCP client to start. "
            "Ctrl-C ends it; --http PORT serves over HTTP.",
            file=sys.stderr,
        )


def http_address(text: str) -> Address:
    """(host or None, port) of ``[HOST:]PORT``; an IPv6 host stands in brackets. Raises BadParameter."""
    host, colon, port = text.rpartition(":")
    if not (port.isascii() and port.isdigit() and int(port) <= 65535) or (colon and not host):
        raise typer.BadParameter(f"{text!r} is not [HOST:]PORT with a port from 0 to 65535.", param_hint="--http")
    bare = host[1:-1] if host.startswith("[") and host.endswith("]") else host
    if ":" in bare and bare == host:
        raise typer.BadParameter(f"An IPv6 address stands in brackets: [{host}]:{port}.", param_hint="--http")
    return bare or None, int(port)
