"""The keys of ``[usage]``."""

from __future__ import annotations

from pegboard.config.keys import Keys, key
from pegboard.config.kinds import FLAG, integer
from pegboard.usage.rows import HALF_LIFE

MOST_DAYS = 3_650


class UsageKeys(Keys):
    """``[usage]``: learning from searches that led to calls. Immutable; belongs to one load."""

    learn: bool = key(
        FLAG, "Add the words of searches that led to a successful call to the tool that was called.", False
    )
    half_life: int = key(integer(1, MOST_DAYS), "Days after which a use counts half.", int(HALF_LIFE))
