"""What upstreams listed, kept on the disk between commands."""

from __future__ import annotations

import json
import logging
import time
from collections.abc import Awaitable, Iterable
from dataclasses import dataclass, replace
from hashlib import blake2b
from typing import TYPE_CHECKING, Any, Final

from pegboard.errors import PegboardError, StoreError
from pegboard.sources.mcp.listing import Listing, RawLines
from pegboard.sources.mcp.origin import repeats, texts_in
from pegboard.sources.mcp.taken import Taken, way_in
from pegboard.sources.mcp.upstream import McpUpstream
from pegboard.stores.kept_files import KeptFiles
from pegboard.threads import in_thread

if TYPE_CHECKING:
    from pegboard.registry import Source
    from pegboard.sources.mcp.payload import Intake

logger = logging.getLogger(__name__)

_AHEAD: Final = 60.0
"""Seconds that a listing may lie in the future: clocks of one machine are set, but not by much."""

_ODD: Final = (ValueError, LookupError, TypeError, AttributeError, OverflowError, RecursionError)
"""What comes of reading a file that is another program's, or of a time to come."""


def seconds_ago(at: float, now: float, most: float) -> float | None:
    """How old a listing of a moment is; None where that is too old, or where it is of a time to come."""
    age = now - at
    return max(0.0, age) if -_AHEAD <= age < most else None


class KeptListings:
    """The listings of upstreams on the disk. Lives as long as a command or a gateway.

    Each has a file of its own, by its ``origin``: what is changed in a configuration, or by another one, touches only
    the upstreams that it is about. What became of a listing has another one, by the listing's and by what decides about
    that. ``age`` seconds is how old a listing may be. ``listed`` says of the upstreams that took one from here at what
    time it was made, in seconds of the epoch.
    """

    def __init__(self, files: KeptFiles, age: float) -> None:
        self.listed: dict[str, float] = {}
        self._files = files
        self._age = age
        self._kept: dict[str, Listing] = {}
        self._found_out: list[tuple[McpUpstream, str, str]] = []

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
                await self._tried(self._keep_one(source, listing), source)
        for upstream, origin, of in self._found_out:
            if upstream.recalled:
                await self._tried(self._keep_taken(upstream, origin, of, upstream.intake), upstream)
        self._found_out.clear()

    async def _tried(self, keeping: Awaitable[None], upstream: McpUpstream) -> None:
        try:
            await keeping
        except PegboardError as error:
            logger.info("what upstream %r listed is not kept: %s", upstream.name, error)

    async def _recall_one(self, upstream: McpUpstream) -> None:
        origin = await upstream.origin()
        content = self._files.read(_file_of(origin))
        record = None if content is None else Record.read(content)
        if record is None or seconds_ago(record.at, time.time(), self._age) is None:
            return
        taken = self._taken(upstream, origin, record.id)
        upstream.recall(record.listing, taken)
        self.listed[upstream.name] = record.at
        if taken is None:
            self._found_out.append((upstream, origin, record.id))

    def _taken(self, upstream: McpUpstream, origin: str, of: str) -> Taken | None:
        """What became of a listing when it was taken in before, if that was kept."""
        try:
            content = self._files.read(_file_of_taken(origin, upstream))
            told = {} if content is None else json.loads(content)
            return Taken.from_json(told["taken"]) if told.get("of") == of else None
        except (StoreError, *_ODD) as error:
            logger.info("how the listing of upstream %r is taken in is found out anew: %s", upstream.name, error)
            return None

    async def _keep_one(self, upstream: McpUpstream, listing: Listing) -> None:
        if repeats(texts_in(listing.to_json()), upstream.secrets()):
            logger.info("what upstream %r listed is not kept: it repeats a secret", upstream.name)
            return
        origin, intake = upstream.started_as, upstream.intake

        def write() -> str:
            record, content = Record.written(upstream.name, listing, time.time())
            self._files.write(_file_of(origin), content)
            return record.id

        of = await in_thread(write, name=f"listing of {upstream.name}")
        await self._keep_taken(upstream, origin, of, intake)

    async def _keep_taken(self, upstream: McpUpstream, origin: str, of: str, intake: Intake) -> None:
        from pegboard.search.reading import stamps_of

        def write() -> None:
            told = {"of": of, "taken": Taken.of(intake, stamps_of(intake.tools)).to_json()}
            text = json.dumps(told, separators=(",", ":"))
            self._files.write(_file_of_taken(origin, upstream), text.encode("ascii"))

        await in_thread(write, name=f"intake of {upstream.name}")


def _file_of(origin: str) -> str:
    return f"{origin}.listing"


def _file_of_taken(origin: str, upstream: McpUpstream) -> str:
    return f"{origin}-{way_in(upstream.spec)}.intake"


@dataclass(frozen=True)
class Record:
    """A listing in a file: a line about it, then a line for each definition. Immutable.

    ``at`` is when it was made, in seconds of the epoch; ``id`` tells it from every other.
    """

    at: float
    id: str
    listing: Listing

    @classmethod
    def written(cls, upstream: str, listing: Listing, at: float) -> tuple[Record, bytes]:
        """The record of a listing that was made at a moment, and its file's content."""
        lines = [_line(tool) for tool in listing.tools]
        rest = replace(listing, tools=()).to_json()
        mark = blake2b(repr(at).encode(), digest_size=16)
        for line in lines:
            mark.update(line)
        head = {"upstream": upstream, "at": at, "id": mark.hexdigest(), "listing": rest}
        return cls(at, mark.hexdigest(), listing), b"\n".join([_line(head), *lines])

    @classmethod
    def read(cls, content: bytes) -> Record | None:
        """The record of a file; None for one that does not say. Definitions are read when somebody looks at them."""
        head, *lines = content.split(b"\n")
        try:
            told: Any = json.loads(head)
            at, mark, rest = told["at"], told["id"], Listing.from_json(told["listing"])
            fits = isinstance(at, int | float) and isinstance(mark, str)
            return cls(float(at), mark, replace(rest, tools=RawLines(lines))) if fits else None
        except _ODD:
            return None


def _line(value: Any) -> bytes:
    return json.dumps(value, separators=(",", ":")).encode("ascii")
