"""All rules for one text: what a model may read of it that people do not see or would not want. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

from pegboard.checking.characters import Found, hidden, named, spelt
from pegboard.checking.encoded import encoded
from pegboard.checking.finding import Finding, Kind, Text
from pegboard.checking.phrases import demanding, instructing, is_denied, is_quoted, overrides, unshown
from pegboard.checking.rules import finding
from pegboard.checking.scripts import looks_latin, mixed_words

SHOWN = 60
"""Characters of a text that a message repeats."""


def scan(text: Text) -> list[Finding]:
    """What rules about texts find in one: a finding a rule, at the first place, with how many there are.

    Rules about wording are left out for names, and for files beside a skill: those hold whatever a job needs.
    """
    found = [*_characters(text), *_lookalikes(text)]
    if text.kind is Kind.NAME:
        return found
    found += _unshown(text)
    if text.kind is not Kind.RESOURCE:
        found += [*_wording(text), *_encoded(text)]
    return found


def scan_all(texts: Iterable[Text]) -> Iterator[Finding]:
    """The same for many."""
    for text in texts:
        yield from scan(text)


def _characters(text: Text) -> Iterator[Finding]:
    if text.plain:
        return
    for code, (first, *more) in _by_code(hidden(text.value)).items():
        yield finding(code, text, first.at, first.length, _character(text, first) + _also(more))


def _character(text: Text, found: Found) -> str:
    first = named(text.value[found.at])
    if found.code in ("hidden-tags", "hidden-flag"):
        return f"has tag characters that spell {_short(spelt(text.value[found.at : found.end]))}"
    if found.code == "hidden-run":
        return f"has {found.length} characters in a row that are not seen, the first {first}"
    return f"has {first}"


def _lookalikes(text: Text) -> Iterator[Finding]:
    words = mixed_words(text.value)
    if words:
        at, word = words[0]
        odd = next(char for char in word if not char.isascii())
        message = f"has the word {_short(word)}, with {named(odd)}{_also(words[1:])}"
        yield finding("mixed-scripts", text, at, len(word), message)
    elif text.kind is Kind.NAME and looks_latin(text.value):
        yield finding("name-confusable", text, 0, 1, f"looks like Latin letters: {text.value!a}.")


def _wording(text: Text) -> Iterator[Finding]:
    told = overrides(text.value)
    if told is not None:
        at, phrase = told
        quoted = is_quoted(text.value, at, len(phrase)) or is_denied(text.value, at, phrase)
        # A quotation weighs what it does in a body: there the rule may be lighter.
        whose, says = (replace(text, kind=Kind.BODY), "quotes") if quoted else (text, "says")
        yield finding("instruction-override", whose, at, len(phrase), f"{says} {_short(phrase)}.")
    found = [*instructing(text.value), *(demanding(text.value) if text.kind is Kind.DESCRIPTION else ())]
    for code, (first, *more) in _by_code(found).items():
        phrase = text.value[first.at : first.end]
        yield finding(code, text, first.at, first.length, f"says {_short(phrase)}{_also(more)}")


def _unshown(text: Text) -> Iterator[Finding]:
    for code, (first, *more) in _by_code(unshown(text.value)).items():
        shown = _short(text.value[first.at : first.at + 200])
        yield finding(code, text, first.at, first.length, f"has {shown}{_also(more)}")


def _encoded(text: Text) -> Iterator[Finding]:
    told: dict[str, tuple[Found, str, int]] = {}
    for found, what in encoded(text.value, text.kind):
        first, said, count = told.get(found.code, (found, what, 0))
        told[found.code] = (first, said, count + 1)
    for code, (found, what, count) in told.items():
        yield finding(code, text, found.at, found.length, f"has {what}{_also(range(count - 1))}")


def _by_code(found: Iterable[Found]) -> dict[str, list[Found]]:
    """What was found by rule, each in the order of the text."""
    by_code: dict[str, list[Found]] = {}
    for one in sorted(found, key=lambda one: one.at):
        by_code.setdefault(one.code, []).append(one)
    return by_code


def _also(more: Iterable[object]) -> str:
    count = len(list(more))
    return f", and {count:,} more." if count else "."


def _short(text: str) -> str:
    """Some of a text on one line, with what is not printable as escapes."""
    flat = " ".join(text.split())
    cut = flat if len(flat) <= SHOWN else f"{flat[: SHOWN - 3]}..."
    return '"' + "".join(char if char.isprintable() else ascii(char)[1:-1] for char in cut) + '"'
