"""Rules: one line each of who may discover or invoke what. Pure; ``RulePolicy`` decides by them."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass, fields
from functools import cached_property
from typing import Any, Final

from pegboard.auth import Action, Principal
from pegboard.errors import PolicyError
from pegboard.rules.globs import Glob
from pegboard.texts import has_unseen
from pegboard.tiers import tiers_of
from pegboard.tools import Approval, Entry

ANY: Final = "*"
"""Among who: any value there is. ``principals = ["*"]`` is everybody."""

WHO: Final[Mapping[str, Callable[[Principal], Collection[str]]]] = {
    "principals": lambda principal: (principal.id,),
    "issuers": lambda principal: (principal.issuer,) if principal.issuer else (),
    "tenants": lambda principal: () if principal.tenant is None else (principal.tenant,),
    "roles": lambda principal: principal.roles,
    "scopes": lambda principal: principal.scopes,
}
"""The keys that say who, each with what a principal has of it. Compared exactly, letter case too."""

WHAT: Final[Mapping[str, Callable[[Entry], Collection[str]]]] = {
    "names": lambda entry: (entry.name,),
    "sources": lambda entry: (entry.source,),
    "categories": lambda entry: () if entry.category is None else (entry.category,),
    "tags": lambda entry: entry.tags,
    "kinds": lambda entry: (entry.kind,),
}
"""The keys that say what, each with what an entry has of it. They hold globs; ``tiers`` goes beside them."""

WORDS: Final[Mapping[str, tuple[str, ...]]] = {
    "kinds": ("tool", "skill"),
    "tiers": tuple(Approval),
    "allow": tuple(Action),
    "deny": tuple(Action),
}
"""The keys that hold only these words."""

_LISTS: Final = (*WHO, *WHAT, "tiers", "allow", "deny")
"""The keys that hold lists of texts."""

_EXACT: Final = frozenset(WHO) - {"scopes"}
"""The keys in whose values a star would be taken for a glob; some scopes have one."""

_IN_NAMES: Final = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-*?")
"""The characters of tools' names, and those of globs. The names of skills may be of any script."""

_WORD_ENDS: Final = re.compile(r"[-_*?0-9]+")


@dataclass(frozen=True, kw_only=True)
class Rule:
    """One rule: whom it is about, what it is about, and what it allows or denies. Immutable, shared.

    Who: ``principals`` (ids), ``issuers``, ``tenants``, ``roles``, ``scopes``, compared exactly; ``"*"`` is any. What:
    ``names``, ``sources``, ``categories``, ``tags`` and ``kinds`` as globs (``*``, ``?``), and ``tiers`` of approval.
    Each key that is given has to match; of the values of one key, any. At least one key of each half is given.

    It has either ``allow`` or ``deny``, of ``discover`` and ``invoke``. ``approves`` is the highest tier of a call that
    a rule that allows to invoke lets pass unasked (default: exec, everything). Of a tool whose tier depends on the
    arguments, ``tiers`` allows only what it allows for every tier, and denies what it denies for any. ``where`` says
    where the rule stands, for receipts.

    Raises PolicyError for anything else: a rule that means something else than it says must not hold.
    """

    principals: Collection[str] | None = None
    issuers: Collection[str] | None = None
    tenants: Collection[str] | None = None
    roles: Collection[str] | None = None
    scopes: Collection[str] | None = None
    names: Collection[str] | None = None
    sources: Collection[str] | None = None
    categories: Collection[str] | None = None
    tags: Collection[str] | None = None
    kinds: Collection[str] | None = None
    tiers: Collection[str] | None = None
    allow: Collection[str] | None = None
    deny: Collection[str] | None = None
    approves: str | None = None
    where: str = ""

    def __post_init__(self) -> None:
        for key, message in faults({one.name: getattr(self, one.name) for one in fields(self)}):
            raise PolicyError(f"A rule{f' at {self.where}' if self.where else ''}: {key} {message}")
        for key in _LISTS:
            given = getattr(self, key)
            object.__setattr__(self, key, None if given is None else tuple(dict.fromkeys(given)))

    def is_about(self, principal: Principal) -> bool:
        """Whether a principal is among whom it names."""
        given = ((wanted, values(principal)) for key, values in WHO.items() if (wanted := getattr(self, key)))
        return all(any(value in has for value in wanted) or (ANY in wanted and bool(has)) for wanted, has in given)

    def covers(self, entry: Entry) -> bool:
        """Whether an entry is among what it names."""
        for key, globs in self.globs.items():
            values = WHAT[key](entry)
            if not any(glob.matches(value) for glob in globs for value in values):
                return False
        if self.tiers is None:
            return True
        may_be, named = tiers_of(entry), set(self.tiers)
        # What cannot be told beforehand is denied where any of it is, and allowed where all of it is.
        return bool(may_be & named) if self.deny else bool(may_be) and may_be <= named

    @cached_property
    def globs(self) -> Mapping[str, tuple[Glob, ...]]:
        """The globs of each key of what that is given."""
        return {key: tuple(map(Glob, given)) for key in WHAT if (given := getattr(self, key))}

    @property
    def highest_unasked(self) -> Approval:
        """The highest tier that passes unasked where this rule allows to invoke."""
        return Approval.EXEC if self.approves is None else Approval(self.approves)


def faults(rule: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Everything that keeps a rule with these keys from being one: the key, and what is wrong with it."""
    given = {key for key in _LISTS if rule.get(key) is not None}
    for key in _LISTS:
        yield from ((key, message) for message in (_faults_of(key, rule[key]) if key in given else ()))
    if not given & WHO.keys():
        yield "principals", f'is missing: say whom the rule is about, principals = ["{ANY}"] for everybody.'
    if not given & {*WHAT, "tiers"}:
        yield "names", 'is missing: say what the rule is about, names = ["*"] for everything.'
    if len(given & {"allow", "deny"}) != 1:
        yield "allow", "wanted either allow or deny, with discover, invoke or both."
    approves = rule.get("approves")
    if approves is not None and approves not in tuple(Approval):
        yield "approves", f"wanted one of {', '.join(Approval)}, got {approves!r:.40}."
    elif approves is not None and Action.INVOKE not in (rule.get("allow") or ()):
        yield "approves", "has a meaning only where the rule allows to invoke."


def _faults_of(key: str, values: Any) -> Iterator[str]:
    if isinstance(values, str | Mapping) or not isinstance(values, Collection) or not values:
        # An empty list could mean nobody or everybody.
        yield f'wanted a list of texts that is not empty, got {values!r:.40}. Write ["..."], or leave it out.'
        return
    for value in values:
        if not isinstance(value, str) or not value.strip():
            yield f"wanted texts that are not empty, got {value!r:.40}."
        elif key in WORDS and value not in WORDS[key]:
            yield f"wanted {' or '.join(WORDS[key])}, got {value!r:.40}."
        elif value != value.strip() or has_unseen(value):
            yield f"holds {value!r:.40}, with blanks around it or characters that nobody sees: it would match nothing."
        elif key in _EXACT and ANY in value != ANY:
            yield f'holds {value!r:.40}, but whom a rule is about is compared exactly: only "{ANY}" alone is any.'
        elif key == "names" and (odd := _odd_in(value)):
            told = " ".join(char if char.isascii() else f"{char} (U+{ord(char):04X})" for char in sorted(odd)[:9])
            yield f"holds {value!r:.40}, but no name has {told!r} there; only * and ? stand for others."


def _odd_in(name: str) -> set[str]:
    """What no name has. A letter of another script among Latin ones is a slip or a trap: it looks right."""
    odd = {char for char in name if (char not in _IN_NAMES if char.isascii() else not _is_of_word(char))}
    words = (word for word in _WORD_ENDS.split(name) if any(map(str.isascii, word)))
    return odd | {char for word in words for char in word if char.isalpha() and not _is_latin(char)}


def _is_of_word(char: str) -> bool:
    return char.isalnum() or unicodedata.combining(char) > 0


def _is_latin(char: str) -> bool:
    return char.isascii() or unicodedata.name(char, "").startswith("LATIN")
