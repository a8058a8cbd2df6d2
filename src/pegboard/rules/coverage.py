"""Which rules cover which entries of a catalog: found once, in bulk, for every principal. Pure.

A loop over every rule and every entry would be slow where a catalog is large: the entries are sorted into groups that
have a value in common, and a glob is held against the groups first.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from operator import attrgetter, is_
from typing import Any, Final

from pegboard.rules.globs import Glob
from pegboard.rules.rule import WHAT, Rule
from pegboard.tools import Entry

_NEW_AT_MOST: Final = 4
"""A table is made out of the one before it where at most every fourth entry is new."""

_HEAD: Final = 4
"""Characters that the names of one group have in common: many enough to tell sources apart, and few groups."""

_VALUE_OF: Final[Mapping[str, Callable[[Entry], Any]]] = {
    "sources": attrgetter("source"),
    "categories": attrgetter("category"),
    "tags": lambda entry: tuple(entry.tags),
    "kinds": attrgetter("kind"),
}
"""What entries of one group have in common, for each key of what but the names. In the order of how few they leave."""


def coverage(rules: Sequence[Rule], entry: Entry) -> int:
    """The rules that cover an entry, as the bits of a number: rule 0 is bit 0."""
    return sum(1 << number for number, rule in enumerate(rules) if rule.covers(entry))


def coverages(
    rules: Sequence[Rule], entries: Sequence[Entry], before: tuple[Sequence[Entry], Sequence[int]] | None = None
) -> list[int]:
    """``coverage`` of every entry, in order.

    ``before`` are the entries and the coverages of a while ago: an object that was among them is not looked at again.
    """
    if before is not None:
        kept = _kept(entries, *before)
        if kept.count(None) * _NEW_AT_MOST <= len(entries):
            return [coverage(rules, entries[at]) if bits is None else bits for at, bits in enumerate(kept)]
    columns = _Columns(entries)
    found = [0] * len(entries)
    for number, rule in enumerate(rules):
        bit = 1 << number
        for place in columns.covered(rule):
            found[place] |= bit
    return found


def _kept(entries: Sequence[Entry], old: Sequence[Entry], bits: Sequence[int]) -> list[int | None]:
    """The coverage of each entry that is among the old ones, None of each that is new.

    A change leaves most of a catalog in its place, before and behind what changed: only the middle is looked up.
    """
    head = _alike(entries, old)
    tail = _alike(entries[head:][::-1], old[head:][::-1])
    known = dict(zip(map(id, old[head : len(old) - tail]), bits[head : len(old) - tail], strict=True))
    middle = (known.get(id(entry)) for entry in entries[head : len(entries) - tail])
    return [*bits[:head], *middle, *bits[len(old) - tail :]]


def _alike(entries: Sequence[Entry], others: Sequence[Entry]) -> int:
    """How many entries at the beginning are the same objects."""
    same = list(map(is_, entries, others))
    return same.index(False) if False in same else len(same)


class _Columns:
    """The entries of a catalog, sorted into groups for each key that rules use. Lives as long as one ``coverages``."""

    def __init__(self, entries: Sequence[Entry]) -> None:
        self._entries = entries
        self._names: _Names | None = None
        self._groups: dict[str, Mapping[Any, list[int]]] = {}

    def covered(self, rule: Rule) -> Iterable[int]:
        """The places of the entries that a rule covers."""
        key = next((key for key in (*_VALUE_OF, "names") if key in rule.globs), None)
        places = self._matching(key, rule.globs[key]) if key else range(len(self._entries))
        if len(rule.globs) == 1 and not rule.tiers:
            return places
        return [place for place in places if rule.covers(self._entries[place])]

    def _matching(self, key: str, globs: tuple[Glob, ...]) -> Iterable[int]:
        if key == "names":
            self._names = self._names or _Names([entry.name for entry in self._entries])
            return self._names.matching(globs)
        if key not in self._groups:
            self._groups[key] = _grouped(map(_VALUE_OF[key], self._entries))
        groups = self._groups[key]
        chosen = (places for places in groups.values() if _fits(key, globs, self._entries[places[0]]))
        return [place for places in chosen for place in places]


class _Names:
    """The names of a catalog, by how they begin. Lives as long as one ``coverages``."""

    def __init__(self, names: list[str]) -> None:
        self._names = names
        self._by_head = _grouped(name[:_HEAD] for name in names)

    def matching(self, globs: tuple[Glob, ...]) -> Iterable[int]:
        """The places of the names that one of the globs matches."""
        if any(glob.everything for glob in globs):
            return range(len(self._names))
        if len(globs) == 1:
            return self._places(globs[0])
        return {place for glob in globs for place in self._places(glob)}

    def _places(self, glob: Glob) -> Iterable[int]:
        names, text = self._names, glob.longest
        places = self._begun(glob.head) if glob.head else [at for at, name in enumerate(names) if text in name]
        if glob.pattern in (f"{glob.head}*", f"*{text}*"):
            return places
        return [place for place in places if text in names[place] and glob.matches(names[place])]

    def _begun(self, head: str) -> list[int]:
        if len(head) > _HEAD:
            names, end = self._names, len(head)
            return [place for place in self._by_head.get(head[:_HEAD], ()) if names[place][:end] == head]
        begun = (places for start, places in self._by_head.items() if start.startswith(head))
        return [place for places in begun for place in places]


def _grouped(values: Iterable[Any]) -> Mapping[Any, list[int]]:
    """The places of each value."""
    groups: defaultdict[Any, list[int]] = defaultdict(list)
    for place, value in enumerate(values):
        groups[value].append(place)
    return dict(groups)


def _fits(key: str, globs: Iterable[Glob], entry: Entry) -> bool:
    values = WHAT[key](entry)
    return any(glob.matches(value) for glob in globs for value in values)
