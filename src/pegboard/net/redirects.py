"""What is sent after a redirect: rules over values, no I/O."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, field, replace
from typing import Final

from pegboard.masking import Scrubber
from pegboard.net.refusals import refuse
from pegboard.net.urls import Target, next_target

FOLLOWED: Final = frozenset({301, 302, 303, 307, 308})

CARRIED: Final = frozenset({"accept", "accept-language", "content-type", "user-agent"})
"""Headers that go along to another origin; all others may hold what was meant for the first one alone."""


@dataclass(frozen=True)
class Outgoing:
    """One request. Immutable. ``secrets`` are values that must not reach another origin than the first, however they
    are written.

    No repr shows what it carries.
    """

    method: str
    target: Target = field(repr=False)
    headers: tuple[tuple[str, str], ...] = field(repr=False)
    body: bytes = field(repr=False)
    secrets: Collection[str] = field(default=(), repr=False)

    def redirected(self, status: int, location: str) -> Outgoing:
        """The request that follows a reply. Raises RefusedRequestError when it may not be sent."""
        target = next_target(self.target, location)
        following = self._without_body() if _becomes_get(status, self.method) else self
        if target.origin != self.target.origin:
            following = following._for_strangers()
        return replace(following, target=target)

    def _without_body(self) -> Outgoing:
        headers = tuple(pair for pair in self.headers if not pair[0].lower().startswith("content-"))
        return replace(self, method="GET", headers=headers, body=b"")

    def _for_strangers(self) -> Outgoing:
        """Without anything that was configured for the first origin."""
        hidden = Scrubber(self.secrets, shortest=1)
        if hidden.holds(self.body):
            raise refuse("redirect", f"{self.target.origin} redirects a body that holds a secret to another origin")
        carried = ((name, value) for name, value in self.headers if name.lower() in CARRIED)
        return replace(self, headers=tuple(pair for pair in carried if not hidden.holds(pair[1].encode())))


def _becomes_get(status: int, method: str) -> bool:
    return (status == 303 and method not in ("GET", "HEAD")) or (status in (301, 302) and method == "POST")
