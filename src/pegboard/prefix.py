"""The prompt's prefix: what of it a turn has changed, and what that costs. Pure functions, but for the ledger's memory.

A provider keeps the beginning of a prompt, up to the first byte that differs from last time. What stands behind that
byte is paid again, although it may be the same.
"""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import takewhile
from typing import Final, NamedTuple

from pegboard.tools import JsonObject

CACHE_ORDERS: Final[Mapping[str, tuple[str, ...]]] = {
    "anthropic": ("tools", "system", "messages"),
}
"""The blocks of a prompt in the order that a provider caches them, where the provider says so."""


@dataclass(frozen=True)
class Listing:
    """The definitions shown to the model, fixed at a boundary. Immutable.

    ``items`` are neutral, MCP-shaped definitions in order; a surface renders them.
    """

    items: tuple[JsonObject, ...]

    @cached_property
    def bytes(self) -> bytes:
        """The listing as compact JSON, in UTF-8, keys in the order their source gave them."""
        return _bytes(_text(list(self.items)))

    @cached_property
    def tokens(self) -> int:
        """The definition cost of all items."""
        from pegboard.tokens import definition_cost

        return sum(definition_cost(item) for item in self.items)

    @cached_property
    def fingerprint(self) -> str:
        """sha-256 (hex) of ``bytes``."""
        return _digest(self.bytes)

    @property
    def names(self) -> tuple[str, ...]:
        """The names, in order."""
        return tuple(str(item["name"]) for item in self.items)


Content = Iterable[str | JsonObject] | str
"""What stands in a block: its parts, such as definitions or messages, in order; a text is one part."""


class Part(NamedTuple):
    """One part of a block, such as a definition or a message. Immutable."""

    digest: str
    tokens: int


@dataclass(frozen=True)
class Block:
    """One block of a prefix. Immutable. ``digest`` is the sha-256 (hex) of its parts, joined by blank lines."""

    name: str
    digest: str
    parts: tuple[Part, ...]


@dataclass(frozen=True)
class Fingerprint:
    """A prefix as digests of its blocks, in the order they are cached. Immutable."""

    blocks: tuple[Block, ...] = ()

    @cached_property
    def digest(self) -> str:
        """sha-256 (hex) of the digests of all blocks: equal digests, equal prefixes."""
        return _digest("".join(block.digest for block in self.blocks).encode())

    @cached_property
    def parts(self) -> tuple[tuple[str, Part], ...]:
        """Every part with the name of its block, in order."""
        return tuple((block.name, part) for block in self.blocks for part in block.parts)


@dataclass(frozen=True)
class Invalidation:
    """A prefix did not begin as the last one did. Immutable.

    ``block`` is the first block that changed; ``tokens`` counts the parts that stayed the same and are paid again,
    because of a change before them.
    """

    block: str
    tokens: int


def fingerprint(blocks: Mapping[str, Content], *, previous: Fingerprint | None = None) -> Fingerprint:
    """The fingerprint of a prefix: its blocks by name, in the order that the provider caches them.

    Objects are read as JSON without blanks, keys in their order. Tokens of parts that ``previous`` knows are not
    counted again.
    """
    known = {part.digest: part for _, part in previous.parts} if previous else {}
    return Fingerprint(tuple(_block(name, content, known) for name, content in blocks.items()))


def invalidation_reason(current: Fingerprint, previous: Fingerprint | None) -> Invalidation | None:
    """The first block of ``current`` that is new or not as it was, else the first one gone, else the first moved.

    None where everything stayed, or was only added to at its end, and where there was no turn before.
    """
    if previous is None:
        return None
    before = {block.name: block for block in previous.blocks}
    name = _first_changed(current, before)
    if name is None or (name in before and current.parts[: len(previous.parts)] == previous.parts):
        return None
    return Invalidation(name, _paid_again(current, previous))


class Ledger:
    """What broke the prefix, turn by turn. Belongs to one conversation with one provider.

        ledger = Ledger()
        broken = ledger.turn(tools=board.listing().items, system="You are ...", messages=messages)

    ``order`` names the blocks in the order that the provider caches them (default: Anthropic's). ``turns`` counts the
    turns; ``invalidations`` are those that were broken, by their number from 1; ``last`` is the last fingerprint.
    """

    def __init__(self, order: Iterable[str] = CACHE_ORDERS["anthropic"]) -> None:
        self.order = tuple(order)
        self.turns = 0
        self.invalidations: dict[int, Invalidation] = {}
        self.last: Fingerprint | None = None

    @property
    def tokens(self) -> int:
        """The tokens that were paid again, in all turns."""
        return sum(invalidation.tokens for invalidation in self.invalidations.values())

    def turn(self, **blocks: Content) -> Invalidation | None:
        """Enter the prefix that a turn sends; what broke it, or None. A block that is not given is not there.

        Raises ValueError for a block that ``order`` does not name.
        """
        unknown = [name for name in blocks if name not in self.order]
        if unknown:
            raise ValueError(f"unknown block {unknown[0]!r} of a prompt; its order is {', '.join(self.order)}")
        ordered = {name: blocks[name] for name in self.order if name in blocks}
        current = fingerprint(ordered, previous=self.last)
        broken = invalidation_reason(current, self.last)
        self.turns += 1
        self.last = current
        if broken is not None:
            self.invalidations[self.turns] = broken
        return broken


def _first_changed(current: Fingerprint, before: Mapping[str, Block]) -> str | None:
    now = {block.name: block for block in current.blocks}
    changed = [name for name, block in now.items() if name not in before or before[name].digest != block.digest]
    gone = [name for name in before if name not in now]
    moved = [name for name, was in zip(now, before, strict=False) if name != was]
    return next(iter((*changed, *gone, *moved)), None)


def _paid_again(current: Fingerprint, previous: Fingerprint) -> int:
    """The tokens of the parts behind the first difference that stood in the previous prefix too."""
    shared = sum(
        1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(current.parts, previous.parts, strict=False))
    )
    kept = Counter(current.parts[shared:]) & Counter(previous.parts[shared:])
    return sum(part.tokens * times for (_, part), times in kept.items())


def _block(name: str, content: Content, known: Mapping[str, Part]) -> Block:
    texts = [content] if isinstance(content, str) else [_text(part) for part in content]
    return Block(name, _digest(_bytes("\n\n".join(texts))), tuple(_part(text, known) for text in texts))


def _part(text: str, known: Mapping[str, Part]) -> Part:
    from pegboard.tokens import count_tokens

    digest = _digest(_bytes(text))
    return known.get(digest) or Part(digest, count_tokens(text))


def _text(value: object) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def _bytes(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")


def _digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()
