"""How sure a difference between rankers is: a paired bootstrap. Pure, and the same for the same seed.

The questions of each set are drawn again with replacement, as many as there are; every ranker is looked at on the same
draw. Where the middle 95 % of the draws' differences lie to one side of 0, chance alone rarely makes them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from pegboard.evaluation.figures import scores
from pegboard.evaluation.metrics import MEASURES
from pegboard.evaluation.runner import Answer

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Array = NDArray[np.float64]

RESAMPLES: Final = 2_000
LEVEL: Final = 0.95

_CELLS: Final = 4_000_000
"""Numbers that one batch of draws holds, 32 MB."""


@dataclass(frozen=True, kw_only=True)
class Interval:
    """A value of one measure, and between which two numbers ``LEVEL`` of the draws put it. Immutable."""

    value: float
    low: float
    high: float

    @property
    def sure(self) -> bool:
        """Whether 0 lies outside."""
        return self.low > 0 or self.high < 0


@dataclass(frozen=True)
class Comparison:
    """Rankers on the same questions. Immutable.

    ``own`` has for each ranker its measures' intervals, ``differences`` those of how much more each further ranker has
    than the first, by measure. Both are empty where no question has a right tool.
    """

    own: tuple[dict[str, Interval], ...]
    differences: tuple[dict[str, Interval], ...]


def compared(contenders: Sequence[Sequence[Sequence[Answer]]], seed: int) -> Comparison:
    """The comparison of rankers, of each its answers, set by set. All have the same questions in the same order."""
    import numpy as np

    width = len(MEASURES)
    groups = []
    for of_set in zip(*contenders, strict=True):
        rows = np.hstack([np.array(scores(answers), dtype=float).reshape(-1, width) for answers in of_set])
        groups += [rows] if len(rows) else []
    if not groups:
        return Comparison(tuple({} for _ in contenders), tuple({} for _ in contenders[1:]))
    means = np.mean([group.mean(axis=0) for group in groups], axis=0)
    drawn = np.mean([_drawn(group, np.random.default_rng([seed, place])) for place, group in enumerate(groups)], axis=0)
    own = [slice(place * width, (place + 1) * width) for place in range(len(contenders))]
    return Comparison(
        tuple(_intervals(means[part], drawn[:, part]) for part in own),
        tuple(_intervals(means[part] - means[own[0]], drawn[:, part] - drawn[:, own[0]]) for part in own[1:]),
    )


def _drawn(rows: Array, generator: np.random.Generator) -> Array:
    """The means of the columns in each draw."""
    import numpy as np

    count = len(rows)
    even = np.full(count, 1 / count)
    batch = max(1, _CELLS // count)
    sizes = [min(batch, RESAMPLES - done) for done in range(0, RESAMPLES, batch)]
    # How often each question is drawn is all that its mean depends on.
    return np.vstack([generator.multinomial(count, even, size) @ rows / count for size in sizes])


def _intervals(means: Array, drawn: Array) -> dict[str, Interval]:
    import numpy as np

    tail = (1 - LEVEL) / 2
    bounds: Any = np.quantile(drawn, [tail, 1 - tail], axis=0)
    columns = zip(MEASURES, means.tolist(), *bounds.tolist(), strict=True)
    return {name: Interval(value=value, low=low, high=high) for name, value, low, high in columns}
