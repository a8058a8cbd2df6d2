"""Reading a file of a skill from an upstream: what does not match what the upstream said of it is not used."""

from __future__ import annotations

import base64
import binascii
import hashlib
from collections.abc import Mapping
from typing import Any

from pegboard.skills.discovery import FILE
from pegboard.skills.options import MAX_FILE_BYTES as MAX_DOCUMENT
from pegboard.skills.problems import Findings, SetAsideError
from pegboard.skills.published.document import front_of
from pegboard.skills.published.manifest import MAX_BYTES
from pegboard.skills.splitting import decoded, split
from pegboard.sources.mcp.offer import File, Offer
from pegboard.sources.mcp.session import Connection


class UnfitFileError(Exception):
    """What an upstream gave for a file is not used. The text says why, for the end of a sentence.

    ``stale`` says that it is not what the list promised: the skill may have been changed since.
    """

    def __init__(self, what: str, *, stale: bool = False) -> None:
        super().__init__(what)
        self.stale = stale


def body_of(data: bytes) -> str:
    """What stands behind the front matter of a ``SKILL.md`` that was checked. Raises UnfitFileError."""
    findings = Findings(FILE)
    try:
        return split(decoded(data, findings), findings).body
    except SetAsideError as error:
        raise UnfitFileError(error.problem.message.rstrip(".")) from error


async def read_file(connection: Connection, file: File) -> bytes:
    """The bytes of a file. Raises UnfitFileError, and MCPError for an error answer."""
    answer = await connection.request("resources/read", {"uri": file.uri})
    return checked(bytes_in(answer, file.uri), file)


def checked(data: bytes, file: File) -> bytes:
    """The bytes themselves where they are what was promised. Raises UnfitFileError."""
    facts = file.facts
    if facts is None:
        if len(data) > MAX_BYTES:
            raise UnfitFileError(f"has more than {MAX_BYTES // 2**20} MiB")
        return data
    if len(data) != facts.size:
        raise UnfitFileError(f"has {len(data):,} bytes where {facts.size:,} were promised", stale=True)
    if hashlib.sha256(data).hexdigest() != facts.digest:
        raise UnfitFileError("does not match its digest", stale=True)
    return data


def bytes_in(answer: Mapping[str, Any], uri: str) -> bytes:
    """The bytes that an answer to ``resources/read`` holds for an address. Raises UnfitFileError."""
    contents = answer.get("contents")
    blocks = [one for one in contents if isinstance(one, Mapping)] if isinstance(contents, list) else []
    block = next((one for one in blocks if one.get("uri") == uri), None)
    if block is None:
        raise UnfitFileError("is not in the answer")
    text, blob = block.get("text"), block.get("blob")
    try:
        if isinstance(text, str):
            return text.encode("utf-8")
        if isinstance(blob, str):
            return base64.b64decode(blob, validate=True)
    except (UnicodeEncodeError, binascii.Error, ValueError) as error:
        raise UnfitFileError("is neither text nor base64") from error
    raise UnfitFileError("came without text and bytes")


def check_document(offer: Offer, data: bytes) -> None:
    """Hold the front matter of a ``SKILL.md`` against what the list said of it. Raises UnfitFileError."""
    if len(data) > MAX_DOCUMENT:
        raise UnfitFileError(f"has more than {MAX_DOCUMENT:,} bytes")
    body_of(data)
    found = front_of(data)
    if found is None:
        raise UnfitFileError("has no front matter in YAML", stale=True)
    if offer.front is None:
        if found.get("name") != offer.bare_name:
            raise UnfitFileError("has another name than its folder", stale=True)
        return
    keys = sorted({*found, *offer.front})
    other = next((key for key in keys if not _same(found.get(key), offer.front.get(key))), None)
    if other is not None:
        raise UnfitFileError(f"has another {other!r:.80} than the list said", stale=True)


def _same(one: Any, other: Any) -> bool:
    """Whether two JSON values are the same; 1 and 1.0 are, 1 and true are not."""
    if isinstance(one, bool) or isinstance(other, bool):
        return one is other
    if isinstance(one, Mapping) and isinstance(other, Mapping):
        return one.keys() == other.keys() and all(_same(value, other[key]) for key, value in one.items())
    if isinstance(one, list | tuple) and isinstance(other, list | tuple):
        return len(one) == len(other) and all(map(_same, one, other))
    return bool(one == other)
