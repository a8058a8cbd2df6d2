"""What a value may be, and what to say when it is something else. Pure; the kinds are immutable and shared."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Final

from pegboard.documents.problems import KeyPath, kind_of, shown
from pegboard.naming import MAX_NAME, is_legal, slug
from pegboard.schema.names import nearest

_QUOTE: Final = "Put it in quotes."
_UNQUOTE: Final = "Write it without quotes."


@dataclass(frozen=True)
class Secret:
    """A text that no message and no repr shows. Immutable."""

    value: str = field(repr=False)


@dataclass(frozen=True)
class Mistake:
    """One value that does not fit. Immutable. ``path`` is where it stands."""

    path: KeyPath
    message: str
    hint: str = ""


@dataclass(frozen=True, kw_only=True)
class Kind:
    """One kind of value. ``wanted`` says in a message what was expected; ``fits`` decides; ``make`` turns it into ours.

    ``finer`` is a second kind that a value of this one must be too. ``items`` is the kind of each item in a list or
    table, ``names`` that of a table's keys. ``words`` are the words there are, where there are only some. ``slip`` is
    the fix for each type that is written by mistake. Of a ``secret`` kind, and below it, no message repeats the value.
    """

    wanted: str
    fits: Callable[[Any], bool]
    make: Callable[[Any], Any] = lambda value: value
    finer: Kind | None = None
    items: Kind | None = None
    names: Kind | None = None
    words: tuple[str, ...] = ()
    slip: Mapping[type, str] = field(default_factory=dict)
    secret: bool = False


def mistakes(kind: Kind, value: Any, at: KeyPath, *, secret: bool = False) -> Iterator[Mistake]:
    """Everything that keeps ``value``, which stands at ``at``, from being of a kind."""
    secret = secret or kind.secret
    if not kind.fits(value):
        got = kind_of(value) if secret else shown(value)
        yield Mistake(at, f"wanted {kind.wanted}, got {got}.", _hint(kind, value))
        return
    if kind.finer:
        yield from mistakes(kind.finer, value, at, secret=secret)
    for place, item in _members(value):
        if kind.names and not kind.names.fits(place):
            yield Mistake((*at, place), f"wanted {kind.names.wanted} as the key.")
        elif kind.items:
            yield from mistakes(kind.items, item, (*at, place), secret=secret)


def made(kind: Kind, value: Any) -> Any:
    """A value without mistakes as the program has it: lists as tuples, secrets wrapped."""
    if kind.items and isinstance(value, list):
        return tuple(made(kind.items, item) for item in value)
    if kind.items and isinstance(value, dict):
        return {name: made(kind.items, item) for name, item in value.items()}
    return kind.make(value)


def _members(value: Any) -> Iterator[tuple[str | int, Any]]:
    if isinstance(value, dict):
        yield from value.items()
    elif isinstance(value, list):
        yield from enumerate(value)


def _hint(kind: Kind, value: Any) -> str:
    close = nearest(value, kind.words) if isinstance(value, str) else None
    return f'Did you mean "{close}"?' if close else kind.slip.get(type(value), "")


def integer(low: int, high: int | None = None) -> Kind:
    """An integer from ``low`` to ``high``, both included."""
    span = Kind(
        wanted=f"at least {low}" if high is None else f"{low} to {high}",
        fits=lambda value: bool(low <= value and (high is None or value <= high)),
    )
    return Kind(wanted="an integer", fits=lambda value: type(value) is int, finer=span, slip={str: _UNQUOTE})


def seconds(least: float | None = None) -> Kind:
    """A finite number of seconds: ``least`` or more, or above 0 where there is no least."""
    span = Kind(
        wanted="seconds above 0" if least is None else f"at least {least:g} seconds",
        fits=lambda value: 0 < value < math.inf if least is None else least <= value < math.inf,
    )
    number = Kind(wanted="a number", fits=lambda value: type(value) in (int, float), make=float)
    return replace(number, finer=span, slip={str: _UNQUOTE})


def share() -> Kind:
    """A number from 0 to 1, both included."""
    span = Kind(wanted="0 to 1", fits=lambda value: 0 <= value <= 1)
    number = Kind(wanted="a number", fits=lambda value: type(value) in (int, float), make=float)
    return replace(number, finer=span, slip={str: _UNQUOTE})


def choice(*words: str) -> Kind:
    """One of some words."""
    quoted = [f'"{word}"' for word in words]
    return Kind(
        wanted=f"{', '.join(quoted[:-1])} or {quoted[-1]}",
        fits=lambda value: isinstance(value, str) and value in words,
        words=words,
    )


def by_glob(kind: Kind) -> Kind:
    """A value, or a table from globs to values."""
    return Kind(
        wanted=f"{kind.wanted}, or a table from globs to these",
        fits=lambda value: isinstance(value, dict) or kind.fits(value),
        items=kind,
        words=kind.words,
    )


def list_of(kind: Kind) -> Kind:
    """A list of values of one kind."""
    return Kind(
        wanted="a list",
        fits=lambda value: isinstance(value, list),
        items=kind,
        slip={str: 'Write a list: ["..."].', dict: "Write the table with two brackets: [[...]]."},
    )


def table() -> Kind:
    """A table whose keys are checked elsewhere."""
    return Kind(wanted="a table", fits=lambda value: isinstance(value, dict))


def table_of(kind: Kind, names: Kind | None = None) -> Kind:
    """A table of values of one kind."""
    return Kind(wanted="a table", fits=lambda value: isinstance(value, dict), items=kind, names=names)


_SECRET_PARTS: Final = frozenset(("secret", "username", "password", "client_id", "client_secret", "token_url"))


def _names_secrets(value: Mapping[str, Any]) -> bool:
    """Whether a table names the secrets of one security scheme."""
    texts = [value[key] for key in value.keys() & _SECRET_PARTS]
    more = {key: value[key] for key in value.keys() - _SECRET_PARTS}
    scopes, in_body, extra = more.pop("scopes", []), more.pop("in_body", False), more.pop("extra", {})
    listed = isinstance(scopes, list) and all(isinstance(scope, str) for scope in scopes)
    named = all(isinstance(text, str) and text.strip() for text in texts)
    return not more and listed and named and isinstance(in_body, bool) and _is_form(extra)


def _is_form(value: Any) -> bool:
    """Whether a value is a table with a text, or a list of texts, for each name."""
    several = [one if isinstance(one, list) else [one] for one in value.values()] if isinstance(value, dict) else [[1]]
    return all(texts and all(isinstance(text, str) for text in texts) for texts in several)


def _text(finer: Kind, *, secret: bool = False) -> Kind:
    return Kind(
        wanted="text in quotes",
        fits=lambda value: isinstance(value, str),
        make=Secret if secret else lambda value: value,
        finer=finer,
        slip={bool: _QUOTE, int: _QUOTE, float: _QUOTE},
        secret=secret,
    )


FLAG: Final = Kind(wanted="true or false", fits=lambda value: isinstance(value, bool), slip={str: _UNQUOTE})
SECONDS: Final = seconds()
SHARE: Final = share()
PASSABLE: Final = Kind(
    wanted="text without NUL characters and lone surrogates",
    fits=lambda value: "\x00" not in value and not any("\ud800" <= char <= "\udfff" for char in value),
)
"""What a process can be given: without this its start would fail with a riddle."""

FILLED: Final = Kind(wanted="text that is not empty", fits=lambda value: value.strip() != "", finer=PASSABLE)
TEXT: Final = _text(PASSABLE)
NAME: Final = _text(FILLED)
SECRET: Final = _text(PASSABLE, secret=True)
VARIABLE: Final = Kind(
    wanted="the name of an environment variable",
    fits=lambda value: value != "" and "=" not in value and PASSABLE.fits(value),
)
PREFIX: Final = Kind(
    wanted=f"at most {MAX_NAME} of A-Z a-z 0-9 _ -, a letter or digit at both ends, or false",
    fits=lambda value: value is False or (is_legal(value) and slug(value) == value),
)
UPSTREAM_SKILLS: Final = Kind(
    wanted='true, false or "resources"', fits=lambda value: isinstance(value, bool) or value == "resources"
)
TEXTS: Final = list_of(TEXT)
SCHEME_SECRET: Final = Kind(
    wanted='the name of a secret, or a table such as { username = "...", password = "..." } of names',
    fits=lambda value: (
        (isinstance(value, str) and value.strip() != "") or (isinstance(value, dict) and _names_secrets(value))
    ),
)
SCHEME_SECRETS: Final = table_of(SCHEME_SECRET)
CONTEXT_NAME: Final = Kind(
    wanted="letters, digits and _", fits=lambda value: value.replace("_", "a").isalnum() and value.isascii()
)
ARGUMENTS: Final = replace(TEXTS, secret=True)
VARIABLES: Final = replace(table_of(SECRET, VARIABLE), secret=True)
SECRETS: Final = replace(table_of(SECRET), secret=True)
