"""Which tools are held back on one board because their definitions have changed since it was shown them."""

from __future__ import annotations

from collections.abc import Mapping

from pegboard.drift import Drift, DriftRule, OnDrift
from pegboard.errors import QuarantinedError
from pegboard.keeping import Keeping
from pegboard.pins import PinQueue
from pegboard.tools import Tool
from pegboard.view import View


class Quarantine:
    """What one board does about changed definitions. Lives as long as the board.

    ``accepted`` are digests by name that somebody has accepted for every board; ``own`` the meta-tools, which change
    with Pegboard alone.
    """

    def __init__(self, kept: Keeping, on_drift: OnDrift, accepted: Mapping[str, str], own: Mapping[str, Tool]) -> None:
        self._kept = kept
        self._on_drift: OnDrift = on_drift
        self._accepted = accepted
        self._own = {name: tool.digest for name, tool in own.items()} if on_drift == "quarantine" else {}

    def rule(self, queue: PinQueue | None = None) -> DriftRule:
        """The rule of this moment, with what was accepted in ``queue`` (default: the board's)."""
        queue = self._kept.queue if queue is None else queue
        accepted = (self._accepted, queue.accepted, self._own)
        return DriftRule(
            on_drift=self._on_drift, accepted=frozenset(pair for each in accepted for pair in each.items())
        )

    def holds(self, tool: Tool) -> bool:
        """Whether a tool is held back now."""
        if self._on_drift != "quarantine":
            return False
        return self.rule().holds(tool, self._kept.record.known.get(tool.name))

    def refuse(self, tool: Tool) -> None:
        """Raise QuarantinedError for a tool that is held back."""
        if self.holds(tool):
            raise QuarantinedError(tool.name)

    def of(self, view: View) -> View:
        """A view with the tools that are held back marked."""
        if self._on_drift != "quarantine":
            return view
        return view.holding(drift.name for drift in self.drifts(view) if drift.held)

    def drifts(self, view: View) -> tuple[Drift, ...]:
        """The visible tools whose definitions are not those that the board knows."""
        rule, record = self.rule(), self._kept.record
        shown = {slot.name: slot.shown for slot in record.items}
        return tuple(
            Drift(name=name, was=shown.get(name), now=tool.shown, digest=tool.digest, held=rule.holds(tool, digest))
            for name, digest in record.known.items()
            if (tool := view.seen(name)) is not None and tool.digest != digest
        )
