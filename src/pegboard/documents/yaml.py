"""YAML as people mean it, and where everything stands. Pure: text in, values and offsets out.

Values are those of YAML 1.2: ``no``, ``on`` and ``2026-01-31`` are texts. What can make a short file endless, or run
code, is refused: anchors, aliases, tags. So are keys that are given twice, and keys that are no text.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from enum import StrEnum
from typing import TYPE_CHECKING, Any, Final

from pegboard.documents.jsonc import MAX_DEPTH, ParsedText
from pegboard.documents.problems import KeyPath

if TYPE_CHECKING:
    from yaml import Mark, MarkedYAMLError
    from yaml.events import Event

_INTEGER: Final = re.compile(r"[-+]?[0-9]{1,4000}")
_FLOAT: Final = re.compile(r"[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?")
_BASED: Final = re.compile(r"0(?:o[0-7]+|x[0-9a-fA-F]+)")
_NO_NUMBER: Final = re.compile(r"[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN)")
_WORDS: Final[dict[str, Any]] = {
    **dict.fromkeys(("", "~", "null", "Null", "NULL"), None),
    **dict.fromkeys(("true", "True", "TRUE"), True),
    **dict.fromkeys(("false", "False", "FALSE"), False),
}

_HINTS: Final = (
    ("found character that cannot start any token", "Indent with blanks, not tabs; put text with @ or ` in quotes."),
    ("mapping values are not allowed", "Put text that holds ': ' in quotes."),
    ("did not find expected", "Look at the line before too: a bracket, a quote or the indentation is wrong."),
    ("could not find expected ':'", "Write key: value."),
    ("found unexpected end of stream", "Close the quote or bracket that was opened."),
)


class Refusal(StrEnum):
    """What YAML has and is not read here."""

    ALIAS = "alias"
    ANCHOR = "anchor"
    TAG = "tag"
    DUPLICATE = "duplicate"
    MERGE = "merge"
    DEPTH = "depth"
    KEY = "key"
    DOCUMENT = "document"
    NUMBER = "number"


class YamlSyntaxError(ValueError):
    """The text is not YAML that is read here. ``offset`` is the character where; ``hint`` is the fix.

    ``refusal`` says what of YAML it has that is not read; None where it is no YAML. ``first`` is where a key that is
    given twice stands for the first time.
    """

    def __init__(
        self, offset: int, message: str, hint: str = "", refusal: Refusal | None = None, first: int | None = None
    ) -> None:
        super().__init__(message)
        self.offset = offset
        self.hint = hint
        self.refusal = refusal
        self.first = first


def parse(text: str, *, as_written: bool = False) -> ParsedText:
    """The value of a YAML text of one document, with the offset of each key and item.

    With ``as_written`` every scalar is the text that stands there, and only null is none.

    Raises YamlSyntaxError, also for nesting beyond MAX_DEPTH.
    """
    from yaml import MarkedYAMLError, YAMLError

    try:
        reader = _Reader(text, _text_of if as_written else scalar)
        value = reader.document()
    except MarkedYAMLError as error:
        what, mark = told(error)
        hint = next((hint for start, hint in _HINTS if what.startswith(start)), "")
        raise YamlSyntaxError(mark.index if mark else len(text), what, hint) from error
    except UnicodeEncodeError as error:
        raise YamlSyntaxError(error.start, "half a character (a lone surrogate)") from error
    except YAMLError as error:  # characters that YAML cannot hold
        raise YamlSyntaxError(getattr(error, "position", 0), "a character that may not stand in YAML") from error
    return ParsedText(value, lambda: reader.at)


def events_of(text: str) -> Iterator[Event]:
    """What the parser sees in a text, one after the other. The iterator raises YAMLError."""
    import yaml

    loader: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)  # where it was built without its C part
    events: Iterator[Event] = yaml.parse(text, Loader=loader)
    return events


def told(error: MarkedYAMLError) -> tuple[str, Mark | None]:
    """What the parser says of a text that is no YAML, and where; None for no place."""
    return error.problem or error.context or "something is wrong", error.problem_mark or error.context_mark


class _Reader:
    """One pass over one text's events. Lives as long as one ``parse``."""

    def __init__(self, text: str, scalar: Callable[[Any], Any]) -> None:
        self.events = events_of(text)
        self.scalar = scalar
        self.at: dict[KeyPath, int] = {}

    def document(self) -> Any:
        """The value of the only document; None where there is none."""
        from yaml import events

        value: Any = None
        count = 0
        for event in self.events:
            if isinstance(event, events.DocumentStartEvent):
                count += 1
                if count > 1:
                    what = "a second document begins here"
                    raise YamlSyntaxError(_offset(event), what, "Keep one in a file.", Refusal.DOCUMENT)
                value = self.value(next(self.events), ())
        return value

    def value(self, event: Event, path: KeyPath) -> Any:
        """The value that begins with an event."""
        from yaml import events

        _refuse(event)
        if len(path) > MAX_DEPTH:
            raise YamlSyntaxError(_offset(event), f"nests deeper than {MAX_DEPTH} levels", "", Refusal.DEPTH)
        if isinstance(event, events.MappingStartEvent):
            return self.members(path)
        if isinstance(event, events.SequenceStartEvent):
            return self.items(path)
        return self.scalar(event)

    def members(self, path: KeyPath) -> dict[str, Any]:
        from yaml import events

        table: dict[str, Any] = {}
        while not isinstance(event := next(self.events), events.MappingEndEvent):
            _refuse(event)
            if not isinstance(event, events.ScalarEvent):
                what = "a key is text, not a list or a table"
                raise YamlSyntaxError(_offset(event), what, "Put it in quotes.", Refusal.KEY)
            key = str(event.value)
            if key in table:
                twice = f"{key!r} is given twice"
                first = self.at[(*path, key)]
                raise YamlSyntaxError(_offset(event), twice, "Remove one of the two.", Refusal.DUPLICATE, first)
            if key == "<<":
                unread = "merge keys are not read"
                raise YamlSyntaxError(_offset(event), unread, "Write the members out.", Refusal.MERGE)
            self.at[(*path, key)] = _offset(event)
            table[key] = self.value(next(self.events), (*path, key))
        return table

    def items(self, path: KeyPath) -> list[Any]:
        from yaml import events

        items: list[Any] = []
        while not isinstance(event := next(self.events), events.SequenceEndEvent):
            here = (*path, len(items))
            self.at[here] = _offset(event)
            items.append(self.value(event, here))
        return items


def _refuse(event: Any) -> None:
    from yaml import events

    if isinstance(event, events.AliasEvent):
        what = f"*{event.anchor} repeats another value"
        raise YamlSyntaxError(_offset(event), what, "Write the value out.", Refusal.ALIAS)
    if getattr(event, "anchor", None):
        what = f"&{event.anchor} names a value"
        raise YamlSyntaxError(_offset(event), what, "Write values out where they stand.", Refusal.ANCHOR)
    if getattr(event, "tag", None):
        raise YamlSyntaxError(_offset(event), f"the tag {event.tag} is not read", "Leave it out.", Refusal.TAG)


def _offset(event: Any) -> int:
    return int(event.start_mark.index)


def _text_of(event: Any) -> str | None:
    """A scalar as it is written; a plain one that means nothing is None."""
    text = str(event.value)
    return None if event.implicit[0] and text in _WORDS and _WORDS[text] is None else text


def scalar(event: Any) -> Any:
    """A plain scalar as YAML 1.2 has it; one in quotes, and block text, as it stands."""
    text = str(event.value)
    if not event.implicit[0]:
        return text
    if text in _WORDS:
        return _WORDS[text]
    if _NO_NUMBER.fullmatch(text):
        what = f"{text} is no number that JSON has"
        raise YamlSyntaxError(_offset(event), what, "Put it in quotes for text.", Refusal.NUMBER)
    for pattern, make in _NUMBERS:
        if pattern.fullmatch(text):
            try:
                return make(text)
            except ValueError as error:
                what = "this number has too many digits"
                raise YamlSyntaxError(_offset(event), what, "Put it in quotes for text.", Refusal.NUMBER) from error
    return text


def _based(text: str) -> int:
    number = int(text, 0)
    str(number)  # Python reads these at any length, and writes none of them beyond its bound
    return number


_NUMBERS: Final[tuple[tuple[re.Pattern[str], Callable[[str], Any]], ...]] = (
    (_INTEGER, int),
    (_BASED, _based),
    (_FLOAT, float),
)
