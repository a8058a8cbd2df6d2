"""All rules for one text: what a model may read of it that people do not see or would not want. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

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
        yield finding(code, text, first[1], first[2], _character(text, first) + _also(more))


def _character(text: Text, found: Found) -> str:
    code, at, length = found
    if code == "hidden-tags" or code == "hidden-flag":
        return f"has tag characters that spell {_short(spelt(text.value[at : at + length]))}"
    if code == "hidden-run":
        return f"has {length} characters in a row that are not seen, the first {named(text.value[at])}"
    return f"has {named(text.value[at])}"


def _lookalikes(text: Text) -> Iterator[Finding]:
    words = mixed_words(text.value)
    if words:
        at, word = words[0]
        odd = next(char for char in word if not char.isascii())
        yield finding(
            "mixed-scripts", text, at, len(word), f"has the word {_short(word)}, with {named(odd)}{_also(words[1:])}"
        )
    elif text.kind is Kind.NAME and looks_latin(text.value):
        yield finding(
            "name-confusable",
            text,
            0,
            1,
            f"looks like Latin letters: {text.value!a}.",
        )


def _wording(text: Text) -> Iterator[Finding]:
    told = overrides(text.value)
    if told is not None:
        at, phrase = told
        one = finding("instruction-override", text, at, len(phrase), f"says {_short(phrase)}.")
        if is_quoted(text.value, at, len(phrase)) or is_denied(text.value, at, phrase):
            one = finding("instruction-override", _later(text), at, len(phrase), f"quotes {_short(phrase)}.")
        yield one
    found = [*instructing(text.value), *(demanding(text.value) if text.kind is Kind.DESCRIPTION else ())]
    for code, (first, *more) in _by_code(found).items():
        phrase = text.value[first[1] : first[1] + first[2]]
        yield finding(code, text, first[1], first[2], f"says {_short(phrase)}{_also(more)}")


def _later(text: Text) -> Text:
    """The same text, taken for one of its body: there a rule may be lighter."""
    return Text(**{**{key: value for key, value in vars(text).items() if key != "plain"}, "kind": Kind.BODY})


def _unshown(text: Text) -> Iterator[Finding]:
    for code, (first, *more) in _by_code(unshown(text.value)).items():
        yield finding(
            code, text, first[1], first[2], f"has {_short(text.value[first[1] : first[1] + 200])}{_also(more)}"
        )


def _encoded(text: Text) -> Iterator[Finding]:
    told: dict[str, tuple[Found, str, int]] = {}
    for found, what in encoded(text.value, text.kind):
        first, said, count = told.get(found[0], (found, what, 0))
        told[found[0]] = (first, said, count + 1)
    for code, (found, what, count) in told.items():
        yield finding(code, text, found[1], found[2], f"has {what}{_also(range(count - 1))}")


def _by_code(found: Iterable[Found]) -> dict[str, list[Found]]:
    """What was found by rule, each in the order of the text."""
    sorted_: dict[str, list[Found]] = {}
    for one in sorted(found, key=lambda one: one[1]):
        sorted_.setdefault(one[0], []).append(one)
    return sorted_


def _also(more: Iterable[object]) -> str:
    count = len(list(more))
    return f", and {count:,} more." if count else "."


def _short(text: str) -> str:
    """Some of a text on one line, with what is not printable as escapes."""
    flat = " ".join(text.split())
    cut = flat if len(flat) <= SHOWN else f"{flat[: SHOWN - 3]}..."
    return '"' + "".join(char if char.isprintable() else ascii(char)[1:-1] for char in cut) + '"'
