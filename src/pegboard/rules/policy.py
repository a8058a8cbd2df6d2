"""The policy that decides by rules.

    policy = RulePolicy([
        Rule(roles=["support"], names=["shop__*"], allow=["discover", "invoke"], approves="read"),
        Rule(principals=["*"], names=["*__delete_*"], deny=["invoke"]),
    ])

Nothing is allowed unless a rule allows it, and what any rule denies is denied, whatever others allow: the order of
rules does not matter. What may not be discovered cannot be invoked.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Final

from pegboard.auth import Action, Decision, Principal
from pegboard.rules.coverage import coverage, coverages
from pegboard.rules.rule import Rule
from pegboard.tools import Entry

_TABLES: Final = 2
"""Catalogs whose coverage is kept: the one in force, and the one that turns in flight began with."""

_MASKS: Final = 64
"""Masks kept of one catalog, a byte an entry each: as many callers with different rights at once cost no more."""


@dataclass(frozen=True)
class _Table:
    """The coverage of one catalog's entries, and the masks made of it. Lives as long as it is among the newest."""

    entries: tuple[Entry, ...]
    bits: list[int]
    masks: dict[tuple[Action, int], Sequence[bool]] = field(default_factory=dict)


class RulePolicy:
    """Decides by rules. Process-wide; the rules never change, a new policy takes its place.

    Deny wins over every allow, and nothing is allowed by default. ``decide`` says in its reason which rule it was: the
    first that denies, or else the first that allows. A call is asked about above the highest tier that any rule that
    allows it lets pass unasked.
    """

    def __init__(self, rules: Iterable[Rule]) -> None:
        self.rules = tuple(rules)
        self._gives = {action: self._bits("allow", action) for action in Action}
        self._takes = {action: self._bits("deny", action) for action in Action}
        # What may not be discovered cannot be invoked.
        self._takes[Action.INVOKE] |= self._takes[Action.DISCOVER]
        self._tables: list[_Table] = []

    async def decide(self, principal: Principal, action: Action, entry: Entry) -> Decision:
        """Whether, by which rule, and up to which tier unasked."""
        return self._decision(self._about(principal) & coverage(self.rules, entry), action)

    async def permitted(self, principal: Principal, action: Action, entries: Sequence[Entry]) -> Sequence[bool]:
        """``decide(...).allowed`` of every entry. Made once for a catalog's tuple and principals of the same rights."""
        about = self._about(principal)
        if not isinstance(entries, tuple):
            verdicts = self._verdicts(about, action, bits := coverages(self.rules, entries))
            return [verdicts[each] for each in bits]
        table = self._table(entries)
        mask = table.masks.get((action, about))
        if mask is None:
            verdicts = self._verdicts(about, action, table.bits)
            mask = memoryview(bytes(map(verdicts.__getitem__, table.bits))).cast("?")
            if len(table.masks) >= _MASKS:
                table.masks.pop(next(iter(table.masks)), None)
            table.masks[action, about] = mask
        return mask

    def _about(self, principal: Principal) -> int:
        """The rules about a principal, as bits: all that its rights are made of."""
        return sum(1 << number for number, rule in enumerate(self.rules) if rule.is_about(principal))

    def _bits(self, effect: str, action: Action) -> int:
        return sum(1 << number for number, rule in enumerate(self.rules) if action in (getattr(rule, effect) or ()))

    def _allows(self, bits: int, action: Action) -> bool:
        return not bits & self._takes[action] and all(bits & self._gives[each] for each in _needed(action))

    def _verdicts(self, about: int, action: Action, bits: Iterable[int]) -> dict[int, bool]:
        return {each: self._allows(about & each, action) for each in set(bits)}

    def _decision(self, bits: int, action: Action) -> Decision:
        denying = bits & self._takes[action]
        if denying:
            word = action if bits & self._bits("deny", action) == denying else Action.DISCOVER
            return Decision(allowed=False, reason=f"{self._named(denying)} denies {word}")
        lacking = next((each for each in _needed(action) if not bits & self._gives[each]), None)
        if lacking is not None:
            return Decision(allowed=False, reason=f"no rule allows {lacking}")
        allowing = bits & self._gives[action]
        approves = max(
            (self.rules[number].highest_unasked for number in _numbers(allowing)), key=lambda tier: tier.rank
        )
        return Decision(allowed=True, reason=f"{self._named(allowing)} allows {action}", approves=approves)

    def _named(self, bits: int) -> str:
        number = next(iter(_numbers(bits)))
        where = self.rules[number].where
        return f"rule {number + 1}{f' at {where}' if where else ''}"

    def _table(self, entries: tuple[Entry, ...]) -> _Table:
        table = next((table for table in self._tables if table.entries is entries), None)
        if table is None:
            newest = self._tables[0] if self._tables else None
            before = (newest.entries, newest.bits) if newest else None
            table = _Table(entries, coverages(self.rules, entries, before))
            self._tables = [table, *self._tables[: _TABLES - 1]]
        return table


def _needed(action: Action) -> tuple[Action, ...]:
    return (Action.DISCOVER,) if action is Action.DISCOVER else (Action.DISCOVER, Action.INVOKE)


def _numbers(bits: int) -> Iterable[int]:
    return (number for number in range(bits.bit_length()) if bits >> number & 1)
