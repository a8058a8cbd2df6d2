"""What a server says beside the protocol: made visible, counted, never repeated."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Final

SHOWN_CHARS: Final = 120
LAST_WORDS: Final = 8
"""Lines of stderr that a failure quotes at most."""

_SHORTEST_SECRET: Final = 6
"""Shorter values would hide ordinary words."""

Hide = Callable[[str], str]


def visible(text: str, limit: int = SHOWN_CHARS) -> str:
    """``text`` on one line, shortened to ``limit`` characters, with every unprintable character written out."""
    head = text[: limit + 1]
    shown = "".join(c if c.isprintable() else c.encode("unicode_escape", "surrogatepass").decode() for c in head)
    return shown if len(shown) <= limit else shown[: limit - 1] + "…"


def hiding(secrets: Iterable[str]) -> Hide:
    """A function that replaces every one of ``secrets`` in a text by ``***``; the longest first."""
    ordered = sorted({secret for secret in secrets if len(secret) >= _SHORTEST_SECRET}, key=len, reverse=True)

    def hide(text: str) -> str:
        for secret in ordered:
            text = text.replace(secret, "***")
        return text

    return hide


@dataclass
class Noise:
    """Counts what a server said that is not protocol. Owned by its upstream; outlives restarts.

    ``of`` is what it is counted in, ``where`` it was said, and ``fix`` where it belongs.
    """

    hide: Hide = field(default=str, repr=False)
    of: str = "line"
    where: str = "on stdout"
    fix: str = "; its log belongs on stderr"
    lines: int = 0
    first: str = ""
    mended: int = 0
    too_long: int = 0
    longest: int = 0

    def heard(self, line: bytes | bytearray) -> None:
        """Count a line that is not protocol; the first one is kept, shortened."""
        self.lines += 1
        if self.lines == 1:
            text = bytes(line[: 4 * SHOWN_CHARS]).decode("utf-8", "replace").strip()
            self.first = visible(self.hide(text))

    def overlong(self, size: int) -> None:
        """Count a line over the limit."""
        self.too_long += 1
        self.longest = max(self.longest, size)

    def notes(self) -> tuple[str, ...]:
        """One note for each kind of noise there was."""
        notes = []
        if self.lines:
            count = f"1 {self.of}" if self.lines == 1 else f"{self.lines} {self.of}s"
            notes.append(f"noisy: {count} {self.where} that are not protocol (first: {self.first!r}){self.fix}")
        if self.mended:
            notes.append(f"{self.mended} of its messages held bytes that are not UTF-8, read as U+FFFD")
        if self.too_long:
            notes.append(
                f"{self.too_long} of its messages were over max_line and skipped (longest: {self.longest:,} bytes)"
            )
        return tuple(notes)


class LastWords:
    """The last lines of a server's stderr. Lives as long as its process."""

    def __init__(self, hide: Hide = str) -> None:
        self._hide = hide
        self._lines: deque[str] = deque(maxlen=LAST_WORDS)

    def heard(self, line: bytes | bytearray) -> str:
        """Keep a line, shortened, unless it is blank or all frames and rulers. Returns it as it was read."""
        words = bytes(line[:1000]).decode("utf-8", "replace").split()
        text = visible(self._hide(" ".join(words)), 300)
        if any(character.isalnum() for character in text):
            self._lines.append(text)
        return text

    def __str__(self) -> str:
        return " | ".join(self._lines)
