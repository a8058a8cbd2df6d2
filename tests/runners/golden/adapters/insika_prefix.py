"""``insika_prefix_fingerprint``, ``insika_prefix_invalidation``: digests of a prompt's blocks, and what broke them.

Their blocks are the kinds of context in the order of a prompt, the tools last; here a caller gives blocks in the order
that the provider caches them, so the adapter gives theirs.
"""

from __future__ import annotations

from typing import Any, Final

from pegboard.prefix import Block, Fingerprint, Part, fingerprint, invalidation_reason
from tests.runners.golden.adapter import Adapter
from tests.runners.golden.adapters.insika_catalog import text

TOOLS: Final = "tool_schemas"
WHOLE: Final = "prefix"


def fingerprinted(values: dict[str, Any]) -> Any:
    """A source's kind is its last segment in small letters; the digest of the whole is told behind the blocks."""
    blocks: dict[str, list[str]] = {}
    for fragment in values["fragments"]:
        kind = fragment["source"].rpartition("::")[2].lower()
        blocks.setdefault(kind, []).append(text(fragment["content"]))
    if values["tool_serial"] is not None:
        blocks[TOOLS] = [text(values["tool_serial"])]
    taken = fingerprint(blocks)
    return [*([block.name, block.digest] for block in taken.blocks), [WHOLE, taken.digest]]


def reason(values: dict[str, Any]) -> Any:
    """Each block is one part here; the digest of the whole is no block; what is no list is no turn before."""
    previous = values["previous"]
    found = invalidation_reason(_taken(values["current"]), _taken(previous) if isinstance(previous, list) else None)
    return found.block if found else None


def _taken(pairs: list[list[str]]) -> Fingerprint:
    return Fingerprint(tuple(Block(name, digest, (Part(digest, 1),)) for name, digest in pairs if name != WHOLE))


ADAPTERS: Final = {
    "insika_prefix_fingerprint": Adapter(fingerprinted),
    "insika_prefix_invalidation": Adapter(reason),
}
