"""The numbers that bound a call, a search and a listing."""

from __future__ import annotations

from dataclasses import dataclass
from math import inf

from pegboard.errors import ConfigError


@dataclass(frozen=True, kw_only=True)
class Limits:
    """Immutable, process-wide. The defaults are Pegboard's own; all can be set in ``[limits]`` of pegboard.toml.

    ``search`` results unless asked otherwise, and ``search_cap`` at most; ``recommend`` and ``load_best`` (what
    tool_search, or a skill, pins) likewise; ``query_chars`` of a query are searched for; ``page`` entries a page of
    list_tools; ``find_tokens`` is the budget of one find_tools answer; ``skills_tokens`` and ``skills_chars`` bound
    the list of skills in a prompt; ``call_timeout`` in seconds, like ``approval_timeout``, which is what an approver
    may take; at most ``concurrency`` calls run at once; ``result_chars`` bounds a result's text and structured
    content; ``compact_tokens`` of tombstones, or ``compact_idle`` seconds without a call, make a commit compact; pins
    without use for ``compact_unused`` seconds are unpinned then (None: never). A search that is less confident than
    ``no_match_below``, 0 to 1, answers that nothing fits; 0 lets every answer through.

    Raises ConfigError for a number that is not above 0 and finite, and for one of confidence that is not from 0 to 1.
    """

    search: int = 20
    search_cap: int = 100
    recommend: int = 5
    load_best: int = 5
    query_chars: int = 4_000
    page: int = 50
    find_tokens: int = 2_000
    skills_tokens: int = 4_000
    skills_chars: int = 16_000
    call_timeout: float = 60.0
    approval_timeout: float = 300.0
    concurrency: int = 1_000
    result_chars: int = 100_000
    compact_tokens: int = 2_000
    compact_idle: float = 300.0
    compact_unused: float | None = None
    no_match_below: float = 0.3

    def __post_init__(self) -> None:
        if not 0 <= self.no_match_below <= 1:
            raise ConfigError(f"The limit no_match_below is {self.no_match_below}.", hint="Set a number from 0 to 1.")
        for name, value in vars(self).items():
            # Written so that NaN is refused too.
            if name != "no_match_below" and value is not None and not 0 < value < inf:
                raise ConfigError(f"The limit {name} is {value}.", hint="Set a number above 0.")
