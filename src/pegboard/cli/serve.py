"""``serve``: the gateway."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Annotated, Literal

import typer

from pegboard.cli.exits import Exit
from pegboard.cli.options import Common


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


async def _serve(
    common: Common, address: tuple[str | None, int] | None, log_file: Path | None, level: str | None
) -> None:
    raise NotImplementedError


def http_address(text: str) -> tuple[str | None, int]:
    """(host or None, port) of ``[HOST:]PORT``; an IPv6 host stands in brackets. Raises BadParameter."""
    host, colon, port = text.rpartition(":")
    if not (port.isascii() and port.isdigit() and int(port) <= 65535) or (colon and not host):
        raise typer.BadParameter(f"{text!r} is not [HOST:]PORT with a port from 0 to 65535.", param_hint="--http")
    bare = host[1:-1] if host.startswith("[") and host.endswith("]") else host
    if ":" in bare and bare == host:
        raise typer.BadParameter(f"An IPv6 address stands in brackets: [{host}]:{port}.", param_hint="--http")
    return bare or None, int(port)
