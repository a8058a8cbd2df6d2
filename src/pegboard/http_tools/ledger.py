"""Which evidence a conversation was shown: what a host holds answers against. Pure, but for the writing."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable
from typing import Any, Final

from pegboard.http_tools.evidence import EVIDENCE_KEY
from pegboard.tools import ToolResult

logger = logging.getLogger(__name__)

KEPT: Final = 1_000
"""Ids that a ledger keeps, the last ones; so that a long conversation costs no more than that."""


class EvidenceLedger:
    """The ids of evidence that were shown. Lives as long as a conversation, or a turn where a store has ``ids``.

    Each is kept once, in the order in which they came first; the last 1,000.

        ledger = EvidenceLedger(ids=kept_of_this_conversation)
        ledger.take(result)
        if answer_cites not in ledger:
            ledger.note_ungrounded()
        ledger.flush(store_of_the_host.append)
    """

    def __init__(self, ids: Iterable[object] = ()) -> None:
        self._ids = dict.fromkeys(map(str, ids))
        self._new: dict[str, None] = {}
        self.ungrounded = 0
        self._trim()

    @property
    def ids(self) -> tuple[str, ...]:
        """The ids, at most the last 1,000."""
        return tuple(self._ids)

    def __contains__(self, id: object) -> bool:
        return str(id) in self._ids

    def take(self, result: ToolResult) -> None:
        """Record the evidence of a result; one without any changes nothing."""
        self.record((result.meta or {}).get(EVIDENCE_KEY, {}).get("ids", ()))

    def record(self, ids: object) -> None:
        """Record ids: several, or one; None is no id."""
        several = ids if isinstance(ids, Iterable) and not isinstance(ids, (str, bytes)) else (ids,)
        for one in several:
            if one is not None and str(one) not in self._ids:
                self._ids[str(one)] = self._new[str(one)] = None
        self._trim()

    def note_ungrounded(self) -> None:
        """Count an answer that cites what nobody showed."""
        self.ungrounded += 1

    def flush(self, append: Callable[[dict[str, Any]], None] | None = None) -> bool:
        """Hand what is new to ``append``, as ``{ids, ungrounded}``; False when it failed, and everything is kept."""
        if append is None or not (self._new or self.ungrounded):
            return True
        try:
            append({"ids": list(self._new)[-KEPT:], "ungrounded": self.ungrounded})
        except Exception:
            logger.warning("the evidence of a conversation could not be kept; it is tried again", exc_info=True)
            return False
        self._new.clear()
        self.ungrounded = 0
        return True

    def _trim(self) -> None:
        for one in tuple(self._ids)[:-KEPT]:
            del self._ids[one]
