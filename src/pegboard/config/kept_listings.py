"""What upstreams listed, kept on the disk between commands."""

from __future__ import annotations

import json
import logging
import time
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, Final

from pegboard.errors import PegboardError
from pegboard.sources.mcp.listing import Listing
from pegboard.sources.mcp.origin import repeats, texts_in
from pegboard.sources.mcp.upstream import McpUpstream
from pegboard.stores.kept_files import KeptFiles
from pegboard.threads import in_thread

if TYPE_CHECKING:
    from pegboard.registry import Source

logger = logging.getLogger(__name__)

_AHEAD: Final = 60.0
"""Seconds that a listing may lie in the future: clocks of one machine are set, but not by much."""


def seconds_ago(at: float, now: float, most: float) -> float | None:
    """How old a listing of a moment is; None where that is too old, or where it is of a time to come."""
    age = now - at
    return max(0.0, age) if -_AHEAD <= age < most else None


class KeptListings:
    """The listings of upstreams on the disk. Lives as long as a command or a gateway.

    Each has a file of its own, by its ``origin``: what is changed in a configuration, or by another one, touches only
    the upstreams that it is about. ``age`` seconds is how old a listing may be. ``listed`` says of the upstreams that
    took one from here at what time it was made, in seconds of the epoch.
    """

    def __init__(self, files: KeptFiles, age: float) -> None:
        self.listed: dict[str, float] = {}
        self._files = files
        self._age = age
        self._kept: dict[str, Listing] = {}

    async def recall(self, sources: Iterable[Source]) -> None:
        """Let those upstreams of ``sources`` that have not been started offer what they listed before."""
        for source in sources:
            if isinstance(source, McpUpstream):
                try:
                    await self._recall_one(source)
                except PegboardError as error:
                    logger.info("nothing kept of upstream %r is used: %s", source.name, error)

    async def keep(self, sources: Iterable[Source]) -> None:
        """Write what those upstreams of ``sources`` have listed that have done so since this was last asked."""
        for source in sources:
            listing = source.listing if isinstance(source, McpUpstream) else None
            if isinstance(source, McpUpstream) and listing is not None and listing is not self._kept.get(source.name):
                self._kept[source.name] = listing
                try:
                    await self._keep_one(source, listing)
                except PegboardError as error:
                    logger.info("what upstream %r listed is not kept: %s", source.name, error)

    async def _recall_one(self, upstream: McpUpstream) -> None:
        text = self._files.read(_file_of(await upstream.origin()))
        record = None if text is None else _record(text)
        if record is None or seconds_ago(record[0], time.time(), self._age) is None:
            return
        upstream.recall(record[1])
        self.listed[upstream.name] = record[0]

    async def _keep_one(self, upstream: McpUpstream, listing: Listing) -> None:
        told = listing.to_json()
        if repeats(texts_in(told), upstream.secrets()):
            logger.info("what upstream %r listed is not kept: it repeats a secret", upstream.name)
            return
        name, at = _file_of(upstream.started_as), time.time()

        def write() -> None:
            text = json.dumps({"upstream": upstream.name, "at": at, "listing": told}, separators=(",", ":"))
            self._files.write(name, text.encode("ascii"))

        await in_thread(write, name=f"listing of {upstream.name}")


def _file_of(origin: str) -> str:
    return f"{origin}.listing"


def _record(text: bytes) -> tuple[float, Listing] | None:
    """(when it was made, the listing) of a file; None for one that does not say."""
    try:
        told: Any = json.loads(text)
        at, listing = told["at"], Listing.from_json(told["listing"])
    except (ValueError, LookupError, TypeError, RecursionError):
        return None
    return (float(at), listing) if isinstance(at, int | float) else None
