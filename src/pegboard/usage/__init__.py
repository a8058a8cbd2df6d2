"""Usage learning: words of asks that led to a call help to find the tool again.

``board`` and ``leads`` tell what led to a call, ``learning`` is what one process learns and what its searches know of
it, ``rows`` and ``learned`` are what was learned and for whom it counts, in ``spaces`` apart and within ``bounds``;
``store`` keeps it, ``export`` takes it elsewhere. What searches make of it stands in ``pegboard.search.usage``.
"""

from typing import TYPE_CHECKING

from pegboard.late import late

if TYPE_CHECKING:
    from pegboard.usage.learning import Usage
    from pegboard.usage.store import MemoryUsageStore, UsageStore

__all__ = ["MemoryUsageStore", "Usage", "UsageStore"]

__getattr__ = late(__name__, {"learning": ("Usage",), "store": ("MemoryUsageStore", "UsageStore")})
