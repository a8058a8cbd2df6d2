"""The keys of ``[cache]``."""

from __future__ import annotations

from pegboard.config.keys import Keys, key
from pegboard.config.kinds import NAME, seconds


class CacheKeys(Keys):
    """``[cache]``: what commands keep of what upstreams listed. Immutable; belongs to one load."""

    path: str | None = key(
        NAME, 'A folder, relative to this file; unset: `catalog` beside the store\'s file; `"memory"`: none.'
    )
    age: float = key(seconds(0), "Seconds for which a listing is good enough for `list`, `find` and `show`.", 86_400.0)
