"""Globs: ``*`` is any text, ``?`` any one character, everything else itself, letter case too. Pure.

There are no classes in brackets, and nothing is tried twice: the pieces between the stars are looked for from left to
right, so that a hostile pattern costs no more than its length times that of the text.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property


@dataclass(frozen=True)
class Glob:
    """A pattern for whole texts. Immutable, shared; compiled once."""

    pattern: str

    @cached_property
    def _pieces(self) -> tuple[str, ...]:
        """What stands between the stars; one piece where there is no star."""
        head, *rest = self.pattern.split("*")
        # Of several stars in a row one is enough.
        return (head, *(piece for piece in rest[:-1] if piece), rest[-1]) if rest else (head,)

    @cached_property
    def everything(self) -> bool:
        """Whether it matches every text."""
        return self._pieces == ("", "")

    @cached_property
    def exact(self) -> str | None:
        """The one text that it matches, where there is only one."""
        return self.pattern if "*" not in self.pattern and "?" not in self.pattern else None

    @cached_property
    def head(self) -> str:
        """What every text that it matches begins with."""
        return self._pieces[0].split("?", 1)[0]

    @cached_property
    def longest(self) -> str:
        """The longest text that stands in every text that it matches."""
        return max((run for piece in self._pieces for run in piece.split("?")), key=len)

    def matches(self, text: str) -> bool:
        """Whether it matches the whole of ``text``."""
        if self.exact is not None:
            return text == self.exact
        head, *rest = self._pieces
        if not rest:
            return len(text) == len(head) and _fits(head, text, 0)
        *middle, tail = rest
        end = len(text) - len(tail)
        if end < len(head) or not _fits(head, text, 0) or not _fits(tail, text, end):
            return False
        at = len(head)
        for piece in middle:
            at = _find(piece, text, at, end)
            if at < 0:
                return False
            at += len(piece)
        return True


def _fits(piece: str, text: str, at: int) -> bool:
    if "?" not in piece:
        return text.startswith(piece, at)
    return all(wanted in ("?", got) for wanted, got in zip(piece, text[at : at + len(piece)], strict=True))


def _find(piece: str, text: str, start: int, end: int) -> int:
    """The first place from ``start`` where a piece fits before ``end``; -1 for none."""
    if "?" not in piece:
        return text.find(piece, start, end)
    return next((at for at in range(start, end - len(piece) + 1) if _fits(piece, text, at)), -1)
