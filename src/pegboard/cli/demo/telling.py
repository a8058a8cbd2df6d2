"""Telling a story in steps, each of which is checked."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Final

from pegboard.cli.demo.servers import DemoError
from pegboard.cli.output import Output
from pegboard.cli.visible import one_line

_WIDTH: Final = 110


@dataclass
class Story:
    """The steps as they happen: printed at once, or kept for one JSON document. Lives as long as one demo.

    ``hint`` stands behind every failure.
    """

    output: Output
    hint: str = ""
    steps: list[dict[str, Any]] = field(default_factory=list)
    checks: int = 0

    def step(self, title: str) -> None:
        """Begin a step."""
        self.steps.append({"title": title, "lines": []})
        if not self.output.json:
            self.output.say()
            self.output.heading(f"{len(self.steps)}. {title}")

    def line(self, text: str, *, deeper: bool = False) -> None:
        """Something that happened, on one line."""
        flat = "  " * deeper + one_line(text)
        shown = flat if len(flat) <= _WIDTH else f"{flat[: _WIDTH - 1]}…"
        self.steps[-1]["lines"].append(shown)
        if not self.output.json:
            self.output.say(f"   {shown}")

    def check(self, holds: bool, wanted: str, got: Any) -> None:
        """Go on only if something holds. Raises DemoError with what was wanted and what came instead."""
        if not holds:
            raise DemoError(
                f"Step {len(self.steps)}, {self.steps[-1]['title']!r}: wanted {wanted}, got {got}.", hint=self.hint
            )
        self.checks += 1
