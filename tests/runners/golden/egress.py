"""What the addresses of vectors are like, for the rules of deviation. Pure functions."""

from __future__ import annotations

from collections.abc import Callable
from ipaddress import IPv6Address
from typing import Final
from urllib.parse import urlsplit

from tests.runners.golden.outcome import Outcome, Returned
from tests.runners.golden.vectors import Case

KIND: Final = "insika_egress_guard"


def _url(case: Case) -> str:
    return str(case.input.get("url") or "")


def _host(case: Case) -> str:
    return urlsplit(_url(case)).hostname or ""


def _of(case: Case, holds: Callable[[], bool]) -> bool:
    try:
        return case.kind == KIND and holds()
    except ValueError:  # no address of this form at all
        return False


def has_mapped_literal(case: Case) -> bool:
    """Whether the host is a public IPv4 address, written in IPv6."""

    def holds() -> bool:
        mapped = IPv6Address(_host(case)).ipv4_mapped
        return mapped is not None and mapped.is_global

    return _of(case, holds)


def has_foreign_letters(case: Case) -> bool:
    """Whether there are letters beyond ASCII in the address."""
    return _of(case, lambda: not _url(case).isascii())


def has_user(case: Case) -> bool:
    """Whether a user stands before the host."""
    return _of(case, lambda: "@" in urlsplit(_url(case)).netloc)


def decided(*rules: str | None) -> Callable[[Case, Outcome], bool]:
    """Whether one of these rules refused; None lets pass."""

    def holds(case: Case, got: Outcome) -> bool:
        return isinstance(got, Returned) and got.value in rules

    return holds


RULES: Final = (
    (
        "an IPv4 address in IPv6 is that address",
        "the socket goes to it, so its own range decides, whichever way it is written",
        has_mapped_literal,
        decided(None),
    ),
    (
        "letters beyond ASCII are encoded",
        "a path is percent-encoded, a name goes through IDNA: both mean one thing only, which is then checked",
        has_foreign_letters,
        decided(None, "resolution"),
    ),
    (
        "an address names no user",
        "parsers disagree about where the host begins behind it, and it is a secret in an address",
        has_user,
        decided("syntax"),
    ),
)
"""Name, reason, what it applies to, and what Pegboard does instead."""
