"""What a boundary makes of a board: its next record, and what that changes for whoever was shown the last one. Pure."""

from __future__ import annotations

import json
from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from pegboard.drift import Drift, DriftRule
from pegboard.pins import PinEvent, PinQueue, PinRecord, PinState, Slot, step
from pegboard.tools import Tool

_ACCEPT = DriftRule()


@dataclass(frozen=True, kw_only=True)
class PinDiff:
    """What a boundary did, as names in pin order. Immutable.

    ``added`` have become active; ``tombstoned`` are so no longer (unpinned, vanished, or pruned); ``quarantined`` are
    held back since their definition changed, always-visible tools among them. What may no longer be discovered is not
    named. ``invalidations`` names every reason for which bytes shown before have changed (empty: the listing only grew,
    or stayed): ``permission``, ``compact``, ``drift:NAME``, ``always-changed``. ``notes`` are sentences for whoever
    reads the log of a conversation.
    """

    added: tuple[str, ...] = ()
    tombstoned: tuple[str, ...] = ()
    unchanged: tuple[str, ...] = ()
    quarantined: tuple[str, ...] = ()
    invalidations: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True)
class Boundary:
    """The outcome of a boundary: the record to save, what changed, and the definitions that did. Immutable."""

    record: PinRecord
    diff: PinDiff
    drifts: tuple[Drift, ...] = ()


def at_boundary(
    record: PinRecord,
    queue: PinQueue,
    tools: Mapping[str, Tool],
    always: Iterable[Tool],
    *,
    hidden: Container[str] = (),
    compact: bool = False,
    rule: DriftRule = _ACCEPT,
    shown: PinRecord | None = None,
) -> Boundary:
    """Apply the queue to the record.

    ``tools`` are those the board may show by pinning, by name; ``always`` the always-visible ones; ``hidden`` the names
    the principal may not discover; ``rule`` says what is done about changed definitions. Slots keep their places and
    new pins come last, so that the listing only grows but for the invalidations that the diff names. The diff is
    against ``shown``, the record that the board showed last (default: ``record``): others may have saved since.
    """
    listed = {tool.name: tool for tool in always}
    standing = settled_always(record, listed.values(), rule)
    elsewhere = {slot.name for slot in standing}
    slots = [
        _settled(record, slot, queue, tools.get(slot.name), rule)
        for slot in record.slots
        if slot.name not in hidden and slot.name not in elsewhere
    ]
    if compact:
        slots = [slot for slot in slots if not slot.is_tombstone]
    slots += _newcomers(record, queue, tools, rule)
    after = replace(
        record,
        generation=record.generation + 1,
        replacement=False,
        always=standing,
        slots=tuple(slots),
        skills={**record.skills, **queue.skills},
        digests=_remembered(record, (*standing, *slots), {**tools, **listed}, rule),
    )
    before = record if shown is None else shown
    drifts = tuple(_drifts(before, after, {**tools, **listed}))
    return Boundary(record=after, diff=_diff(before, after, hidden, drifts, rule), drifts=drifts)


def settled_always(record: PinRecord, tools: Iterable[Tool], rule: DriftRule = _ACCEPT) -> tuple[Slot, ...]:
    """The always-visible definitions that a boundary would show: by name; quarantined ones as they were."""
    slots = (_standing(record, tool, rule) for tool in sorted(tools, key=lambda tool: tool.name))
    return tuple(slot for slot in slots if slot is not None)


def invalidations(before: PinRecord, after: PinRecord, hidden: Container[str] = ()) -> tuple[str, ...]:
    """Why the listing of ``after`` does not begin with that of ``before``; nothing when it does.

    ``hidden`` are the names that may no longer be discovered. A pin that is in neither of them nor in ``after`` was
    compacted, by this board or by another of the same record.
    """
    if _begins(after.items, before.items):
        return ()
    standing = {slot.name for slot in after.always}
    pins = {slot.name: slot for slot in after.slots}
    staying = [slot for slot in before.slots if slot.name not in hidden and slot.name not in standing]
    # One that has the same definition in another spelling was compacted and pinned anew.
    kept = [s.name for s in staying if s.name in pins and (_same(s, pins[s.name]) or s.digest != pins[s.name].digest)]
    in_place = kept == [*pins][: len(kept)]
    reasons = ["permission"] if any(slot.name in hidden for slot in before.items) else []
    reasons += [] if in_place and len(kept) == len(staying) else ["compact"]
    reasons += [f"drift:{s.name}" for s in staying if s.name in pins and pins[s.name].digest != s.digest]
    # What these reasons do not explain must be the doing of what is always visible.
    explained = {slot.name for slot in staying} - {*kept} if in_place else {slot.name for slot in staying}
    left = [
        pins[slot.name] if slot.name in kept else slot
        for slot in before.items
        if slot.name not in hidden and slot.name not in explained
    ]
    reasons += [] if _begins(after.items, left) else ["always-changed"]
    return tuple(reasons)


def _begins(slots: Sequence[Slot], head: Sequence[Slot]) -> bool:
    return len(slots) >= len(head) and all(map(_same, slots, head))


def _same(one: Slot, other: Slot) -> bool:
    """Whether two slots show the same bytes: equal digests allow for keys in another order."""
    if one.name != other.name or one.digest != other.digest:
        return False
    return one.shown is other.shown or json.dumps(one.shown) == json.dumps(other.shown)


def _standing(record: PinRecord, tool: Tool, rule: DriftRule) -> Slot | None:
    """An always-visible tool as it is shown; None for one that is held back without anything left to show."""
    last = next((slot for slot in record.items if slot.name == tool.name), None)
    if rule.holds(tool, record.known.get(tool.name)):
        return replace(last, state=PinState.QUARANTINED) if last else None
    # The same definition may be spelt in another order now: its bytes stay.
    return replace(last, state=PinState.ACTIVE) if last and last.digest == tool.digest else Slot.of(tool)


def _settled(record: PinRecord, slot: Slot, queue: PinQueue, tool: Tool | None, rule: DriftRule) -> Slot:
    """A slot after its wish, the catalog's news and the commit."""
    news = _news(record, slot.name, tool, rule)
    state = step(step(queue.step(slot.state, slot.name), news), PinEvent.COMMIT)
    if state is PinState.ACTIVE and tool is not None and tool.digest != slot.digest:
        return Slot.of(tool)
    return replace(slot, state=state)


def _news(record: PinRecord, name: str, tool: Tool | None, rule: DriftRule) -> PinEvent:
    if tool is None:
        return PinEvent.VANISH
    return PinEvent.DRIFT if rule.holds(tool, record.known.get(name)) else PinEvent.RETURN


def _newcomers(record: PinRecord, queue: PinQueue, tools: Mapping[str, Tool], rule: DriftRule) -> list[Slot]:
    adding, _ = queue.pending(record)
    new = [tools[name] for name in adding if name in tools and record.slot(name) is None]
    return [Slot.of(tool) for tool in new if not rule.holds(tool, record.known.get(tool.name))]


def _remembered(
    record: PinRecord, slots: Iterable[Slot], tools: Mapping[str, Tool], rule: DriftRule
) -> Mapping[str, str]:
    """The digests that the next record must know and that its slots do not tell."""
    if rule.on_drift != "quarantine":
        return {}
    told = {slot.name: slot.digest for slot in slots}
    accepted = {tool.name: tool.digest for tool in tools.values() if (tool.name, tool.digest) in rule.accepted}
    known = {name: accepted.get(name, digest) for name, digest in record.known.items()}
    return {name: digest for name, digest in known.items() if told.get(name) != digest}


def _drifts(before: PinRecord, after: PinRecord, tools: Mapping[str, Tool]) -> Iterable[Drift]:
    was = {slot.name: slot for slot in before.items}
    for slot in after.items:
        last = was.get(slot.name)
        if last is None:
            continue
        if slot.digest != last.digest:
            yield Drift(name=slot.name, was=last.shown, now=slot.shown, digest=slot.digest, held=False)
        if slot.state is PinState.QUARANTINED is not last.state:
            tool = tools[slot.name]
            yield Drift(name=slot.name, was=slot.shown, now=tool.shown, digest=tool.digest, held=True)


def _diff(
    before: PinRecord, after: PinRecord, hidden: Container[str], drifts: Iterable[Drift], rule: DriftRule
) -> PinDiff:
    was = [slot.name for slot in before.slots if slot.state is PinState.ACTIVE]
    now = [slot.name for slot in after.slots if slot.state is PinState.ACTIVE]
    quarantined = tuple(drift.name for drift in drifts if drift.held)
    left = [name for name in was if name not in now and name not in hidden and name not in quarantined]
    standing = {slot.name for slot in after.always}
    return PinDiff(
        added=tuple(name for name in now if name not in was),
        tombstoned=tuple(name for name in left if name not in standing),
        unchanged=tuple(name for name in now if name in was),
        quarantined=quarantined,
        invalidations=invalidations(before, after, hidden),
        notes=() if rule.on_drift == "accept" else tuple(map(str, drifts)),
    )
